// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products for GPUs: tiles in local memory, smaller tiles in registers.

/*
 * C = alpha A B + beta C for GPUs: tiles of A and B in local memory, smaller tiles in
 * registers.
 *
 * A work-group computes TILE_ROWS by TILE_COLUMNS elements of C, and adds up DEPTH terms
 * at a time. Local memory has two halves. While the work-items multiply the terms in one
 * half, the next terms are loaded from global memory into registers, and then stored in
 * the other half. So each step needs only one barrier.
 *
 * All data moves in chunks of 16 bytes: four real or two complex elements (in half
 * precision, which becomes floats in local memory, four elements of 2 bytes, and of bytes,
 * which become integers, four elements of 1 byte). The tile of
 * A is transposed when it is stored in local memory, so that both the rows and the
 * columns of a work-item are read as chunks. The chunks of a work-item are GROUP_ROWS or
 * GROUP_COLUMNS chunks apart. Neighbouring work-items then read neighbouring chunks,
 * without conflicts of memory banks.
 *
 * A group whose tile lies inside the matrices loads whole chunks without any check. At
 * the edges each element is checked, and elements outside the matrices are zero.
 *
 * Preconditions: a work-group of GROUP_COLUMNS by GROUP_ROWS work-items; ITEM_ROWS,
 * ITEM_COLUMNS and DEPTH are multiples of the number of elements in a chunk; with
 * ALIGNED, the rows of A, B and C start at multiples of 16 bytes.
 */

#include "gemm_types.clh"
#include "portable.clh"

#ifndef GROUP_ROWS /* in work-items */
#define GROUP_ROWS 16
#endif
#ifndef GROUP_COLUMNS
#define GROUP_COLUMNS 16
#endif
#ifndef ITEM_ROWS /* rows of C that a work-item computes */
#define ITEM_ROWS 8
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 8
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#ifndef ALIGNED
#define ALIGNED 0
#endif

#define PARTS (TYPE == C32 ? 2 : 1) /* floats in an element */
/* The elements in local memory are floats, or integers if the type is bytes, as the sums. */
#if WHOLE
typedef int4 number4;
#else
typedef float4 number4;
#endif

#define CHUNK (4 / PARTS) /* elements in a chunk */
#define ITEMS (GROUP_ROWS * GROUP_COLUMNS)
#define TILE_ROWS (GROUP_ROWS * ITEM_ROWS)
#define TILE_COLUMNS (GROUP_COLUMNS * ITEM_COLUMNS)
#define ROW_CHUNKS (ITEM_ROWS / CHUNK) /* chunks of a work-item */
#define COLUMN_CHUNKS (ITEM_COLUMNS / CHUNK)
/* The number of chunks from one term to the next in the tiles of A and B in local memory.
 * In the tile of A each term has a chunk of padding, which spreads the writes of A's
 * columns over the memory banks. */
#define A_STEP (TILE_ROWS / CHUNK + 1)
#define B_STEP (TILE_COLUMNS / CHUNK)
/* The number of chunks in a tile, and the number of them that a work-item moves. */
#define A_CHUNKS (TILE_ROWS * DEPTH / CHUNK)
#define B_CHUNKS (TILE_COLUMNS * DEPTH / CHUNK)
#define A_MOVES ((A_CHUNKS + ITEMS - 1) / ITEMS)
#define B_MOVES ((B_CHUNKS + ITEMS - 1) / ITEMS)

#if TYPE == F16
#define LOAD_CHUNK(p) vload_half4(0, p)
#define STORE_CHUNK(x, p) vstore_half4(x, 0, p)
#define LOAD_ONE(p, j) vload_half(j, p)
#define STORE_ONE(x, p, j) vstore_half(x, j, p)
#define LOAD_C LOAD_CHUNK
#elif TYPE == S8
#define LOAD_CHUNK(p) convert_int4(vload4(0, p))
#define STORE_CHUNK(x, p) vstore4(x, 0, p)
#define LOAD_ONE(p, j) (p)[j]
#define STORE_ONE(x, p, j) (p)[j] = (x)
#define LOAD_C(p) vload4(0, p)
#else
#if ALIGNED
#define LOAD_CHUNK(p) (*(__global const float4*)(p))
#define STORE_CHUNK(x, p) (*(__global float4*)(p) = (x))
#else
#define LOAD_CHUNK(p) vload4(0, p)
#define STORE_CHUNK(x, p) vstore4(x, 0, p)
#endif
#define LOAD_ONE(p, j) (p)[j]
#define STORE_ONE(x, p, j) (p)[j] = (x)
#define LOAD_C LOAD_CHUNK
#endif

/* The first `count` elements of a chunk, followed by zeros. */
HELPER number4 load_some(__global const element* p, int count)
{
    number4 x = (number4)(0);
    if (count > 0) {
        x.s0 = LOAD_ONE(p, 0);
#if PARTS == 2
        x.s1 = LOAD_ONE(p, 1);
#endif
    }
    if (count > 1) {
#if PARTS == 2
        x.s2 = LOAD_ONE(p, 2);
        x.s3 = LOAD_ONE(p, 3);
#else
        x.s1 = LOAD_ONE(p, 1);
#endif
    }
#if PARTS == 1
    if (count > 2)
        x.s2 = LOAD_ONE(p, 2);
    if (count > 3)
        x.s3 = LOAD_ONE(p, 3);
#endif
    return x;
}

/* Loads chunk `u` of the tile of A or B whose first term is `p`. WHOLE_... loads it
 * without a check; SOME_... checks each element. */
#define WHOLE_A(u, p) LOAD_CHUNK(PLACE_A(u, p))
#define WHOLE_B(u, p) LOAD_CHUNK(PLACE_B(u, p))
#define SOME_A(u, p) \
    load_some(PLACE_A(u, p), ROW_OF(u) < rows ? (int)k - (int)((p) + A_TERM_OF(u)) : 0)
#define SOME_B(u, p)              \
    load_some(PLACE_B(u, p),      \
              (p) + B_TERM_OF(u) < k ? (int)columns - (int)COLUMN_OF(u) : 0)
#define ROW_OF(u) ((u) / (DEPTH / CHUNK))
#define A_TERM_OF(u) ((u) % (DEPTH / CHUNK) * CHUNK)
#define B_TERM_OF(u) ((u) / B_STEP)
#define COLUMN_OF(u) ((u) % B_STEP * CHUNK)
#define PLACE_A(u, p) (a + (ROW_OF(u) * (size_t)a_leading + (p) + A_TERM_OF(u)) * PARTS)
#define PLACE_B(u, p) (b + (((p) + B_TERM_OF(u)) * (size_t)b_leading + COLUMN_OF(u)) * PARTS)

/* Loads the work-item's chunks of a tile into registers. */
#define FETCH_TILE(next, moves, chunks, load, p)                       \
    _Pragma("unroll") for (int i = 0; i < moves; ++i)                  \
    {                                                                  \
        const uint u = me + i * ITEMS;                                 \
        if (chunks % ITEMS == 0 || u < chunks)                         \
            next[i] = load(u, p);                                      \
    }
#define FETCH(p)                                                       \
    if (all_rows && k - (p) >= DEPTH) {                                \
        FETCH_TILE(next_a, A_MOVES, A_CHUNKS, WHOLE_A, p)              \
    } else {                                                           \
        FETCH_TILE(next_a, A_MOVES, A_CHUNKS, SOME_A, p)               \
    }                                                                  \
    if (all_columns && k - (p) >= DEPTH) {                             \
        FETCH_TILE(next_b, B_MOVES, B_CHUNKS, WHOLE_B, p)              \
    } else {                                                           \
        FETCH_TILE(next_b, B_MOVES, B_CHUNKS, SOME_B, p)               \
    }

/* Stores the loaded chunks in one half of local memory. */
#if PARTS == 2
#define PUT_A(to, x)          \
    vstore2((x).lo, 0, to);   \
    vstore2((x).hi, A_STEP * CHUNK, to)
#else
#define PUT_A(to, x)                   \
    (to)[0] = (x).s0;                  \
    (to)[A_STEP * CHUNK] = (x).s1;     \
    (to)[A_STEP * CHUNK * 2] = (x).s2; \
    (to)[A_STEP * CHUNK * 3] = (x).s3
#endif
#define PUT(half_of)                                                                   \
    {                                                                                  \
        _Pragma("unroll") for (int i = 0; i < A_MOVES; ++i)                            \
        {                                                                              \
            const uint u = me + i * ITEMS;                                             \
            __local sum_type* to = (__local sum_type*)tile_a[half_of] +                      \
                                (A_TERM_OF(u) * A_STEP * CHUNK + ROW_OF(u)) * PARTS;   \
            if (A_CHUNKS % ITEMS == 0 || u < A_CHUNKS) {                               \
                PUT_A(to, next_a[i]);                                                  \
            }                                                                          \
        }                                                                              \
        _Pragma("unroll") for (int i = 0; i < B_MOVES; ++i)                            \
        {                                                                              \
            const uint u = me + i * ITEMS;                                             \
            if (B_CHUNKS % ITEMS == 0 || u < B_CHUNKS)                                 \
                tile_b[half_of][u] = next_b[i];                                        \
        }                                                                              \
    }

/* Bytes are not multiplied by alpha and beta, which are 0 or 1: for an alpha of 0 the host
 * passes a product without terms, and with a beta of 0 C is not read. Sums with C wrap
 * around at 32 bits. */
#if TYPE == S8
#define SCALED(sum, factor) (sum)
#define ADDED(x, y) as_int4(as_uint4(x) + as_uint4(y))
HELPER int4 load_some_of_c(__global const int* p, int count)
{
    int4 x = (int4)(0);
    if (count > 0)
        x.s0 = p[0];
    if (count > 1)
        x.s1 = p[1];
    if (count > 2)
        x.s2 = p[2];
    if (count > 3)
        x.s3 = p[3];
    return x;
}
#else
#define SCALED scaled
#define ADDED(x, y) ((x) + (y))
#define load_some_of_c load_some
/* A chunk of sums, or of C, times a factor. */
HELPER float4 scaled(float4 sum, float2 alpha)
{
#if PARTS == 2
    return alpha.x * sum + alpha.y * (float4)(-sum.y, sum.x, -sum.w, sum.z);
#else
    return alpha.x * sum;
#endif
}
#endif

/*
 * offsets, leading        in elements
 * alpha, beta             for real types in x
 */
__kernel __attribute__((reqd_work_group_size(GROUP_COLUMNS, GROUP_ROWS, 1))) void
gemm(uint m,
     uint n,
     uint k,
     float2 alpha,
     __global const element* a_base,
     uint a_offset,
     uint a_leading,
     __global const element* b_base,
     uint b_offset,
     uint b_leading,
     float2 beta,
     __global result* c_base,
     uint c_offset,
     uint c_leading)
{
    __local number4 tile_a[2][DEPTH * A_STEP];
    __local number4 tile_b[2][DEPTH * B_STEP];

    const uint my_column = get_local_id(0), my_row = get_local_id(1);
    const uint me = my_row * GROUP_COLUMNS + my_column;
    const uint first_row = get_group_id(1) * TILE_ROWS;
    const uint first_column = get_group_id(0) * TILE_COLUMNS;
    const uint rows = m - first_row, columns = n - first_column; /* to the end of C */
    const bool all_rows = rows >= TILE_ROWS, all_columns = columns >= TILE_COLUMNS;
    __global const element* a =
        a_base + ((size_t)a_offset + first_row * (size_t)a_leading) * PARTS;
    __global const element* b = b_base + ((size_t)b_offset + first_column) * PARTS;

    number4 sum[ITEM_ROWS][COLUMN_CHUNKS];
    _Pragma("unroll") for (int i = 0; i < ITEM_ROWS; ++i)
        _Pragma("unroll") for (int j = 0; j < COLUMN_CHUNKS; ++j)
            sum[i][j] = (number4)(0);

    number4 next_a[A_MOVES], next_b[B_MOVES];
    if (k > 0) {
        FETCH(0)
        PUT(0)
    }
    uint now = 0;
    for (uint p = 0; p < k; p += DEPTH, now ^= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const bool more = k - p > DEPTH;
        if (more) {
            FETCH(p + DEPTH)
        }
        for (int term = 0; term < DEPTH; ++term) {
            sum_type x[ITEM_ROWS * PARTS];
            number4 y[COLUMN_CHUNKS];
            _Pragma("unroll") for (int i = 0; i < ROW_CHUNKS; ++i)
                vstore4(tile_a[now][term * A_STEP + my_row + i * GROUP_ROWS], i, x);
            _Pragma("unroll") for (int j = 0; j < COLUMN_CHUNKS; ++j)
                y[j] = tile_b[now][term * B_STEP + my_column + j * GROUP_COLUMNS];
            _Pragma("unroll") for (int i = 0; i < ITEM_ROWS; ++i)
            {
                _Pragma("unroll") for (int j = 0; j < COLUMN_CHUNKS; ++j)
                {
#if PARTS == 2
                    const float4 turned = (float4)(-y[j].y, y[j].x, -y[j].w, y[j].z);
                    sum[i][j] = FMA((float4)(x[2 * i]), y[j], sum[i][j]);
                    sum[i][j] = FMA((float4)(x[2 * i + 1]), turned, sum[i][j]);
#elif TYPE == S8
                    sum[i][j] += x[i] * y[j];
#else
                    sum[i][j] = FMA((float4)(x[i]), y[j], sum[i][j]);
#endif
                }
            }
        }
        if (more)
            PUT(now ^ 1)
    }

    const bool read = beta.x != 0.0f || beta.y != 0.0f;
    _Pragma("unroll") for (int i = 0; i < ITEM_ROWS; ++i)
    {
        const uint row = (my_row + i / CHUNK * GROUP_ROWS) * CHUNK + i % CHUNK;
        if (row < rows) {
            _Pragma("unroll") for (int j = 0; j < COLUMN_CHUNKS; ++j)
            {
                const uint column = (my_column + j * GROUP_COLUMNS) * CHUNK;
                __global result* c =
                    c_base + ((size_t)c_offset + (first_row + row) * (size_t)c_leading +
                              first_column + column) *
                                 PARTS;
                number4 y = SCALED(sum[i][j], alpha);
                if (all_columns) {
                    if (read)
                        y = ADDED(y, SCALED(LOAD_C(c), beta));
                    STORE_CHUNK(y, c);
                } else {
                    const int count = (int)columns - (int)column;
                    if (read)
                        y = ADDED(y, SCALED(load_some_of_c(c, count), beta));
                    sum_type lane[4];
                    vstore4(y, 0, lane);
                    _Pragma("unroll") for (int e = 0; e < 4; ++e)
                        if (e < count * PARTS)
                            STORE_ONE(lane[e], c, e);
                }
            }
        }
    }
}
