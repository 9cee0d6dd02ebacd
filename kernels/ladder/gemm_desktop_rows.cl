// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products with one row of the result for each work-item.

/*
 * C = alpha A B + beta C, row-major float: the variants of the desktop ladder in which a
 * work-item computes one row of C. A is m by k, C is m by n, and B is transposed, n by k.
 *
 * `row_per_item` reads all elements from global memory. `row_private` keeps CHUNK
 * elements of a row of A in private memory. The others also share CHUNK elements of a
 * column of B in local memory. Those with chunks go through k in chunks, and C holds the
 * sums in between.
 *
 * Preconditions: the global size is at least m. CHUNK is a multiple of 8; the shared
 * column takes CHUNK floats of local memory. C is not read if beta is 0; A and B are not
 * read if k is 0.
 */

#ifndef CHUNK
#define CHUNK 256
#endif

#include "portable.clh"

#define ARGUMENTS                                                                  \
    __global const float *a, uint a_offset, uint a_leading, __global const float *b, \
        uint b_offset, uint b_leading, __global float *c, uint c_offset,           \
        uint c_leading, uint m, uint n, uint k, float2 alpha, float2 beta

#define A_ROW(i) (a + a_offset + (size_t)(i)*a_leading)
#define B_COLUMN(j) (b + b_offset + (size_t)(j)*b_leading)
#define C_ROW(i) (c + c_offset + (size_t)(i)*c_leading)

#define ROUND_UP(count, width) (((count) + (width)-1) / (width) * (width))

HELPER void add(__global float* c, float product, float beta)
{
    *c = beta == 0.0f ? product : product + beta * *c;
}

__kernel void row_per_item(ARGUMENTS)
{
    const uint row = get_global_id(0);
    if (row >= m)
        return;
    __global const float* x = A_ROW(row);
    for (uint j = 0; j < n; ++j) {
        __global const float* y = B_COLUMN(j);
        float sum = 0.0f;
        for (uint i = 0; i < k; ++i)
            sum += x[i] * y[i];
        add(C_ROW(row) + j, alpha.x * sum, beta.x);
    }
}

__kernel void row_private(ARGUMENTS)
{
    const uint row = get_global_id(0);
    if (row >= m)
        return;
    float x[CHUNK];
    /* Runs once even without products, because C still has to be scaled. */
    for (uint first = 0; first == 0 || first < k; first += CHUNK) {
        const uint count = min((uint)CHUNK, k - first);
        for (uint i = 0; i < count; ++i)
            x[i] = A_ROW(row)[first + i];
        for (uint j = 0; j < n; ++j) {
            float sum = 0.0f;
            for (uint i = 0; i < count; ++i)
                sum += x[i] * B_COLUMN(j)[first + i];
            add(C_ROW(row) + j, alpha.x * sum, first == 0 ? beta.x : 1.0f);
        }
    }
}

/* The functions keep_* copy a row to private memory, as scalars or as vectors. They pad the
 * last vector with zeros. */

HELPER float at_or_zero(__global const float* x, uint i, uint count)
{
    return i < count ? x[i] : 0.0f;
}

HELPER void keep_scalars(float* kept, __global const float* x, uint count)
{
    for (uint i = 0; i < ROUND_UP(count, 4); ++i)
        kept[i] = at_or_zero(x, i, count);
}

HELPER void keep_float4(float4* kept, __global const float* x, uint count)
{
    uint i = 0;
    for (; i + 4 <= count; i += 4)
        kept[i / 4] = vload4(0, x + i);
    if (i < count)
        kept[i / 4] = (float4)(x[i],
                               at_or_zero(x, i + 1, count),
                               at_or_zero(x, i + 2, count),
                               0.0f);
}

HELPER void keep_float8(float8* kept, __global const float* x, uint count)
{
    uint i = 0;
    for (; i + 8 <= count; i += 8)
        kept[i / 8] = vload8(0, x + i);
    if (i < count)
        kept[i / 8] = (float8)(x[i],
                               at_or_zero(x, i + 1, count),
                               at_or_zero(x, i + 2, count),
                               at_or_zero(x, i + 3, count),
                               at_or_zero(x, i + 4, count),
                               at_or_zero(x, i + 5, count),
                               at_or_zero(x, i + 6, count),
                               0.0f);
}

/* The functions dot_* multiply a kept row by the column in local memory, which is padded with
 * zeros as well. */

HELPER float dot_scalars(const float* x, __local const float* y, uint count)
{
    float sum = 0.0f;
    for (uint i = 0; i < count; ++i)
        sum += x[i] * y[i];
    return sum;
}

HELPER float dot_made_float4(const float* x, __local const float* y, uint count)
{
    float sum = 0.0f;
    for (uint i = 0; i < count; i += 4)
        sum += dot((float4)(x[i], x[i + 1], x[i + 2], x[i + 3]),
                   (float4)(y[i], y[i + 1], y[i + 2], y[i + 3]));
    return sum;
}

HELPER float dot_kept_float4(const float4* x, __local const float* y, uint count)
{
    float sum = 0.0f;
    for (uint i = 0; i < count; i += 4)
        sum += dot(x[i / 4], (float4)(y[i], y[i + 1], y[i + 2], y[i + 3]));
    return sum;
}

HELPER float dot_kept_float8(const float8* x, __local const float* y, uint count)
{
    float sum = 0.0f;
    for (uint i = 0; i < count; i += 8) {
        const float8 column = vload8(0, y + i);
        sum += dot(x[i / 8].lo, column.lo) + dot(x[i / 8].hi, column.hi);
    }
    return sum;
}

/* All work-items of the group have to call this, because of the barriers. */
HELPER void share_column(__local float* column, __global const float* y, uint count)
{
    barrier(CLK_LOCAL_MEM_FENCE); /* nobody reads the previous column any more */
    for (uint i = get_local_id(0); i < ROUND_UP(count, 8); i += get_local_size(0))
        column[i] = at_or_zero(y, i, count);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Work-items beyond the last row compute that row again, because all must reach the
 * barriers. */
#define SHARED_COLUMN(name, row_t, width, keep, dot_product)                         \
    __kernel void name(ARGUMENTS)                                                    \
    {                                                                                \
        __local float column[CHUNK];                                                 \
        row_t x[CHUNK / width];                                                      \
        const bool inside = get_global_id(0) < m;                                    \
        const uint row = inside ? get_global_id(0) : m - 1;                          \
        for (uint first = 0; first == 0 || first < k; first += CHUNK) {              \
            const uint count = min((uint)CHUNK, k - first);                          \
            keep(x, A_ROW(row) + first, count);                                      \
            for (uint j = 0; j < n; ++j) {                                           \
                share_column(column, B_COLUMN(j) + first, count);                    \
                const float sum = dot_product(x, column, count);                     \
                if (inside)                                                          \
                    add(C_ROW(row) + j, alpha.x * sum, first == 0 ? beta.x : 1.0f);  \
            }                                                                        \
        }                                                                            \
    }

SHARED_COLUMN(column_local, float, 1, keep_scalars, dot_scalars)
SHARED_COLUMN(float4_made, float, 1, keep_scalars, dot_made_float4)
SHARED_COLUMN(float4_row, float4, 4, keep_float4, dot_kept_float4)
SHARED_COLUMN(float8_row, float8, 8, keep_float8, dot_kept_float8)
