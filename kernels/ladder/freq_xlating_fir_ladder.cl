// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Direct FIR filters, from a plain one upwards, one idea added in each.

/*
 * Frequency-xlating decimating FIR filter: the ladder of kernels from the plain one
 * upwards. Each variant adds one idea, to show its effect on a device. Complex float
 * items and taps.
 *
 * In `naive` a work-item computes one output. In the others it computes outputs_per_item
 * outputs, and a work-group is one work-item; they differ in how a dot product is
 * written.
 *
 * Preconditions: the taps are rotated to the centre frequency and reversed. There may be
 * any number of taps: those that do not fill a vector are added one by one, so that no
 * item beyond the window is read. `local_copy` needs outputs_per_item complex values of
 * local memory. `constant` needs TAPS (a list of (float2)(re, im)), TAPS_COUNT and
 * DECIMATION.
 */

#include "complex.clh"

typedef float2 complex_t;

/* Adds the remaining products x[k] h[k], from the present k on. */
#define DOT_REST(x, h, k, count)     \
    for (; k < count; ++k)           \
        sum += multiply(vload2(k, x), vload2(k, h))

HELPER complex_t dot_plain(__global const float* x, __global const float* h, uint count)
{
    complex_t sum = (float2)(0.0f);
    uint k = 0;
    DOT_REST(x, h, k, count);
    return sum;
}

HELPER complex_t dot_float8(__global const float* x, __global const float* h, uint count)
{
    complex_t sum = (float2)(0.0f);
    uint k = 0;
    for (; k + 4 <= count; k += 4) {
        const float8 a = vload8(0, x + 2 * k);
        const float8 b = vload8(0, h + 2 * k);
        sum.x += a.s0 * b.s0 - a.s1 * b.s1 + a.s2 * b.s2 - a.s3 * b.s3 + a.s4 * b.s4 -
                 a.s5 * b.s5 + a.s6 * b.s6 - a.s7 * b.s7;
        sum.y += a.s0 * b.s1 + a.s1 * b.s0 + a.s2 * b.s3 + a.s3 * b.s2 + a.s4 * b.s5 +
                 a.s5 * b.s4 + a.s6 * b.s7 + a.s7 * b.s6;
    }
    DOT_REST(x, h, k, count);
    return sum;
}

HELPER complex_t dot_float16(__global const float* x, __global const float* h, uint count)
{
    complex_t sum = (float2)(0.0f);
    uint k = 0;
    for (; k + 8 <= count; k += 8) {
        const float16 a = vload16(0, x + 2 * k);
        const float16 b = vload16(0, h + 2 * k);
        sum.x += a.s0 * b.s0 - a.s1 * b.s1 + a.s2 * b.s2 - a.s3 * b.s3 + a.s4 * b.s4 -
                 a.s5 * b.s5 + a.s6 * b.s6 - a.s7 * b.s7 + a.s8 * b.s8 - a.s9 * b.s9 +
                 a.sa * b.sa - a.sb * b.sb + a.sc * b.sc - a.sd * b.sd + a.se * b.se -
                 a.sf * b.sf;
        sum.y += a.s0 * b.s1 + a.s1 * b.s0 + a.s2 * b.s3 + a.s3 * b.s2 + a.s4 * b.s5 +
                 a.s5 * b.s4 + a.s6 * b.s7 + a.s7 * b.s6 + a.s8 * b.s9 + a.s9 * b.s8 +
                 a.sa * b.sb + a.sb * b.sa + a.sc * b.sd + a.sd * b.sc + a.se * b.sf +
                 a.sf * b.se;
    }
    DOT_REST(x, h, k, count);
    return sum;
}

HELPER complex_t
dot_float8_evenodd(__global const float* x, __global const float* h, uint count)
{
    float4 re = (float4)(0.0f);
    float4 im = (float4)(0.0f);
    uint k = 0;
    for (; k + 4 <= count; k += 4) {
        const float8 a = vload8(0, x + 2 * k);
        const float8 b = vload8(0, h + 2 * k);
        re += a.even * b.even - a.odd * b.odd;
        im += a.even * b.odd + a.odd * b.even;
    }
    complex_t sum = (float2)(re.x + re.y + re.z + re.w, im.x + im.y + im.z + im.w);
    DOT_REST(x, h, k, count);
    return sum;
}

#define ADD_LANES(v) \
    (v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7)

HELPER complex_t
dot_float16_evenodd(__global const float* x, __global const float* h, uint count)
{
    float8 re = (float8)(0.0f);
    float8 im = (float8)(0.0f);
    uint k = 0;
    for (; k + 8 <= count; k += 8) {
        const float16 a = vload16(0, x + 2 * k);
        const float16 b = vload16(0, h + 2 * k);
        re += a.even * b.even - a.odd * b.odd;
        im += a.even * b.odd + a.odd * b.even;
    }
    complex_t sum = (float2)(ADD_LANES(re), ADD_LANES(im));
    DOT_REST(x, h, k, count);
    return sum;
}

/* in_offset: the number of bytes before the call's first item */
#define ARGUMENTS                                                                      \
    __global const uchar *in_base, uint in_offset, __global const float *taps,         \
        uint taps_count, uint decimation, __global float2 *out_base, uint out_offset,  \
        uint outputs, uint outputs_per_item, uint2 phase, uint2 step

#define FIRST_ITEM ((__global const float*)(in_base + in_offset))
#define WINDOW(n) (FIRST_ITEM + 2 * (size_t)(n)*decimation)

__kernel void naive(ARGUMENTS)
{
    const uint n = get_global_id(0);
    if (n >= outputs)
        return;
    out_base[out_offset + n] =
        multiply(dot_plain(WINDOW(n), taps, taps_count), phasor_at(n, phase, step));
}

#define RUNG(name, dot)                                                              \
    __kernel __attribute__((reqd_work_group_size(1, 1, 1))) void name(ARGUMENTS)     \
    {                                                                                \
        const uint first = get_group_id(0) * outputs_per_item;                       \
        const uint last = min(first + outputs_per_item, outputs);                    \
        for (uint n = first; n < last; ++n)                                          \
            out_base[out_offset + n] = multiply(dot(WINDOW(n), taps, taps_count),    \
                                                phasor_at(n, phase, step));          \
    }

RUNG(block, dot_plain)
RUNG(float8_products, dot_float8)
RUNG(float16_products, dot_float16)
RUNG(float8_evenodd, dot_float8_evenodd)
RUNG(float16_evenodd, dot_float16_evenodd)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
local_copy(ARGUMENTS, __local float2* results)
{
    const uint first = get_group_id(0) * outputs_per_item;
    const uint count = min(outputs_per_item, outputs - first);
    for (uint i = 0; i < count; ++i)
        results[i] = multiply(dot_float16_evenodd(WINDOW(first + i), taps, taps_count),
                              phasor_at(first + i, phase, step));
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done =
        async_work_group_copy(out_base + out_offset + first, results, count, 0);
    wait_group_events(1, &done);
}

#ifdef TAPS
__constant float2 compiled_taps[TAPS_COUNT] = { TAPS };

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void constant_taps(ARGUMENTS)
{
    const uint first = get_group_id(0) * outputs_per_item;
    const uint last = min(first + outputs_per_item, outputs);
    __constant const float* h = (__constant const float*)compiled_taps;
    for (uint n = first; n < last; ++n) {
        __global const float* x = FIRST_ITEM + 2 * (size_t)n * DECIMATION;
        float8 re = (float8)(0.0f);
        float8 im = (float8)(0.0f);
        uint k = 0;
        for (; k + 8 <= TAPS_COUNT; k += 8) {
            const float16 a = vload16(0, x + 2 * k);
            const float16 b = vload16(0, h + 2 * k);
            re += a.even * b.even - a.odd * b.odd;
            im += a.even * b.odd + a.odd * b.even;
        }
        complex_t sum = (float2)(ADD_LANES(re), ADD_LANES(im));
        for (; k < TAPS_COUNT; ++k)
            sum += multiply(vload2(k, x), vload2(k, h));
        out_base[out_offset + n] = multiply(sum, phasor_at(n, phase, step));
    }
}
#endif
