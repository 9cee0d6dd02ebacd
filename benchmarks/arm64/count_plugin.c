// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A plugin of qemu that counts the instructions between two marks of a program.

// The marks are system calls that Linux does not have. The count is written to the file
// that the argument out=FILE names. Only programs of one thread are counted rightly.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<qemu-plugin.h>)
#include <qemu-plugin.h>
#else
// What is used here of the interface of qemu 6 to 8, for packages without its header.
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#define QEMU_PLUGIN_VERSION 1
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*)(qemu_plugin_id_t,
                                                    struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb*,
                                          void (*)(unsigned, void*),
                                          enum qemu_plugin_cb_flags,
                                          void*);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t,
                                          void (*)(qemu_plugin_id_t,
                                                   unsigned,
                                                   int64_t,
                                                   uint64_t,
                                                   uint64_t,
                                                   uint64_t,
                                                   uint64_t,
                                                   uint64_t,
                                                   uint64_t,
                                                   uint64_t,
                                                   uint64_t));
#endif

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum { mark_start = 100001, mark_stop = 100002 };

static FILE* out;
static uint64_t executed, start;

static void on_block(unsigned cpu, void* instructions)
{
    (void)cpu;
    executed += (uintptr_t)instructions;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(
        block, on_block, QEMU_PLUGIN_CB_NO_REGS, (void*)qemu_plugin_tb_n_insns(block));
}

static void on_system_call(qemu_plugin_id_t id,
                           unsigned cpu,
                           int64_t number,
                           uint64_t a1,
                           uint64_t a2,
                           uint64_t a3,
                           uint64_t a4,
                           uint64_t a5,
                           uint64_t a6,
                           uint64_t a7,
                           uint64_t a8)
{
    (void)id, (void)cpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
    (void)a7, (void)a8;
    if (number == mark_start)
        start = executed;
    if (number == mark_stop) {
        fprintf(out, "%llu\n", (unsigned long long)(executed - start));
        fflush(out);
    }
}

QEMU_PLUGIN_EXPORT int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "out=", 4) == 0)
            out = fopen(argv[i] + 4, "w");
    if (!out) {
        fprintf(stderr, "count_plugin: out=FILE is missing, or cannot be written\n");
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    return 0;
}
