/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
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
 * team of ROWS / VALUES work-items transforms each column, by Stockham's algorithm with up
 * to four passes, whose radices are PASS_1 to PASS_4. Before and after each pass a
 * work-item has the values of the same VALUES indices, ROWS / VALUES apart, in registers,
 * and the values change hands through local memory. In the first pass neighbouring
 * work-items have neighbouring columns, whose items are neighbours in memory; afterwards
 * they have neighbouring values of a column.
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
 * Preconditions: ROWS = PASS_1 * PASS_2 * PASS_3 * PASS_4; each radix is 1, 2, 4, 8 or 16,
 * at most VALUES, PASS_1 is not 1, and those that are 1 come last; ROWS and VALUES are
 * powers of two; BLOCKS is 1 unless COLUMNS is DECIMATION; LENGTH = RADIX_1 * RADIX_2 *
 * ... * RADIX_4, each of these is 1, 2, 4, 8 or an odd prime, and those that are 1 come last.
 */

#ifndef ROWS
#define ROWS 64
#define PASS_1 8
#define PASS_2 8
#define PASS_3 1
#define PASS_4 1
#endif
#ifndef VALUES
#define VALUES 8
#endif
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

#include "item_types.clh"

#define LENGTH_OF_BLOCK (DECIMATION * ROWS)
#define TEAM (ROWS / VALUES)
#define GROUP_COLUMNS (COLUMNS * BLOCKS)
#define ITEMS (TEAM * GROUP_COLUMNS)
/* Places are left out in local memory, and the columns are an odd number of places apart, so
 * that values at distances of powers of two are in different banks. */
#define PLACE(i) ((i) + (i) / 16)
#define PLACES ((PLACE(ROWS - 1) + 1) | 1)

float2 product(float2 a, float2 b)
{
    return fma((float2)(a.y), (float2)(-b.y, b.x), a.x * b);
}

/* Inverse transforms of a few values, in place. */
void transform_2(float2* v)
{
    const float2 a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
}

void transform_4_of(float2* a, float2* b, float2* c, float2* d)
{
    const float2 even_sum = *a + *c, even_difference = *a - *c;
    const float2 odd_sum = *b + *d, odd_difference = *b - *d;
    const float2 turned = (float2)(-odd_difference.y, odd_difference.x);
    *a = even_sum + odd_sum;
    *b = even_difference + turned;
    *c = even_sum - odd_sum;
    *d = even_difference - turned;
}

void transform_8(float2* v)
{
    const float root_half = 0.70710678118654752f;
    transform_4_of(v, v + 2, v + 4, v + 6);
    transform_4_of(v + 1, v + 3, v + 5, v + 7);
    const float2 even[4] = { v[0], v[2], v[4], v[6] };
    const float2 odd[4] = { v[1],
                            (float2)(v[3].x - v[3].y, v[3].x + v[3].y) * root_half,
                            (float2)(-v[5].y, v[5].x),
                            (float2)(-v[7].x - v[7].y, v[7].x - v[7].y) * root_half };
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        v[k] = even[k] + odd[k];
        v[k + 4] = even[k] - odd[k];
    }
}

void transform_16(float2* v)
{
    const float root_half = 0.70710678118654752f;
    const float c = 0.92387953251128676f, s = 0.38268343236508977f; /* of 1/16 turn */
    float2 u[16];
#pragma unroll
    for (int n = 0; n < 4; ++n)
        transform_4_of(v + n, v + n + 4, v + n + 8, v + n + 12);
    /* Value 4 k + n turns by k n / 16. */
    v[5] = product(v[5], (float2)(c, s));
    v[6] = (float2)(v[6].x - v[6].y, v[6].x + v[6].y) * root_half;
    v[7] = product(v[7], (float2)(s, c));
    v[9] = (float2)(v[9].x - v[9].y, v[9].x + v[9].y) * root_half;
    v[10] = (float2)(-v[10].y, v[10].x);
    v[11] = (float2)(-v[11].x - v[11].y, v[11].x - v[11].y) * root_half;
    v[13] = product(v[13], (float2)(s, c));
    v[14] = (float2)(-v[14].x - v[14].y, v[14].x - v[14].y) * root_half;
    v[15] = product(v[15], (float2)(-c, -s));
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        transform_4_of(v + 4 * k, v + 4 * k + 1, v + 4 * k + 2, v + 4 * k + 3);
#pragma unroll
        for (int n = 0; n < 4; ++n)
            u[k + 4 * n] = v[4 * k + n];
    }
#pragma unroll
    for (int n = 0; n < 16; ++n)
        v[n] = u[n];
}

/* One pass over the values t, t + TEAM, t + 2 TEAM, ... of a column; `stride` is the
 * product of the radices of the passes before. */
void transform_pass(
    float2* v, uint radix, uint stride, uint t, __global const float2* restrict roots)
{
#pragma unroll
    for (uint m = 0; m < VALUES / radix; ++m) {
        float2 u[16];
#pragma unroll
        for (uint r = 0; r < radix; ++r)
            u[r] = v[m + r * (VALUES / radix)];
        if (stride > 1) {
            const uint j = (t + m * TEAM) % stride;
#pragma unroll
            for (uint r = 1; r < radix; ++r)
                u[r] = product(u[r], roots[r * stride + j]);
        }
        if (radix == 2)
            transform_2(u);
        else if (radix == 4)
            transform_4_of(u, u + 1, u + 2, u + 3);
        else if (radix == 8)
            transform_8(u);
        else
            transform_16(u);
#pragma unroll
        for (uint r = 0; r < radix; ++r)
            v[m + r * (VALUES / radix)] = u[r];
    }
}

/* The place where the next pass expects result r of butterfly m of a pass. */
uint place_after(uint radix, uint stride, uint t, uint m, uint r)
{
    const uint j = t + m * TEAM;
    return PLACE(j / stride * stride * radix + j % stride + r * stride);
}

#define FOR_EACH_RESULT(radix)                                    \
    _Pragma("unroll") for (uint m = 0; m < VALUES / (radix); ++m) \
        _Pragma("unroll") for (uint r = 0; r < (radix); ++r)
#define RESULT(radix) v[m + r * (VALUES / (radix))]
#define FOR_EACH_VALUE _Pragma("unroll") for (uint k = 0; k < VALUES; ++k)

/* A pass after the first one. `to` and `from` are the parts of local memory of the columns
 * that a work-item has before and after the exchange, t and next_t its places in their
 * teams. */
#define NEXT_PASS(to, from, t, next_t, radix, stride, last_radix)           \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    FOR_EACH_RESULT(last_radix)                                             \
        (to)[place_after(last_radix, (stride) / (last_radix), t, m, r)] =   \
            RESULT(last_radix);                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    FOR_EACH_VALUE v[k] = (from)[PLACE(next_t + k * TEAM)];                 \
    transform_pass(v, radix, stride, next_t, roots);

#if PASS_2 > 1
#define SECOND_PASS(to, from, t, next_t) NEXT_PASS(to, from, t, next_t, PASS_2, PASS_1, PASS_1)
#else
#define SECOND_PASS(to, from, t, next_t)
#endif
#if PASS_3 > 1
#define THIRD_PASS(at, t) NEXT_PASS(at, at, t, t, PASS_3, PASS_1 * PASS_2, PASS_2)
#else
#define THIRD_PASS(at, t)
#endif
#if PASS_4 > 1
#define FOURTH_PASS(at, t) NEXT_PASS(at, at, t, t, PASS_4, PASS_1 * PASS_2 * PASS_3, PASS_3)
#else
#define FOURTH_PASS(at, t)
#endif

/* An inverse transform of an odd prime number of values, in place.
 * roots: exp(j 2 pi k / LENGTH). */
void transform_prime(float2* u, uint prime, __constant float2* roots)
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
            even = fma((float2)(root.x), sum[n], even);
            odd = fma((float2)(root.y), difference[n], odd);
        }
        u[k] = (float2)(even.x - odd.y, even.y + odd.x);
        u[prime - k] = (float2)(even.x + odd.y, even.y - odd.x);
    }
    u[0] = first;
}

/* One pass of a transform of LENGTH values in registers. */
void row_pass(float2* v, uint radix, uint stride, __constant float2* roots)
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

void transform_row(float2* v, __constant float2* roots)
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
    __local float2* load_values = shared + (part * COLUMNS + load_column) * PLACES;
    __local float2* values = shared + (part * COLUMNS + column) * PLACES;
    SECOND_PASS(load_values, values, load_t, t)
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
