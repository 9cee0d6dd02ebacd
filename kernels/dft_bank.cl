/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
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

/* Places are left out in local memory, and the outputs are an odd number of places apart, so
 * that values at distances of powers of two are in different banks. */
#define PLACE(i) ((i) + (i) / 16)
#define PLACES ((PLACE(SIZE - 1) + 1) | 1)

/* sum + a * b */
float2 multiply_add(float2 sum, float2 a, float2 b)
{
    sum = fma((float2)(a.x), b, sum);
    return fma((float2)(a.y), (float2)(-b.y, b.x), sum);
}

float2 product(float2 a, float2 b)
{
    return fma((float2)(a.y), (float2)(-b.y, b.x), a.x * b);
}

/* exp(j 2 pi (phase + n * step)). The phase and the step are 64-bit fractions of a turn,
 * each as its high and its low word, because small devices have no 64-bit integers. */
float2 phasor_at(uint n, uint2 phase, uint2 step)
{
    const uint low = n * step.y;
    const uint sum = low + phase.y;
    const uint high = n * step.x + mul_hi(n, step.y) + phase.x + (sum < low ? 1u : 0u);
    const float half_turns = (float)(int)high * 0x1p-31f;
    return (float2)(cospi(half_turns), sinpi(half_turns));
}

/* Inverse transforms of a few values, in place. */
void transform_2(float2* v)
{
    const float2 a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
}

void transform_4_of(float2* a, float2* b, float2* c, float2* d)
{
    const float2 even_sum = *a + *c, even_difference = *a - *c;
    const float2 odd_sum = *b + *d, odd_difference = *b - *d;
    const float2 turned = (float2)(-odd_difference.y, odd_difference.x);
    *a = even_sum + odd_sum;
    *b = even_difference + turned;
    *c = even_sum - odd_sum;
    *d = even_difference - turned;
}

void transform_8(float2* v)
{
    const float root_half = 0.70710678118654752f;
    transform_4_of(v, v + 2, v + 4, v + 6);
    transform_4_of(v + 1, v + 3, v + 5, v + 7);
    const float2 even[4] = { v[0], v[2], v[4], v[6] };
    const float2 odd[4] = { v[1],
                            (float2)(v[3].x - v[3].y, v[3].x + v[3].y) * root_half,
                            (float2)(-v[5].y, v[5].x),
                            (float2)(-v[7].x - v[7].y, v[7].x - v[7].y) * root_half };
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        v[k] = even[k] + odd[k];
        v[k + 4] = even[k] - odd[k];
    }
}

void transform_16(float2* v)
{
    const float root_half = 0.70710678118654752f;
    const float c = 0.92387953251128676f, s = 0.38268343236508977f; /* of 1/16 turn */
    float2 u[16];
#pragma unroll
    for (int n = 0; n < 4; ++n)
        transform_4_of(v + n, v + n + 4, v + n + 8, v + n + 12);
    /* Value 4 k + n turns by k n / 16. */
    v[5] = product(v[5], (float2)(c, s));
    v[6] = (float2)(v[6].x - v[6].y, v[6].x + v[6].y) * root_half;
    v[7] = product(v[7], (float2)(s, c));
    v[9] = (float2)(v[9].x - v[9].y, v[9].x + v[9].y) * root_half;
    v[10] = (float2)(-v[10].y, v[10].x);
    v[11] = (float2)(-v[11].x - v[11].y, v[11].x - v[11].y) * root_half;
    v[13] = product(v[13], (float2)(s, c));
    v[14] = (float2)(-v[14].x - v[14].y, v[14].x - v[14].y) * root_half;
    v[15] = product(v[15], (float2)(-c, -s));
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        transform_4_of(v + 4 * k, v + 4 * k + 1, v + 4 * k + 2, v + 4 * k + 3);
#pragma unroll
        for (int n = 0; n < 4; ++n)
            u[k + 4 * n] = v[4 * k + n];
    }
#pragma unroll
    for (int n = 0; n < 16; ++n)
        v[n] = u[n];
}

void transform_3(float2* v)
{
    const float half_root = 0.86602540378443865f;
    const float2 sum = v[1] + v[2], difference = (v[1] - v[2]) * half_root;
    const float2 even = fma((float2)(-0.5f), sum, v[0]);
    v[0] += sum;
    v[1] = (float2)(even.x - difference.y, even.y + difference.x);
    v[2] = (float2)(even.x + difference.y, even.y - difference.x);
}

void transform_5(float2* v)
{
    const float c1 = 0.30901699437494742f, s1 = 0.95105651629515357f; /* of 1/5 turn */
    const float c2 = -0.80901699437494742f, s2 = 0.58778525229247313f; /* of 2/5 turn */
    const float2 sum_1 = v[1] + v[4], difference_1 = v[1] - v[4];
    const float2 sum_2 = v[2] + v[3], difference_2 = v[2] - v[3];
    const float2 even_1 = fma((float2)(c1), sum_1, fma((float2)(c2), sum_2, v[0]));
    const float2 even_2 = fma((float2)(c2), sum_1, fma((float2)(c1), sum_2, v[0]));
    const float2 odd_1 = fma((float2)(s1), difference_1, s2 * difference_2);
    const float2 odd_2 = fma((float2)(s2), difference_1, -s1 * difference_2);
    v[0] += sum_1 + sum_2;
    v[1] = (float2)(even_1.x - odd_1.y, even_1.y + odd_1.x);
    v[4] = (float2)(even_1.x + odd_1.y, even_1.y - odd_1.x);
    v[2] = (float2)(even_2.x - odd_2.y, even_2.y + odd_2.x);
    v[3] = (float2)(even_2.x + odd_2.y, even_2.y - odd_2.x);
}

void transform_few(float2* v, uint radix)
{
    if (radix == 2)
        transform_2(v);
    else if (radix == 3)
        transform_3(v);
    else if (radix == 4)
        transform_4_of(v, v + 1, v + 2, v + 3);
    else if (radix == 5)
        transform_5(v);
    else if (radix == 8)
        transform_8(v);
    else
        transform_16(v);
}

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
