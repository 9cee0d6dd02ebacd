// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products for CPU devices: packed panels and a register tile.

/*
 * C = alpha A B + beta C for CPU devices: work-groups of one work-item, wide vectors, a
 * register tile.
 *
 * A work-item computes a block of C, block_rows by block_columns, and adds up block_k
 * terms at a time:
 *
 * 1. It packs the block of B into panels of VECTORS vectors, one panel after the other.
 *    The tile then reads contiguous memory that stays in the core's own cache. The edges
 *    of B need no care, because zeros fill the last vector. With PACKED, `pack_b` has
 *    already brought the whole of B into that form.
 * 2. It computes a register tile of ROWS rows by a panel. Each loaded vector is used by
 *    ROWS multiply-adds, and each element of A, broadcast to a vector, by VECTORS.
 *    Complex panels have separate vectors for real and for imaginary parts, so that a
 *    product is four multiply-adds without any shuffle.
 * 3. The sums of a tile wait in `sums` for the next block of k, or are scaled and written
 *    to C.
 *
 * Sums are floats for every type. If the type is half precision or bytes, `floats_of_a`
 * converts A to floats first. Products of bytes, and sums of 1024 of them, are exact in
 * floats; the sums of each block of k are added to the integers of C.
 *
 * Preconditions: a work-group size of 1; block_columns is a multiple of a panel's
 * columns; `packed` has room for a block of B; `sums` has room for the sums of a tile, or
 * of the whole block of C if there are several blocks of k. If the type is bytes, block_k is
 * at most 1024, alpha and beta are 0 or 1, and `sums` has room for the sums of a tile. For
 * other types there is one block of k with SCRATCH_IS_PRIVATE.
 */

#include "gemm_types.clh"
#include "portable.clh"
#include "wide_vectors.clh"

#ifndef ROWS /* rows of the tile */
#define ROWS 6
#endif
#ifndef VECTORS /* vectors in a panel: 1 to 4; complex: 1 or 2 for each part */
#define VECTORS 4
#endif
#ifndef PACKED /* 1: B has been packed by pack_b */
#define PACKED 0
#endif

#define LOAD_HALF JOIN(vload_half, WIDTH)
#define STORE_HALF JOIN(vstore_half, WIDTH)
#define INTS JOIN(convert_int, WIDTH)
#define UINTS JOIN(as_uint, WIDTH)
#define EVEN_LANES(a, b) (vec)((a).even, (b).even)
#define ODD_LANES(a, b) (vec)((a).odd, (b).odd)

#define PARTS (TYPE == C32 ? 2 : 1) /* floats in an element */
#define PANEL_COLUMNS (VECTORS * WIDTH)
#define PANEL_FLOATS (VECTORS * WIDTH * PARTS) /* floats in one row of a panel */
#define TILE_FLOATS (ROWS * PANEL_FLOATS)

#ifdef SCRATCH_IS_PRIVATE
#define SCRATCH __private
#else
#define SCRATCH __local
#endif
#if PACKED
#define PANEL __global
#else
#define PANEL __local
#endif

/* The host defines USE_CLANG for PoCL, whose prefetch() does nothing. Elsewhere a builtin of
 * Clang's may end the process, as it does in Mesa's rusticl. */
#ifdef USE_CLANG
#define STREAM(x, i, p) __builtin_nontemporal_store(x, (__global vec*)(p) + (i))
#define PREFETCH(p, write, near) \
    __builtin_prefetch((__private const void*)(size_t)(p), write, near)
#else
#define STREAM(x, i, p) STORE(x, i, p)
#define PREFETCH(p, write, near)
#endif
#define CACHE_LINE 64

/* A helper with a loop. PoCL keeps it as a function of its own, whose sums stay in registers:
 * inlined, a product of floats takes twice as long there. */
#ifdef USE_CLANG
#define LOOP_HELPER
#else
#define LOOP_HELPER HELPER
#endif

/* The number of vectors that `columns` columns of a panel take. */
LOOP_HELPER uint vectors_of(uint columns)
{
    return min((columns + WIDTH - 1) / WIDTH, (uint)VECTORS);
}

/* PACK_VECTOR copies columns `at` to `at` + WIDTH of a row of B into a panel, and
 * PACK_COLUMN a single column. */
#if TYPE == C32
#define PACK_VECTOR(row, at, to)                       \
    {                                                  \
        const vec low = LOAD(0, (row) + 2 * (at));     \
        const vec high = LOAD(1, (row) + 2 * (at));    \
        STORE(EVEN_LANES(low, high), 0, to);           \
        STORE(ODD_LANES(low, high), 1, to);            \
    }
#define PACK_COLUMN(row, at, j, to)            \
    (to)[j] = (row)[2 * ((at) + (j))];         \
    (to)[WIDTH + (j)] = (row)[2 * ((at) + (j)) + 1]
#elif TYPE == F16
#define PACK_VECTOR(row, at, to) STORE(LOAD_HALF(0, (row) + (at)), 0, to)
#define PACK_COLUMN(row, at, j, to) (to)[j] = vload_half((at) + (j), row)
#elif TYPE == S8
#define PACK_VECTOR(row, at, to) STORE(FLOATS(LOAD(0, (row) + (at))), 0, to)
#define PACK_COLUMN(row, at, j, to) (to)[j] = (float)(row)[(at) + (j)]
#else
#define PACK_VECTOR(row, at, to) STORE(LOAD(0, (row) + (at)), 0, to)
#define PACK_COLUMN(row, at, j, to) (to)[j] = (row)[(at) + (j)]
#endif

/* Packs rows of B, each of `columns` columns, into panels that are `panel_step` floats
 * apart. Goes along the rows, because they are contiguous in memory. */
#define DEFINE_PACK_ROWS(name, SPACE)                                                  \
    LOOP_HELPER void name(__global const element* b,                                   \
                          size_t leading,                                              \
                          uint rows,                                                   \
                          uint columns,                                                \
                          SPACE float* to,                                             \
                          size_t panel_step)                                           \
    {                                                                                  \
        const uint full = columns - columns % PANEL_COLUMNS;                           \
        const uint vectors = vectors_of(columns - full);                               \
        for (uint p = 0; p < rows; ++p, b += leading * PARTS) {                        \
            SPACE float* panel = to;                                                   \
            for (uint j = 0; j < full; j += PANEL_COLUMNS, panel += panel_step) {      \
                _Pragma("unroll") for (int v = 0; v < VECTORS; ++v)                    \
                {                                                                      \
                    PACK_VECTOR(                                                       \
                        b, j + v * WIDTH, panel + (p * VECTORS + v) * WIDTH * PARTS);  \
                }                                                                      \
            }                                                                          \
            panel += p * vectors * WIDTH * PARTS;                                      \
            for (uint at = full; at < columns; at += WIDTH, panel += WIDTH * PARTS) {  \
                if (columns - at >= WIDTH) {                                           \
                    PACK_VECTOR(b, at, panel);                                         \
                    continue;                                                          \
                }                                                                      \
                for (uint j = 0; j < WIDTH * PARTS; ++j)                               \
                    panel[j] = 0.0f;                                                   \
                for (uint j = 0; j < columns - at; ++j) {                              \
                    PACK_COLUMN(b, at, j, panel);                                      \
                }                                                                      \
            }                                                                          \
        }                                                                              \
    }

DEFINE_PACK_ROWS(pack_global, __global)
#if !PACKED
DEFINE_PACK_ROWS(pack_block, __local)
#endif

/*
 * Packs the whole of B into panels. A work-item packs `rows` rows of one panel.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
pack_b(__global const element* b,
       ulong offset,
       ulong leading,
       uint k,
       uint n,
       uint rows,
       __global float* packed)
{
    const uint first = get_global_id(0) * rows;
    const uint column = get_global_id(1) * PANEL_COLUMNS;
    const uint columns = min((uint)PANEL_COLUMNS, n - column);
    pack_global(b + (offset + first * leading + column) * PARTS,
                leading,
                min(rows, k - first),
                columns,
                packed + (size_t)column * k * PARTS +
                    (size_t)first * vectors_of(columns) * WIDTH * PARTS,
                0);
}

#if TYPE == F16 || TYPE == S8
/* Converts A to floats without gaps. A work-item converts one row. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
floats_of_a(
    __global const element* a, ulong offset, ulong leading, uint k, __global float* to)
{
    __global const element* row = a + offset + get_global_id(0) * leading;
    __global float* out = to + (size_t)get_global_id(0) * k;
    uint j = 0;
    for (; j + WIDTH <= k; j += WIDTH) {
        PACK_VECTOR(row, j, out + j);
    }
    for (; j < k; ++j) {
        PACK_COLUMN(row, 0, j, out);
    }
}
#endif

#if TYPE == C32
#define MULTIPLY_ADD(i, p, V)                                              \
    const vec re = (vec)(row[i][2 * (p)]);                                 \
    const vec im = (vec)(row[i][2 * (p) + 1]);                             \
    _Pragma("unroll") for (int v = 0; v < V; ++v)                          \
    {                                                                      \
        sum[i][2 * v] = FMA(re, x[2 * v], sum[i][2 * v]);                  \
        sum[i][2 * v + 1] = FMA(re, x[2 * v + 1], sum[i][2 * v + 1]);      \
        sum[i][2 * v] = FMA(-im, x[2 * v + 1], sum[i][2 * v]);             \
        sum[i][2 * v + 1] = FMA(im, x[2 * v], sum[i][2 * v + 1]);          \
    }
#else
#define MULTIPLY_ADD(i, p, V)                         \
    const vec s = (vec)(row[i][p]);                   \
    _Pragma("unroll") for (int v = 0; v < V; ++v)     \
        sum[i][v] = FMA(s, x[v], sum[i][v]);
#endif

/*
 * Computes a tile over `k` terms. The result is added to `sums`, or replaces them if
 * `first`. Rows from `rows` on repeat the last row of A, and nobody reads their sums.
 */
#define DEFINE_TILE(V)                                                          \
    LOOP_HELPER void tile_##V(__global const float* a,                          \
                              size_t leading,                                   \
                              uint rows,                                        \
                              PANEL const float* b,                             \
                              uint k,                                           \
                              bool first,                                       \
                              SCRATCH float* sums)                              \
    {                                                                           \
        __global const float* row[ROWS];                                        \
        vec sum[ROWS][V * PARTS];                                               \
        _Pragma("unroll") for (int i = 0; i < ROWS; ++i)                        \
        {                                                                       \
            row[i] = a + min((uint)i, rows - 1) * leading * PARTS;              \
            _Pragma("unroll") for (int v = 0; v < V * PARTS; ++v)               \
                sum[i][v] = (vec)(0.0f);                                        \
        }                                                                       \
        for (size_t p = 0; p < k; ++p) {                                        \
            vec x[V * PARTS];                                                   \
            _Pragma("unroll") for (int v = 0; v < V * PARTS; ++v)               \
                x[v] = LOAD(v, b);                                              \
            b += V * WIDTH * PARTS;                                             \
            _Pragma("unroll") for (int i = 0; i < ROWS; ++i)                    \
            {                                                                   \
                MULTIPLY_ADD(i, p, V)                                           \
            }                                                                   \
        }                                                                       \
        _Pragma("unroll") for (int i = 0; i < ROWS; ++i)                        \
        {                                                                       \
            _Pragma("unroll") for (int v = 0; v < V * PARTS; ++v)               \
            {                                                                   \
                const int at = i * V * PARTS + v;                               \
                STORE(first ? sum[i][v] : sum[i][v] + LOAD(at, sums), at, sums); \
            }                                                                   \
        }                                                                       \
    }
DEFINE_TILE(1)
#if VECTORS >= 2
DEFINE_TILE(2)
#endif
#if VECTORS >= 3
DEFINE_TILE(3)
#endif
#if VECTORS >= 4
DEFINE_TILE(4)
#endif

#define TILE_CASE(V)                                 \
    case V:                                          \
        tile_##V(a, leading, rows, b, k, first, sums); \
        break
LOOP_HELPER void tile(uint vectors,
                      __global const float* a,
                      size_t leading,
                      uint rows,
                      PANEL const float* b,
                      uint k,
                      bool first,
                      SCRATCH float* sums)
{
    switch (vectors) {
        TILE_CASE(1);
#if VECTORS >= 2
        TILE_CASE(2);
#endif
#if VECTORS >= 3
        TILE_CASE(3);
#endif
#if VECTORS >= 4
        TILE_CASE(4);
#endif
    }
}

/* Scales a vector of sums and writes it to WIDTH columns of C. */
#if TYPE == C32
HELPER vec times_j(vec x)
{
    vec y;
    y.even = -x.odd;
    y.odd = x.even;
    return y;
}
HELPER void write_vector(SCRATCH const float* sums,
                         float2 alpha,
                         float2 beta,
                         bool read,
                         bool stream,
                         __global float* c)
{
    const vec re = LOAD(0, sums), im = LOAD(1, sums);
    const vec y_re = FMA((vec)(alpha.x), re, -alpha.y * im);
    const vec y_im = FMA((vec)(alpha.x), im, alpha.y * re);
    vec low, high;
    low.even = y_re.lo;
    low.odd = y_im.lo;
    high.even = y_re.hi;
    high.odd = y_im.hi;
    if (read) {
        const vec c_low = LOAD(0, c), c_high = LOAD(1, c);
        low = FMA((vec)(beta.x), c_low, FMA((vec)(beta.y), times_j(c_low), low));
        high = FMA((vec)(beta.x), c_high, FMA((vec)(beta.y), times_j(c_high), high));
    }
    if (stream) {
        STREAM(low, 0, c);
        STREAM(high, 1, c);
    } else {
        STORE(low, 0, c);
        STORE(high, 1, c);
    }
}
HELPER void write_one(SCRATCH const float* sums,
                      uint lane,
                      float2 alpha,
                      float2 beta,
                      bool read,
                      __global float* c)
{
    const float re = sums[lane], im = sums[WIDTH + lane];
    float2 y = (float2)(alpha.x * re - alpha.y * im, alpha.x * im + alpha.y * re);
    if (read) {
        const float2 old = vload2(lane, c);
        y += beta.x * old + beta.y * (float2)(-old.y, old.x);
    }
    vstore2(y, lane, c);
}
#elif WHOLE
HELPER void write_vector(SCRATCH const float* sums,
                         float2 alpha,
                         float2 beta,
                         bool read,
                         bool stream,
                         __global int* c)
{
    __global uint* to = (__global uint*)c;
    const vec values = LOAD(0, sums);
    if (read)
        STORE(UINTS(INTS(values)) + LOAD(0, to), 0, to);
    else
        STORE(INTS(values), 0, c);
}
HELPER void write_one(SCRATCH const float* sums,
                      uint lane,
                      float2 alpha,
                      float2 beta,
                      bool read,
                      __global int* c)
{
    const uint old = read ? (uint)c[lane] : 0;
    c[lane] = (int)((uint)(int)sums[lane] + old);
}
#else
#if TYPE == F16
#define LOAD_C LOAD_HALF
#define STORE_C STORE_HALF
#define LOAD_ONE(p, j) vload_half(j, p)
#define STORE_ONE(x, p, j) vstore_half(x, j, p)
#else
#define LOAD_C LOAD
#define STORE_C STORE
#define LOAD_ONE(p, j) (p)[j]
#define STORE_ONE(x, p, j) (p)[j] = (x)
#endif
HELPER void write_vector(SCRATCH const float* sums,
                         float2 alpha,
                         float2 beta,
                         bool read,
                         bool stream,
                         __global element* c)
{
    vec y = alpha.x * LOAD(0, sums);
    if (read)
        y = FMA((vec)(beta.x), LOAD_C(0, c), y);
#if TYPE == F32
    if (stream)
        STREAM(y, 0, c);
    else
#endif
        STORE_C(y, 0, c);
}
HELPER void write_one(SCRATCH const float* sums,
                      uint lane,
                      float2 alpha,
                      float2 beta,
                      bool read,
                      __global element* c)
{
    float y = alpha.x * sums[lane];
    if (read)
        y = FMA(beta.x, LOAD_ONE(c, lane), y);
    STORE_ONE(y, c, lane);
}
#endif

/* Fetches a tile of C into the cache while the sums of the tile are computed. */
LOOP_HELPER void
prefetch_tile(__global const result* c, size_t leading, uint rows, uint columns)
{
    for (uint r = 0; r < rows; ++r, c += leading * PARTS)
        for (uint j = 0; j < columns * PARTS; j += CACHE_LINE / sizeof(result))
            PREFETCH(c + j, 1, 3);
}

#if !PACKED
/* Fetches the `rows` rows of B that are packed next into the cache. */
LOOP_HELPER void
prefetch_rows(__global const element* b, size_t leading, uint rows, uint columns)
{
    for (uint r = 0; r < rows; ++r, b += leading * PARTS)
        for (uint j = 0; j < columns * PARTS; j += CACHE_LINE / sizeof(element))
            PREFETCH(b + j, 0, 2);
}
#endif

/* Scales a tile of sums and writes it to C. If C is too large for the caches, aligned
 * rows are written past them, unless C had to be read. */
LOOP_HELPER void write_tile(SCRATCH const float* sums,
                            uint rows,
                            uint columns,
                            float2 alpha,
                            float2 beta,
                            bool read,
                            bool leaves_caches,
                            __global result* c,
                            size_t leading)
{
    for (uint r = 0; r < rows; ++r, c += leading * PARTS) {
        const bool stream = leaves_caches && !read && (size_t)c % sizeof(vec) == 0;
        if (columns >= PANEL_COLUMNS) {
            _Pragma("unroll") for (int v = 0; v < VECTORS; ++v)
                write_vector(sums + v * WIDTH * PARTS,
                             alpha,
                             beta,
                             read,
                             stream,
                             c + v * WIDTH * PARTS);
            sums += PANEL_FLOATS;
            continue;
        }
        for (uint j = 0; j < columns; j += WIDTH, sums += WIDTH * PARTS) {
            if (columns - j >= WIDTH)
                write_vector(sums, alpha, beta, read, stream, c + j * PARTS);
            else
                for (uint lane = 0; lane < columns - j; ++lane)
                    write_one(sums, lane, alpha, beta, read, c + j * PARTS);
        }
    }
}

/*
 * offsets, leading        in elements; A always has floats
 * b_base                  with PACKED: the panels from pack_b, without an offset
 * alpha, beta             for real types in x
 * leaves_caches           not 0: C is too large for the caches
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm(uint m,
     uint n,
     uint k,
     float2 alpha,
     __global const float* a_base,
     ulong a_offset,
     ulong a_leading,
#if PACKED
     __global const float* b_base,
#else
     __global const element* b_base,
#endif
     ulong b_offset,
     ulong b_leading,
     float2 beta,
     __global result* c_base,
     ulong c_offset,
     ulong c_leading,
     uint block_rows,
     uint block_columns,
     uint block_k,
     uint leaves_caches
#ifdef SCRATCH_IS_PRIVATE
)
{
    float sums[TILE_FLOATS];
#else
     ,
     __local float* sums
#if !PACKED
     ,
     __local float* packed
#endif
)
{
#endif
    const uint first_row = get_global_id(0) * block_rows;
    const uint first_column = get_global_id(1) * block_columns;
    const uint end_row = min(first_row + block_rows, m);
    const uint end_column = min(first_column + block_columns, n);
    const bool one_block = WHOLE || k <= block_k; /* that sums wait for */
    bool read = beta.x != 0.0f || beta.y != 0.0f;
    __global const float* a = a_base + (a_offset + first_row * a_leading) * PARTS;

    /* Runs once even without terms, as for an alpha of 0: the sums are zeros then. */
    uint p = 0;
    do {
        const uint terms = min(block_k, k - p);
        const bool last = k - p <= block_k;
#if !PACKED
        pack_block(b_base + (b_offset + p * b_leading + first_column) * PARTS,
                   b_leading,
                   terms,
                   end_column - first_column,
                   packed,
                   (size_t)block_k * PANEL_FLOATS);
        /* The rows of B that are probably packed next: the next terms, or the first terms
         * of the next columns. Each tile fetches some of these rows. */
        const uint next_p = last ? 0 : p + terms;
        const uint next_column = last ? end_column : first_column;
        const uint next_columns = min(block_columns, n - next_column);
        const uint next_end = next_columns ? min(next_p + block_k, k) : next_p;
        const uint tiles = (end_column - first_column + PANEL_COLUMNS - 1) / PANEL_COLUMNS *
                           ((end_row - first_row + ROWS - 1) / ROWS);
        const uint step = (block_k + tiles - 1) / tiles;
        uint fetch_p = next_p;
#endif
        uint slot = 0;
        for (uint j = first_column; j < end_column; j += PANEL_COLUMNS) {
            const uint columns = min((uint)PANEL_COLUMNS, end_column - j);
            const uint vectors = vectors_of(columns);
#if PACKED
            __global const float* b = b_base + (size_t)j * k * PARTS +
                                      (size_t)p * vectors * WIDTH * PARTS;
#else
            __local const float* b = packed + (size_t)(j - first_column) * block_k * PARTS;
#endif
            for (uint i = first_row; i < end_row; i += ROWS) {
                const uint rows = min((uint)ROWS, end_row - i);
                SCRATCH float* tile_sums = sums + slot * TILE_FLOATS;
                __global result* c = c_base + (c_offset + i * c_leading + j) * PARTS;
                if (!one_block)
                    ++slot;
#if !PACKED
                const uint fetch = min(step, next_end - fetch_p);
                prefetch_rows(b_base + (b_offset + fetch_p * b_leading + next_column) * PARTS,
                              b_leading,
                              fetch,
                              next_columns);
                fetch_p += fetch;
#endif
                if ((WHOLE || last) && !leaves_caches)
                    prefetch_tile(c, c_leading, rows, columns);
                tile(vectors,
                     a + ((i - first_row) * a_leading + p) * PARTS,
                     a_leading,
                     rows,
                     b,
                     terms,
                     WHOLE || p == 0,
                     tile_sums);
                if (WHOLE || last)
                    write_tile(tile_sums,
                               rows,
                               columns,
                               alpha,
                               beta,
                               read,
                               leaves_caches,
                               c,
                               c_leading);
            }
        }
        p += terms;
        read = read || WHOLE;
    } while (p < k);
}
