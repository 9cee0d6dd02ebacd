// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fold of overlap-save on the matrix units of NVIDIA GPUs.

/*
 * The fold of overlap-save for many channels on the matrix units of NVIDIA GPUs (compute
 * capability 8.0 and later), which OpenCL C reaches through the PTX instruction mma.sync.
 * docs/overlap_save.md explains the words. A row of a spectrum has ROWS bins, N / D; the
 * sums of the products of a channel and a block are as many. The inverse transforms follow
 * in fused_fold.cl.
 *
 * For each of the ROWS bins the fold is a product of matrices: the gains of the channels,
 * which are rows of D values, times the bins of the blocks, which are columns of D values.
 * The gains of a channel for one bin lie side by side, as WORDS of 32 bits. Real gains are
 * D words; each block then has two columns, the real and the imaginary parts of its bins.
 * Complex gains are 2 D words (re, im), by which the columns (re, -im) and (im, re) of a
 * block are multiplied.
 *
 * One instruction multiplies a fragment of 16 channels and 8 words by one of 8 words and 8
 * columns, which are 4 blocks. Lane l of a warp, with g = l / 4 and t = l % 4, has the words
 * t and t + 4 of the channels g and g + 8 and of the column g, and the columns 2 t and 2 t +
 * 1, which are block t, of the sums of the channels g and g + 8. The order of the words is
 * free as long as both factors have the same one. Here lane t takes the words 4 t to 4 t + 3
 * of 16, a chunk, which are one load of 16 bytes for two instructions.
 *
 * A work-group has BINS neighbouring bins of 4 TILES PARTS blocks. A warp has one bin, and
 * PARTS warps share it, with 4 TILES blocks each. The warp keeps the columns of its blocks in
 * registers and takes a tile of 16 channels after the other, each gain of which it reads
 * once. Gains are copied to local memory STAGES - 1 tiles before they are needed, each by the
 * lane that will take them from there, so that no lane waits for another one. The sums of the
 * warps meet in local memory, so that neighbouring bins are stored together.
 *
 * Both factors are split into two numbers of 11 bits, x = high + low, and a product is high *
 * high + high * low + low * high; low * low is below the rounding of a float. The host rounds
 * gains to 22 bits, so that their first 11 bits, which are all that the matrix unit takes of
 * them, and the rest are exact. The matrix units round their sums toward zero. So sums run
 * through them for at most 16 CHUNKS words, and those of the small products run apart; more
 * words are added to `folded` in ordinary floats.
 *
 * Preconditions: groups of BINS * PARTS warps of 32 work-items; BINS divides ROWS; STAGES is
 * 2 to 6; a range has a row or more. With EMULATE the kernel is plain OpenCL C for any device,
 * in which the lanes exchange their fragments through local memory: this is how the layout is
 * tested.
 */

#ifndef ROWS
#define ROWS 64
#endif
#ifndef BINS
#define BINS 4
#endif
#ifndef TILES
#define TILES 1
#endif
#ifndef PARTS
#define PARTS 1
#endif
#ifndef CHUNKS
#define CHUNKS 1
#endif
#ifndef STAGES
#define STAGES 3 /* tiles of which the gains are in local memory, 2 to 6 */
#endif
#define CHANNELS 16 /* of a fragment */
#define SEGMENT_QUADS (4 * CHUNKS)
#define ITEMS (32 * BINS * PARTS)
#define BLOCKS (4 * TILES * PARTS)
#define BINS_TO_LOAD (BLOCKS * CHUNK_ROWS * BINS / ITEMS) /* by a work-item for a chunk */
#ifdef REAL_GAINS
#define WORDS 1 /* of a gain */
#else
#define WORDS 2
#endif
#define CHUNK_ROWS (16 / WORDS)

/* Places are left out in local memory, so that neighbours are in different banks: behind the
 * sums of a channel and a block, behind the rows of a block, and behind the blocks of a bin. */
#define SUM_PLACES (BINS + 1)
#define ROW_PLACES (CHUNK_ROWS + 1)
#define BIN_PLACES (BLOCKS * ROW_PLACES + 1)

/* Of the gains, those of the tiles behind the next one. */
#if STAGES == 2
#define COPIES_LEFT 0
#elif STAGES == 3
#define COPIES_LEFT 1
#elif STAGES == 4
#define COPIES_LEFT 2
#elif STAGES == 5
#define COPIES_LEFT 3
#elif STAGES == 6
#define COPIES_LEFT 4
#endif

#include "async_copies.clh"
#include "warp_products.clh"

/* The difference of a number and the 11 bits that the matrix unit takes of another one. */
HELPER uint rest_of(uint word, uint part)
{
    return as_uint(as_float(word) - as_float(part & 0xffffe000u));
}

/* responses: for each channel from first_channel on the gains of all bins, bin by bin, in
 * quads of words: `bin_quads` of them for a bin, `stride` for a channel.
 * order: the channels to compute, from order[first_active] on, as in fused_fold.cl.
 * ranges: for each 16 channels the first row in which one of them has gains, and the one
 * behind the last.
 * tiles_per_group: a work-group computes 16 times as many channels.
 * The sums of channel order[first_active + i] and block b become row i * blocks + b of
 * `folded`. No index reaches 2^32.
 * Grid: (work-groups for a row, for all blocks, for all channels). */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
fold_by_products(__global const float2* restrict spectra,
                 __global const uint4* restrict responses,
                 uint stride,
                 uint bin_quads,
                 uint first_channel,
                 __global const uint2* restrict order,
                 uint first_active,
                 uint channels,
                 __global const uint2* restrict ranges,
                 uint first_range,
                 uint tiles_per_group,
                 uint decimation,
                 uint blocks,
                 __global float2* restrict folded)
{
    __local float2 exchange[2][CHANNELS * BLOCKS * SUM_PLACES];
    __local uint4 copies[BINS * PARTS][STAGES][2 * CHUNKS][32];
    const uint item = get_local_id(0);
    const uint lane = item % 32;
#if EMULATE
    __local uint exchanges[BINS * PARTS * 192];
    __local uint* warp = exchanges + item / 32 * 192;
#endif
    const uint g = lane / 4;
    const uint t = lane % 4;
    __local uint4(*my_copies)[2 * CHUNKS][32] = copies[item / 32];
    const uint bin_of_group = item / 32 % BINS;
    const uint first_bin = get_group_id(0) * BINS;
    const uint first_block = get_group_id(1) * BLOCKS;
    const uint my_block = item / (32 * BINS) * 4 * TILES; /* of the group's */
    const uint first_tile = get_group_id(2) * tiles_per_group;
    const uint end_tile = min(first_tile + tiles_per_group, (channels + CHANNELS - 1) / CHANNELS);
    responses += (first_bin + bin_of_group) * bin_quads + t;

/* Finds the gains of the channels g and g + 8 of a tile, and the quads of a bin in which any
 * channel of the tile has gains. */
#define FIND_TILE(tile)                                                                \
    {                                                                                  \
        const uint found = min((uint)(tile), end_tile - 1);                            \
        const uint upper = first_active + min(found * CHANNELS + g, channels - 1);     \
        const uint lower = first_active + min(found * CHANNELS + g + 8, channels - 1); \
        coming[0] = (order[upper].x - first_channel) * stride;                         \
        coming[1] = (order[lower].x - first_channel) * stride;                         \
        coming_range = ranges[first_range + found];                                    \
    }
/* Begins to copy this lane's gains of that tile, if there is such a tile. */
#define COPY_TILE(tile)                                                                \
    {                                                                                  \
        const uint range_begin = coming_range.x * WORDS / 4;                           \
        const uint range_end = (coming_range.y * WORDS + 3) / 4;                       \
        __local uint4(*to)[32] = my_copies[((tile) - first_tile) % STAGES];            \
        if ((tile) < end_tile)                                                         \
            UNROLL                                                                     \
            for (uint i = 0; i < 2 * CHUNKS; i++) {                                    \
                const uint quad = first_quad + i / 2 * 4;                              \
                const bool is_needed = quad + t >= range_begin && quad + t < range_end;\
                copy_bytes((__local uint*)(to[i] + lane),                              \
                           (__global const uint*)(responses +                          \
                                                  (is_needed ? coming[i % 2] + quad : 0)), \
                           16,                                                         \
                           is_needed ? 16 : 0);                                        \
            }                                                                          \
        end_of_copies();                                                               \
    }

    uint begin = ~0u, end = 0; /* the quads in which any of the group's channels has gains */
    for (uint tile = first_tile; tile < end_tile; tile++) {
        const uint2 range = ranges[first_range + tile];
        begin = min(begin, range.x * WORDS / 4);
        end = max(end, (range.y * WORDS + 3) / 4);
    }
    for (uint first_quad = begin; first_quad < end; first_quad += SEGMENT_QUADS) {
        uint coming[2];
        uint2 coming_range;
        UNROLL
        for (uint i = 0; i < STAGES - 1; i++) {
            FIND_TILE(first_tile + i)
            COPY_TILE(first_tile + i)
        }
        FIND_TILE(first_tile + STAGES - 1)

        /* The bins of the group's blocks come to local memory, chunk after chunk, and each
         * lane takes those of its columns from there. Beyond the last row the gains are zero,
         * so that any bins will do. Instead of blocks beyond the last one, the last one is
         * computed again, and not stored. */
        float2 fresh[CHUNKS][BINS_TO_LOAD];
        UNROLL
        for (uint c = 0; c < CHUNKS; c++)
            UNROLL
            for (uint i = 0; i < BINS_TO_LOAD; i++) {
                const uint pair = (i * ITEMS + item) / BINS;
                const uint block = min(first_block + pair / CHUNK_ROWS, blocks - 1);
                const uint row = min(4 * (first_quad + 4 * c) / WORDS + pair % CHUNK_ROWS,
                                     decimation - 1);
                fresh[c][i] =
                    spectra[(block * decimation + row) * ROWS + first_bin + item % BINS];
            }
        uint high[TILES][CHUNKS][4], low[TILES][CHUNKS][4];
        __local float2* bins = exchange[0];
        UNROLL
        for (uint c = 0; c < CHUNKS; c++) {
            barrier(CLK_LOCAL_MEM_FENCE);
            UNROLL
            for (uint i = 0; i < BINS_TO_LOAD; i++) {
                const uint pair = (i * ITEMS + item) / BINS;
                bins[item % BINS * BIN_PLACES + pair / CHUNK_ROWS * ROW_PLACES +
                     pair % CHUNK_ROWS] = fresh[c][i];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            UNROLL
            for (uint j = 0; j < TILES; j++) {
                const uint block = my_block + 4 * j + g / 2;
                UNROLL
                for (uint i = 0; i < 4; i++) {
                    const uint row = (4 * t + i) / WORDS;
                    const float2 value =
                        bins[bin_of_group * BIN_PLACES + block * ROW_PLACES + row];
#ifdef REAL_GAINS
                    const float part = g % 2 ? value.y : value.x;
#else
                    const float part = i % 2 == 0 ? (g % 2 ? value.y : value.x)
                                                  : (g % 2 ? value.x : -value.y);
#endif
                    high[j][c][i] = as_uint(part) + 0x1000u;
                    low[j][c][i] = rest_of(as_uint(part), high[j][c][i]) + 0x1000u;
                    /* The bits of a NaN could become those of a number. */
                    if (isnan(part))
                        high[j][c][i] = low[j][c][i] = 0x7fc00000u;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint tile = first_tile; tile < end_tile; tile++) {
            wait_for_copies();
            COPY_TILE(tile + STAGES - 1)
            FIND_TILE(tile + STAGES)
            float sums[TILES][4], small[TILES][4];
            UNROLL
            for (uint j = 0; j < TILES; j++)
                UNROLL
                for (uint i = 0; i < 4; i++)
                    sums[j][i] = small[j][i] = 0.0f;
            __local const uint4(*gains)[32] = my_copies[(tile - first_tile) % STAGES];
            UNROLL
            for (uint c = 0; c < CHUNKS; c++) {
                uint upper[4], lower[4];
                unpack(upper, gains[2 * c][lane]);
                unpack(lower, gains[2 * c + 1][lane]);
                UNROLL
                for (uint i = 0; i < 4; i += 2) {
                    const uint of_gains[4] = { upper[i], lower[i], upper[i + 1], lower[i + 1] };
                    const uint rests[4] = { rest_of(of_gains[0], of_gains[0]),
                                            rest_of(of_gains[1], of_gains[1]),
                                            rest_of(of_gains[2], of_gains[2]),
                                            rest_of(of_gains[3], of_gains[3]) };
                    UNROLL
                    for (uint j = 0; j < TILES; j++)
                        multiply_add(small[j], of_gains, low[j][c] + i EXCHANGE);
                    UNROLL
                    for (uint j = 0; j < TILES; j++)
                        multiply_add(sums[j], of_gains, high[j][c] + i EXCHANGE);
                    UNROLL
                    for (uint j = 0; j < TILES; j++)
                        multiply_add(small[j], rests, high[j][c] + i EXCHANGE);
                }
            }

            /* One barrier for a tile is enough: the next one takes the other half of
             * `exchange`, and every work-item has read that half before it comes here. */
            __local float2* sums_of_tile = exchange[(tile - first_tile) % 2];
            UNROLL
            for (uint j = 0; j < TILES; j++)
                UNROLL
                for (uint part = 0; part < 2; part++) {
                    const uint channel = g + 8 * part, block = my_block + 4 * j + t;
                    sums_of_tile[(channel * BLOCKS + block) * SUM_PLACES + bin_of_group] =
                        (float2)(sums[j][2 * part] + small[j][2 * part],
                                 sums[j][2 * part + 1] + small[j][2 * part + 1]);
                }
            barrier(CLK_LOCAL_MEM_FENCE);
            UNROLL
            for (uint i = 0; i < CHANNELS * BLOCKS * BINS / ITEMS; i++) {
                const uint index = i * ITEMS + item;
                const uint place = index % BINS, pair = index / BINS;
                const uint channel = tile * CHANNELS + pair / BLOCKS;
                const uint block = first_block + pair % BLOCKS;
                if (channel < channels && block < blocks) {
                    __global float2* to =
                        folded + (channel * blocks + block) * ROWS + first_bin + place;
                    const float2 sum = sums_of_tile[pair * SUM_PLACES + place];
                    *to = first_quad > begin ? *to + sum : sum;
                }
            }
        }
    }
}
