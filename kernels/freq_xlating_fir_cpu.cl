// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct decimating FIR filter for CPU devices, by a register tile.

/*
 * Frequency-xlating decimating FIR filter for CPU devices: work-groups of one work-item,
 * wide vectors, a register tile.
 *
 * A work-item computes outputs_per_item consecutive outputs in two steps:
 *
 * 1. It converts the items of its window to floats in `scratch`, two floats for each tap.
 *    With TRANSLATE it also moves the items by -fc in frequency. A real prototype then
 *    stays real, and a tap costs one multiply-add instead of two. Real items are written
 *    twice, (x, x), for taps (re, im).
 * 2. It computes a register tile, acc[i] += h[q] * x[i + q], over TILE_OUT outputs and
 *    TILE_TAPS taps, so that each loaded vector is used by several multiply-adds. In
 *    `taps_in_lanes` a vector holds products of neighbouring taps for one output, which
 *    are added up at the end. The step from x[i] to x[i + 1] is `group` outputs wide, so
 *    that no lane stays empty if the decimation is not a multiple of the vector. In
 *    `outputs_in_lanes` (decimation 1) a vector holds neighbouring outputs.
 *
 * Preconditions: a work-group size of 1; `scratch` holds `scratch_floats` floats for each
 * work-item; `rows` is a multiple of TILE_TAPS; the taps are reversed, padded with zeros,
 * and in the layout of the engine's cpu_layout.
 */

#include "complex.clh"
#include "item_types.clh"
#include "wide_vectors.clh"

#ifndef TILE_OUT
#define TILE_OUT 12
#endif
#ifndef TILE_TAPS
#define TILE_TAPS 4
#endif
#ifndef PLANES /* 2: complex taps on complex items; real and imaginary parts separate */
#define PLANES 1
#endif
#ifndef TRANSLATE /* 1: the wanted channel is moved to 0 Hz first */
#define TRANSLATE 0
#endif
#ifndef FINE /* number of the fine phasors of TRANSLATE, a multiple of WIDTH / 2 */
#define FINE 64
#endif
#ifndef SUM_ROWS /* terms in one sum, or up to twice as many; more would cost accuracy */
#define SUM_ROWS 256
#endif
#ifndef SCRATCH /* the address space of the scratch memory */
#define SCRATCH __local
#endif

#define LANES (WIDTH / 2) /* complex values in a vector */
#if WIDTH == 16
#define LOAD_LANES vload8
#define FLOATS_OF_LANES convert_float8
#define UINTS uint8
#define AS_INTS as_int8
#define SWAPPED(v) (v).s1032547698badcfe
#define TWICE(v) (v).s0011223344556677
#define PAIRS(p) (vec)(p, p, p, p, p, p, p, p)
#elif WIDTH == 8
#define LOAD_LANES vload4
#define FLOATS_OF_LANES convert_float4
#define UINTS uint4
#define AS_INTS as_int4
#define SWAPPED(v) (v).s10325476
#define TWICE(v) (v).s00112233
#define PAIRS(p) (vec)(p, p, p, p)
#else
#define LOAD_LANES vload2
#define FLOATS_OF_LANES convert_float2
#define UINTS uint2
#define AS_INTS as_int2
#define SWAPPED(v) (v).s1032
#define TWICE(v) (v).s0011
#define PAIRS(p) (vec)(p, p)
#endif

/* IN_VEC: the floats of LANES items. IN_ONE: the floats of one item. Those of real items are
 * there twice. */
#if ITEM_BITS > 0
#if ELEMENTS == 3
/* A load of four bytes reads one byte more than the item has. The load of the last item
 * begins one byte early, so that nothing behind it is read. */
#define WORD(p, i) (as_uint(vload4(0, (p) + 3 * (i))) << 8)
#define LAST_WORD(p) (as_uint(vload4(0, (p) + 3 * LANES - 4)) & 0xffffff00u)
#else
#define WORD(p, i) packed_word((p) + ELEMENTS * (i))
#define LAST_WORD(p) WORD(p, LANES - 1)
#endif
#if WIDTH == 16
#define WORDS(p)                                                                         \
    (UINTS)(WORD(p, 0), WORD(p, 1), WORD(p, 2), WORD(p, 3), WORD(p, 4), WORD(p, 5),      \
            WORD(p, 6), LAST_WORD(p))
#elif WIDTH == 8
#define WORDS(p) (UINTS)(WORD(p, 0), WORD(p, 1), WORD(p, 2), LAST_WORD(p))
#else
#define WORDS(p) (UINTS)(WORD(p, 0), LAST_WORD(p))
#endif
HELPER vec unpacked_vec(__global const uchar* p)
{
    const UINTS words = WORDS(p);
    vec values;
    values.even = FLOATS_OF_LANES(RE_OF_WORD(words, AS_INTS));
    values.odd = FLOATS_OF_LANES(IM_OF_WORD(words, AS_INTS));
    return SCALED(values);
}
#define IN_VEC(p) unpacked_vec(p)
#define IN_ONE(p) unpacked(p)
#elif REAL_INPUT
#define IN_VEC(p) SCALED(TWICE(FLOATS_OF(LOAD_LANES(0, p), FLOATS_OF_LANES)))
#define IN_ONE(p) (float2)(REAL_VALUE(p))
#else
#define IN_VEC(p) SCALED(FLOATS_OF(LOAD(0, p), FLOATS))
#define IN_ONE(p) SCALED(FLOATS_OF(vload2(0, p), convert_float2))
#endif

#if TRANSLATE
/* x times the phasor whose parts are in the vectors re = (re, re) and im = (-im, im) */
#define ROTATE(x, re, im) FMA(SWAPPED(x), im, (x) * (re))
#endif

/* Step 1: copies `items` items into scratch, and fills it up with zeros to `floats`
 * floats. */
HELPER void fill_scratch(SCRATCH float* scratch,
                         __global const ITEM_ELEMENT* in,
                         __global const float* translation,
                         uint items,
                         uint floats)
{
    uint m = 0;
#if TRANSLATE
    __global const float* fine_im = translation + 2 * FINE;
    __global const float* coarse = translation + 4 * FINE;
    const vec sign = PAIRS((float2)(-1.0f, 1.0f));
    for (uint start = 0; start < items; start += FINE) {
        const float2 c = vload2(start / FINE, coarse);
        const vec coarse_re = (vec)(c.x);
        const vec coarse_im = (vec)(c.y) * sign;
        const uint end = min(start + FINE, items);
        for (; m + LANES <= end; m += LANES) {
            const uint at = 2 * (m - start);
            const vec x = IN_VEC(in + m * ELEMENTS);
            const vec y = ROTATE(x, LOAD(0, translation + at), LOAD(0, fine_im + at));
            STORE(ROTATE(y, coarse_re, coarse_im), 0, scratch + 2 * m);
        }
    }
    for (; m < items; ++m) {
        const uint at = 2 * (m % FINE);
        const float2 p = (float2)(translation[at], fine_im[at + 1]);
        const float2 x = multiply(IN_ONE(in + m * ELEMENTS), p);
        vstore2(multiply(x, vload2(m / FINE, coarse)), 0, scratch + 2 * m);
    }
#else
    for (; m + LANES <= items; m += LANES)
        STORE(IN_VEC(in + m * ELEMENTS), 0, scratch + 2 * m);
    for (; m < items; ++m)
        vstore2(IN_ONE(in + m * ELEMENTS), 0, scratch + 2 * m);
#endif
    for (m = 2 * items; m < floats; ++m)
        scratch[m] = 0.0f;
}

/* The sums of the tile. With two planes there are separate sums for the real parts and
 * for the imaginary parts of the taps. */
#if PLANES == 2
#define ACCUMULATORS(name) vec name[TILE_OUT], name##_im[TILE_OUT]
#define CLEAR(name, i) name[i] = name##_im[i] = (vec)(0.0f)
#define ADD(to, from, i) to[i] += from[i], to##_im[i] += from##_im[i]
#else
#define ACCUMULATORS(name) vec name[TILE_OUT]
#define CLEAR(name, i) name[i] = (vec)(0.0f)
#define ADD(to, from, i) to[i] += from[i]
#endif

#define START_SUMS                                       \
    uint terms = 0;                                      \
    ACCUMULATORS(total);                                 \
    ACCUMULATORS(acc);                                   \
    _Pragma("unroll") for (int i = 0; i < TILE_OUT; ++i) \
    {                                                    \
        CLEAR(total, i);                                 \
        CLEAR(acc, i);                                   \
    }
/* The most rows of a column that are added up in one sum; whole tiles. */
#define PART_ROWS ((SUM_ROWS + TILE_TAPS - 1) / TILE_TAPS * TILE_TAPS)
/* Adds the sums to the totals when they have SUM_ROWS terms, or at the end. */
#define END_PART(count, last)                                \
    terms += count;                                          \
    if (terms >= SUM_ROWS || (last)) {                       \
        terms = 0;                                           \
        _Pragma("unroll") for (int i = 0; i < TILE_OUT; ++i) \
        {                                                    \
            ADD(total, acc, i);                              \
            CLEAR(acc, i);                                   \
        }                                                    \
    }

/* One step of the tile: multiplies TILE_TAPS taps by TILE_OUT + TILE_TAPS - 1 loaded
 * vectors. */
#if PLANES == 2
#define TILE_STEP(H, H_IM, X)                             \
    {                                                     \
        vec h[TILE_TAPS], h_im[TILE_TAPS];                \
        _Pragma("unroll") for (int t = 0; t < TILE_TAPS; ++t) \
        {                                                 \
            h[t] = H(t);                                  \
            h_im[t] = H_IM(t);                            \
        }                                                 \
        _Pragma("unroll") for (int j = 0; j < TILE_OUT + TILE_TAPS - 1; ++j) \
        {                                                 \
            const vec x = X(j);                           \
            _Pragma("unroll") for (int t = 0; t < TILE_TAPS; ++t) \
            {                                             \
                const int i = j - t;                      \
                if (i >= 0 && i < TILE_OUT) {             \
                    acc[i] = FMA(h[t], x, acc[i]);        \
                    acc_im[i] = FMA(h_im[t], x, acc_im[i]); \
                }                                         \
            }                                             \
        }                                                 \
    }
#else
#define TILE_STEP(H, H_IM, X)                             \
    {                                                     \
        vec h[TILE_TAPS];                                 \
        _Pragma("unroll") for (int t = 0; t < TILE_TAPS; ++t) h[t] = H(t); \
        _Pragma("unroll") for (int j = 0; j < TILE_OUT + TILE_TAPS - 1; ++j) \
        {                                                 \
            const vec x = X(j);                           \
            _Pragma("unroll") for (int t = 0; t < TILE_TAPS; ++t) \
            {                                             \
                const int i = j - t;                      \
                if (i >= 0 && i < TILE_OUT)               \
                    acc[i] = FMA(h[t], x, acc[i]);        \
            }                                             \
        }                                                 \
    }
#endif

/* The sum of the even lanes of a vector, and the sum of the odd ones. */
HELPER float2 sum_pairs(vec v)
{
#if WIDTH == 16
    const float8 a = v.lo + v.hi;
    const float4 b = a.lo + a.hi;
#elif WIDTH == 8
    const float4 b = v.lo + v.hi;
#else
    const float4 b = v;
#endif
    return b.lo + b.hi;
}

/*
 * in_base, in_offset      the input; in_offset is the number of bytes before the call's
 *                         first item, which need not be whole items
 * translation             with TRANSLATE: exp(-j w m) as two factors: for m < FINE as
 *                         vectors (re, re) and vectors (-im, im), and for the multiples
 *                         of FINE
 * rotation                without TRANSLATE: exp(-j w D i) for output i of the work-item
 * taps                    columns x rows vectors; with PLANES 2 there are two such planes
 * out_base, out_offset    the outputs; out_offset is the index of the call's first output
 * outputs                 the number of outputs of the call
 * phase                   the phase at output 0 (TRANSLATE: at its window's first item)
 * step                    the phase from one output to the next
 */
#define ARGUMENTS                                                                      \
    __global const uchar *in_base, uint in_offset, __global const float *translation,   \
        __global const float2 *rotation, __global const float *taps,                    \
        uint taps_count, uint rows, uint columns,           \
        uint group, uint decimation, __global float2 *out_base, uint out_offset,        \
        uint outputs, uint outputs_per_item, uint2 phase, uint2 step,                   \
        SCRATCH float *scratch_base, uint scratch_floats

#define PROLOGUE                                                                       \
    const uint first = get_global_id(0) * outputs_per_item;                            \
    if (first >= outputs)                                                              \
        return;                                                                        \
    const uint count = min(outputs_per_item, outputs - first);                         \
    SCRATCH float* const scratch = SCRATCH_OF_ITEM(scratch_base);                      \
    __global const ITEM_ELEMENT* in =                                                  \
        (__global const ITEM_ELEMENT*)(in_base + in_offset) +                          \
        (size_t)first * decimation * ELEMENTS;                                         \
    __global float2* out = out_base + out_offset + first;                              \
    const float2 base = phasor_at(first, phase, step);                                 \
    fill_scratch(scratch,                                                              \
                 in,                                                                   \
                 translation,                                                          \
                 (count - 1) * decimation + taps_count,                                \
                 scratch_floats)

#ifdef SCRATCH_IS_GLOBAL
#define SCRATCH_OF_ITEM(base) ((base) + (size_t)get_global_id(0) * scratch_floats)
#else
#define SCRATCH_OF_ITEM(base) (base)
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void taps_in_lanes(ARGUMENTS)
{
    PROLOGUE;
    const uint plane = rows * columns * WIDTH;
    const uint stride = 2 * group * decimation; /* in floats, from x[i] to x[i + 1] */
    for (uint n = 0; n < count; n += group * TILE_OUT) {
        for (uint residue = 0; residue < group && n + residue < count; ++residue) {
            SCRATCH const float* window = scratch + 2 * (n + residue) * decimation;
            __global const float* h_at = taps;
            START_SUMS;
            for (uint c = 0; c < columns; ++c) {
                SCRATCH const float* x_at = window + c * WIDTH;
                for (uint part = 0; part < rows; part += PART_ROWS) {
                    const uint end = min(part + PART_ROWS, rows);
                    for (uint q = part; q < end; q += TILE_TAPS) {
#define H(t) LOAD(t, h_at)
#define H_IM(t) LOAD(t, h_at + plane)
#define X(j) LOAD(0, x_at + (j)*stride)
                        TILE_STEP(H, H_IM, X)
#undef H
#undef H_IM
#undef X
                        h_at += TILE_TAPS * WIDTH;
                        x_at += TILE_TAPS * stride;
                    }
                    END_PART(end - part, c + 1 == columns && end == rows);
                }
            }
            _Pragma("unroll") for (int i = 0; i < TILE_OUT; ++i)
            {
                const uint o = n + residue + i * group;
                float2 y = sum_pairs(total[i]);
#if PLANES == 2
                const float2 z = sum_pairs(total_im[i]);
                y += (float2)(-z.y, z.x);
#endif
#if TRANSLATE
                if (o < count)
                    out[o] = multiply(y, base);
#else
                if (o < count)
                    out[o] = multiply(multiply(base, rotation[o]), y);
#endif
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void outputs_in_lanes(ARGUMENTS)
{
    PROLOGUE;
    const uint plane = rows * columns * (REAL_INPUT ? 2 : 1);
    for (uint n = 0; n < count; n += LANES * TILE_OUT) {
        START_SUMS;
        __global const float* h_at = taps;
        for (uint c = 0; c < columns; ++c) {
            SCRATCH const float* x_at = scratch + 2 * (n + c);
            for (uint part = 0; part < rows; part += PART_ROWS) {
                const uint end = min(part + PART_ROWS, rows);
                for (uint q = part; q < end; q += TILE_TAPS) {
#if REAL_INPUT
#define H(t) PAIRS(vload2(t, h_at))
#else
#define H(t) (vec)(h_at[t])
#endif
#define H_IM(t) (vec)(h_at[plane + t])
#define X(j) LOAD(j, x_at)
                    TILE_STEP(H, H_IM, X)
#undef H
#undef H_IM
#undef X
                    h_at += TILE_TAPS * (REAL_INPUT ? 2 : 1);
                    x_at += TILE_TAPS * WIDTH;
                }
                END_PART(end - part, c + 1 == columns && end == rows);
            }
        }
        const vec sign = PAIRS((float2)(-1.0f, 1.0f));
        _Pragma("unroll") for (int i = 0; i < TILE_OUT; ++i)
        {
            const uint o = n + i * LANES;
            vec y = total[i];
#if PLANES == 2
            y = FMA(SWAPPED(total_im[i]), sign, y);
#endif
            if (o + LANES <= count) {
#if TRANSLATE
                const vec rotate_re = (vec)(base.x);
                const vec rotate_im = (vec)(base.y) * sign;
#else
                /* base * rotation as (re, im) pairs; then spread to (re, re) and (im, im) */
                const vec r = LOAD(0, (__global const float*)(rotation + o));
                const vec p =
                    FMA(SWAPPED(r), (vec)(base.y) * sign, r * (vec)(base.x));
#if WIDTH == 16
                const vec rotate_re = p.s0022446688aaccee;
                const vec rotate_im = p.s1133557799bbddff * sign;
#elif WIDTH == 8
                const vec rotate_re = p.s00224466;
                const vec rotate_im = p.s11335577 * sign;
#else
                const vec rotate_re = p.s0022;
                const vec rotate_im = p.s1133 * sign;
#endif
#endif
                y = FMA(SWAPPED(y), rotate_im, y * rotate_re);
                STORE(y, 0, (__global float*)(out + o));
            } else if (o < count) {
                float lanes[WIDTH];
                STORE(y, 0, lanes);
                for (uint k = 0; o + k < count; ++k) {
                    const float2 one = (float2)(lanes[2 * k], lanes[2 * k + 1]);
#if TRANSLATE
                    out[o + k] = multiply(one, base);
#else
                    out[o + k] = multiply(multiply(base, rotation[o + k]), one);
#endif
                }
            }
        }
    }
}
