// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit correlations for CPU devices, counted by carry-save adders.

/*
 * 1-bit correlations for CPU devices, K - 2 popcount(item xor code). A vector holds words
 * of CODES codes, one in each 64-bit lane, so that nothing is ever summed across lanes.
 *
 * The vectors of CPUs have no popcount, or a slow one, so carry-save adders count
 * instead. An adder adds one bit of each of two words to a running sum and gives a carry,
 * at all bit positions at once. Of 16 words, only one word of carries is left to be
 * counted, and each of these carries is worth 16 (Harley and Seal; Mula, Kurz, Lemire,
 * "Faster population counts using AVX2 instructions", 2018).
 *
 * Codes lie in panels of CODES codes: the first word of each code, then the second of
 * each, and so on up to `words` words, filled up with zeros. Items need no alignment.
 * Bytes that are missing in the last word of an item count as zeros.
 *
 * Preconditions: `count`, the number of words from `first` on, is at most 496 = 31 * 16,
 * because a byte holds 31 counts of up to 8. A further call with `add` continues the sums
 * of a longer code.
 */

#ifndef CODES
#define CODES 8
#endif

#include "join.clh"
#include "portable.clh"

typedef JOIN(ulong, CODES) words_t;
typedef JOIN(int, CODES) ints_t;
#define LOAD(i, p) JOIN(vload, CODES)(i, p)
#define STORE(v, i, p) JOIN(vstore, CODES)(v, i, p)
#define TO_INTS(v) JOIN(convert_int, CODES)(v)

/* The number of set bits in every byte. */
HELPER words_t count_bytes(words_t x)
{
    x -= (x >> 1) & (words_t)(0x5555555555555555UL);
    x = (x & (words_t)(0x3333333333333333UL)) + ((x >> 2) & (words_t)(0x3333333333333333UL));
    return (x + (x >> 4)) & (words_t)(0x0f0f0f0f0f0f0f0fUL);
}

/* The sum of the bytes of each lane. */
HELPER words_t add_bytes(words_t x)
{
    x = (x & (words_t)(0x00ff00ff00ff00ffUL)) + ((x >> 8) & (words_t)(0x00ff00ff00ff00ffUL));
    x += x >> 16;
    x += x >> 32;
    return x & (words_t)(0xffffUL);
}

/* Adds three bits at each bit position: `sum` becomes the lower bit of sum + a + b, and
 * `carry` the higher one. The builtins are used because LLVM finds only half of the
 * three-operand instructions that AVX-512 has for this. */
#if CODES == 16 && defined(__AVX512F__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_pternlogq512_mask)
#define TERNARY
#endif
#endif

#ifdef TERNARY
#define OF_HALVES(a, b, c, table)                                                \
    (ulong16)(as_ulong8(__builtin_ia32_pternlogq512_mask(                        \
                  as_long8(a.lo), as_long8(b.lo), as_long8(c.lo), table, 0xff)), \
              as_ulong8(__builtin_ia32_pternlogq512_mask(                        \
                  as_long8(a.hi), as_long8(b.hi), as_long8(c.hi), table, 0xff)))
#define ADD(carry, sum, a, b)                  \
    {                                          \
        const words_t part = a;                \
        const words_t last = b;                \
        carry = OF_HALVES(sum, part, last, 0xe8); \
        sum = OF_HALVES(sum, part, last, 0x96);   \
    }
#else
#define ADD(carry, sum, a, b)                   \
    {                                           \
        const words_t part = sum ^ (a);         \
        const words_t last = b;                 \
        carry = bitselect(sum, last, part);     \
        sum = part ^ last;                      \
    }
#endif

/* The word at p. Only its first `bytes` bytes belong to the item; the others become
 * zero. */
HELPER ulong last_word(__global const uchar* p, uint bytes)
{
    uchar8 word = 0;
    uchar* w = (uchar*)&word;
    for (uint i = 0; i < bytes; ++i)
        w[i] = p[i];
    return as_ulong(word);
}

/* A word without any alignment. */
typedef struct __attribute__((packed)) {
    ulong word;
} loose_word;

#define DIFFERENCE(k) ((words_t)(((__global const loose_word*)at)[k].word) ^ LOAD(k, code))

__kernel void cpu_tile(__global const uchar* items,
                       uint items_at,
                       uint item_bytes,
                       uint item_count,
                       uint items_each,
                       __global const ulong* codes,
                       uint words,
                       uint code_count,
                       uint first,
                       uint count,
                       int bits,
                       int add,
                       __global int* out,
                       uint out_at,
                       uint out_step)
{
    const uint panel = get_global_id(0);
    const uint from = get_global_id(1) * items_each;
    const uint to = min(from + items_each, item_count);
    const uint here = min((uint)CODES, code_count - panel * CODES);
    const uint left = item_bytes - 8 * first;
    const uint whole = min(count, left / 8);
    const uint in_sixteens = whole - whole % 16;

    for (uint item = from; item < to; ++item) {
        __global const uchar* at = items + items_at + (size_t)item * item_bytes + 8 * first;
        __global const ulong* code = codes + ((size_t)panel * words + first) * CODES;
        words_t ones = 0, twos = 0, fours = 0, eights = 0, sixteens = 0;
        uint w = 0;
        for (; w < in_sixteens; w += 16, at += 128, code += 16 * CODES) {
            words_t two_a, two_b, four_a, four_b, eight_a, eight_b, sixteen;
            ADD(two_a, ones, DIFFERENCE(0), DIFFERENCE(1));
            ADD(two_b, ones, DIFFERENCE(2), DIFFERENCE(3));
            ADD(four_a, twos, two_a, two_b);
            ADD(two_a, ones, DIFFERENCE(4), DIFFERENCE(5));
            ADD(two_b, ones, DIFFERENCE(6), DIFFERENCE(7));
            ADD(four_b, twos, two_a, two_b);
            ADD(eight_a, fours, four_a, four_b);
            ADD(two_a, ones, DIFFERENCE(8), DIFFERENCE(9));
            ADD(two_b, ones, DIFFERENCE(10), DIFFERENCE(11));
            ADD(four_a, twos, two_a, two_b);
            ADD(two_a, ones, DIFFERENCE(12), DIFFERENCE(13));
            ADD(two_b, ones, DIFFERENCE(14), DIFFERENCE(15));
            ADD(four_b, twos, two_a, two_b);
            ADD(eight_b, fours, four_a, four_b);
            ADD(sixteen, eights, eight_a, eight_b);
            sixteens += count_bytes(sixteen);
        }
        /* Each byte holds at most 15 times 8 here, and 16 times 8 more from the remaining
         * words. */
        words_t rest = count_bytes(ones) + (count_bytes(twos) << 1) +
                       (count_bytes(fours) << 2) + (count_bytes(eights) << 3);
        for (; w < whole; ++w, at += 8, code += CODES)
            rest += count_bytes(DIFFERENCE(0));
        if (w < count)
            rest += count_bytes((words_t)(last_word(at, left - 8 * w)) ^ LOAD(0, code));
        const ints_t differing = TO_INTS((add_bytes(sixteens) << 4) + add_bytes(rest));

        __global int* result = out + out_at + (size_t)item * out_step + panel * CODES;
        if (here == CODES) {
            const ints_t before = add ? LOAD(0, result) : (ints_t)(bits);
            STORE(before - 2 * differing, 0, result);
        } else {
            const int* lanes = (const int*)&differing;
            for (uint j = 0; j < here; ++j)
                result[j] = (add ? result[j] : bits) - 2 * lanes[j];
        }
    }
}
