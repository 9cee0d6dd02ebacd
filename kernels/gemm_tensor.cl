/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * C = alpha A B + beta C on the matrix units of NVIDIA GPUs (compute capability 8.0 and
 * later), which OpenCL C reaches through the PTX instruction mma.sync.
 *
 * One kernel serves every type, because one instruction multiplies a fragment of A, 16
 * rows of 8 words of 32 bits, by a fragment of B, 8 words of 8 columns, whatever the words
 * contain: one float, two halves or 32 bits. Lane l of a warp, with g = l / 4 and
 * t = l % 4, has the words t and t + 4 of the rows g and g + 8 of A and of the column g of
 * B, and the columns 2 t and 2 t + 1 of the rows g and g + 8 of C. The order of the words
 * along K is free as long as A and B agree. Here lane t takes the words 4 t to 4 t + 3 of
 * 16, which are one load of 16 bytes from local memory for two instructions.
 * The order of the columns is free as well: four fragments take every fourth column of 32
 * each, so that a lane has eight neighbouring columns of C.
 *
 * The matrix units round their sums toward zero. Floating-point sums therefore run
 * through the matrix unit for one step of 16 words only, and are then added to an ordinary
 * float.
 *
 * Single precision is split into two numbers of 11 bits each, x = high + low, and the
 * product is the sum of high * high, high * low and low * high; low * low is below the
 * rounding of a float. With the precisions TF32 and HALF each number is rounded to 11 bits
 * instead, and there is one product. A complex product is a real one with twice the columns: its A is
 * the matrix as it lies in memory, and each complex row of its B gives the two rows
 * (re, im) and (-im, re).
 *
 * Preconditions: groups of GROUP_ROWS / WARP_ROWS * GROUP_COLUMNS / WARP_COLUMNS warps of
 * 32 work-items; WARP_ROWS is a multiple of 16, WARP_COLUMNS of 32; STAGES is 2 or more.
 * Offsets and leading dimensions are in elements; those of A and B are in words of 32 bits
 * where the elements are halves or bits, and so is k. The kernels pack_rows and
 * pack_columns make such rows of halves; where k is odd, their last half is 0. A row of
 * bits is followed by a word with its number of ones; the result is bits - 2 popcount(a
 * xor b) = bits - 2 ones(a) - 2 ones(b) + 4 popcount(a and b), and alpha and beta are not
 * used. Floats of B lie row by row, all other types of B lie column by column. With
 * ALIGNED all rows of A and B begin at multiples of 16 bytes. With EMULATE the kernel is
 * plain OpenCL C for any device, in which the lanes exchange their fragments through local
 * memory: this is how the layout is tested.
 */

#define F32 0
#define C32 1
#define F16 2
#define BITS 3

#define EXACT 0
#define TF32 1
#define HALF 2

#ifndef TYPE
#define TYPE F32
#endif
#ifndef PRECISION
#define PRECISION EXACT /* of floats: three products of tf32, one, or one of halves */
#endif
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
#define STAGES 2 /* steps of K in local memory */
#endif
#ifndef BAND
#define BAND 8 /* rows of tiles that consecutive work-groups share */
#endif
#ifndef ALIGNED
#define ALIGNED 0
#endif
#ifndef EMULATE
#define EMULATE 0
#endif

#define STEP 16 /* words of K in a step */
#define B_BY_ROWS (TYPE == F32 || TYPE == C32)
#define WARPS_ACROSS (GROUP_COLUMNS / WARP_COLUMNS)
#define WARPS (GROUP_ROWS / WARP_ROWS * WARPS_ACROSS)
#define ITEMS (32 * WARPS)
#define ROW_TILES (WARP_ROWS / 16)
#define QUADS (WARP_COLUMNS / 32)

#if B_BY_ROWS
/* A row of B ends with padding, so that the four rows that a warp reads together lie in
 * different memory banks. */
#define B_DEPTH (TYPE == C32 ? STEP / 2 : STEP)
#define B_LEADING (GROUP_COLUMNS / 4 + 2)
#define B_CHUNKS (B_DEPTH * B_LEADING) /* with padding */
#define B_ITEMS (B_DEPTH * GROUP_COLUMNS / 4)
#define B_ROW_CHUNKS (GROUP_COLUMNS / 4)
#define B_STEP B_DEPTH
#define B_COLUMN_STEP 0
#else
#define B_CHUNKS (GROUP_COLUMNS * STEP / 4)
#define B_ITEMS B_CHUNKS
#define B_ROW_CHUNKS (STEP / 4)
#define B_STEP 0
#define B_COLUMN_STEP STEP
#endif
#define A_CHUNKS (GROUP_ROWS * STEP / 4)
#define ROUNDS(chunks) (((chunks) + ITEMS - 1) / ITEMS)

/* Whether every round of copies takes whole rows, and the same place of each. */
#define REGULAR \
    (ALIGNED && ITEMS % 128 == 0 && ITEMS % B_ROW_CHUNKS == 0 && \
     A_CHUNKS % ITEMS == 0 && B_ITEMS % ITEMS == 0)

#if TYPE == BITS
typedef int sum_type;
#else
typedef float sum_type;
#endif
#if TYPE == F32 || TYPE == C32
typedef float element;
#elif TYPE == F16
typedef half element;
#else
typedef int element;
#endif

#if (TYPE == F32 || TYPE == C32) && PRECISION != HALF
#define MMA_SHAPE "m16n8k8"
#define MMA_TYPES "f32.tf32.tf32.f32"
#elif TYPE == BITS
#define MMA_SHAPE "m16n8k256"
#define MMA_TYPES "s32.b1.b1.s32.and.popc"
#else
#define MMA_SHAPE "m16n8k16"
#define MMA_TYPES "f32.f16.f16.f32"
#endif

#if EMULATE

#define EXCHANGE_ARGUMENT , __local uint *exchange
#define EXCHANGE , exchange
#define UNROLL

static sum_type word_product(uint a, uint b)
{
#if TYPE == BITS
    return (int)popcount(a & b);
#elif TYPE == F16 || PRECISION == HALF
    return vload_half(0, (const half*)&a) * vload_half(0, (const half*)&b) +
           vload_half(1, (const half*)&a) * vload_half(1, (const half*)&b);
#else
    return as_float(a & 0xffffe000u) * as_float(b & 0xffffe000u);
#endif
}

/* A warp's lanes write their fragments side by side: 4 words of A, 2 words of B. */
static void multiply_add(sum_type* sums, const uint* a, const uint* b EXCHANGE_ARGUMENT)
{
    const uint lane = get_local_id(0) % 32;
    __local uint* warp = exchange + get_local_id(0) / 32 * 192;
    for (uint i = 0; i < 4; i++)
        warp[lane * 6 + i] = a[i];
    for (uint i = 0; i < 2; i++)
        warp[lane * 6 + 4 + i] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 4; i++) {
        const uint row = lane / 4;
        const uint column = lane % 4 * 2 + i % 2;
        for (uint word = 0; word < 8; word++)
            sums[i] += word_product(
                warp[(row * 4 + word % 4) * 6 + word / 4 * 2 + i / 2],
                warp[(column * 4 + word % 4) * 6 + 4 + word / 4]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static uint two_halves(uint low, uint high)
{
    uint both;
    vstore_half(as_float(low), 0, (half*)&both);
    vstore_half(as_float(high), 1, (half*)&both);
    return both;
}

static void copy_words(__local uint* to, __global const uint* from, uint words, uint valid)
{
    for (uint i = 0; i < words; i++)
        to[i] = i < valid ? from[i] : 0;
}

static void end_of_copies(void) {}
static void wait_for_copies(void) {}

#else

#define EXCHANGE_ARGUMENT
#define EXCHANGE
#define UNROLL _Pragma("unroll")

#if TYPE == BITS
#define SUM_OPERAND "+r"
#else
#define SUM_OPERAND "+f"
#endif

static void multiply_add(sum_type* sums, const uint* a, const uint* b)
{
    __asm__("mma.sync.aligned." MMA_SHAPE ".row.col." MMA_TYPES
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : SUM_OPERAND(sums[0]), SUM_OPERAND(sums[1]), SUM_OPERAND(sums[2]),
          SUM_OPERAND(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static uint two_halves(uint low, uint high)
{
    uint both;
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;"
        : "=r"(both)
        : "f"(as_float(high)), "f"(as_float(low)));
    return both;
}

/* Copies to local memory that run beside the computation; words beyond the valid ones
 * become 0 and are not read. The instruction takes an address within local memory, which
 * is what a pointer to local memory contains. */
static void copy_words(__local uint* to, __global const uint* from, uint words, uint valid)
{
    const uint address = (uint)(size_t)to;
    if (words == 4)
        __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :
                         : "r"(address), "l"(from), "r"(valid * 4)
                         : "memory");
    else
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                         :
                         : "r"(address), "l"(from), "r"(valid * 4)
                         : "memory");
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#if STAGES == 2
#define COPIES_LEFT 0
#elif STAGES == 3
#define COPIES_LEFT 1
#elif STAGES == 4
#define COPIES_LEFT 2
#endif

static void end_of_copies(void)
{
    __asm__ volatile("cp.async.commit_group;" : : : "memory");
}

/* Waits until the oldest step that is being copied has arrived. */
static void wait_for_copies(void)
{
    __asm__ volatile("cp.async.wait_group " TEXT(COPIES_LEFT) ";" : : : "memory");
}

#endif

/* Copies up to four words from `from`, of which `valid` exist. */
static void
copy_chunk(__local uint4* to, __global const uint* origin, size_t index, int valid)
{
    valid = clamp(valid, 0, 4);
    /* A pointer beyond the matrix is not even formed. */
    __global const uint* from = origin + (valid ? index : 0);
#if ALIGNED
    copy_words((__local uint*)to, from, 4, (uint)valid);
#else
    UNROLL
    for (int i = 0; i < 4; i++)
        copy_words((__local uint*)to + i, from + (i < valid ? i : 0), 1, i < valid);
#endif
}

/* The row of B that has a chunk of a step. Where B lies column by column, fragment j of
 * four takes the columns j, j + 4 and so on of 32. */
static uint row_of(uint chunk)
{
    const uint row = chunk / B_ROW_CHUNKS;
#if B_BY_ROWS
    return row;
#else
    return row / 32 * 32 + row % 8 * 4 + row % 32 / 8;
#endif
}

/* The place of a chunk of B in local memory. Of the rows in local memory, lane t reads t,
 * t + 4 and so on, and needs neighbouring rows of B. The columns of a fragment lie side by
 * side. */
static uint place_of(uint chunk)
{
#if B_BY_ROWS
    const uint row = chunk / B_ROW_CHUNKS;
    const uint across = B_DEPTH / 4;
    return (row % across * 4 + row / across) * B_LEADING + chunk % B_ROW_CHUNKS;
#else
    return chunk;
#endif
}

/* The parts of A and B that a group copies. */
typedef struct {
    __global const uint* a;
    uint a_leading, a_rows, a_columns, first_a_row;
    __global const uint* b;
    uint b_leading, b_rows, b_columns, first_b_row, first_b_column;
    bool is_inside; /* no row or column lies beyond the matrices */
} tile_copy;

/* Copies a step of K to local memory; a step beyond the last one has nothing to copy. */
static void
copy_step(const tile_copy* copy, uint step, __local uint4* to_a, __local uint4* to_b)
{
    const uint item = get_local_id(0);
    const uint a_column = step * STEP;
    const uint b_row = copy->first_b_row + step * B_STEP;
    const uint b_column = copy->first_b_column + step * B_COLUMN_STEP;
    if (a_column >= copy->a_columns)
        return;
    if (copy->is_inside && a_column + STEP <= copy->a_columns) {
        /* Here the copies need no checks, and go from row to row by additions. */
        __global const uint* from = copy->a + a_column + item % 4 * 4 +
                                    (size_t)(copy->first_a_row + item / 4) *
                                        copy->a_leading;
        UNROLL
        for (uint i = 0; i < ROUNDS(A_CHUNKS); i++) {
            copy_words((__local uint*)(to_a + i * ITEMS + item), from, 4, 4);
            from += (size_t)(ITEMS / 4) * copy->a_leading;
        }
        from = copy->b + b_column + item % B_ROW_CHUNKS * 4 +
               (size_t)(b_row + row_of(item)) * copy->b_leading;
        UNROLL
        for (uint i = 0; i < ROUNDS(B_ITEMS); i++) {
            copy_words((__local uint*)(to_b + place_of(i * ITEMS + item)), from, 4, 4);
            from += (size_t)(ITEMS / B_ROW_CHUNKS) * copy->b_leading;
        }
        return;
    }
    UNROLL
    for (uint i = 0; i < ROUNDS(A_CHUNKS); i++) {
        const uint chunk = i * ITEMS + item;
        const uint row = copy->first_a_row + chunk / 4;
        const uint column = a_column + chunk % 4 * 4;
        if (A_CHUNKS % ITEMS == 0 || chunk < A_CHUNKS)
            copy_chunk(to_a + chunk,
                       copy->a,
                       (size_t)row * copy->a_leading + column,
                       row < copy->a_rows ? (int)copy->a_columns - (int)column : 0);
    }
    UNROLL
    for (uint i = 0; i < ROUNDS(B_ITEMS); i++) {
        const uint chunk = i * ITEMS + item;
        const uint row = b_row + row_of(chunk);
        const uint column = b_column + chunk % B_ROW_CHUNKS * 4;
        if (B_ITEMS % ITEMS == 0 || chunk < B_ITEMS)
            copy_chunk(to_b + place_of(chunk),
                       copy->b,
                       (size_t)row * copy->b_leading + column,
                       row < copy->b_rows ? (int)copy->b_columns - (int)column : 0);
    }
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
static void prepare(uint* words)
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
    for (uint i = 0; i < 4; i++)
        words[i] += 0x1000u;
#elif B_BY_ROWS
    words[0] = two_halves(words[0], words[1]);
    words[1] = two_halves(words[2], words[3]);
#endif
}

/* Adds the products of a step for the four fragments of C that lie side by side, with
 * 4 sums each. Four independent chains of instructions hide each other's latency. */
static void add_step(sum_type (*sums)[4],
                     const uint* upper,
                     const uint* lower,
                     const uint (*columns)[4 * PARTS] EXCHANGE_ARGUMENT)
{
#if TYPE == BITS
    sum_type(*step)[4] = sums;
#else
    sum_type step[4][4];
    UNROLL
    for (uint j = 0; j < 4; j++)
        UNROLL
        for (uint e = 0; e < 4; e++)
            step[j][e] = 0;
#endif
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
                multiply_add(step[j], a, columns[j] + of_b EXCHANGE);
        }
#if TYPE != BITS
    UNROLL
    for (uint j = 0; j < 4; j++)
        UNROLL
        for (uint e = 0; e < 4; e++)
            sums[j][e] += step[j][e];
#endif
}

static void unpack(uint* words, uint4 chunk)
{
    words[0] = chunk.s0;
    words[1] = chunk.s1;
    words[2] = chunk.s2;
    words[3] = chunk.s3;
}

/* Stores `count` neighbouring columns of a row of C, at most 4. */
static void store(__global element* c,
           size_t index,
           const sum_type* values,
           int count,
           float2 alpha,
           float2 beta)
{
#if TYPE == C32
    UNROLL
    for (int i = 0; i < 4; i += 2)
        if (i < count) {
            float2 value = (float2)(alpha.x * values[i] - alpha.y * values[i + 1],
                                    alpha.x * values[i + 1] + alpha.y * values[i]);
            if (beta.x != 0 || beta.y != 0) {
                const float2 old = vload2(0, c + index + i);
                value += (float2)(beta.x * old.x - beta.y * old.y,
                                  beta.x * old.y + beta.y * old.x);
            }
            vstore2(value, 0, c + index + i);
        }
#else
    UNROLL
    for (int i = 0; i < 4; i++)
        if (i < count) {
#if TYPE == F32
            float value = alpha.x * values[i];
            if (beta.x != 0)
                value += beta.x * c[index + i];
            c[index + i] = value;
#elif TYPE == F16
            float value = alpha.x * values[i];
            if (beta.x != 0)
                value += beta.x * vload_half(index + i, c);
            vstore_half(value, index + i, c);
#else
            c[index + i] = values[i];
#endif
        }
#endif
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

#if TYPE == F16
#define PACK_ITEMS 128
#define PACK_SIDE 32 /* columns of B, and words, of a tile that a group packs */

/* Copies rows of k halves, which may lie at any address, to rows of words. If k is odd,
 * the last half of a row is 0. A group copies a row. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_rows(__global const ushort* from,
          uint from_offset,
          uint from_leading,
          uint k,
          __global uint* to,
          uint to_leading)
{
    const size_t row = get_group_id(0);
    __global const ushort* halves = from + from_offset + row * from_leading;
    for (uint word = get_local_id(0); 2 * word < k; word += PACK_ITEMS) {
        uint both = halves[2 * word];
        if (2 * word + 1 < k)
            both |= (uint)halves[2 * word + 1] << 16;
        to[row * to_leading + word] = both;
    }
}

/* Copies the n columns of a matrix of k rows of halves to rows of words, as pack_rows
 * does. A tile goes through local memory, so that a group both reads and writes along
 * rows. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_columns(__global const ushort* from,
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
    for (uint i = down; i < PACK_SIDE; i += PACK_ITEMS / PACK_SIDE) {
        const uint row = 2 * (first_word + i);
        const uint column = first_column + across;
        uint both = 0;
        if (row < k && column < n) {
            const size_t at = from_offset + (size_t)row * from_leading + column;
            both = from[at];
            if (row + 1 < k)
                both |= (uint)from[at + from_leading] << 16;
        }
        tile[i][across] = both;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = down; i < PACK_SIDE; i += PACK_ITEMS / PACK_SIDE) {
        const uint column = first_column + i;
        const uint word = first_word + across;
        if (column < n && 2 * word < k)
            to[(size_t)column * to_leading + word] = tile[across][i];
    }
}
#endif

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
     __global element* c,
     uint c_offset,
     uint c_leading
#if TYPE == BITS
     ,
     uint bits
#endif
)
{
    __local uint4 a_tile[STAGES][A_CHUNKS];
    __local uint4 b_tile[STAGES][B_CHUNKS];
#if EMULATE
    __local uint exchange[WARPS * 192];
#endif

#if TYPE == C32
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
    const uint warp_row = item / 32 / WARPS_ACROSS * WARP_ROWS;
    const uint warp_column = item / 32 % WARPS_ACROSS * WARP_COLUMNS;

    /* Consecutive groups work on BAND rows of tiles, column by column, so that the groups
     * that run together share rows of A and columns of B in the cache. */
    const uint tiles_down = (m + GROUP_ROWS - 1) / GROUP_ROWS;
    const uint tiles_across = (n + GROUP_COLUMNS - 1) / GROUP_COLUMNS;
    const uint band = get_group_id(0) / (BAND * tiles_across);
    const uint in_band = get_group_id(0) - band * BAND * tiles_across;
    const uint band_rows = min((uint)BAND, tiles_down - band * BAND);
    const uint first_row = (band * BAND + in_band % band_rows) * GROUP_ROWS;
    const uint first_column = in_band / band_rows * GROUP_COLUMNS;

    sum_type sums[ROW_TILES][QUADS * 4][4];
    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        UNROLL
        for (uint j = 0; j < QUADS * 4; j++)
            UNROLL
            for (uint e = 0; e < 4; e++)
                sums[i][j][e] = 0;

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
        a + a_offset,  a_leading,  m,          a_words,      first_row,
        b + b_offset,  b_leading,  b_rows,     b_columns,    first_b_row, first_b_column,
        REGULAR && first_row + GROUP_ROWS <= m && first_column + GROUP_COLUMNS <= n
    };

    const uint steps = (a_words + STEP - 1) / STEP;
    for (uint step = 0; step < STAGES - 1; step++) {
        copy_step(&copy, step, a_tile[step % STAGES], b_tile[step % STAGES]);
        end_of_copies();
    }
    for (uint step = 0; step < steps; step++) {
        wait_for_copies();
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint ahead = step + STAGES - 1;
        copy_step(&copy, ahead, a_tile[ahead % STAGES], b_tile[ahead % STAGES]);
        end_of_copies();

        __local const uint4* from_a = a_tile[step % STAGES] + warp_row * 4;
        __local const uint4* from_b = b_tile[step % STAGES];
        UNROLL
        for (uint quad = 0; quad < QUADS; quad++) {
            uint columns[4][4 * PARTS];
#if TYPE == F32
            UNROLL
            for (uint i = 0; i < 4; i++) {
                const uint4 row = from_b[(t + 4 * i) * B_LEADING + warp_column / 4 +
                                         quad * 8 + g];
                columns[0][i] = row.s0;
                columns[1][i] = row.s1;
                columns[2][i] = row.s2;
                columns[3][i] = row.s3;
            }
#elif TYPE == C32
            UNROLL
            for (uint i = 0; i < 2; i++) {
                const uint4 row = from_b[(t + 4 * i) * B_LEADING + warp_column / 4 +
                                         quad * 8 + g];
                columns[0][2 * i] = row.s0;
                columns[1][2 * i] = row.s1;
                columns[2][2 * i] = row.s2;
                columns[3][2 * i] = row.s3;
                columns[0][2 * i + 1] = row.s1 ^ 0x80000000u;
                columns[1][2 * i + 1] = row.s0;
                columns[2][2 * i + 1] = row.s3 ^ 0x80000000u;
                columns[3][2 * i + 1] = row.s2;
            }
#else
            UNROLL
            for (uint j = 0; j < 4; j++)
                unpack(columns[j],
                       from_b[(warp_column + quad * 32 + j * 8 + g) * 4 + t]);
#endif
            UNROLL
            for (uint j = 0; j < 4; j++)
                prepare(columns[j]);
            UNROLL
            for (uint i = 0; i < ROW_TILES; i++) {
                uint upper[4 * PARTS], lower[4 * PARTS];
                unpack(upper, from_a[(i * 16 + g) * 4 + t]);
                unpack(lower, from_a[(i * 16 + g + 8) * 4 + t]);
                prepare(upper);
                prepare(lower);
                add_step(&sums[i][quad * 4], upper, lower, columns EXCHANGE);
            }
        }
    }

    UNROLL
    for (uint i = 0; i < ROW_TILES; i++)
        UNROLL
        for (uint half_tile = 0; half_tile < 2; half_tile++) {
            const uint row = first_row + warp_row + i * 16 + half_tile * 8 + g;
            if (row < m)
                UNROLL
                for (uint quad = 0; quad < QUADS; quad++)
                    UNROLL
                    for (uint part = 0; part < 2; part++) {
                        const uint column = first_column + warp_column + quad * 32 +
                                            t * 8 + part * 4;
                        if (column >= n)
                            continue;
                        sum_type values[4];
                        UNROLL
                        for (uint j = 0; j < 4; j++) {
                            values[j] = sums[i][quad * 4 + j][half_tile * 2 + part];
#if TYPE == BITS
                            if (column + j < n)
                                values[j] =
                                    (int)bits +
                                    4 * values[j] -
                                    2 * (int)(copy.a[(size_t)row * a_leading + k] +
                                              copy.b[(size_t)(column + j) * b_leading +
                                                     k]);
#endif
                        }
                        store(c,
                              c_offset + (size_t)row * c_leading + column,
                              values,
                              (int)(n - column),
                              alpha,
                              beta);
                    }
        }
}
