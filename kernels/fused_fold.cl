// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fold, inverse transform and rotator of overlap-save in one kernel.

/*
 * The channels of overlap-save in one kernel: it folds the bins of each channel, makes the
 * inverse transform, multiplies the valid outputs by the output rotator and stores them.
 * Between the spectra of the blocks and the outputs nothing touches global memory. A second
 * kernel, transform_folded, does the same without the fold, for sums of tiled_fold.cl.
 * docs/overlap_save.md explains the words. ROWS is N / D, the size of the inverse
 * transform; a row of a spectrum or of a response has that many bins.
 *
 * A work-group of ITEMS work-items computes CHANNELS channels of BLOCKS blocks at a time,
 * then the next channels of the same blocks. For the fold, each work-item has the bins of
 * its index, ITEMS apart, of all these channels and blocks. It reads a value of a spectrum
 * once for all channels, and a value of a response once for all blocks. The channels are in
 * the order of their rows, so that the part of the spectra that a work-group reads stays in
 * the nearest cache.
 *
 * The sums go to local memory, where teams of ROWS / VALUES work-items transform one block
 * of a channel each, as stockham.clh has it; the last pass leaves its outputs in registers.
 * Where a work-group is a single team, the fold leaves the sums in the registers of the
 * first pass.
 *
 * Preconditions: those of stockham.clh; all sizes are powers of two; ITEMS and VALUES divide
 * ROWS; the number of teams, ITEMS * VALUES / ROWS, is at least 1 and divides CHANNELS *
 * BLOCKS.
 */

#include "stockham.clh"

#ifndef ITEMS
#define ITEMS 64
#endif
#ifndef CHANNELS
#define CHANNELS 2
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
/* The most products that are added up in one float, if LONG_SUMS is defined. Decimations
 * above SUM_BINS need it, because a single large sum would lose digits. */
#ifndef SUM_BINS
#define SUM_BINS 64
#endif

#define BINS (ROWS / ITEMS) /* of a row, for a work-item of the fold */
#define TEAMS (ITEMS / TEAM)
#define JOBS (CHANNELS * BLOCKS / TEAMS) /* transforms of a team */
#define PLACES (PLACE(ROWS - 1) + 1)

/* All passes of a block of a channel. */
#define TRANSFORM                             \
    transform_pass(v, PASS_1, 1, t, roots);   \
    SECOND_PASS(values, values, t, t)         \
    THIRD_PASS(values, t)                     \
    FOURTH_PASS(values, t)

/* Computes the phasors that lead from the rotation of a work-item's first value to those of
 * its other values. */
HELPER void find_turns(float2* turns, uint2 step)
{
    /* Each is a product of few phasors, so that rounding errors do not add up. */
    turns[0] = (float2)(1.0f, 0.0f);
#pragma unroll
    for (uint k = 1; k < VALUES; k *= 2) {
        turns[k] = phasor_at(k * TEAM, (uint2)(0, 0), step);
#pragma unroll
        for (uint m = 1; m < k; ++m)
            turns[k + m] = product(turns[k], turns[m]);
    }
}

/* Multiplies the values of a work-item by the rotator and stores the valid ones: the
 * `valid` ones behind the first `lost` ones of a block, of which the first is output
 * `before` of the call. */
HELPER void store_outputs(__global float2* to,
                          const float2* v,
                          const float2* turns,
                          uint4 rotator,
                          uint t,
                          uint lost,
                          uint valid,
                          uint before,
                          uint outputs)
{
    const float2 phasor = phasor_at(before + t, rotator.xy, rotator.zw);
#pragma unroll
    for (uint k = 0; k < VALUES; ++k) {
        const uint place = t + k * TEAM - lost; /* wraps to a large number if it is lost */
        if (place < valid && before + place < outputs)
            to[before + place] = product(v[k], product(phasor, turns[k]));
    }
}

#define FOR_EACH_SUM                                      \
    _Pragma("unroll") for (uint c = 0; c < CHANNELS; ++c) \
        _Pragma("unroll") for (uint b = 0; b < BLOCKS; ++b) \
            _Pragma("unroll") for (uint k = 0; k < BINS; ++k)

/* Adds row n of each channel's product to the sums, where the rows are counted from the
 * first channel's first one. Channel c begins behind[c] rows later. */
#define FOLD_ROW(sums, all_have_it)                                                       \
    {                                                                                     \
        float2 bins[BLOCKS][BINS];                                                        \
        _Pragma("unroll") for (uint b = 0; b < BLOCKS; ++b)                               \
            _Pragma("unroll") for (uint k = 0; k < BINS; ++k)                             \
                bins[b][k] = spectrum[b][row * ROWS + k * ITEMS];                         \
        row = row + 1 < decimation ? row + 1 : 0;                                         \
        _Pragma("unroll") for (uint c = 0; c < CHANNELS; ++c)                             \
        {                                                                                 \
            const uint at = n >= behind[c] ? n - behind[c] : n + decimation - behind[c];  \
            if (all_have_it || at < rows[c])                                              \
                _Pragma("unroll") for (uint k = 0; k < BINS; ++k)                         \
                {                                                                         \
                    const float2 gain = response[c][at * ROWS + k * ITEMS];               \
                    _Pragma("unroll") for (uint b = 0; b < BLOCKS; ++b) sums[c][b][k] =   \
                        multiply_add(sums[c][b][k], gain, bins[b][k]);                    \
                }                                                                         \
        }                                                                                 \
    }

/* responses: those of the channels from first_channel on start `stride` values apart.
 * runs: for each channel the first bin of its response and the number of bins, both whole
 * rows.
 * order: the channels to compute, each with the place of its results, sorted by the first
 * bins; those of this grid are the `channels` ones from first_active on. A work-group
 * computes channels_per_group of them.
 * roots: for a pass of radix R after passes whose radices have the product S,
 * exp(j 2 pi r i / (R S)) at r S + i, r = 1 to R - 1, i = 0 to S - 1.
 * rotators: for each place the phase at the first value of the first block, with the lost
 * ones, and the step from output to output, as high and low words.
 * lost: the results at the beginning of each block that are discarded, `overlap` in
 * docs/overlap_save.md. Output i of a channel goes to
 * out[out_offset + (place - first_active) * out_stride + i].
 * Grid: (work-groups for all blocks, work-groups for all channels). */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
fold_and_transform(__global const float2* restrict spectra,
                   __global const float2* restrict responses,
                   uint stride,
                   __global const uint2* restrict runs,
                   uint first_channel,
                   __global const uint2* restrict order,
                   uint first_active,
                   uint channels,
                   uint channels_per_group,
                   uint decimation,
                   uint blocks,
                   __global const float2* restrict roots,
                   __global const uint4* restrict rotators,
                   uint lost,
                   uint outputs,
                   __global float2* restrict out,
                   uint out_offset,
                   uint out_stride)
{
    __local float2 shared[CHANNELS * BLOCKS * PLACES];
    const uint item = get_local_id(0);
    const uint t = item % TEAM;
    const uint team = TEAMS > 1 ? item / TEAM : 0;
    const uint first_block = get_group_id(0) * BLOCKS;
    const uint begin = get_group_id(1) * channels_per_group;
    const uint end = min(begin + channels_per_group, channels);
    const uint valid = ROWS - lost;

    __global const float2* spectrum[BLOCKS];
#pragma unroll
    for (uint b = 0; b < BLOCKS; ++b)
        /* Instead of blocks beyond the last one, the last one is computed again, and not
         * stored. */
        spectrum[b] =
            spectra + (size_t)min(first_block + b, blocks - 1) * decimation * ROWS + item;

    for (uint first = begin; first < end; first += CHANNELS) {
        __global const float2* response[CHANNELS];
        uint behind[CHANNELS], rows[CHANNELS];
        /* Instead of channels beyond the last one, the last one is computed again. */
        const uint first_row = runs[order[first_active + first].x].x / ROWS;
        uint span = 0, common_from = 0, common_to = decimation;
#pragma unroll
        for (uint c = 0; c < CHANNELS; ++c) {
            const uint channel = order[first_active + min(first + c, end - 1)].x;
            const uint2 run = runs[channel] / ROWS;
            response[c] = responses + (size_t)(channel - first_channel) * stride + item;
            behind[c] = run.x >= first_row ? run.x - first_row : run.x + decimation - first_row;
            rows[c] = run.y;
            span = max(span, behind[c] + run.y);
            common_from = max(common_from, behind[c]);
            common_to = min(common_to, behind[c] + run.y);
        }
        span = min(span, decimation);
        common_to = max(common_from, min(common_to, span));

        float2 sum[CHANNELS][BLOCKS][BINS];
        FOR_EACH_SUM sum[c][b][k] = (float2)(0.0f);
        uint row = first_row;
        uint n = 0;
#ifdef LONG_SUMS
        while (n < span) {
            float2 part[CHANNELS][BLOCKS][BINS];
            FOR_EACH_SUM part[c][b][k] = (float2)(0.0f);
            for (const uint until = min(n + SUM_BINS, span); n < until; ++n)
                FOLD_ROW(part, false)
            FOR_EACH_SUM sum[c][b][k] += part[c][b][k];
        }
#else
        for (; n < min(common_from, span); ++n)
            FOLD_ROW(sum, false)
        for (; n < common_to; ++n)
            FOLD_ROW(sum, true)
        for (; n < span; ++n)
            FOLD_ROW(sum, false)
#endif

#if TEAMS > 1
        FOR_EACH_SUM
            shared[(c * BLOCKS + b) * PLACES + PLACE(item + k * ITEMS)] = sum[c][b][k];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif

        uint place = 0;
        uint4 rotator = (uint4)(0);
        float2 turns[VALUES];
#pragma unroll
        for (uint i = 0; i < JOBS; ++i) {
            const uint job = team * JOBS + i;
            const uint c = job / BLOCKS, b = job % BLOCKS;
            __local float2* values = shared + job * PLACES;
            float2 v[VALUES];
#if TEAMS > 1
            load_values(v, values, t);
#else
#pragma unroll
            for (uint k = 0; k < VALUES; ++k)
                v[k] = sum[c][b][k];
#endif
            TRANSFORM
            if (i % BLOCKS == 0) { /* another channel */
                place = order[first_active + min(first + c, end - 1)].y;
                rotator = rotators[place];
                find_turns(turns, rotator.zw);
            }
            const uint before = (first_block + b) * valid;
            if (first + c < end)
                store_outputs(out + out_offset + (size_t)(place - first_active) * out_stride,
                              v,
                              turns,
                              rotator,
                              t,
                              lost,
                              valid,
                              before,
                              outputs);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Does the second half of fold_and_transform, the inverse transforms and the rotator, on sums
 * that another kernel has folded. Row i * blocks + b of `folded` has the sums of channel
 * order[first_active + i] and block b. Results `lost` to lost + valid - 1 of a block are its
 * outputs. All other arguments are those of fold_and_transform. Here a work-group transforms
 * CHANNELS * BLOCKS blocks of one channel.
 * Grid: (work-groups for all blocks, channels). */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
transform_folded(__global const float2* restrict folded,
                 __global const uint2* restrict order,
                 uint first_active,
                 uint blocks,
                 __global const float2* restrict roots,
                 __global const uint4* restrict rotators,
                 uint lost,
                 uint valid,
                 uint outputs,
                 __global float2* restrict out,
                 uint out_offset,
                 uint out_stride)
{
    __local float2 shared[CHANNELS * BLOCKS * PLACES];
    const uint t = get_local_id(0) % TEAM;
    const uint first_job = get_local_id(0) / TEAM * JOBS;
    const uint first_block = get_group_id(0) * CHANNELS * BLOCKS;
    const uint channel = get_group_id(1);
    const uint place = order[first_active + channel].y;
    const uint4 rotator = rotators[place];
    float2 turns[VALUES];
    find_turns(turns, rotator.zw);
#pragma unroll
    for (uint i = 0; i < JOBS; ++i) {
        const uint job = first_job + i;
        const uint block = first_block + job;
        /* Instead of blocks beyond the last one, the last one is transformed again, and
         * not stored. */
        __global const float2* sums =
            folded + (channel * blocks + min(block, blocks - 1)) * ROWS + t;
        __local float2* values = shared + job * PLACES;
        float2 v[VALUES];
#pragma unroll
        for (uint k = 0; k < VALUES; ++k)
            v[k] = sums[k * TEAM];
        TRANSFORM
        if (block < blocks)
            store_outputs(out + out_offset + (size_t)(place - first_active) * out_stride,
                          v,
                          turns,
                          rotator,
                          t,
                          lost,
                          valid,
                          block * valid,
                          outputs);
    }
}
