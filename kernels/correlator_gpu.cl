// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The products of all pairs of antennas, summed over samples, for GPUs.

/*
 * The products of all pairs of antennas, summed over samples, for GPUs: a tile of antennas
 * in local memory, smaller tiles in registers.
 *
 * A work-group sums the products of GROUP * EACH antennas with as many others over a piece
 * of the stream, and a work-item those of EACH by EACH. In each step the group brings DEPTH
 * samples of its antennas into local memory. Neighbouring work-items load neighbouring
 * samples of an antenna. The antennas of a work-item are GROUP antennas apart, so that
 * neighbouring work-items read neighbouring values of local memory.
 *
 * The sums of a step in registers are added to the sums of the piece. Those are whole
 * numbers for samples of 8 bits (the sums of a step are exact in floats), and otherwise
 * compensated sums (Kahan), whose rounding errors do not add up.
 *
 * Preconditions: a work-group of GROUP by GROUP work-items; a piece of a multiple of DEPTH
 * samples, at most 65535 and filled up with zeros; DEPTH at most 512.
 */

#include "portable.clh"
#include "triangle.clh"

#ifndef GROUP /* work-items on each side of a group */
#define GROUP 8
#endif
#ifndef EACH /* antennas on each side of a work-item's tile */
#define EACH 4
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#ifndef WHOLE /* 1: samples are pairs of signed 8-bit integers, and sums whole numbers */
#define WHOLE 0
#endif

#define TILE (GROUP * EACH)
#define ITEMS (GROUP * GROUP)
#define MOVES ((TILE * DEPTH + ITEMS - 1) / ITEMS)
/* The padding spreads the stores of an antenna's samples over the memory banks. */
#define STEP (TILE + 1)

#if WHOLE
typedef char2 sample;
typedef int sum;
#else
typedef float2 sample;
typedef float sum;
#endif

/* Brings DEPTH samples of TILE antennas into local memory. Antennas that do not exist
 * repeat the last one, and nobody reads their sums. */
#define FETCH(to, first_antenna)                                                     \
    _Pragma("unroll") for (uint m = 0; m < MOVES; m++)                               \
    {                                                                                \
        const uint u = me + m * ITEMS;                                               \
        if ((TILE * DEPTH) % ITEMS == 0 || u < TILE * DEPTH) {                       \
            const uint a = min((first_antenna) + u / DEPTH, antennas - 1);           \
            to[u % DEPTH * STEP + u / DEPTH] =                                       \
                convert_float2(in[begin + (size_t)a * stride + at + u % DEPTH]);     \
        }                                                                            \
    }

/* Adds the sum of a step to that of the piece. */
#if WHOLE
#define ADD(total, lost, x) total += convert_int(x);
#else
#define ADD(total, lost, x)                 \
    {                                       \
        const float part = (x) - (lost);    \
        const float next = (total) + part;  \
        lost = (next - (total)) - part;     \
        total = next;                       \
    }
#endif

/*
 * offset, stride          the first sample of antenna 0, and from antenna to antenna, in
 *                         samples
 * length                  samples of a piece
 * first_tile, first_piece the group's tile and piece are this far after its number
 * out                     for each piece the sums of the triangle, row by row, as pairs
 * out_offset              in pairs
 */
__kernel __attribute__((reqd_work_group_size(GROUP, GROUP, 1))) void
correlator(__global const sample* in,
           uint offset,
           uint stride,
           uint antennas,
           uint length,
           uint first_tile,
           uint first_piece,
           __global sum* out,
           uint out_offset)
{
    __local float2 rows[DEPTH * STEP], columns[DEPTH * STEP];

    const uint my_column = get_local_id(0), my_row = get_local_id(1);
    const uint me = my_row * GROUP + my_column;
    const uint tile = first_tile + get_group_id(0);
    const uint piece = first_piece + get_group_id(1);
    const uint tile_row = triangle_row(tile);
    const uint i = tile_row * TILE;
    const uint j = (tile - tile_row * (tile_row + 1) / 2) * TILE;
    const size_t begin = (size_t)offset + (size_t)piece * length;

    sum total_re[EACH][EACH], total_im[EACH][EACH];
#if !WHOLE
    float lost_re[EACH][EACH], lost_im[EACH][EACH];
#endif
    _Pragma("unroll") for (uint r = 0; r < EACH; r++)
        _Pragma("unroll") for (uint c = 0; c < EACH; c++)
        {
            total_re[r][c] = total_im[r][c] = 0;
#if !WHOLE
            lost_re[r][c] = lost_im[r][c] = 0.0f;
#endif
        }

    for (uint at = 0; at < length; at += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        FETCH(rows, i)
        FETCH(columns, j)
        barrier(CLK_LOCAL_MEM_FENCE);

        float re[EACH][EACH], im[EACH][EACH];
        _Pragma("unroll") for (uint r = 0; r < EACH; r++)
            _Pragma("unroll") for (uint c = 0; c < EACH; c++)
                re[r][c] = im[r][c] = 0.0f;
        for (uint t = 0; t < DEPTH; t++) {
            float2 x[EACH], y[EACH];
            _Pragma("unroll") for (uint e = 0; e < EACH; e++)
            {
                x[e] = rows[t * STEP + my_row + e * GROUP];
                y[e] = columns[t * STEP + my_column + e * GROUP];
            }
            _Pragma("unroll") for (uint r = 0; r < EACH; r++)
                _Pragma("unroll") for (uint c = 0; c < EACH; c++)
                {
                    re[r][c] = FMA(x[r].x, y[c].x, re[r][c]);
                    im[r][c] = FMA(x[r].y, y[c].x, im[r][c]);
                    re[r][c] = FMA(x[r].y, y[c].y, re[r][c]);
                    im[r][c] = FMA(-x[r].x, y[c].y, im[r][c]);
                }
        }
        _Pragma("unroll") for (uint r = 0; r < EACH; r++)
            _Pragma("unroll") for (uint c = 0; c < EACH; c++)
            {
                ADD(total_re[r][c], lost_re[r][c], re[r][c])
                ADD(total_im[r][c], lost_im[r][c], im[r][c])
            }
    }

    const size_t triangle = (size_t)antennas * (antennas + 1) / 2;
    _Pragma("unroll") for (uint r = 0; r < EACH; r++)
        _Pragma("unroll") for (uint c = 0; c < EACH; c++)
        {
            const uint row = i + my_row + r * GROUP, column = j + my_column + c * GROUP;
            if (row < antennas && column <= row) {
                const size_t at = (size_t)out_offset + piece * triangle +
                                  (size_t)row * (row + 1) / 2 + column;
                out[2 * at] = total_re[r][c];
                out[2 * at + 1] = total_im[r][c];
            }
        }
}
