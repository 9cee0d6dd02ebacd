// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct decimating FIR filter for GPUs, whose work-items combine their loads.

/*
 * Frequency-xlating decimating FIR filter for GPUs: the work-items of a group work on
 * neighbouring data, so that the device combines their loads.
 *
 * `sums_in_group`: a work-group computes OUTPUTS outputs. Each of its work-items takes
 * every GROUP-th tap, and their sums are added up in local memory. For long filters and
 * large decimations.
 *
 * `outputs_in_group`: a work-item computes OUTPUTS outputs, which are GROUP apart. The
 * taps are brought to local memory, CHUNK at a time. For short filters and small
 * decimations.
 *
 * In both kernels at most CHUNK products are added up before the sum is added to the
 * output.
 *
 * Preconditions: GROUP is a power of two within the device's work-group size; GROUP *
 * OUTPUTS complex values (sums_in_group) or CHUNK (outputs_in_group) fit into local
 * memory; the taps are rotated to the centre frequency and reversed.
 */

#ifndef GROUP
#define GROUP 64
#endif
#ifndef OUTPUTS
#define OUTPUTS 4
#endif
#ifndef CHUNK
#define CHUNK 64
#endif

#include "complex.clh"
#include "item_types.clh"

/* sum += tap * the item at p */
#if REAL_INPUT
#define MULTIPLY_ADD(sum, tap, p) sum = FMA(tap, (float2)(REAL_VALUE(p)), sum)
#else
#define MULTIPLY_ADD(sum, tap, p)                                             \
    do {                                                                      \
        const float2 v = VALUE(p);                                            \
        sum = FMA((float2)(tap.x), v, sum);                                   \
        sum = FMA((float2)(tap.y), (float2)(-v.y, v.x), sum);                 \
    } while (0)
#endif

/* in_offset: the number of bytes before the call's first item, which need not be whole items */
#define ARGUMENTS                                                                    \
    __global const uchar *in_base, uint in_offset, __global const float2 *taps,      \
        uint taps_count, uint decimation, __global float2 *out_base, uint out_offset, \
        uint outputs, uint2 phase, uint2 step
#define FIRST_ITEM ((__global const item_type*)(in_base + in_offset))

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sums_in_group(ARGUMENTS)
{
    __local float2 sums[OUTPUTS * GROUP];
    const uint me = get_local_id(0);
    const uint first = get_group_id(0) * OUTPUTS;
    __global const item_type* window[OUTPUTS];
    float2 acc[OUTPUTS];
    for (int o = 0; o < OUTPUTS; ++o) {
        /* Instead of outputs beyond the last one, it is computed again, and not
         * stored. */
        const uint n = min(first + o, outputs - 1);
        window[o] = FIRST_ITEM + (size_t)n * decimation;
        acc[o] = (float2)(0.0f);
    }
    for (uint k = me; k < taps_count;) {
        /* Partial sums, because thousands of terms in one sum would cost accuracy. */
        const uint end = min(k + CHUNK * GROUP, taps_count);
        float2 part[OUTPUTS];
        for (int o = 0; o < OUTPUTS; ++o)
            part[o] = (float2)(0.0f);
        for (; k < end; k += GROUP) {
            const float2 h = taps[k];
            for (int o = 0; o < OUTPUTS; ++o)
                MULTIPLY_ADD(part[o], h, window[o] + k);
        }
        for (int o = 0; o < OUTPUTS; ++o)
            acc[o] += part[o];
    }
    for (int o = 0; o < OUTPUTS; ++o)
        sums[o * GROUP + me] = acc[o];
    for (uint half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < half_group)
            for (int o = 0; o < OUTPUTS; ++o)
                sums[o * GROUP + me] += sums[o * GROUP + me + half_group];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = me; o < OUTPUTS; o += GROUP)
        if (first + o < outputs)
            out_base[out_offset + first + o] =
                multiply(sums[o * GROUP], phasor_at(first + o, phase, step));
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
outputs_in_group(ARGUMENTS)
{
    __local float2 chunk[CHUNK];
    const uint me = get_local_id(0);
    const uint first = get_group_id(0) * (OUTPUTS * GROUP) + me;
    __global const item_type* window[OUTPUTS];
    float2 acc[OUTPUTS];
    for (int o = 0; o < OUTPUTS; ++o) {
        const uint n = min(first + o * GROUP, outputs - 1);
        window[o] = FIRST_ITEM + (size_t)n * decimation;
        acc[o] = (float2)(0.0f);
    }
    for (uint start = 0; start < taps_count; start += CHUNK) {
        const uint count = min((uint)CHUNK, taps_count - start);
        for (uint k = me; k < count; k += GROUP)
            chunk[k] = taps[start + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        float2 part[OUTPUTS]; /* partial sums, as above */
        for (int o = 0; o < OUTPUTS; ++o)
            part[o] = (float2)(0.0f);
        for (uint k = 0; k < count; ++k) {
            const float2 h = chunk[k];
            for (int o = 0; o < OUTPUTS; ++o)
                MULTIPLY_ADD(part[o], h, window[o] + start + k);
        }
        for (int o = 0; o < OUTPUTS; ++o)
            acc[o] += part[o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int o = 0; o < OUTPUTS; ++o) {
        const uint n = first + o * GROUP;
        if (n < outputs)
            out_base[out_offset + n] = multiply(acc[o], phasor_at(n, phase, step));
    }
}
