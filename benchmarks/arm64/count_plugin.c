// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A plugin of qemu that counts the instructions between two marks of a program.

// The marks are system calls that Linux does not have. The file that the argument out=FILE
// names gets the count, and a line for each block of instructions that was executed: how
// often, and its instructions as hexadecimal bytes. Only programs of one thread are counted
// rightly.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<qemu-plugin.h>)
#include <qemu-plugin.h>
#else
// What is used here of the interface of qemu 6 to 8, for packages without its header.
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
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
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn*);
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

// A block of instructions without a jump inside. The emulator may translate one twice.
struct block {
    struct block* next;
    uint64_t executed; // between the marks
    size_t instructions;
    uint32_t words[];
};

static FILE* out;
static struct block* blocks;
static int counting;

static uint32_t instruction(const struct qemu_plugin_tb* tb, size_t i)
{
    uint32_t word = 0;
    struct qemu_plugin_insn* one = qemu_plugin_tb_get_insn(tb, i);
#if QEMU_PLUGIN_VERSION >= 3
    qemu_plugin_insn_data(one, &word, sizeof(word));
#else
    memcpy(&word, qemu_plugin_insn_data(one), sizeof(word));
#endif
    return word;
}

static void on_block(unsigned cpu, void* block)
{
    (void)cpu;
    ((struct block*)block)->executed += (uint64_t)counting;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* tb)
{
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(tb);
    struct block* one = calloc(1, sizeof(*one) + count * sizeof(one->words[0]));
    if (!one) {
        fprintf(stderr, "count_plugin: no memory\n");
        exit(1);
    }
    one->instructions = count;
    for (size_t i = 0; i < count; i++)
        one->words[i] = instruction(tb, i);
    one->next = blocks;
    blocks = one;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, one);
}

static void write_counts(void)
{
    uint64_t all = 0;
    for (const struct block* one = blocks; one; one = one->next)
        all += one->executed * one->instructions;
    fprintf(out, "%llu\n", (unsigned long long)all);
    for (const struct block* one = blocks; one; one = one->next) {
        if (one->executed == 0)
            continue;
        fprintf(out, "%llu ", (unsigned long long)one->executed);
        // The bytes of an instruction as they lie in memory, the lowest first.
        for (size_t i = 0; i < 4 * one->instructions; i++)
            fprintf(out, "%02x", (unsigned)(one->words[i / 4] >> (8 * (i % 4)) & 0xff));
        fprintf(out, "\n");
    }
    fflush(out);
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
        counting = 1;
    if (number == mark_stop) {
        counting = 0;
        write_counts();
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
