// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit correlations as in a textbook, one for each work-item.

/*
 * 1-bit correlations, K - 2 popcount(item xor code), as in a textbook: a work-item
 * computes one correlation.
 *
 * Codes are `code_bytes` apart, a multiple of 4. Their bytes beyond the length of an item
 * are zero. Items need no alignment.
 */

/* A word without any alignment. */
typedef struct __attribute__((packed)) {
    uint word;
} loose_word;

#define OUT(item, code) out[out_at + (item) * out_step + (code)]

/* Counts byte by byte, and adds up in the output's memory. */
__kernel void naive(__global const uchar* items,
                    uint items_at,
                    uint item_bytes,
                    __global const uchar* codes,
                    uint code_bytes,
                    uint code_count,
                    int bits,
                    __global int* out,
                    uint out_at,
                    uint out_step)
{
    const uint code = get_global_id(0);
    const uint item = get_global_id(1);
    if (code >= code_count)
        return;

    OUT(item, code) = bits;
    for (uint i = 0; i < item_bytes; ++i) {
        const uchar differing =
            items[items_at + item * item_bytes + i] ^ codes[code * code_bytes + i];
        OUT(item, code) -= 2 * popcount(differing);
    }
}

/* Counts word by word, and adds up in a register. */
__kernel void private_sum(__global const uchar* items,
                          uint items_at,
                          uint item_bytes,
                          __global const uchar* codes,
                          uint code_bytes,
                          uint code_count,
                          int bits,
                          __global int* out,
                          uint out_at,
                          uint out_step)
{
    const uint code = get_global_id(0);
    const uint item = get_global_id(1);
    if (code >= code_count)
        return;

    __global const uchar* a = items + items_at + item * item_bytes;
    __global const uchar* b = codes + code * code_bytes;
    const uint whole = item_bytes / 4;
    uint sum = 0;
    for (uint w = 0; w < whole; ++w)
        sum += popcount(((__global const loose_word*)a)[w].word ^
                        ((__global const uint*)b)[w]);
    for (uint i = 4 * whole; i < item_bytes; ++i)
        sum += popcount((uchar)(a[i] ^ b[i]));
    OUT(item, code) = (int)((uint)bits - 2 * sum);
}
