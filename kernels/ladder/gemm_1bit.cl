/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * 1-bit correlations, K - 2 popcount(item xor code), the textbook's way: a work-item
 * computes one.
 *
 * Codes lie one after the other, `code_bytes` apart, a multiple of 4, and their bytes
 * beyond the item's length are zero. Items' bytes may lie anywhere.
 */

/* A word at any byte. */
typedef struct __attribute__((packed)) {
    uint word;
} loose_word;

#define OUT(item, code) out[out_at + (item) * out_step + (code)]

/* Byte by byte, summed in the output's memory. */
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

/* Word by word, summed in a register. */
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
