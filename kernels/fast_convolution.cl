// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What surrounds VkFFT's transforms in overlap-save: gather, fold, rotate and trim.

/*
 * Fast convolution (overlap-save) of one input with the filters of several channels. The
 * transforms between these kernels are made elsewhere. A block is `length` = decimation *
 * rows items; docs/overlap_save.md calls `length` N and `rows` N / D.
 *
 * `gather` copies the items of a call into complex blocks, which overlap. A forward
 * transform of each block follows.
 *
 * `fold` multiplies the spectrum of each block by the response of each channel, and folds
 * the product to `rows` bins, which decimates in time: folded[g] = sum over r of
 * spectrum[g + r rows] response[g + r rows], r = 0 to decimation - 1. The response of a
 * channel covers only one run of neighbouring bins. An inverse transform of `rows` values
 * follows. A work-item computes BLOCKS blocks, for which it reads the response once.
 *
 * `rotate_and_trim` multiplies the valid outputs of each block by the output rotator of
 * the channel, and discards the others.
 *
 * Preconditions: a run begins below `length` and has at most `length` bins. The size of
 * the work-groups is free, because no kernel uses local memory. Work-items beyond the
 * last row or block do nothing.
 */

#ifndef BLOCKS
#define BLOCKS 1
#endif
/* The most products that are added up in one float. Large decimations have more of them,
 * and a single large sum would lose digits. */
#ifndef SUM_BINS
#define SUM_BINS 64
#endif

#include "complex.clh"
#include "item_types.clh"

/* Item j of block b is item b * hop + j - lead of the call, where `hop` is L. Items that
 * the call does not have are zero: they meet no tap, or only give outputs that are
 * discarded. in_offset is the number of bytes before the call's first item, which need not
 * be whole items. Grid: (length, blocks). */
__kernel void gather(__global const uchar* in_base,
                     uint in_offset,
                     uint items,
                     uint lead,
                     uint hop,
                     uint length,
                     __global float2* blocks)
{
    const uint j = get_global_id(0);
    const uint b = get_global_id(1);
    if (j >= length)
        return;
    const uint at = b * hop + j - lead; /* wraps to a large number before the first item */
    blocks[(size_t)b * length + j] =
        at < items ? VALUE((__global const item_type*)(in_base + in_offset) + at)
                   : (float2)(0.0f);
}

/* runs: the first bin and the number of bins of each channel's response. The responses of
 * the channels from first_channel on start `stride` values apart.
 * active: the channels to compute, from active[first_active] on; results lie in their
 * order. Grid: (rows, blocks / BLOCKS, channels to compute). */
__kernel void fold(__global const float2* spectra,
                   __global const float2* responses,
                   uint stride,
                   __global const uint2* runs,
                   uint first_channel,
                   __global const uint* active,
                   uint first_active,
                   uint length,
                   uint rows,
                   uint blocks,
                   __global float2* folded)
{
    const uint g = get_global_id(0);
    const uint first = get_global_id(1) * BLOCKS;
    const uint place = get_global_id(2);
    if (g >= rows)
        return;
    const uint channel = active[first_active + place];
    const uint2 run = runs[channel];
    __global const float2* response =
        responses + (size_t)(channel - first_channel) * stride;
    __global const float2* spectrum[BLOCKS];
    float2 sum[BLOCKS];
    for (int b = 0; b < BLOCKS; ++b) {
        /* Instead of blocks beyond the last one, the last one is computed again, and not
         * stored. */
        spectrum[b] = spectra + (size_t)min(first + b, blocks - 1) * length;
        sum[b] = (float2)(0.0f);
    }
    const uint shift = run.x % rows;
    uint i = g >= shift ? g - shift : g + rows - shift;
    while (i < run.y) {
        float2 part[BLOCKS];
        for (int b = 0; b < BLOCKS; ++b)
            part[b] = (float2)(0.0f);
        for (uint n = 0; n < SUM_BINS && i < run.y; ++n, i += rows) {
            const float2 h = response[i];
            const uint bin = run.x + i < length ? run.x + i : run.x + i - length;
            for (int b = 0; b < BLOCKS; ++b)
                part[b] = multiply_add(part[b], h, spectrum[b][bin]);
        }
        for (int b = 0; b < BLOCKS; ++b)
            sum[b] += part[b];
    }
    for (int b = 0; b < BLOCKS; ++b)
        if (first + b < blocks)
            folded[((size_t)place * blocks + first + b) * rows + g] = sum[b];
}

/* rotators: for each channel to compute, the phase at output 0 and the step, as high and
 * low words; those of this grid begin at first_channel.
 * lost: the results at the beginning of each block that are discarded, `overlap` in
 * docs/overlap_save.md. Output first_output + i of a channel goes to
 * out[out_offset + channel * out_stride + i]. Grid: (outputs, channels). */
__kernel void rotate_and_trim(__global const float2* folded,
                              uint rows,
                              uint lost,
                              uint blocks,
                              __global const uint4* rotators,
                              uint first_channel,
                              uint first_output,
                              uint outputs,
                              __global float2* out,
                              uint out_offset,
                              uint out_stride)
{
    const uint i = get_global_id(0);
    const uint channel = get_global_id(1);
    if (i >= outputs)
        return;
    const uint valid = rows - lost;
    const uint b = i / valid;
    const uint row = lost + i - b * valid;
    const uint4 rotator = rotators[first_channel + channel];
    const float2 value = folded[((size_t)channel * blocks + b) * rows + row];
    out[out_offset + (size_t)channel * out_stride + i] = multiply_add(
        (float2)(0.0f), value, phasor_at(first_output + i, rotator.xy, rotator.zw));
}
