// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The products of all pairs of antennas, summed over samples, for CPU devices.

/*
 * The products of all pairs of antennas, summed over samples, for CPU devices: work-groups
 * of one work-item, wide vectors, a register tile.
 *
 * A work-item sums TILE by TILE products of antennas over a piece of the stream. The lanes
 * of a vector are samples of one antenna, so that no product needs a broadcast or a
 * shuffle. The host has brought the samples into blocks of BLOCK samples, first their real
 * and then their imaginary parts, as floats.
 *
 * The sums of RUN vectors in registers are added to sums in memory, so that a sum has few
 * terms even if the piece is long. Whole numbers of 8 bits stay exact: a lane has at most
 * 512 samples of a piece, and 512 products of complex samples are at most 2^24.
 *
 * Preconditions: a work-group size of 1; a piece of at most 512 times WIDTH samples, filled
 * up with zeros to whole blocks.
 */

#include "portable.clh"
#include "triangle.clh"
#include "wide_vectors.clh"

#ifndef TILE /* antennas on each side of the tile */
#define TILE 2
#endif
#ifndef WHOLE /* 1: the sums are whole numbers, and written as such */
#define WHOLE 0
#endif

#define BLOCK 16
#define VECTORS (BLOCK / WIDTH) /* of the real parts of a block */
#define RUN 16                  /* vectors */
#define RUN_BLOCKS (RUN / VECTORS)

#if WHOLE
typedef int sum;
#define SUM_OF(x) convert_int(x)
#else
typedef float sum;
#define SUM_OF(x) (x)
#endif

/* The sum of all lanes: neighbours first, halves last. */
HELPER sum lanes4(float4 v)
{
    return (SUM_OF(v.s0) + SUM_OF(v.s1)) + (SUM_OF(v.s2) + SUM_OF(v.s3));
}
#if WIDTH == 16
HELPER sum lanes(float16 v)
{
    return (lanes4(v.lo.lo) + lanes4(v.lo.hi)) + (lanes4(v.hi.lo) + lanes4(v.hi.hi));
}
#elif WIDTH == 8
HELPER sum lanes(float8 v)
{
    return lanes4(v.lo) + lanes4(v.hi);
}
#else
#define lanes lanes4
#endif

/*
 * offset, stride          the first block of antenna 0, and from antenna to antenna, in
 *                         floats
 * blocks                  blocks of a piece
 * first_tile, first_piece the work-item's tile and piece are this far after its global id
 * out                     for each piece the sums of the triangle, row by row, as pairs
 * out_offset              in pairs
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
correlator(__global const float* in,
           uint offset,
           uint stride,
           uint antennas,
           uint blocks,
           uint first_tile,
           uint first_piece,
           __global sum* out,
           uint out_offset)
{
    const uint tile = first_tile + get_global_id(0);
    const uint piece = first_piece + get_global_id(1);
    const uint tile_row = triangle_row(tile);
    const uint i = tile_row * TILE;
    const uint j = (tile - tile_row * (tile_row + 1) / 2) * TILE;

    /* Rows and columns that do not exist repeat the last antenna, and nobody reads them. */
    __global const float* row[TILE];
    __global const float* column[TILE];
    _Pragma("unroll") for (uint r = 0; r < TILE; r++)
    {
        const size_t first = (size_t)offset + (size_t)piece * blocks * (2 * BLOCK);
        row[r] = in + first + (size_t)min(i + r, antennas - 1) * stride;
        column[r] = in + first + (size_t)min(j + r, antennas - 1) * stride;
    }

    vec total_re[TILE][TILE], total_im[TILE][TILE];
    _Pragma("unroll") for (uint r = 0; r < TILE; r++)
        _Pragma("unroll") for (uint c = 0; c < TILE; c++)
            total_re[r][c] = total_im[r][c] = (vec)(0.0f);

    for (uint begin = 0; begin < blocks; begin += RUN_BLOCKS) {
        const uint end = min(blocks, begin + RUN_BLOCKS);
        vec re[TILE][TILE], im[TILE][TILE];
        _Pragma("unroll") for (uint r = 0; r < TILE; r++)
            _Pragma("unroll") for (uint c = 0; c < TILE; c++)
                re[r][c] = im[r][c] = (vec)(0.0f);
        for (uint at = begin * 2 * BLOCK; at < end * 2 * BLOCK; at += 2 * BLOCK) {
            _Pragma("unroll") for (uint v = 0; v < VECTORS; v++)
            {
                vec x[TILE], y[TILE];
                _Pragma("unroll") for (uint c = 0; c < TILE; c++)
                {
                    x[c] = LOAD(0, column[c] + at + v * WIDTH);
                    y[c] = LOAD(0, column[c] + at + BLOCK + v * WIDTH);
                }
                _Pragma("unroll") for (uint r = 0; r < TILE; r++)
                {
                    const vec a = LOAD(0, row[r] + at + v * WIDTH);
                    const vec b = LOAD(0, row[r] + at + BLOCK + v * WIDTH);
                    _Pragma("unroll") for (uint c = 0; c < TILE; c++)
                    {
                        re[r][c] = FMA(a, x[c], re[r][c]);
                        im[r][c] = FMA(b, x[c], im[r][c]);
                        re[r][c] = FMA(b, y[c], re[r][c]);
                        im[r][c] = FMA(-a, y[c], im[r][c]);
                    }
                }
            }
        }
        _Pragma("unroll") for (uint r = 0; r < TILE; r++)
            _Pragma("unroll") for (uint c = 0; c < TILE; c++)
            {
                total_re[r][c] += re[r][c];
                total_im[r][c] += im[r][c];
            }
    }

    const size_t triangle = (size_t)antennas * (antennas + 1) / 2;
    _Pragma("unroll") for (uint r = 0; r < TILE; r++)
        _Pragma("unroll") for (uint c = 0; c < TILE; c++)
            if (i + r < antennas && j + c <= i + r) {
                const size_t at = (size_t)out_offset + piece * triangle +
                                  (size_t)(i + r) * (i + r + 1) / 2 + j + c;
                out[2 * at] = lanes(total_re[r][c]);
                out[2 * at + 1] = lanes(total_im[r][c]);
            }
}
