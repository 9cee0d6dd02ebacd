// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts how much of a process's time is spent in the compiler of OpenCL kernels.

/*
 * A preloaded library that counts in which part of a process its processor time is spent:
 * in the compiler of OpenCL kernels, or elsewhere. scripts/test-times builds and uses it.
 *
 * A signal comes every ten milliseconds of processor time. The library in which it finds the
 * process decides; a library that both parts use, such as the C library, counts as the part in
 * which its thread was found before. The two counts are in a file that all processes of a test
 * map into their memory, so that none is lost where one ends suddenly.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { compiling, others, kinds };
static uint64_t* counts;
static __thread int in_compiler __attribute__((tls_model("initial-exec")));

static void* place_of(void* context)
{
    const ucontext_t* c = context;
#if defined(__x86_64__)
    return (void*)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void*)c->uc_mcontext.pc;
#else
#error "The sampler does not know this processor"
#endif
}

static void sample(int number, siginfo_t* info, void* context)
{
    struct dl_find_object found;
    (void)number;
    (void)info;
    if (_dl_find_object(place_of(context), &found) == 0 && found.dlfo_link_map) {
        const char* name = found.dlfo_link_map->l_name;
        if (strstr(name, "libLLVM") || strstr(name, "libclang"))
            in_compiler = 1;
        else if (!strstr(name, "libc.so") && !strstr(name, "libstdc++") &&
                 !strstr(name, "libm.so") && !strstr(name, "libz"))
            in_compiler = 0;
    }
    __atomic_fetch_add(&counts[in_compiler ? compiling : others], 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void)
{
    const char* path = getenv("CLDSP_TIMES_FILE");
    const struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
    struct sigaction action;
    void* mapped;
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    mapped = mmap(NULL, kinds * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return;
    counts = mapped;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = sample;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}
