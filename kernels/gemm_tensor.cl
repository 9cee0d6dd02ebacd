// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products on the matrix units of NVIDIA GPUs, by mma.sync.

/*
 * C = alpha A B + beta C on the matrix units of NVIDIA GPUs (compute capability 8.0 and
 * later), which OpenCL C reaches through the PTX instruction mma.sync.
 *
 * One kernel serves every type, because one instruction multiplies a fragment of A, 16
 * rows of 8 words of 32 bits, by a fragment of B, 8 words of 8 columns, whatever the words
 * contain: one float, two halves, four bytes or 32 bits. Lane l of a warp, with g = l / 4
 * and t = l % 4, has the words t and t + 4 of the rows g and g + 8 of A and of the column g
 * of B, and the columns 2 t and 2 t + 1 of the rows g and g + 8 of C. The order of the
 * words along K is free as long as A and B agree. Here lane t takes the words 4 t to 4 t + 3
 * of 16, which are one load of 16 bytes from local memory for two instructions.
 * The order of the columns is free as well. Of 32 columns, column 2 t + e of fragment j,
 * of four, is the one at 16 e + 4 t + j: a lane stores four neighbouring columns of C at a
 * time, and four lanes store 16.
 *
 * The matrix units round their sums toward zero. Floating-point sums therefore run
 * through the matrix unit for one step of 16 words only, and are then added to an ordinary
 * float. Sums of integers are exact. Sums of halves, whose result is rounded to 11 bits,
 * run through it for 8192 terms.
 *
 * Single precision is split into two numbers of 11 bits each, x = high + low, and the
 * product is the sum of high * high, high * low and low * high; low * low is below the
 * rounding of a float. With the precisions TF32 and HALF each number is rounded to 11 bits
 * instead, and there is one product. A complex product is a real one with twice the
 * columns: its A is the matrix as it lies in memory, and each complex row of its B gives the
 * two rows (re, im) and (-im, re).
 *
 * The sums of a correlator, X X^H, have the samples of antennas as both matrices: row by
 * row as A, and column by column as B, whose columns are (re, im) and (-im, re) as well.
 * A byte of -128 has no negative byte, so that a column has -im - 1 instead, and the sum
 * of the row's real parts is added at the end. Only the tiles of the lower triangle are
 * computed.
 *
 * Preconditions: groups of GROUP_ROWS / WARP_ROWS * GROUP_COLUMNS / WARP_COLUMNS warps of
 * 32 work-items; WARP_ROWS is a multiple of 16, WARP_COLUMNS of 32; STAGES is 2 to 6.
 * Offsets and leading dimensions are in elements; those of A and B are in words of 32 bits
 * where the elements are halves, bytes or bits, and so is k. The kernels pack_rows and
 * pack_columns make such rows of halves or bytes; where k is no multiple of a word, zeros
 * follow. Products of bytes take an alpha of 0 or 1 and a beta of 0 or 1. A row of
 * bits is followed by a word with its number of ones; the result is bits - 2 popcount(a
 * xor b) = bits - 2 ones(a) - 2 ones(b) + 4 popcount(a and b), and alpha and beta are not
 * used. Floats of B lie row by row, all other types of B lie column by column. With
 * ALIGNED all rows of A and B begin at multiples of 16 bytes. With EMULATE the kernel is
 * plain OpenCL C for any device, in which the lanes exchange their fragments through local
 * memory: this is how the layout is tested.
 */

#include "matrix_units.clh"

#ifndef GROUP_ROWS
#define GROUP_ROWS 128 /* the tile of C of a work-group, in floats if C is complex */
#endif
#ifndef GROUP_COLUMNS
#define GROUP_COLUMNS 128
#endif
#ifndef WARP_ROWS
#define WARP_ROWS 64 /* the tile of C of a warp */
#endif
#ifndef WARP_COLUMNS
#define WARP_COLUMNS 32
#endif
#ifndef STAGES
#define STAGES 2 /* steps of K in local memory, 2 to 6 */
#endif
#ifndef LONG
#define LONG 0 /* 1: there may be more than 8192 terms of halves */
#endif
#ifndef ALIGNED
#define ALIGNED 0
#endif

#define STEP 16 /* words of K in a step */
#define B_BY_ROWS OF_FLOATS
/* Steps that are copied before they are needed. With two or three stages the warps of a
 * group wait for each other at a barrier in each step. With four or more, a warp that
 * begins a step signals that its copies for the next one have arrived and that it is done
 * with the one before. It then waits only for the other warps' signals of its last step. So
 * a warp may be a step behind another one, and the copies, the loads from local memory and
 * the matrix units do not wait for each other. */
#if STAGES >= 4
#define AHEAD (STAGES - 2)
#else
#define AHEAD (STAGES - 1)
#endif
#define WARPS_ACROSS (GROUP_COLUMNS / WARP_COLUMNS)
#define WARPS (GROUP_ROWS / WARP_ROWS * WARPS_ACROSS)
#define ITEMS (32 * WARPS)
#define ROW_TILES (WARP_ROWS / 16)
#define QUADS (WARP_COLUMNS / 32)

/* Columns of B that a row in local memory gives: an antenna gives two. */
#if TYPE == CS8
#define ROW_COLUMNS 2
#else
#define ROW_COLUMNS 1
#endif

#define ROW_CHUNKS (STEP / 4) /* chunks of 16 bytes of a row along K */
#define A_CHUNKS (GROUP_ROWS * ROW_CHUNKS)
#if B_BY_ROWS
/* A row of B ends with padding, so that the four rows that a warp reads together lie in
 * different memory banks. */
#define B_DEPTH (TYPE == C32 ? STEP / 2 : STEP)
#define B_LEADING (GROUP_COLUMNS / 4 + 1)
#define B_ROW_CHUNKS (GROUP_COLUMNS / 4)
#define B_CHUNKS (B_DEPTH * B_LEADING) /* with padding */
#define B_ITEMS (B_DEPTH * B_ROW_CHUNKS)
#else
#define B_ROW_CHUNKS ROW_CHUNKS
#define B_CHUNKS (GROUP_COLUMNS / ROW_COLUMNS * ROW_CHUNKS)
#define B_ITEMS B_CHUNKS
#endif
#define ROUNDS(chunks) (((chunks) + ITEMS - 1) / ITEMS)

/* Whether every round of copies takes whole rows, and the same place of each. */
#define REGULAR \
    (ALIGNED && (ITEMS & (ITEMS - 1)) == 0 && ITEMS % B_ROW_CHUNKS == 0 && \
     A_CHUNKS % ITEMS == 0 && B_ITEMS % ITEMS == 0)

/* Those of the present step, or of the next one with four stages or more. */
#if STAGES == 2 || STAGES == 4
#define COPIES_LEFT 0
#elif STAGES == 3 || STAGES == 5
#define COPIES_LEFT 1
#elif STAGES == 6
#define COPIES_LEFT 2
#endif
#define WAIT_INSTRUCTION "test_wait"
#define STORE_COLUMNS 4

#include "async_copies.clh"
#include "gemm_tiles.clh"
#include "signals.clh"
#include "triangle.clh"
#include "warp_products.clh"

#if EMULATE
HELPER void wait_for_all_copies(void) {}
HELPER void make_warp_signal(__local ulong* signal) {}
HELPER void arrive_warp(__local ulong* signal) {}
HELPER void wait_for_warps(__local ulong* signal, uint time)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}
#elif STAGES >= 4
/* Waits until all copies of this lane have arrived. */
HELPER void wait_for_all_copies(void)
{
    __asm__ volatile("cp.async.wait_all;" : : : "memory");
}

HELPER void make_warp_signal(__local ulong* signal) { make_signal(signal, WARPS); }

/* Signals that this warp has reached this point. */
HELPER void arrive_warp(__local ulong* signal)
{
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
    if (get_local_id(0) % 32 == 0)
        arrive(signal);
}

/* Waits until all warps have arrived for the time of this number. */
HELPER void wait_for_warps(__local ulong* signal, uint time)
{
    wait_for(signal, time);
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}
#endif

/* Copies four words from word `index` of `origin` on. The first `valid` of them exist, and
 * zeros take the place of the others. */
HELPER void
copy_chunk(__local uint4* to, __global const uint* origin, size_t index, int valid)
{
    valid = clamp(valid, 0, 4);
    /* A pointer beyond the matrix is not even formed. */
    __global const uint* from = origin + (valid ? index : 0);
#if ALIGNED
    copy_bytes((__local uint*)to, from, 16, (uint)valid * 4);
#else
    UNROLL
    for (int i = 0; i < 4; i++)
        copy_bytes(
            (__local uint*)to + i, from + (i < valid ? i : 0), 4, (i < valid) * 4);
#endif
}

/* The column of B that has a row of the tile, if B lies along K. Fragment j of four takes
 * the columns j, 16 + j, 4 + j, 20 + j and so on of 32; this exchanges bits of the number
 * of the row. */
HELPER uint column_of(uint row)
{
    const uint rows = 32 / ROW_COLUMNS;
    return row / rows * rows + row % 2 * (rows / 2) + row % 8 / 2 * (rows / 8) +
           row % rows / 8;
}

/* The rows of a matrix, of which a group copies some. */
typedef struct {
    __global const uint* words;
    uint leading, rows, columns, first_row, first_column;
} matrix_rows;

/* The parts of A and B that a group copies. */
typedef struct {
    matrix_rows a, b;
    bool is_inside; /* no row or column lies beyond the matrices */
} tile_copy;

/* Copies the words of a step from `tile_rows` rows of a matrix that lies along K. Words
 * beyond K are 0. */
HELPER void copy_along(const matrix_rows* from,
                       uint column,
                       bool is_inside,
                       uint tile_rows,
                       bool is_b,
                       __local uint4* to)
{
    const uint chunk = get_local_id(0) % ROW_CHUNKS;
    const uint item_row = get_local_id(0) / ROW_CHUNKS;
    const uint rounds = (tile_rows * ROW_CHUNKS + ITEMS - 1) / ITEMS;
    column += chunk * 4;
    if (is_inside) {
        /* Here the copies need no checks. The numbers of the item's row and of a round's
         * first row have no bit in common, so that column_of() can take them apart. */
        __global const uint* at =
            from->words + column +
            (size_t)(from->first_row + (is_b ? column_of(item_row) : item_row)) *
                from->leading;
        to += get_local_id(0);
        UNROLL
        for (uint i = 0; i < rounds; i++) {
            const uint row = i * (ITEMS / ROW_CHUNKS);
            copy_bytes((__local uint*)(to + i * ITEMS), at, 16, 16);
            const uint next = row + ITEMS / ROW_CHUNKS;
            at += (long)(is_b ? (int)(column_of(next) - column_of(row))
                              : ITEMS / ROW_CHUNKS) *
                  from->leading;
        }
        return;
    }
    UNROLL
    for (uint i = 0; i < rounds; i++) {
        const uint tile_row = item_row + i * (ITEMS / ROW_CHUNKS);
        const uint row = from->first_row + (is_b ? column_of(tile_row) : tile_row);
        if (tile_rows * ROW_CHUNKS % ITEMS == 0 || tile_row < tile_rows)
            copy_chunk(to + tile_row * ROW_CHUNKS + chunk,
                       from->words,
                       (size_t)row * from->leading + column,
                       row < from->rows ? (int)from->columns - (int)column : 0);
    }
}

#if B_BY_ROWS
/* Copies the rows of B of a step. Of the rows in local memory, lane t reads t, t + 4 and
 * so on, and needs neighbouring rows of B. */
HELPER void
copy_across(const matrix_rows* from, uint first_row, bool is_inside, __local uint4* to)
{
    const uint across = B_DEPTH / 4;
    const uint column = from->first_column + get_local_id(0) % B_ROW_CHUNKS * 4;
    __global const uint* at =
        from->words + column +
        (size_t)(first_row + get_local_id(0) / B_ROW_CHUNKS) * from->leading;
    UNROLL
    for (uint i = 0; i < ROUNDS(B_ITEMS); i++) {
        const uint chunk = i * ITEMS + get_local_id(0);
        const uint tile_row = chunk / B_ROW_CHUNKS;
        __local uint4* place = to +
                               (tile_row % across * 4 + tile_row / across) * B_LEADING +
                               chunk % B_ROW_CHUNKS;
        if (is_inside) {
            copy_bytes((__local uint*)place, at, 16, 16);
            at += (size_t)(ITEMS / B_ROW_CHUNKS) * from->leading;
        } else if (B_ITEMS % ITEMS == 0 || chunk < B_ITEMS) {
            const uint row = first_row + tile_row;
            const uint checked = from->first_column + chunk % B_ROW_CHUNKS * 4;
            copy_chunk(place,
                       from->words,
                       (size_t)row * from->leading + checked,
                       row < from->rows ? (int)from->columns - (int)checked : 0);
        }
    }
}
#endif

/* Copies a step of K to local memory; a step beyond the last one has nothing to copy. */
HELPER void
copy_step(const tile_copy* copy, uint step, __local uint4* to_a, __local uint4* to_b)
{
    const uint column = step * STEP;
    if (column >= copy->a.columns)
        return;
    const bool is_inside = copy->is_inside && column + STEP <= copy->a.columns;
    copy_along(&copy->a, column, is_inside, GROUP_ROWS, false, to_a);
#if B_BY_ROWS
    copy_across(&copy->b, step * B_DEPTH, is_inside, to_b);
#else
    copy_along(&copy->b, column, is_inside, GROUP_COLUMNS / ROW_COLUMNS, true, to_b);
#endif
}

#if B_BY_ROWS && PRECISION == EXACT
#define PRODUCTS 2
#define PARTS 2
#elif B_BY_ROWS && PRECISION == HALF
#define PRODUCTS 1
#define PARTS 1
#else
#define PRODUCTS 2
#define PARTS 1
#endif

/* Makes the words that the instruction takes from the four words of a lane: word i of
 * part p is at 4 p + i. The matrix unit ignores the last 13 bits of a word of tf32, so that
 * half of their range rounds. These few operations matter: GPUs have half as many units
 * for integers as for floats. */
HELPER void prepare(uint* words)
{
#if B_BY_ROWS && PRECISION == EXACT
    UNROLL
    for (uint i = 0; i < 4; i++) {
        const uint high = words[i] + 0x1000u;
        words[4 + i] = as_uint(as_float(words[i]) - as_float(high & 0xffffe000u));
        words[i] = high;
    }
#elif B_BY_ROWS && PRECISION == TF32
    UNROLL
    for (uint i = 0; i < 4; i++) {
        /* The bits of a NaN could become those of a number. */
        if (!isnan(as_float(words[i])))
            words[i] += 0x1000u;
    }
#elif B_BY_ROWS
    words[0] = two_halves(words[0], words[1]);
    words[1] = two_halves(words[2], words[3]);
#endif
}

/* Sums that stay in the matrix unit. Those of halves leave it after LONG_RUN steps. */
#define DIRECT (WHOLE || TYPE == F16)
#define LONG_RUN 256
#define IN_RUNS (TYPE == F16 && LONG)
/* Whether a lane holds its words of A for all its columns; two parts of each float would
 * take too many registers. */
#define HOLD_A (PARTS == 1)
/* Whether it holds those of B as well, and begins to copy the next step only then: this
 * suits groups that are small, and of which there are several on a compute unit. */
#define HOLD_B (TYPE == CS8)

/* Loads a lane's words of a fragment of A: those of its upper and of its lower row. */
HELPER void load_rows(uint (*rows)[4 * PARTS], __local const uint4* at)
{
    unpack(rows[0], at[0]);
    unpack(rows[1], at[8 * 4]);
    prepare(rows[0]);
    prepare(rows[1]);
}

/* Loads a lane's words of four fragments of B, which have 32 columns from `first` on. */
HELPER void load_columns(
    uint (*columns)[4 * PARTS], __local const uint4* from, uint first, uint g, uint t)
{
#if B_BY_ROWS
    from += t * B_LEADING + first / 4 + g % 2 * 4 + g / 2;
    UNROLL
    for (uint i = 0; i < B_DEPTH / 4; i++) {
        const uint4 row = from[4 * i * B_LEADING];
#if TYPE == F32
        columns[0][i] = row.s0;
        columns[1][i] = row.s1;
        columns[2][i] = row.s2;
        columns[3][i] = row.s3;
#else
        columns[0][2 * i] = row.s0;
        columns[1][2 * i] = row.s1;
        columns[2][2 * i] = row.s2;
        columns[3][2 * i] = row.s3;
        columns[0][2 * i + 1] = row.s1 ^ 0x80000000u;
        columns[1][2 * i + 1] = row.s0;
        columns[2][2 * i + 1] = row.s3 ^ 0x80000000u;
        columns[3][2 * i + 1] = row.s2;
#endif
    }
#else
    UNROLL
    for (uint j = 0; j < 4 / ROW_COLUMNS; j++) {
        unpack(columns[j * ROW_COLUMNS], from[(first / ROW_COLUMNS + j * 8 + g) * 4 + t]);
#if TYPE == CS8
        UNROLL
        for (uint i = 0; i < 4; i++)
            columns[2 * j + 1][i] = turned(columns[2 * j][i], 0x00ff00ffu);
#endif
    }
#endif
    UNROLL
    for (uint j = 0; j < 4; j++)
        prepare(columns[j]);
}

/* Adds the products of a step for the four fragments of C that lie side by side, with
 * 4 sums each. Four independent chains of instructions hide each other's latency. */
HELPER void add_step(sum_type (*sums)[4],
                     const uint* upper,
                     const uint* lower,
                     const uint (*columns)[4 * PARTS] EXCHANGE_ARGUMENT)
{
    UNROLL
    for (uint i = 0; i < 2 * PRODUCTS; i += 2)
        UNROLL
        for (uint part = 0; part < 2 * PARTS - 1; part++) {
            /* The small products come first: low * high, high * low, high * high. */
            const uint of_a = (PARTS == 2 && part == 0 ? 4 : 0) + i;
            const uint of_b = (PARTS == 2 && part == 1 ? 4 : 0) + i;
            const uint a[4] = {
                upper[of_a], lower[of_a], upper[of_a + 1], lower[of_a + 1]
            };
            UNROLL
            for (uint j = 0; j < 4; j++)
                multiply_add(sums[j], a, columns[j] + of_b EXCHANGE);
        }
}

#if TYPE == BITS
#ifndef PACK_ITEMS
#define PACK_ITEMS 64
#endif
/* Copies rows of bytes, which may lie at any address, to rows of `words` words, with zeros
 * at the end, and puts the number of ones behind them. A group copies a row. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack(__global const uchar* from,
     uint from_offset,
     uint row_bytes,
     __global uint* to,
     uint words,
     uint to_leading)
{
    __local uint ones[PACK_ITEMS];
    const uint item = get_local_id(0);
    const size_t row = get_group_id(0);
    uint count = 0;
    for (uint word = item; word < words; word += PACK_ITEMS) {
        uint value = 0;
        for (uint i = 0; i < 4; i++)
            if (word * 4 + i < row_bytes)
                value |= (uint)from[from_offset + row * row_bytes + word * 4 + i]
                         << (8 * i);
        to[row * to_leading + word] = value;
        count += popcount(value);
    }
    ones[item] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        count = 0;
        for (uint i = 0; i < PACK_ITEMS; i++)
            count += ones[i];
        to[row * to_leading + words] = count;
    }
}
#endif

#if TYPE == F16 || TYPE == S8
#define PACK_ITEMS 128
#define PACK_SIDE 32 /* columns of B, and words, of a tile that a group packs */
/* Copies rows of k elements, which may lie at any address, to rows of words. A group
 * copies a row. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_rows(__global const packed_element* from,
          uint from_offset,
          uint from_leading,
          uint k,
          __global uint* to,
          uint to_leading)
{
    const size_t row = get_group_id(0);
    __global const packed_element* elements = from + from_offset + row * from_leading;
    for (uint word = get_local_id(0); PER_WORD * word < k; word += PACK_ITEMS)
        to[row * to_leading + word] =
            word_of(elements + PER_WORD * word, 1, k - PER_WORD * word);
}

/* Copies the n columns of a matrix of k rows of elements to rows of words, as pack_rows
 * does. A tile goes through local memory, so that a group both reads and writes along
 * rows. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_columns(__global const packed_element* from,
             uint from_offset,
             uint from_leading,
             uint k,
             uint n,
             __global uint* to,
             uint to_leading)
{
    __local uint tile[PACK_SIDE][PACK_SIDE + 1]; /* [word][column] */
    const uint across = get_local_id(0) % PACK_SIDE;
    const uint down = get_local_id(0) / PACK_SIDE;
    const uint tiles = (n + PACK_SIDE - 1) / PACK_SIDE;
    const uint first_column = get_group_id(0) % tiles * PACK_SIDE;
    const uint first_word = get_group_id(0) / tiles * PACK_SIDE;
    UNROLL
    for (uint i = down; i < PACK_SIDE; i += PACK_ITEMS / PACK_SIDE) {
        const uint row = PER_WORD * (first_word + i);
        const uint column = first_column + across;
        tile[i][across] =
            row < k && column < n
                ? word_of(from + from_offset + (size_t)row * from_leading + column,
                          from_leading,
                          k - row)
                : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = down; i < PACK_SIDE; i += PACK_ITEMS / PACK_SIDE) {
        const uint column = first_column + i;
        const uint word = first_word + across;
        if (column < n && PER_WORD * word < k)
            to[(size_t)column * to_leading + word] = tile[across][i];
    }
}
#endif

#if TYPE == CS8
/* Both matrices are the samples of all antennas, each a row of `length` samples, a
 * multiple of 8 up to 65535. A group of GROUP_ROWS antennas, with GROUP_COLUMNS twice as
 * many, computes one tile of the triangle for one piece. The arguments are those of
 * correlator_gpu.cl. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
correlator(__global const uint* in,
           uint offset,
           uint stride,
           uint antennas,
           uint length,
           uint first_tile,
           uint first_piece,
           __global int* out,
           uint out_offset)
#else
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(uint m,
     uint n,
     uint k,
     float2 alpha,
     __global const uint* a,
     uint a_offset,
     uint a_leading,
     __global const uint* b,
     uint b_offset,
     uint b_leading,
     float2 beta,
     __global result* c,
     uint c_offset,
     uint c_leading
#if TYPE == BITS
     ,
     uint bits
#endif
)
#endif
{
    __local uint4 a_tile[STAGES][A_CHUNKS];
    __local uint4 b_tile[STAGES][B_CHUNKS];
#if STAGES >= 4
    __local ulong signals[2];
#endif

#if TYPE == CS8
    const uint a_words = length / 2;
#elif TYPE == C32
    /* From here on everything but B's rows is counted in floats. */
    n *= 2;
    a_offset *= 2;
    a_leading *= 2;
    b_offset *= 2;
    b_leading *= 2;
    c_offset *= 2;
    c_leading *= 2;
    const uint a_words = 2 * k;
#else
    const uint a_words = k;
#endif
    const uint item = get_local_id(0);
    const uint lane = item % 32;
    const uint g = lane / 4;
    const uint t = lane % 4;
#if EMULATE
    __local uint exchange[WARPS * 192];
    __local uint* warp = exchange + item / 32 * 192;
#endif
    const uint warp_row = item / 32 / WARPS_ACROSS * WARP_ROWS;
    const uint warp_column = item / 32 % WARPS_ACROSS * WARP_COLUMNS;

#if TYPE == CS8
    const uint tile = first_tile + get_group_id(0);
    const uint piece = first_piece + get_group_id(1);
    const uint tile_row = triangle_row(tile);
    const uint first_row = tile_row * GROUP_ROWS;
    const uint first_column = (tile - tile_row * (tile_row + 1) / 2) * GROUP_COLUMNS;
#else
    const uint2 tile = tile_of_group((m + GROUP_ROWS - 1) / GROUP_ROWS,
                                     (n + GROUP_COLUMNS - 1) / GROUP_COLUMNS);
    const uint first_row = tile.x * GROUP_ROWS;
    const uint first_column = tile.y * GROUP_COLUMNS;
#endif

    sum_type sums[ROW_TILES][QUADS * 4][4];
    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        UNROLL
        for (uint j = 0; j < QUADS * 4; j++)
            UNROLL
            for (uint e = 0; e < 4; e++)
                sums[i][j][e] = 0;

#if TYPE == CS8
    int row_sums[ROW_TILES][2]; /* this lane's part of the rows' real parts */
    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        row_sums[i][0] = row_sums[i][1] = 0;
    __global const uint* samples = in + offset / 2 + (size_t)piece * (length / 2);
    const uint leading = stride / 2;
    const tile_copy copy = {
        { samples, leading, antennas, a_words, first_row, 0 },
        { samples, leading, antennas, a_words, first_column / 2, 0 },
        REGULAR && first_row + GROUP_ROWS <= antennas
    };
#else
#if B_BY_ROWS
    const uint first_b_row = 0;
    const uint first_b_column = first_column;
    const uint b_rows = k;
    const uint b_columns = n;
#else
    const uint first_b_row = first_column;
    const uint first_b_column = 0;
    const uint b_rows = n;
    const uint b_columns = k;
#endif
    const tile_copy copy = {
        { a + a_offset, a_leading, m, a_words, first_row, 0 },
        { b + b_offset, b_leading, b_rows, b_columns, first_b_row, first_b_column },
        REGULAR && first_row + GROUP_ROWS <= m && first_column + GROUP_COLUMNS <= n
    };
#endif

    const uint steps = (a_words + STEP - 1) / STEP;
#if IN_RUNS
    /* The sums of earlier runs. They are volatile, so that they take no registers. */
    volatile float earlier[ROW_TILES][QUADS * 4][4];
    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        UNROLL
        for (uint j = 0; j < QUADS * 4; j++)
            UNROLL
            for (uint e = 0; e < 4; e++)
                earlier[i][j][e] = 0;
#endif
#if STAGES >= 4
    if (item < 2)
        make_warp_signal(signals + item);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint step = 0; step < AHEAD; step++) {
        copy_step(&copy, step, a_tile[step], b_tile[step]);
        end_of_copies();
    }
#if STAGES >= 4
    wait_for_all_copies();
    arrive_warp(signals);
#endif
    for (uint step = 0; step < steps; step++) {
        wait_for_copies();
#if STAGES >= 4
        arrive_warp(signals + (step + 1) % 2);
        wait_for_warps(signals + step % 2, step / 2);
#else
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        const uint ahead = step + AHEAD;
#if !HOLD_B
        copy_step(&copy, ahead, a_tile[ahead % STAGES], b_tile[ahead % STAGES]);
        end_of_copies();
#endif

        __local const uint4* from_a = a_tile[step % STAGES];
        __local const uint4* from_b = b_tile[step % STAGES];
        uint rows[HOLD_A ? ROW_TILES : 1][2][4 * PARTS];
        uint columns[HOLD_B ? QUADS : 1][4][4 * PARTS];
#if HOLD_A
        UNROLL
        for (uint i = 0; i < ROW_TILES; i++)
            load_rows(rows[i], from_a + (warp_row + i * 16 + g) * 4 + t);
#endif
#if HOLD_B
        UNROLL
        for (uint quad = 0; quad < QUADS; quad++)
            load_columns(columns[quad], from_b, warp_column + quad * 32, g, t);
        copy_step(&copy, ahead, a_tile[ahead % STAGES], b_tile[ahead % STAGES]);
        end_of_copies();
#endif
#if TYPE == CS8
        if (warp_column == 0)
            UNROLL
            for (uint i = 0; i < ROW_TILES; i++)
                UNROLL
                for (uint part = 0; part < 2; part++)
                    UNROLL
                    for (uint word = 0; word < 4; word++)
                        row_sums[i][part] = byte_products(
                            rows[i][part][word], 0x00010001u, row_sums[i][part]);
#endif
        UNROLL
        for (uint quad = 0; quad < QUADS; quad++) {
            const uint of_quad = HOLD_B ? quad : 0;
#if !HOLD_B
            load_columns(columns[0], from_b, warp_column + quad * 32, g, t);
#endif
            UNROLL
            for (uint i = 0; i < ROW_TILES; i++) {
                const uint of_rows = HOLD_A ? i : 0;
#if !HOLD_A
                load_rows(rows[0], from_a + (warp_row + i * 16 + g) * 4 + t);
#endif
#if DIRECT
                add_step(&sums[i][quad * 4],
                         rows[of_rows][0],
                         rows[of_rows][1],
                         columns[of_quad] EXCHANGE);
#else
                sum_type of_step[4][4];
                UNROLL
                for (uint j = 0; j < 4; j++)
                    UNROLL
                    for (uint e = 0; e < 4; e++)
                        of_step[j][e] = 0;
                add_step(of_step,
                         rows[of_rows][0],
                         rows[of_rows][1],
                         columns[of_quad] EXCHANGE);
                UNROLL
                for (uint j = 0; j < 4; j++)
                    UNROLL
                    for (uint e = 0; e < 4; e++)
                        sums[i][quad * 4 + j][e] += of_step[j][e];
#endif
            }
        }
#if IN_RUNS
        if (step % LONG_RUN == LONG_RUN - 1)
            UNROLL
            for (uint i = 0; i < ROW_TILES; i++)
                UNROLL
                for (uint j = 0; j < QUADS * 4; j++)
                    UNROLL
                    for (uint e = 0; e < 4; e++) {
                        earlier[i][j][e] += sums[i][j][e];
                        sums[i][j][e] = 0;
                    }
#endif
    }

#if IN_RUNS
    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        UNROLL
        for (uint j = 0; j < QUADS * 4; j++)
            UNROLL
            for (uint e = 0; e < 4; e++)
                sums[i][j][e] += earlier[i][j][e];
#elif TYPE == CS8
    /* Four lanes have parts of the sum of a row. */
    __local int real_sums[GROUP_ROWS];
    for (uint i = item; i < GROUP_ROWS; i += ITEMS)
        real_sums[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp_column == 0)
        for (uint i = 0; i < ROW_TILES; i++) {
            atomic_add(&real_sums[warp_row + i * 16 + g], row_sums[i][0]);
            atomic_add(&real_sums[warp_row + i * 16 + g + 8], row_sums[i][1]);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        UNROLL
        for (uint half_tile = 0; half_tile < 2; half_tile++) {
            const uint in_group = warp_row + i * 16 + half_tile * 8 + g;
            const uint row = first_row + in_group;
#if TYPE == CS8
            if (row >= antennas)
                continue;
            const size_t triangle = (size_t)antennas * (antennas + 1) / 2;
            __global int2* to = (__global int2*)out + out_offset + piece * triangle +
                                (size_t)row * (row + 1) / 2;
            UNROLL
            for (uint quad = 0; quad < QUADS; quad++)
                UNROLL
                for (uint part = 0; part < 2; part++)
                    UNROLL
                    for (uint j = 0; j < 2; j++) {
                        const uint column =
                            (first_column + warp_column + quad * 32 + part * 16) / 2 +
                            t * 2 + j;
                        const uint e = half_tile * 2 + part;
                        if (column <= row)
                            to[column] =
                                (int2)(sums[i][quad * 4 + 2 * j][e],
                                       sums[i][quad * 4 + 2 * j + 1][e] +
                                           real_sums[in_group]);
                    }
#else
            if (row >= m)
                continue;
            UNROLL
            for (uint quad = 0; quad < QUADS; quad++)
                UNROLL
                for (uint part = 0; part < 2; part++) {
                    const uint column =
                        first_column + warp_column + quad * 32 + part * 16 + t * 4;
                    if (column >= n)
                        continue;
                    sum_type values[4];
                    UNROLL
                    for (uint j = 0; j < 4; j++) {
                        values[j] = sums[i][quad * 4 + j][half_tile * 2 + part];
#if TYPE == BITS
                        if (column + j < n)
                            values[j] =
                                (int)bits + 4 * values[j] -
                                2 * (int)(copy.a.words[(size_t)row * a_leading + k] +
                                          copy.b.words[(size_t)(column + j) * b_leading + k]);
#endif
                    }
                    store(c,
                          c_offset + (size_t)row * c_leading + column,
                          values,
                          (int)(n - column),
                          (c_offset | c_leading) % 4 == 0 && n - column >= 4,
                          alpha,
                          beta);
                }
#endif
        }
}
