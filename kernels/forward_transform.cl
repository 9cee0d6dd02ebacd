// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The forward transforms of overlap-save blocks, by columns and then rows.

/*
 * The forward transforms of overlap-save blocks, out of the items of a call.
 * docs/overlap_save.md explains the words. A block has DECIMATION * ROWS items. Its
 * spectrum has DECIMATION rows of ROWS bins: bin g of row r is the bin g + r ROWS of the
 * transform. Item m DECIMATION + b of a block belongs to column b, m = 0 to ROWS - 1.
 *
 * `transform_columns` reads the items of a block, converts them to complex floats, and
 * transforms each column. Bin g of column b is multiplied by exp(-j 2 pi b g / (DECIMATION
 * ROWS)) and stored as bin g of row b. `transform_rows` then transforms bin g of all rows,
 * for each g.
 *
 * A work-group of transform_columns has COLUMNS neighbouring columns of BLOCKS blocks. A
 * team of ROWS / VALUES work-items transforms each column, as stockham.clh has it. In the
 * first pass neighbouring work-items have neighbouring columns, whose items are neighbours
 * in memory; afterwards they have neighbouring values of a column.
 *
 * WHOLE_BLOCKS: a work-group has all columns of its blocks, and transforms the rows, too.
 * With a decimation of 1 the spectrum is a single row, and nothing is left to transform.
 *
 * A work-item of transform_rows has all values of a transform of LENGTH values in
 * registers, which are INNER values apart in memory. Decimations above the values that
 * registers can hold take two such transforms, of which the first one has a TWIDDLE.
 *
 * All transforms here are inverse ones of values whose real and imaginary parts have been
 * exchanged. Exchanged once more, the results are those of forward transforms.
 *
 * Preconditions: those of stockham.clh; BLOCKS is 1 unless COLUMNS is DECIMATION; LENGTH =
 * RADIX_1 * RADIX_2 * ... * RADIX_4, each of these is 1, 2, 4, 8 or an odd prime, and those
 * that are 1 come last.
 */

#define EXCHANGE_BY_MACROS

#include "item_types.clh"
#include "stockham.clh"

#ifndef DECIMATION
#define DECIMATION 6
#endif
#ifndef COLUMNS
#define COLUMNS 3
#endif
#ifndef BLOCKS
#define BLOCKS 1
#endif
#ifndef LENGTH /* of the transforms of rows */
#define LENGTH 6
#define RADIX_1 3
#define RADIX_2 2
#define RADIX_3 1
#define RADIX_4 1
#endif
#ifndef INNER
#define INNER ROWS
#endif
#ifndef OUTER
#define OUTER 1
#endif


#define LENGTH_OF_BLOCK (DECIMATION * ROWS)
#define GROUP_COLUMNS (COLUMNS * BLOCKS)
#define ITEMS (TEAM * GROUP_COLUMNS)
/* The columns are an odd number of places apart, so that they begin in different banks of
 * local memory. */
#define PLACES ((PLACE(ROWS - 1) + 1) | 1)

/* An inverse transform of an odd prime number of values, in place.
 * roots: exp(j 2 pi k / LENGTH). */
HELPER void transform_prime(float2* u, uint prime, __constant float2* roots)
{
    const uint half_of_them = prime / 2;
    float2 sum[LENGTH / 2 + 1], difference[LENGTH / 2 + 1];
    float2 first = u[0];
#pragma unroll
    for (uint n = 0; n < half_of_them; ++n) {
        sum[n] = u[n + 1] + u[prime - 1 - n];
        difference[n] = u[n + 1] - u[prime - 1 - n];
        first += sum[n];
    }
    const float2 u0 = u[0];
#pragma unroll
    for (uint k = 1; k <= half_of_them; ++k) {
        float2 even = u0, odd = (float2)(0.0f);
#pragma unroll
        for (uint n = 0; n < half_of_them; ++n) {
            const float2 root = roots[(n + 1) * k % prime * (LENGTH / prime)];
            even = FMA((float2)(root.x), sum[n], even);
            odd = FMA((float2)(root.y), difference[n], odd);
        }
        u[k] = (float2)(even.x - odd.y, even.y + odd.x);
        u[prime - k] = (float2)(even.x + odd.y, even.y - odd.x);
    }
    u[0] = first;
}

/* One pass of a transform of LENGTH values in registers. */
HELPER void row_pass(float2* v, uint radix, uint stride, __constant float2* roots)
{
    float2 w[LENGTH];
#pragma unroll
    for (uint m = 0; m < LENGTH / radix; ++m) {
        float2 u[LENGTH > 8 ? LENGTH : 8];
        const uint turn = m % stride * (LENGTH / (stride * radix));
#pragma unroll
        for (uint r = 0; r < radix; ++r) {
            u[r] = v[m + r * (LENGTH / radix)];
            if (r && turn)
                u[r] = product(u[r], roots[r * turn]);
        }
        if (radix == 2)
            transform_2(u);
        else if (radix == 4)
            transform_4_of(u, u + 1, u + 2, u + 3);
        else if (radix == 8)
            transform_8(u);
        else
            transform_prime(u, radix, roots);
#pragma unroll
        for (uint r = 0; r < radix; ++r)
            w[m / stride * stride * radix + m % stride + r * stride] = u[r];
    }
#pragma unroll
    for (uint n = 0; n < LENGTH; ++n)
        v[n] = w[n];
}

HELPER void transform_row(float2* v, __constant float2* roots)
{
    row_pass(v, RADIX_1, 1, roots);
#if RADIX_2 > 1
    row_pass(v, RADIX_2, RADIX_1, roots);
#endif
#if RADIX_3 > 1
    row_pass(v, RADIX_3, RADIX_1 * RADIX_2, roots);
#endif
#if RADIX_4 > 1
    row_pass(v, RADIX_4, RADIX_1 * RADIX_2 * RADIX_3, roots);
#endif
}

/* The arguments of transform_columns.
 *
 * Item j of block b is item b * hop + j - lead of the call, where `hop` is L. Items that
 * the call does not have are zero: they meet no tap, or only give outputs that are
 * discarded. in_offset is the number of bytes before the call's first item, which need not
 * be whole items.
 * roots: for a pass of radix R after passes whose radices have the product S,
 * exp(j 2 pi r i / (R S)) at r S + i, r = 1 to R - 1, i = 0 to S - 1.
 * turns: for each column b exp(j 2 pi b k TEAM / (DECIMATION ROWS)), k = 0 to VALUES - 1, and
 * exp(j 2 pi b t / (DECIMATION ROWS)), t = 0 to TEAM - 1.
 * row_roots: exp(j 2 pi k / LENGTH), for WHOLE_BLOCKS.
 * Grid: (work-groups for the columns of a block, work-groups for all blocks). */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
transform_columns(__global const uchar* restrict in_base,
                  uint in_offset,
                  uint items,
                  uint lead,
                  uint hop,
                  uint blocks,
                  __global const float2* restrict roots,
                  __global const float2* restrict turns,
                  __constant float2* row_roots,
                  __global float2* restrict spectra)
{
    __local float2 shared[GROUP_COLUMNS * PLACES];
    __global const item_type* in = (__global const item_type*)(in_base + in_offset);
    const uint part = get_local_id(0) / (COLUMNS * TEAM); /* which of the BLOCKS */
    const uint member = get_local_id(0) % (COLUMNS * TEAM);
    const uint first_block = get_group_id(1) * BLOCKS;
    const uint first_column = get_group_id(0) * COLUMNS;
    float2 v[VALUES];

    const uint load_column = member % COLUMNS, load_t = member / COLUMNS;
    /* Instead of blocks and columns beyond the last one, the last one is computed again, and
     * not stored. The place wraps to a large number before the first item. */
    const uint at = min(first_block + part, blocks - 1) * hop - lead +
                    min(first_column + load_column, DECIMATION - 1u) + load_t * DECIMATION;
    FOR_EACH_VALUE
    {
        const uint place = at + k * (TEAM * DECIMATION);
        v[k] = place < items ? VALUE(in + place).yx : (float2)(0.0f);
    }
    transform_pass(v, PASS_1, 1, load_t, roots);
#if PASS_2 > 1
    const uint column = member / TEAM, t = member % TEAM;
    __local float2* loaded = shared + (part * COLUMNS + load_column) * PLACES;
    __local float2* values = shared + (part * COLUMNS + column) * PLACES;
    SECOND_PASS(loaded, values, load_t, t)
    THIRD_PASS(values, t)
    FOURTH_PASS(values, t)
#else
    const uint column = load_column, t = load_t;
#endif

#if DECIMATION > 1
    __global const float2* my_turns =
        turns + min(first_column + column, DECIMATION - 1u) * (VALUES + TEAM);
    const float2 first_turn = my_turns[VALUES + t];
    FOR_EACH_VALUE v[k] = product(v[k], product(first_turn, my_turns[k]));
#endif

#ifdef WHOLE_BLOCKS
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_VALUE shared[(part * COLUMNS + column) * PLACES + PLACE(t + k * TEAM)] = v[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BLOCKS * ROWS; i += ITEMS) {
        const uint block = i / ROWS, g = i % ROWS;
        float2 row[DECIMATION];
#pragma unroll
        for (uint b = 0; b < DECIMATION; ++b)
            row[b] = shared[(block * COLUMNS + b) * PLACES + PLACE(g)];
        transform_row(row, row_roots);
        if (first_block + block < blocks)
#pragma unroll
            for (uint r = 0; r < DECIMATION; ++r)
                spectra[(size_t)(first_block + block) * LENGTH_OF_BLOCK + r * ROWS + g] =
                    row[r].yx;
    }
#else
    if (first_block + part < blocks && first_column + column < DECIMATION) {
        __global float2* to = spectra + (size_t)(first_block + part) * LENGTH_OF_BLOCK +
                              (first_column + column) * ROWS + t;
        FOR_EACH_VALUE to[k * TEAM] = DECIMATION > 1 ? v[k] : v[k].yx;
    }
#endif
}

/* Transforms of LENGTH values. Value k of transform q of block b, of its OUTER parts the
 * o-th, is from[((b OUTER + o) LENGTH + k) INNER + q]; result k goes to
 * to[((b LENGTH + k) OUTER + o) INNER + q]. `to` may be `from` if OUTER is 1.
 * roots: exp(j 2 pi k / LENGTH), k = 0 to LENGTH - 1.
 * twiddles: with TWIDDLE, result k of transform q is multiplied by
 * twiddles[q / ROWS * LENGTH + k].
 * transforms: the number of all transforms. Grid: (transforms). */
__kernel void transform_rows(__global const float2* from,
                             __global float2* to,
                             __constant float2* roots,
                             __global const float2* restrict twiddles,
                             uint transforms)
{
    const uint i = get_global_id(0);
    if (i >= transforms)
        return;
    const uint q = i % INNER, outer = i / INNER % OUTER, block = i / (INNER * OUTER);
    from += (size_t)(block * OUTER + outer) * (LENGTH * INNER) + q;
    to += (size_t)(block * (LENGTH * OUTER) + outer) * INNER + q;
    float2 v[LENGTH];
#pragma unroll
    for (uint k = 0; k < LENGTH; ++k)
        v[k] = from[k * INNER];
    transform_row(v, roots);
#ifdef TWIDDLE
#pragma unroll
    for (uint k = 1; k < LENGTH; ++k)
        v[k] = product(v[k], twiddles[q / ROWS * LENGTH + k]);
#endif
#pragma unroll
    for (uint k = 0; k < LENGTH; ++k)
#ifdef TWIDDLE
        to[k * INNER] = v[k];
#else
        to[k * (INNER * OUTER)] = v[k].yx;
#endif
}
