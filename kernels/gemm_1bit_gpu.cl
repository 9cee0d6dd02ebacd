// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit correlations for GPUs, with items and codes in local memory.

/*
 * 1-bit correlations for GPUs, K - 2 popcount(item xor code). A group of GROUP_CODES by
 * GROUP_ITEMS work-items brings DEPTH words of its items and codes to local memory. Each
 * work-item then correlates EACH_ITEMS items with EACH_CODES codes.
 *
 * A GPU counts bits more slowly than it computes logical operations. A carry-save adder
 * therefore joins two words first: it adds one bit of each word to a running sum, at all
 * bit positions at once. Only the carries are counted in the loop, and each of them is
 * worth two.
 *
 * Codes lie in one panel: the first word of each code, then the second of each, and so
 * on; the words of a code are `code_step` apart.
 *
 * Preconditions: DEPTH is even; `words` is a multiple of DEPTH, and `code_step` a
 * multiple of the number of codes of a group, both filled up with zeros; with ALIGNED,
 * the addresses and lengths of items are multiples of 4.
 */

#include "portable.clh"

#ifndef GROUP_CODES
#define GROUP_CODES 16
#endif
#ifndef GROUP_ITEMS
#define GROUP_ITEMS 16
#endif
#ifndef EACH_CODES
#define EACH_CODES 4
#endif
#ifndef EACH_ITEMS
#define EACH_ITEMS 4
#endif
#ifndef DEPTH
#define DEPTH 16
#endif

#define GROUP (GROUP_CODES * GROUP_ITEMS)
#define CODES (GROUP_CODES * EACH_CODES)
#define ITEMS (GROUP_ITEMS * EACH_ITEMS)
/* Neighbouring work-items write down a column. The odd step puts their words into
 * different banks of the local memory. */
#define ITEMS_STEP (ITEMS | 1)

/* The word that starts at byte `at` of an item; bytes beyond the end of the item are
 * zero. */
HELPER uint item_word(__global const uchar* item, uint at, uint item_bytes)
{
#ifdef ALIGNED
    return at < item_bytes ? *(__global const uint*)(item + at) : 0;
#else
    uchar4 word = 0;
    if (at < item_bytes)
        word.x = item[at];
    if (at + 1 < item_bytes)
        word.y = item[at + 1];
    if (at + 2 < item_bytes)
        word.z = item[at + 2];
    if (at + 3 < item_bytes)
        word.w = item[at + 3];
    return as_uint(word);
#endif
}

__kernel __attribute__((reqd_work_group_size(GROUP_CODES, GROUP_ITEMS, 1))) void
gpu_tile(__global const uchar* items,
         uint items_at,
         uint item_bytes,
         uint item_count,
         __global const uint* codes,
         uint words,
         uint code_step,
         uint code_count,
         int bits,
         __global int* out,
         uint out_at,
         uint out_step)
{
    __local uint item_words[DEPTH * ITEMS_STEP];
    __local uint code_words[DEPTH * CODES];

    const uint x = get_local_id(0), y = get_local_id(1);
    const uint me = y * GROUP_CODES + x;
    const uint first_code = get_group_id(0) * CODES;
    const uint first_item = get_group_id(1) * ITEMS;

    uint ones[EACH_ITEMS][EACH_CODES], twos[EACH_ITEMS][EACH_CODES];
#pragma unroll
    for (int i = 0; i < EACH_ITEMS; ++i)
#pragma unroll
        for (int j = 0; j < EACH_CODES; ++j)
            ones[i][j] = twos[i][j] = 0;

    for (uint w = 0; w < words; w += DEPTH) {
        for (uint k = me; k < DEPTH * ITEMS; k += GROUP) {
            const uint word = k % DEPTH, item = k / DEPTH;
            item_words[word * ITEMS_STEP + item] =
                first_item + item < item_count
                    ? item_word(items + items_at + (first_item + item) * item_bytes,
                                4 * (w + word),
                                item_bytes)
                    : 0;
        }
        for (uint k = me; k < DEPTH * CODES; k += GROUP)
            code_words[k] = codes[(w + k / CODES) * code_step + first_code + k % CODES];
        barrier(CLK_LOCAL_MEM_FENCE);

#pragma unroll
        for (int k = 0; k < DEPTH; k += 2) {
            uint a[2][EACH_ITEMS], b[2][EACH_CODES];
#pragma unroll
            for (int h = 0; h < 2; ++h) {
#pragma unroll
                for (int i = 0; i < EACH_ITEMS; ++i)
                    a[h][i] = item_words[(k + h) * ITEMS_STEP + y + i * GROUP_ITEMS];
#pragma unroll
                for (int j = 0; j < EACH_CODES; ++j)
                    b[h][j] = code_words[(k + h) * CODES + x + j * GROUP_CODES];
            }
#pragma unroll
            for (int i = 0; i < EACH_ITEMS; ++i) {
#pragma unroll
                for (int j = 0; j < EACH_CODES; ++j) {
                    const uint part = ones[i][j] ^ a[0][i] ^ b[0][j];
                    const uint last = a[1][i] ^ b[1][j];
                    twos[i][j] += popcount(bitselect(ones[i][j], last, part));
                    ones[i][j] = part ^ last;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int i = 0; i < EACH_ITEMS; ++i) {
        const uint item = first_item + y + i * GROUP_ITEMS;
        for (int j = 0; j < EACH_CODES; ++j) {
            const uint code = first_code + x + j * GROUP_CODES;
            if (item < item_count && code < code_count)
                out[out_at + item * out_step + code] =
                    (int)((uint)bits - 4 * twos[i][j] - 2 * popcount(ones[i][j]));
        }
    }
}
