// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters with the same taps on a raster of frequencies, as a polyphase DFT filter bank.

/*
 * A bank of filters with the same taps on a raster of frequencies, as a DFT filter bank
 * (polyphase channelizer): the sums of products of a filter are made once for all channels.
 * docs/algorithms.md explains it.
 *
 * The centre frequencies are those of channel 0 of the raster plus k / SIZE of the sampling
 * rate. g[n] are the taps, rotated to channel 0. Output m of raster channel k is
 *
 *     sum over p of v_m[p] exp(j 2 pi k p / SIZE),   v_m[p] = sum over q of g[p + q SIZE]
 *                                                             x[m D - p - q SIZE],
 *
 * an inverse transform of SIZE values, times the rotator exp(-j w m D), w the centre
 * frequency. The part of the rotator that is different for each channel is
 * exp(-j 2 pi k m D / SIZE): it becomes a rotation of v_m by m D places. The other part is a
 * factor of v_m.
 *
 * A work-group of ITEMS work-items computes OUTPUTS neighbouring outputs of all channels.
 * Its items come to local memory first if WINDOW is not 0. The transforms are Stockham's, in
 * local memory, in passes of the radices PASS_1 to PASS_6.
 *
 * Preconditions: SIZE = PASS_1 * ... * PASS_6, each of which is 1, 2, 3, 4, 5, 8 or 16, and
 * those that are 1 come last; WINDOW is 0 or at least (OUTPUTS - 1) * D + taps; PARTS divides
 * OUTPUTS. No index reaches 2^32.
 */

#ifndef SIZE
#define SIZE 120
#define PASS_1 8
#define PASS_2 5
#define PASS_3 3
#define PASS_4 1
#define PASS_5 1
#define PASS_6 1
#endif
#ifndef ITEMS
#define ITEMS 64
#endif
#ifndef OUTPUTS
#define OUTPUTS 4
#endif
#ifndef PARTS /* of the outputs, which different work-items sum up */
#define PARTS 1
#endif
#ifndef WINDOW
#define WINDOW 0
#endif
/* The most products that are added up in one float, if LONG_SUMS is defined. */
#ifndef SUM_TAPS
#define SUM_TAPS 64
#endif

#include "item_types.clh"
#include "small_transforms.clh"

/* Places are left out in local memory, and the outputs are an odd number of places apart, so
 * that values at distances of powers of two are in different banks. */
#define PLACE(i) ((i) + (i) / 16)
#define PLACES ((PLACE(SIZE - 1) + 1) | 1)

/* A pass of all transforms, in place; `stride` is the product of the radices of the passes
 * before. The work-items take turns at the butterflies. */
#define BUTTERFLIES(radix) (OUTPUTS * (SIZE / (radix)))
#define TURNS(radix) ((BUTTERFLIES(radix) + ITEMS - 1) / ITEMS)
#define TRANSFORM_PASS(radix, stride)                                                        \
    {                                                                                        \
        float2 v[TURNS(radix)][radix];                                                       \
        _Pragma("unroll") for (uint n = 0; n < TURNS(radix); ++n)                            \
        {                                                                                    \
            const uint i = item + n * ITEMS;                                                 \
            if (BUTTERFLIES(radix) % ITEMS == 0 || i < BUTTERFLIES(radix)) {                 \
                const uint at = i % (SIZE / (radix)), j = at % (stride);                     \
                __local const float2* from = values + i / (SIZE / (radix)) * PLACES;         \
                _Pragma("unroll") for (uint r = 0; r < (radix); ++r)                         \
                    v[n][r] = from[PLACE(at + r * (SIZE / (radix)))];                        \
                if ((stride) > 1)                                                            \
                    _Pragma("unroll") for (uint r = 1; r < (radix); ++r)                     \
                        v[n][r] = product(v[n][r], roots[r * (stride) + j]);                 \
                transform_few(v[n], radix);                                                  \
            }                                                                                \
        }                                                                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                                                        \
        _Pragma("unroll") for (uint n = 0; n < TURNS(radix); ++n)                            \
        {                                                                                    \
            const uint i = item + n * ITEMS;                                                 \
            if (BUTTERFLIES(radix) % ITEMS == 0 || i < BUTTERFLIES(radix)) {                 \
                const uint at = i % (SIZE / (radix));                                        \
                const uint to = at / (stride) * (stride) * (radix) + at % (stride);          \
                __local float2* out_of = values + i / (SIZE / (radix)) * PLACES;             \
                _Pragma("unroll") for (uint r = 0; r < (radix); ++r)                         \
                    out_of[PLACE(to + r * (stride))] = v[n][r];                              \
            }                                                                                \
        }                                                                                    \
        barrier(CLK_LOCAL_MEM_FENCE);                                                        \
    }

#define FOR_EACH_OUTPUT _Pragma("unroll") for (uint g = 0; g < OUTPUTS / PARTS; ++g)

/* Adds the products of the taps n = from, from + SIZE, ... below `to` to the sums. */
#define ADD_TAPS(sums, from, to)                                                            \
    for (uint n = from; n < (to); n += SIZE) {                                              \
        const float2 tap = taps[n];                                                         \
        FOR_EACH_OUTPUT (sums)[g] = multiply_add((sums)[g], tap, ITEM(newest[g] - n));      \
    }

/* in_offset: the number of bytes before the oldest item of the first output.
 * taps: g[0] to g[tap_count - 1].
 * step: the rotator of raster channel 0 from output to output, as its high and low word.
 * roots: for a pass of radix R after passes whose radices have the product S,
 * exp(j 2 pi r i / (R S)) at r S + i, r = 1 to R - 1, i = 0 to S - 1.
 * channels: for each channel its place k on the raster.
 * factors: for each channel the rest of its rotator at the first output.
 * Output i of channel c goes to out[out_offset + c * out_stride + i].
 * Grid: work-groups for all outputs. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
dft_bank(__global const uchar* restrict in_base,
         uint in_offset,
         __global const float2* restrict taps,
         uint tap_count,
         uint decimation,
         uint2 step,
         __global const float2* restrict roots,
         __global const uint* restrict channels,
         __global const float2* restrict factors,
         uint channel_count,
         uint outputs,
         __global float2* restrict out,
         uint out_offset,
         uint out_stride)
{
    __local float2 values[OUTPUTS * PLACES];
    const uint item = get_local_id(0);
    const uint first = get_group_id(0) * OUTPUTS;
    const uint count = min((uint)OUTPUTS, outputs - first); /* of this group */
    __global const item_type* oldest =
        (__global const item_type*)(in_base + in_offset) + first * decimation;
#if WINDOW > 0
    __local float2 window[WINDOW];
    for (uint i = item; i < (count - 1) * decimation + tap_count; i += ITEMS)
        window[i] = VALUE(oldest + i);
    barrier(CLK_LOCAL_MEM_FENCE);
#define ITEM(i) window[i]
#else
#define ITEM(i) VALUE(oldest + (i))
#endif

    /* Instead of outputs beyond the last one, the last one is computed again, and not
     * stored. */
    for (uint i = item; i < SIZE * PARTS; i += ITEMS) {
        const uint p = i % SIZE;
        const uint part = i / SIZE * (OUTPUTS / PARTS);
        float2 sum[OUTPUTS / PARTS];
        uint newest[OUTPUTS / PARTS];
        FOR_EACH_OUTPUT
        {
            sum[g] = (float2)(0.0f);
            newest[g] = min(part + g, count - 1) * decimation + tap_count - 1;
        }
#ifdef LONG_SUMS
        for (uint begin = p; begin < tap_count; begin += SUM_TAPS * SIZE) {
            float2 part_of_sum[OUTPUTS / PARTS];
            FOR_EACH_OUTPUT part_of_sum[g] = (float2)(0.0f);
            ADD_TAPS(part_of_sum, begin, min(begin + SUM_TAPS * SIZE, tap_count))
            FOR_EACH_OUTPUT sum[g] += part_of_sum[g];
        }
#else
        ADD_TAPS(sum, p, tap_count)
#endif
        FOR_EACH_OUTPUT
        {
            const uint m = first + part + g;
            const uint later = m % SIZE * (decimation % SIZE) % SIZE;
            const uint to = p >= later ? p - later : p + SIZE - later;
            values[(part + g) * PLACES + PLACE(to)] =
                product(sum[g], phasor_at(m, (uint2)(0), step));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    TRANSFORM_PASS(PASS_1, 1)
#if PASS_2 > 1
    TRANSFORM_PASS(PASS_2, PASS_1)
#endif
#if PASS_3 > 1
    TRANSFORM_PASS(PASS_3, PASS_1 * PASS_2)
#endif
#if PASS_4 > 1
    TRANSFORM_PASS(PASS_4, PASS_1 * PASS_2 * PASS_3)
#endif
#if PASS_5 > 1
    TRANSFORM_PASS(PASS_5, PASS_1 * PASS_2 * PASS_3 * PASS_4)
#endif
#if PASS_6 > 1
    TRANSFORM_PASS(PASS_6, PASS_1 * PASS_2 * PASS_3 * PASS_4 * PASS_5)
#endif

    for (uint i = item; i < channel_count * OUTPUTS; i += ITEMS) {
        const uint g = i % OUTPUTS, c = i / OUTPUTS;
        if (g < count)
            out[out_offset + c * out_stride + first + g] =
                product(values[g * PLACES + PLACE(channels[c])], factors[c]);
    }
}
