// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fold of overlap-save for many channels, in tiles of channels and blocks.

/*
 * The fold of overlap-save for many channels. docs/overlap_save.md explains the words. A
 * row of a spectrum or of a response has ROWS bins, N / D; the sums of the products of a
 * channel and a block are as many. The inverse transforms follow in fused_fold.cl.
 *
 * A work-group computes CHANNELS channels of BLOCKS blocks, for LANES neighbouring sums of
 * each, row after row. Every work-item has the sums of ITEM_CHANNELS channels of all the
 * blocks in registers, for one of the LANES. STEP rows of the spectra at a time go to
 * local memory, where the work-items of all channels read them, while the STEP rows before
 * them are being multiplied. As soon as the gains of a row have been used, those of the same
 * row of the next step are on their way into their registers.
 *
 * REAL_GAINS: the responses are real. Those of filters of linear phase are so, up to a
 * constant phase and a delay; the host takes both out where the delay is a whole number of
 * outputs.
 *
 * Preconditions: all sizes but STEP are powers of two; LANES divides ROWS; CHANNELS is a
 * multiple of ITEM_CHANNELS; CHANNELS / ITEM_CHANNELS divides STEP * BLOCKS.
 */

#include "complex.clh"

#ifndef ROWS
#define ROWS 64
#endif
#ifndef LANES
#define LANES 8
#endif
#ifndef CHANNELS
#define CHANNELS 4
#endif
#ifndef ITEM_CHANNELS
#define ITEM_CHANNELS 2
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif
#ifndef STEP
#define STEP 2
#endif
/* The most rows, up to a STEP, that are added up in one float. Large decimations have more
 * of them, and a single large sum would lose digits. */
#ifndef SUM_BINS
#define SUM_BINS 64
#endif

#define TEAMS (CHANNELS / ITEM_CHANNELS)
#define ITEMS (LANES * TEAMS)
#define BINS_TO_LOAD (STEP * BLOCKS / TEAMS) /* by a work-item in a step */

#ifdef REAL_GAINS
typedef float gain;
#define ADD_PRODUCT(sum, h, bin) FMA((float2)(h), bin, sum)
#else
typedef float2 gain;
#define ADD_PRODUCT(sum, h, bin) multiply_add(sum, h, bin)
#endif

#define FOR_EACH_SUM                                           \
    _Pragma("unroll") for (uint c = 0; c < ITEM_CHANNELS; ++c) \
        _Pragma("unroll") for (uint b = 0; b < BLOCKS; ++b)

/* Reads the bins of a work-item for the step that begins with a row. Beyond the last row
 * the gains are zero, so that any finite values serve as bins. */
#define FETCH_BINS(row)                                                                 \
    _Pragma("unroll") for (uint i = 0; i < BINS_TO_LOAD; ++i)                           \
    {                                                                                   \
        const uint s = (i * TEAMS + team) / BLOCKS;                                     \
        coming_bins[i] = spectra[block_at[i] + min((row) + s, decimation - 1) * ROWS];  \
    }

/* Reads the gains of a work-item for row s of that step. Behind the last step there are
 * none, and those of the last row are read and not used. */
#define FETCH_GAINS(row, s)                                                  \
    _Pragma("unroll") for (uint c = 0; c < ITEM_CHANNELS; ++c) gains[s][c] = \
        responses[response_at[c] + min((row) + (s), decimation + STEP - 2) * ROWS];

/* responses: for each channel from first_channel on all rows, in the order of the
 * spectrum's, and STEP - 1 rows of zeros; they start `stride` values apart.
 * order: the channels to compute, from order[first_active] on, as in fused_fold.cl.
 * ranges: for each work-group of channels the first row in which one of them has gains,
 * and the one behind the last.
 * The sums of channel order[first_active + i] and block b become row i * blocks + b of `folded`.
 * No index reaches 2^32.
 * Grid: (work-groups for a row, for all blocks, for all channels). */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
fold_tiles(__global const float2* restrict spectra,
           __global const gain* restrict responses,
           uint stride,
           uint first_channel,
           __global const uint2* restrict order,
           uint first_active,
           uint channels,
           __global const uint2* restrict ranges,
           uint first_range,
           uint decimation,
           uint blocks,
           __global float2* restrict folded)
{
    __local float2 bins[2][STEP * BLOCKS * LANES];
    const uint lane = get_local_id(0) % LANES;
    const uint team = get_local_id(0) / LANES;
    const uint at = get_group_id(0) * LANES + lane;
    const uint first_block = get_group_id(1) * BLOCKS;
    const uint my_first = get_group_id(2) * CHANNELS + team * ITEM_CHANNELS;
    const uint2 range = ranges[first_range + get_group_id(2)];

    /* Instead of blocks and channels beyond the last one, the last one is computed again,
     * and not stored. */
    uint block_at[BINS_TO_LOAD], response_at[ITEM_CHANNELS];
#pragma unroll
    for (uint i = 0; i < BINS_TO_LOAD; ++i)
        block_at[i] =
            min(first_block + (i * TEAMS + team) % BLOCKS, blocks - 1) * decimation * ROWS + at;
#pragma unroll
    for (uint c = 0; c < ITEM_CHANNELS; ++c)
        response_at[c] =
            (order[first_active + min(my_first + c, channels - 1)].x - first_channel) * stride + at;

    float2 sum[ITEM_CHANNELS][BLOCKS];
    FOR_EACH_SUM sum[c][b] = (float2)(0.0f);
    float2 coming_bins[BINS_TO_LOAD];
    gain gains[STEP][ITEM_CHANNELS];
    uint row = range.x;
    uint begun = row; /* the first row of the sums in registers */
    uint half_buffer = 0;
    bool stored = false; /* whether `folded` has a part of the sums */
    FETCH_BINS(row)
#pragma unroll
    for (uint s = 0; s < STEP; ++s)
        FETCH_GAINS(row, s)
    while (row < range.y) {
#pragma unroll
        for (uint i = 0; i < BINS_TO_LOAD; ++i)
            bins[half_buffer][(i * TEAMS + team) * LANES + lane] = coming_bins[i];
        /* One barrier per step is enough: the next step writes the other half of `bins`, and
         * every work-item has read that half before it reached this barrier. */
        barrier(CLK_LOCAL_MEM_FENCE);
        row += STEP;
        if (row < range.y) {
            FETCH_BINS(row)
        }
#pragma unroll
        for (uint s = 0; s < STEP; ++s) {
#pragma unroll
            for (uint b = 0; b < BLOCKS; ++b) {
                const float2 bin = bins[half_buffer][(s * BLOCKS + b) * LANES + lane];
#pragma unroll
                for (uint c = 0; c < ITEM_CHANNELS; ++c)
                    sum[c][b] = ADD_PRODUCT(sum[c][b], gains[s][c], bin);
            }
            FETCH_GAINS(row, s)
        }
        half_buffer ^= 1;
        if (row >= range.y || row - begun >= SUM_BINS) {
#pragma unroll
            for (uint c = 0; c < ITEM_CHANNELS; ++c)
#pragma unroll
                for (uint b = 0; b < BLOCKS; ++b) {
                    if (my_first + c < channels && first_block + b < blocks) {
                        __global float2* to =
                            folded + ((my_first + c) * blocks + first_block + b) * ROWS + at;
                        *to = stored ? *to + sum[c][b] : sum[c][b];
                    }
                    sum[c][b] = (float2)(0.0f);
                }
            stored = true;
            begun = row;
        }
    }
}
