// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products as on mobile GPUs, by small tiles and images.

/*
 * C = alpha A B + beta C, row-major: the mobile ladder. A is m by k, B k by n and C m by
 * n.
 *
 * In `tile4x4` and `tile4x4_fma` a work-item computes 4 by 4 elements of C, and A is
 * transposed, k by m. In the others a work-item computes 8 rows by 4 columns, and A is
 * not transposed. `image_buffer` reads B from an image. `dual_image` reads A and B from
 * images and writes C to an image. A pixel of an image is four neighbours of a row.
 * `buffer_to_image` and `image_to_buffer` copy.
 *
 * Preconditions: the first dimension of the work-items goes along the columns. The
 * leading dimension of the transposed A is a multiple of 4, with zeros after the first m
 * elements. Images are CL_RGBA with CL_FLOAT, or with CL_HALF_FLOAT for half precision;
 * the last pixel of a row holds 0 beyond the end of the row. Kernels with images are
 * compiled with IMAGES 1. Half precision is only a format in memory, so that no device
 * needs cl_khr_fp16. C is not read if beta is 0; A and B are not read if k is 0.
 */

#include "gemm_types.clh"
#include "portable.clh"

#ifndef IMAGES
#define IMAGES 0
#endif

#if TYPE == F16
#define STORED half
#define LOAD(p) vload_half(0, p)
#define LOAD4(p) vload_half4(0, p)
#define STORE(v, p) vstore_half(v, 0, p)
#define STORE4(v, p) vstore_half4(v, 0, p)
#else
#define STORED float
#define LOAD(p) (*(p))
#define LOAD4(p) vload4(0, p)
#define STORE(v, p) *(p) = (v)
#define STORE4(v, p) vstore4(v, 0, p)
#endif

/* The first `count` of four neighbours, followed by zeros. */
HELPER float4 load_some(__global const STORED* p, uint count)
{
    if (count >= 4)
        return LOAD4(p);
    float4 v = (float4)(0.0f);
    if (count > 0)
        v.x = LOAD(p);
    if (count > 1)
        v.y = LOAD(p + 1);
    if (count > 2)
        v.z = LOAD(p + 2);
    return v;
}

HELPER void store_some(float4 v, __global STORED* p, uint count)
{
    if (count >= 4) {
        STORE4(v, p);
        return;
    }
    if (count > 0)
        STORE(v.x, p);
    if (count > 1)
        STORE(v.y, p + 1);
    if (count > 2)
        STORE(v.z, p + 2);
}

HELPER float4
scaled(float4 sum, __global const STORED* c, uint count, float alpha, float beta)
{
    const float4 product = alpha * sum;
    return beta == 0.0f ? product : product + beta * load_some(c, count);
}

#define A_BUFFER __global const STORED *a, uint a_offset, uint a_leading
#define B_BUFFER __global const STORED *b, uint b_offset, uint b_leading
#define PRODUCT                                                                      \
    __global STORED *c, uint c_offset, uint c_leading, uint m, uint n, uint k,       \
        float2 alpha, float2 beta

#define A_AT(i, j) (a + a_offset + (size_t)(i)*a_leading + (j))
#define B_AT(i, j) (b + b_offset + (size_t)(i)*b_leading + (j))
#define C_AT(i, j) (c + c_offset + (size_t)(i)*c_leading + (j))

#define MULTIPLY_ADD(x, y, sum) ((x) * (y) + (sum))
#define FUSED(x, y, sum) FMA((float4)(x), y, sum)

#define PRODUCTS_4X4(ADD, b4)                                                        \
    for (uint i = 0; i < k; ++i) {                                                   \
        const float4 x = LOAD4(A_AT(i, row));                                        \
        const float4 y = b4;                                                         \
        sum0 = ADD(x.x, y, sum0);                                                    \
        sum1 = ADD(x.y, y, sum1);                                                    \
        sum2 = ADD(x.z, y, sum2);                                                    \
        sum3 = ADD(x.w, y, sum3);                                                    \
    }

#define PUT_ROW(r, sum)                                                              \
    if (row + r < m)                                                                 \
        store_some(scaled(sum, C_AT(row + r, column), count, alpha.x, beta.x),       \
                   C_AT(row + r, column),                                            \
                   count)

#define TILE_4X4(name, ADD)                                                          \
    __kernel void name(A_BUFFER, B_BUFFER, PRODUCT)                                  \
    {                                                                                \
        const uint column = 4 * get_global_id(0);                                    \
        const uint row = 4 * get_global_id(1);                                       \
        if (column >= n || row >= m)                                                 \
            return;                                                                  \
        const uint count = min(n - column, 4u);                                      \
        float4 sum0 = (float4)(0.0f);                                                \
        float4 sum1 = sum0, sum2 = sum0, sum3 = sum0;                                \
        if (count == 4) {                                                            \
            PRODUCTS_4X4(ADD, LOAD4(B_AT(i, column)))                                \
        } else {                                                                     \
            PRODUCTS_4X4(ADD, load_some(B_AT(i, column), count))                     \
        }                                                                            \
        PUT_ROW(0, sum0);                                                            \
        PUT_ROW(1, sum1);                                                            \
        PUT_ROW(2, sum2);                                                            \
        PUT_ROW(3, sum3);                                                            \
    }

TILE_4X4(tile4x4, MULTIPLY_ADD)
TILE_4X4(tile4x4_fma, FUSED)

/* Unrolled, so that the sums are registers. */
#define EACH_ROW _Pragma("unroll") for (uint r = 0; r < 8; ++r)

/* Adds four products, from i on, for each of eight rows: b0 to b3 are rows of B, and
 * a4(r) is row r of A. The last row of A also stands for rows beyond it. */
#define PRODUCTS_8X4(a4, b0, b1, b2, b3)                                             \
    {                                                                                \
        const float4 y0 = b0, y1 = b1, y2 = b2, y3 = b3;                             \
        EACH_ROW                                                                     \
        {                                                                            \
            const float4 x = a4(min(row + r, m - 1));                                \
            sum[r] += x.x * y0 + x.y * y1 + x.z * y2 + x.w * y3;                     \
        }                                                                            \
    }

#define NOTHING (float4)(0.0f)

/* full4 reads four elements of a row of A, and some4 the last elements if there are
 * fewer. */
#define TILE_8X4(name, arguments, full4, some4, b4, PUT)                             \
    __kernel void name(arguments)                                                    \
    {                                                                                \
        const uint column = 4 * get_global_id(0);                                    \
        const uint row = 8 * get_global_id(1);                                       \
        if (column >= n || row >= m)                                                 \
            return;                                                                  \
        const uint count = min(n - column, 4u);                                      \
        float4 sum[8];                                                               \
        EACH_ROW                                                                     \
            sum[r] = NOTHING;                                                        \
        uint i = 0;                                                                  \
        for (; i + 4 <= k; i += 4)                                                   \
            PRODUCTS_8X4(full4, b4(i), b4(i + 1), b4(i + 2), b4(i + 3))              \
        if (i < k)                                                                   \
            PRODUCTS_8X4(some4,                                                      \
                         b4(i),                                                      \
                         i + 1 < k ? b4(i + 1) : NOTHING,                            \
                         i + 2 < k ? b4(i + 2) : NOTHING,                            \
                         NOTHING)                                                    \
        EACH_ROW                                                                     \
            PUT(r, sum[r]);                                                          \
    }

#define BUFFERS A_BUFFER, B_BUFFER, PRODUCT
#define A_FULL(r) LOAD4(A_AT(r, i))
#define A_SOME(r) load_some(A_AT(r, i), k - i)
#define B_ROW(i) load_some(B_AT(i, column), count)

TILE_8X4(buffer_8x4, BUFFERS, A_FULL, A_SOME, B_ROW, PUT_ROW)

#if IMAGES
#define ONE_IMAGE A_BUFFER, __read_only image2d_t b, PRODUCT
#define THREE_IMAGES                                                                 \
    __read_only image2d_t a, __read_only image2d_t b, PRODUCT,                       \
        __write_only image2d_t c_image

#define A_PIXEL(r) read_imagef(a, (int2)(i / 4, r))
#define B_PIXEL(i) read_imagef(b, (int2)(get_global_id(0), i))
#define PUT_PIXEL(r, sum)                                                            \
    if (row + r < m)                                                                 \
        write_imagef(c_image,                                                        \
                     (int2)(get_global_id(0), row + r),                              \
                     scaled(sum, C_AT(row + r, column), count, alpha.x, beta.x))

TILE_8X4(image_buffer, ONE_IMAGE, A_FULL, A_SOME, B_PIXEL, PUT_ROW)
TILE_8X4(dual_image, THREE_IMAGES, A_PIXEL, A_PIXEL, B_PIXEL, PUT_PIXEL)

__kernel void buffer_to_image(__global const STORED* from,
                              uint offset,
                              uint leading,
                              uint rows,
                              uint columns,
                              __write_only image2d_t to)
{
    const uint column = 4 * get_global_id(0);
    const uint row = get_global_id(1);
    if (column < columns && row < rows)
        write_imagef(to,
                     (int2)(get_global_id(0), row),
                     load_some(from + offset + (size_t)row * leading + column,
                               columns - column));
}

__kernel void image_to_buffer(__global STORED* to,
                              uint offset,
                              uint leading,
                              uint rows,
                              uint columns,
                              __read_only image2d_t from)
{
    const uint column = 4 * get_global_id(0);
    const uint row = get_global_id(1);
    if (column < columns && row < rows)
        store_some(read_imagef(from, (int2)(get_global_id(0), row)),
                   to + offset + (size_t)row * leading + column,
                   columns - column);
}
#endif
