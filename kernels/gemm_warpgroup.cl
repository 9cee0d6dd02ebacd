// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products on the matrix units of Hopper GPUs, by wgmma.

/*
 * C = alpha A B + beta C on the matrix units of NVIDIA's Hopper GPUs (compute capability
 * 9.0), by the PTX instruction wgmma. Four warps, a warpgroup, multiply 64 rows of A by up
 * to 256 columns of B, both of which the matrix units read from local memory themselves.
 * That is twice as fast as mma.sync, for which lanes load every fragment into registers.
 *
 * The compiler of NVIDIA's OpenCL makes PTX for the architecture sm_90, which has no wgmma,
 * and no option names another one. So the instructions of sm_90a are comments here, behind
 * the mark "//@sm_90a". The engine takes the PTX of the built program, which is what the
 * driver calls its binary, names the architecture sm_90a in it, removes the marks, and
 * builds the program from that.
 *
 * One kernel serves every type, because one instruction multiplies 8 words of 32 bits of
 * each row by as many of each column, whatever they contain: one float, two halves, four
 * bytes or 32 bits.
 *
 * The kernels pack_rows and pack_columns bring A and B into the form in which the matrix
 * units read them: blocks of 64 rows (of A) or columns (of B) by 32 words along K, 8 KB,
 * with a row behind the other and zeros beyond the matrix. Word 4 c + i of row r is word 4
 * (c ^ (r % 8)) + i of the block's row: so the units read the same words of eight rows
 * from different memory banks. A block comes to local memory by a single command.
 *
 * Single precision is split into two numbers of 11 bits each, x = high + low, which are
 * two blocks, one behind the other; the product is the sum of high * high, high * low and
 * low * high. The matrix units round their sums toward zero. With SUMMED they therefore sum
 * up 32 words only, and ordinary floats sum up these sums, while the units compute the next
 * ones. With the precisions TF32 and HALF each number is rounded to 11 bits instead, and
 * there is one product. A complex product is a real one with twice the columns: its A is
 * the matrix as it lies in memory, and each complex column of B gives the columns (re, -im)
 * and (im, re).
 *
 * The matrix units read one of the factors from registers where its words have to be made
 * from others, and are used once. There are two such kernels.
 *
 * With WIDE, a complex B of many columns is multiplied by an A of few rows and columns.
 * Packing would write four times as many bytes as B has. Instead the product is computed as
 * its transpose: columns of B are the rows that the units read from registers. Each warp
 * has 16 columns of B copied to local memory as they lie, ahead of the computation, and
 * splits their floats in registers. A gives two columns for each row, (re, -im) and (im,
 * re), which a group writes to local memory at its beginning.
 *
 * With CS8 the factors are the samples of antennas, and the sums are those of a
 * correlator, X X^H. Packed samples (re, im) are the rows and columns whose products are
 * the real parts. For those of the imaginary parts the rows are (im, -re), which are made
 * in registers. A byte of -128 has no negative byte, so that they have -re - 1 instead,
 * and the sum of the imaginary parts of the column's samples is added at the end. Only the
 * tiles of the lower triangle are computed.
 *
 * Preconditions: groups of ITEMS work-items; COLUMNS is 64, 128 or 256; alpha and
 * beta of products of bytes are 0 or 1; steps is at least 1. Packed rows of bits are
 * followed, behind all blocks, by the number of ones of each; the result is bits - 2
 * popcount(a xor b) = bits - 2 ones(a) - 2 ones(b) + 4 popcount(a and b), and alpha and beta
 * are not used. A WIDE product has at most 16 WIDE_STEPS rows of B. With EMULATE the
 * kernel is plain OpenCL C for any device, which computes from the same local memory: this
 * is how the layout is tested.
 */

#include "matrix_units.clh"

#ifndef GROUPS
#define GROUPS 2 /* groups of four warps; each computes 64 rows of C */
#endif
#ifndef COLUMNS
#define COLUMNS 128 /* columns of C of a work-group, in floats if C is complex */
#endif
#ifndef STAGES
#define STAGES 3 /* steps of K in local memory */
#endif
#ifndef SUMMED
#define SUMMED 1 /* whether ordinary floats sum up the sums of the steps */
#endif
#ifndef WIDE
#define WIDE 0 /* whether columns of B come from registers */
#endif
#ifndef WIDE_STEPS
#define WIDE_STEPS 4 /* steps of K of such a product */
#endif
#define STEP 32                      /* words of K in a step */
#define BLOCK 64                     /* rows or columns of a block */
#define BLOCK_CHUNKS (BLOCK * STEP / 4) /* chunks of 16 bytes of a block */
#define PARTS (OF_FLOATS && PRECISION == EXACT ? 2 : 1)
#define ROWS (BLOCK * GROUPS) /* the tile of C of a work-group */
/* With SUMMED, and for the sums of a correlator, a work-item needs so many registers that
 * there is no room for another warp, and the first one has the copies made; otherwise a
 * warp of its own does. */
#define HAS_COPY_WARP (!SUMMED && TYPE != CS8)
#define ITEMS (128 * GROUPS + (HAS_COPY_WARP ? 32 : 0))
#define SUMS (COLUMNS / 2) /* elements of C of a work-item */
/* Whether the matrix units read rows from registers. */
#define FROM_REGISTERS (WIDE || TYPE == CS8)

/* A stage has the blocks of A, those of the first part first, and then the ones of B. */
#define A_BLOCKS (PARTS * GROUPS)
#define B_BLOCKS (PARTS * COLUMNS / BLOCK)
#define STAGE_CHUNKS ((A_BLOCKS + B_BLOCKS) * BLOCK_CHUNKS)

#define WAIT_INSTRUCTION "try_wait"
#define STORE_COLUMNS 2
#define COPIES_LEFT 4 /* SLOTS - 2, of a WIDE product */

#include "async_copies.clh"
#include "gemm_tiles.clh"
#include "signals.clh"
#include "triangle.clh"

/* A word of a row of the blocks that begin at `from`. */
HELPER uint word_at(__local const uint4* from, uint row, uint word)
{
    return ((__local const uint*)(from + row * 8 + (word / 4 ^ row % 8)))[word % 4];
}

#if EMULATE

/* The products of 8 words, as the matrix units leave them to the lanes. */
HELPER void multiply_add(
    sum_type* sums, __local const uint4* a, __local const uint4* b, uint slice, bool keep)
{
    const uint lane = get_local_id(0) % 32;
    for (uint i = 0; i < SUMS; i++) {
        const uint row = get_local_id(0) / 32 % 4 * 16 + i / 2 % 2 * 8 + lane / 4;
        const uint column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        sum_type sum = keep ? sums[i] : 0;
        for (uint word = slice * 8; word < slice * 8 + 8; word++)
            sum += word_product(word_at(a, row, word), word_at(b, column, word));
        sums[i] = sum;
    }
}

/* The same with rows from registers: lane l has the words l % 4 and 4 + l % 4 of the rows
 * l / 4 and 8 + l / 4 of its warp's 16. All work-items come here together. */
#define EXCHANGE_ARGUMENT , __local uint *exchange
#define EXCHANGE , exchange
HELPER void multiply_add_rows(sum_type* sums,
                              const uint* rows,
                              __local const uint4* b,
                              uint slice,
                              bool keep EXCHANGE_ARGUMENT)
{
    const uint lane = get_local_id(0) % 32;
    __local uint* warp = exchange + get_local_id(0) / 32 * 128;
    for (uint i = 0; i < 4; i++)
        warp[lane * 4 + i] = rows[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < SUMS; i++) {
        const uint column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        sum_type sum = keep ? sums[i] : 0;
        for (uint word = 0; word < 8; word++)
            sum += word_product(
                warp[(lane / 4 * 4 + word % 4) * 4 + word / 4 * 2 + i / 2 % 2],
                word_at(b, column, slice * 8 + word));
        sums[i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#else

#define EXCHANGE_ARGUMENT
#define EXCHANGE
#define MARK "//@sm_90a "

#if WHOLE
#define SUM(x) "+r"(x)
#else
#define SUM(x) "+f"(x)
#endif
#if TYPE == BITS
#define SHAPE "k256.s32.b1.b1.and.popc"
#define FACTORS ""
#elif WHOLE
#define SHAPE "k32.s32.s8.s8"
#define FACTORS ""
#elif PER_WORD == 2
#define SHAPE "k16.f32.f16.f16"
#define FACTORS ", 1, 1, 0, 0"
#define FACTORS_OF_ROWS ", 1, 1, 0"
#else
#define SHAPE "k8.f32.tf32.tf32"
#define FACTORS ", 1, 1"
#endif
#ifndef FACTORS_OF_ROWS
#define FACTORS_OF_ROWS FACTORS
#endif

/* The operands of all sums, and their names. */
#define SUMS_8(s, i)                                                              \
    SUM(s[i]), SUM(s[i + 1]), SUM(s[i + 2]), SUM(s[i + 3]), SUM(s[i + 4]),        \
        SUM(s[i + 5]), SUM(s[i + 6]), SUM(s[i + 7])
#define SUMS_32(s, i) SUMS_8(s, i), SUMS_8(s, i + 8), SUMS_8(s, i + 16), SUMS_8(s, i + 24)
#define NAMES_32                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, " \
    "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64                                                                  \
    NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "  \
             "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "    \
             "%58, %59, %60, %61, %62, %63"
#define NAMES_128                                                                 \
    NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, "  \
             "%77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "    \
             "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, " \
             "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, "   \
             "%114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "   \
             "%125, %126, %127"
#if COLUMNS == 64
#define NAMES NAMES_32
#define OPERANDS(s) SUMS_32(s, 0)
#elif COLUMNS == 128
#define NAMES NAMES_64
#define OPERANDS(s) SUMS_32(s, 0), SUMS_32(s, 32)
#else
#define NAMES NAMES_128
#define OPERANDS(s) SUMS_32(s, 0), SUMS_32(s, 32), SUMS_32(s, 64), SUMS_32(s, 96)
#endif

/* How wgmma finds the words of the rows that begin at an address: rows of 128 bytes whose
 * chunks are exchanged as above, and 1024 bytes from eight rows to the next eight. */
HELPER ulong descriptor(uint address)
{
    return (ulong)(address >> 4) | 1ul << 16 | 1024ul >> 4 << 32 | 1ul << 62;
}

/* Begins to multiply 8 words. The sums must not be read before end_of_products(). */
HELPER void multiply_add(
    sum_type* sums, __local const uint4* a, __local const uint4* b, uint slice, bool keep)
{
    __asm__ volatile(
        MARK "{ .reg .pred keep; setp.ne.u32 keep, %[keep], 0; "
             "wgmma.mma_async.sync.aligned.m64n" TEXT(COLUMNS) SHAPE " {" NAMES "}, "
             "%[a], %[b], keep" FACTORS "; }"
        : OPERANDS(sums)
        : [a] "l"(descriptor(ADDRESS(a) + slice * 32)),
          [b] "l"(descriptor(ADDRESS(b) + slice * 32)),
          [keep] "r"((uint)keep)
        : "memory");
}

/* The same with rows from registers, which must not change before the products are
 * complete: lane l has the words l % 4 and 4 + l % 4 of the rows l / 4 and 8 + l / 4 of its
 * warp's 16. */
HELPER void multiply_add_rows(
    sum_type* sums, const uint* rows, __local const uint4* b, uint slice, bool keep)
{
    __asm__ volatile(
        MARK "{ .reg .pred keep; setp.ne.u32 keep, %[keep], 0; "
             "wgmma.mma_async.sync.aligned.m64n" TEXT(COLUMNS) SHAPE " {" NAMES "}, "
             "{%[a0], %[a1], %[a2], %[a3]}, %[b], keep" FACTORS_OF_ROWS "; }"
        : OPERANDS(sums)
        : [a0] "r"(rows[0]),
          [a1] "r"(rows[1]),
          [a2] "r"(rows[2]),
          [a3] "r"(rows[3]),
          [b] "l"(descriptor(ADDRESS(b) + slice * 32)),
          [keep] "r"((uint)keep)
        : "memory");
}

HELPER void begin_products(void)
{
    __asm__ volatile(MARK "wgmma.fence.sync.aligned;" : : : "memory");
}

HELPER void commit_products(void)
{
    __asm__ volatile(MARK "wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* Waits for the products of all steps but the last ones. */
#define WAIT_FOR_PRODUCTS(steps)                                                    \
    __asm__ volatile(MARK "wgmma.wait_group.sync.aligned " #steps ";" : : : "memory")

/* Nothing that follows uses these sums earlier than here. */
HELPER void end_of_products(sum_type* sums)
{
    __asm__ volatile("" : OPERANDS(sums) : : "memory");
}

/* As arrive(); the signal waits for as many bytes of copies as well. */
HELPER void arrive_with_copies(__local ulong* signal, uint bytes)
{
    __asm__ volatile(
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
        :
        : "r"(ADDRESS(signal)), "r"(bytes)
        : "memory");
}

/* Copies a block, and tells the signal how much of it has arrived. */
HELPER void
copy_block(__local uint4* to, __global const uint4* from, __local ulong* signal)
{
    __asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];"
                     :
                     : "r"(ADDRESS(to)),
                       "l"(from),
                       "r"(BLOCK_CHUNKS * 16),
                       "r"(ADDRESS(signal))
                     : "memory");
}

#endif

/* The chunk of packed blocks at which a step begins. */
HELPER size_t step_at(uint block, uint steps, uint step)
{
    return ((size_t)block * steps + step) * PARTS * BLOCK_CHUNKS;
}

/* Multiplies a step. The sums of an earlier one are kept if `keep` is set. */
HELPER void multiply_step(sum_type* sums, __local const uint4* stage, uint group, bool keep)
{
    __local const uint4* a = stage + group * BLOCK_CHUNKS;
    __local const uint4* b = stage + A_BLOCKS * BLOCK_CHUNKS;
#if PARTS == 2
    __local const uint4* low_a = a + GROUPS * BLOCK_CHUNKS;
    __local const uint4* low_b = b + B_BLOCKS / 2 * BLOCK_CHUNKS;
    /* The small products come first: a sum toward zero then loses less. */
    UNROLL
    for (uint slice = 0; slice < 4; slice++) {
        multiply_add(sums, low_a, b, slice, keep || slice > 0);
        multiply_add(sums, a, low_b, slice, true);
    }
    UNROLL
    for (uint slice = 0; slice < 4; slice++)
        multiply_add(sums, a, b, slice, true);
#else
    UNROLL
    for (uint slice = 0; slice < 4; slice++)
        multiply_add(sums, a, b, slice, keep || slice > 0);
#endif
}

#if !EMULATE
/* What a work-group copies, and where to. */
typedef struct {
    __local uint4 (*stages)[STAGE_CHUNKS];
    __local ulong *arrived, *read; /* signals of each stage */
    __global const uint4 *a, *b;
    uint first_a, last_a, first_b, last_b; /* blocks */
    uint first_step, steps;                /* that the group multiplies */
    uint all_steps;                        /* of a row of blocks */
} tile_copy;

/* One work-item has the blocks of a step copied to its stage, which must be free. */
HELPER void copy_step(const tile_copy* copy, uint step)
{
    __local uint4* stage = copy->stages[step % STAGES];
    __local ulong* signal = &copy->arrived[step % STAGES];
    const uint at = copy->first_step + step;
    arrive_with_copies(signal, STAGE_CHUNKS * 16);
    UNROLL
    for (uint part = 0; part < PARTS; part++) {
        UNROLL
        for (uint i = 0; i < GROUPS; i++)
            copy_block(stage + (part * GROUPS + i) * BLOCK_CHUNKS,
                       copy->a +
                           step_at(
                               min(copy->first_a + i, copy->last_a), copy->all_steps, at) +
                           part * BLOCK_CHUNKS,
                       signal);
        UNROLL
        for (uint i = 0; i < COLUMNS / BLOCK; i++)
            copy_block(stage + (A_BLOCKS + part * (COLUMNS / BLOCK) + i) * BLOCK_CHUNKS,
                       copy->b +
                           step_at(
                               min(copy->first_b + i, copy->last_b), copy->all_steps, at) +
                           part * BLOCK_CHUNKS,
                       signal);
    }
}

/* Begins the products of a step, as soon as its blocks have arrived. */
HELPER void
begin_step(const tile_copy* copy, uint step, sum_type* sums, uint group, bool keep)
{
    wait_for(&copy->arrived[step % STAGES], step / STAGES);
    begin_products();
    multiply_step(sums, copy->stages[step % STAGES], group, keep);
    commit_products();
}

/* As soon as the products of a step are complete in all warps, its stage takes a later
 * one. */
HELPER void copy_after(const tile_copy* copy, uint step)
{
    if (step + STAGES >= copy->steps)
        return;
    wait_for(&copy->read[step % STAGES], step / STAGES);
    copy_step(copy, step + STAGES);
}

/* Says that this warp's products of a step are complete. */
HELPER void end_step(const tile_copy* copy, uint step)
{
    const uint item = get_local_id(0);
    if (item % 32 == 0)
        arrive(&copy->read[step % STAGES]);
#if TYPE == CS8
    /* The other warps are done with the step before, so that this one need not wait. */
    if (item == 0 && step > 0)
        copy_after(copy, step - 1);
#elif !HAS_COPY_WARP
    if (item == 0)
        copy_after(copy, step);
#endif
}
#endif

#define PACK_ITEMS 128

#if OF_FLOATS
/* A number of 11 bits. No bits are added to those of a NaN, which could make a number of
 * it. */
HELPER uint rounded(uint x)
{
    return isnan(as_float(x)) ? 0x7fc00000u : (x + 0x1000u) & 0xffffe000u;
}
#endif

#if TYPE != CS8 && !WIDE
#define PACK_ROWS 32 /* rows of a block that a group packs, half of them */
#define ROWS_EACH (PACK_ROWS * STEP / PACK_ITEMS) /* rows of which an item packs a word */

/* A word along K of a row of A: the elements at `at`, of which there are `count`; others
 * are 0. */
HELPER uint word_of_row(__global const packed_element* from, size_t at, uint count)
{
#if OF_FLOATS && PRECISION == HALF
    return two_halves(count > 0 ? from[at] : 0, count > 1 ? from[at + 1] : 0);
#elif OF_FLOATS
    return count > 0 ? from[at] : 0;
#else
    if (at % PER_WORD == 0 && count >= PER_WORD)
        return ((__global const uint*)from)[at / PER_WORD];
    return word_of(from + at, 1, count);
#endif
}

#if TYPE != BITS
/* A word along K of a column of B, whose rows are `leading` elements apart: its elements
 * from `row` on, of which there are `count`. Floats of complex matrices are counted as if
 * both matrices were real. */
HELPER uint word_of_column(__global const packed_element* from,
                           size_t leading,
                           uint row,
                           uint column,
                           uint count)
{
#if TYPE == C32
    uint words[2] = { 0, 0 };
    UNROLL
    for (uint i = 0; i < PER_WORD; i++)
        if (i < count) {
            const uint part = (row + i) % 2 ^ column % 2;
            const uint value =
                from[(row + i) / 2 * leading + column / 2 * 2 + part];
            words[i] = column % 2 == 0 && part == 1 ? value ^ 0x80000000u : value;
        }
    return PER_WORD == 2 ? two_halves(words[0], words[1]) : words[0];
#elif OF_FLOATS
    const size_t at = (size_t)row * leading + column;
    return PER_WORD == 2
               ? two_halves(count > 0 ? from[at] : 0, count > 1 ? from[at + leading] : 0)
               : (count > 0 ? from[at] : 0);
#else
    return word_of(from + (size_t)row * leading + column, leading, count);
#endif
}
#endif

/* Writes the words of some rows of a block, as they have been collected. */
HELPER void store_rows(__local uint (*words)[STEP + 1],
                       __global uint4* to,
                       uint first_row,
                       uint steps,
                       uint step)
{
    UNROLL
    for (uint i = get_local_id(0); i < PACK_ROWS * STEP / 4; i += PACK_ITEMS) {
        const uint row = i / (STEP / 4);
        const uint chunk = i % (STEP / 4);
        const uint in_block = (first_row + row) % BLOCK;
        __local const uint* from = &words[row][chunk * 4];
        __global uint4* place = to + step_at((first_row + row) / BLOCK, steps, step) +
                                in_block * (STEP / 4) + (chunk ^ in_block % 8);
#if OF_FLOATS && PRECISION == EXACT
        uint high[4], low[4];
        UNROLL
        for (uint j = 0; j < 4; j++) {
            high[j] = rounded(from[j]);
            low[j] = rounded(as_uint(as_float(from[j]) - as_float(high[j])));
        }
        place[0] = (uint4)(high[0], high[1], high[2], high[3]);
        place[BLOCK_CHUNKS] = (uint4)(low[0], low[1], low[2], low[3]);
#elif OF_FLOATS && PRECISION == TF32
        place[0] = (uint4)(
            rounded(from[0]), rounded(from[1]), rounded(from[2]), rounded(from[3]));
#else
        place[0] = (uint4)(from[0], from[1], from[2], from[3]);
#endif
    }
}

/* Packs the `rows` rows of a matrix A of k elements a row. A group packs 32 rows of one
 * step, and of all steps where they are bits. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_rows(__global const packed_element* from,
          uint from_offset,
          uint from_leading,
          uint rows,
          uint k,
          uint steps,
          __global uint4* to)
{
    __local uint words[PACK_ROWS][STEP + 1];
    const uint word = get_local_id(0) % STEP;
    const uint down = get_local_id(0) / STEP;
#if TYPE == BITS
    const uint first_row = get_group_id(0) * PACK_ROWS;
    const uint first_step = 0;
    const uint end_step = steps;
    uint ones[ROWS_EACH];
    UNROLL
    for (uint i = 0; i < ROWS_EACH; i++)
        ones[i] = 0;
#else
    const uint first_row = get_group_id(0) / steps * PACK_ROWS;
    const uint first_step = get_group_id(0) % steps;
    const uint end_step = first_step + 1;
#endif
    for (uint step = first_step; step < end_step; step++) {
        const uint column = (step * STEP + word) * PER_WORD;
        uint values[ROWS_EACH];
        UNROLL
        for (uint i = 0; i < ROWS_EACH; i++) {
            const uint row = first_row + down + i * (PACK_ITEMS / STEP);
            values[i] = row < rows && column < k
                            ? word_of_row(from,
                                          from_offset + (size_t)row * from_leading + column,
                                          k - column)
                            : 0;
        }
        if (step > first_step)
            barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (uint i = 0; i < ROWS_EACH; i++) {
            words[down + i * (PACK_ITEMS / STEP)][word] = values[i];
#if TYPE == BITS
            ones[i] += popcount(values[i]);
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        store_rows(words, to, first_row, steps, step);
    }
#if TYPE == BITS
    /* The items of a row have parts of its number of ones. */
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint i = 0; i < ROWS_EACH; i++)
        words[down + i * (PACK_ITEMS / STEP)][word] = ones[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint blocks = (rows + BLOCK - 1) / BLOCK;
    if (get_local_id(0) < PACK_ROWS) {
        uint count = 0;
        for (uint i = 0; i < STEP; i++)
            count += words[get_local_id(0)][i];
        ((__global uint*)(to + step_at(blocks, steps, 0)))[first_row + get_local_id(0)] =
            count;
    }
#endif
}

#if TYPE != BITS
/* Packs the `columns` columns of a matrix B of k rows, as pack_rows does. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_columns(__global const packed_element* from,
             uint from_offset,
             uint from_leading,
             uint columns,
             uint k,
             uint steps,
             __global uint4* to)
{
    __local uint words[PACK_ROWS][STEP + 1];
    const uint across = get_local_id(0) % PACK_ROWS;
    const uint first_column = get_group_id(0) / steps * PACK_ROWS;
    const uint step = get_group_id(0) % steps;
    const uint column = first_column + across;
    UNROLL
    for (uint i = get_local_id(0) / PACK_ROWS; i < STEP; i += PACK_ITEMS / PACK_ROWS) {
        const uint row = (step * STEP + i) * PER_WORD;
        words[across][i] =
            row < k && column < columns
                ? word_of_column(from + from_offset, from_leading, row, column, k - row)
                : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_rows(words, to, first_column, steps, step);
}
#endif

/* `steps` is the number of steps of K; a and b are packed. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm(uint m,
     uint n,
     uint steps,
     float2 alpha,
     __global const uint4* a,
     __global const uint4* b,
     float2 beta,
     __global result* c,
     uint c_offset,
     uint c_leading
#if TYPE == BITS
     ,
     uint bits
#endif
)
{
    /* The exchange of chunks follows from the address. */
    __local uint4 stages[STAGES][STAGE_CHUNKS] __attribute__((aligned(1024)));
    const uint item = get_local_id(0);
    const uint group = item / 128;
#if TYPE == C32
    /* From here on everything is counted in floats. */
    n *= 2;
    c_offset *= 2;
    c_leading *= 2;
#endif
    const uint blocks_down = (m + BLOCK - 1) / BLOCK;
    const uint blocks_across = (n + BLOCK - 1) / BLOCK;
    const uint2 tile =
        tile_of_group((m + ROWS - 1) / ROWS, (n + COLUMNS - 1) / COLUMNS);
    const uint first_block = tile.x * GROUPS;
    const uint first_b_block = tile.y * (COLUMNS / BLOCK);
    /* Blocks beyond the matrix are not there; the last one takes their place. */
    const uint last_block = blocks_down - 1;
    const uint last_b_block = blocks_across - 1;

    sum_type sums[SUMS];
#if EMULATE
    sum_type of_step[SUMS];
    for (uint i = 0; i < SUMS; i++)
        sums[i] = 0;
    for (uint step = 0; step < steps; step++) {
        __local uint4* stage = stages[step % STAGES];
        for (uint i = 0; i < A_BLOCKS + B_BLOCKS; i++) {
            const bool is_a = i < A_BLOCKS;
            const uint blocks = is_a ? GROUPS : COLUMNS / BLOCK;
            const uint in_part = (is_a ? i : i - A_BLOCKS) % blocks;
            const uint part = (is_a ? i : i - A_BLOCKS) / blocks;
            __global const uint4* from =
                (is_a ? a + step_at(min(first_block + in_part, last_block), steps, step)
                      : b + step_at(
                                min(first_b_block + in_part, last_b_block), steps, step)) +
                part * BLOCK_CHUNKS;
            for (uint j = item; j < BLOCK_CHUNKS; j += ITEMS)
                stage[i * BLOCK_CHUNKS + j] = from[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group < GROUPS) {
            multiply_step(SUMMED ? of_step : sums, stage, group, !SUMMED);
            for (uint i = 0; SUMMED && i < SUMS; i++)
                sums[i] += of_step[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (group >= GROUPS)
        return;
#else
    __local ulong arrived[STAGES], read[STAGES];
    const tile_copy copy = { stages,      arrived,    read,          a,
                             b,           first_block, last_block,    first_b_block,
                             last_b_block, 0,          steps,         steps };
    if (item == 0) {
        for (uint i = 0; i < STAGES; i++) {
            make_signal(&arrived[i], 1);
            make_signal(&read[i], 4 * GROUPS);
        }
        __asm__ volatile("fence.proxy.async;" : : : "memory");
        for (uint i = 0; i < STAGES && i < steps; i++)
            copy_step(&copy, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group >= GROUPS) {
        if (item == 128 * GROUPS)
            for (uint step = 0; step < steps; step++)
                copy_after(&copy, step);
        return;
    }

    /* The products of a step are complete when those of the next one have begun. */
#if SUMMED
#define SUM_UP(of_step, steps_left, step)   \
    do {                                    \
        WAIT_FOR_PRODUCTS(steps_left);      \
        end_of_products(of_step);           \
        end_step(&copy, step);              \
        UNROLL                              \
        for (uint i = 0; i < SUMS; i++)     \
            sums[i] += of_step[i];          \
    } while (0)
    sum_type even[SUMS], odd[SUMS];
    UNROLL
    for (uint i = 0; i < SUMS; i++)
        sums[i] = 0;
    begin_step(&copy, 0, even, group, false);
    uint step = 1;
    for (; step + 1 < steps; step += 2) {
        begin_step(&copy, step, odd, group, false);
        SUM_UP(even, 1, step - 1);
        begin_step(&copy, step + 1, even, group, false);
        SUM_UP(odd, 1, step);
    }
    if (step < steps) {
        begin_step(&copy, step, odd, group, false);
        SUM_UP(even, 1, step - 1);
        SUM_UP(odd, 0, step);
    } else {
        SUM_UP(even, 0, step - 1);
    }
#else
    begin_step(&copy, 0, sums, group, false);
    for (uint step = 1; step < steps; step++) {
        begin_step(&copy, step, sums, group, true);
        WAIT_FOR_PRODUCTS(1);
        end_step(&copy, step - 1);
    }
    WAIT_FOR_PRODUCTS(0);
    end_of_products(sums);
#endif
#endif

    const uint lane = item % 32;
    const uint first_row = (first_block + group) * BLOCK + item / 32 % 4 * 16 + lane / 4;
    const uint first_column = first_b_block * BLOCK + lane % 4 * 2;
#if TYPE == BITS
    /* Each row of the blocks, padding included, has its count of ones. All counts are loaded
     * before the first store, because a load after the store would wait for it. */
    __global const uint* a_ones =
        (__global const uint*)(a + step_at(blocks_down, steps, 0));
    __global const uint* b_ones =
        (__global const uint*)(b + step_at(blocks_across, steps, 0));
    const uint last_row = blocks_down * BLOCK - 1;
    const int of_rows[2] = { (int)bits - 2 * (int)a_ones[min(first_row, last_row)],
                             (int)bits - 2 * (int)a_ones[min(first_row + 8, last_row)] };
    UNROLL
    for (uint i = 0; i < COLUMNS / 8; i++) {
        const uint column = min(first_column + i * 8, blocks_across * BLOCK - 2);
        const uint2 of_columns = *(__global const uint2*)(b_ones + column);
        UNROLL
        for (uint half_tile = 0; half_tile < 2; half_tile++) {
            sum_type* two = sums + i * 4 + half_tile * 2;
            two[0] = of_rows[half_tile] + 4 * two[0] - 2 * (int)of_columns.x;
            two[1] = of_rows[half_tile] + 4 * two[1] - 2 * (int)of_columns.y;
        }
    }
#endif
    UNROLL
    for (uint half_tile = 0; half_tile < 2; half_tile++) {
        const uint row = first_row + half_tile * 8;
        if (row >= m)
            continue;
        UNROLL
        for (uint i = 0; i < COLUMNS / 8; i++) {
            const uint column = first_column + i * 8;
            if (column >= n)
                continue;
            store(c,
                  c_offset + (size_t)row * c_leading + column,
                  sums + i * 4 + half_tile * 2,
                  (int)(n - column),
                  (c_offset | c_leading) % 2 == 0 && n - column >= 2,
                  alpha,
                  beta);
        }
    }
}
#endif

#if FROM_REGISTERS
/* The place of the lane's words in rows of a block: the first row of its warp's 16 that it
 * has, the other one being 8 further, and the first word of 8, the other one being 4
 * further. */
#define ROW_OF_LANE (get_local_id(0) / 32 % 4 * 16 + get_local_id(0) % 32 / 4)
#define WORD_OF_LANE (get_local_id(0) % 4)
#endif

#if TYPE == CS8
#define SUM_STEPS 32 /* steps whose samples a group packs, and sums up */
#define IN_FLIGHT 8  /* of which as many are loaded at once */

/* The sum of the imaginary parts of two samples. */
HELPER int imaginary_parts(uint samples)
{
    return ((int)(samples << 16) >> 24) + ((int)samples >> 24);
}

/* Packs the samples of antennas, and sums up their imaginary parts. Each row has the
 * pieces of an antenna, one after the other, which are whole steps of 64 samples. A group
 * packs 16 rows of up to 32 steps of a piece. Offset and leading dimension are in chunks of
 * 16 bytes. There are sums of each row for every 32 steps of a piece. */
__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack_samples(__global const uint4* from,
             uint from_offset,
             uint from_leading,
             uint rows,
             uint steps,
             __global uint4* to,
             __global int* sums)
{
    __local int of_items[PACK_ITEMS];
    const uint chunk = get_local_id(0) % (STEP / 4);
    const uint row = get_global_id(0) / (STEP / 4);
    const uint piece = get_group_id(2);
    const uint all_steps = get_num_groups(2) * steps;
    const uint end = min((uint)(get_group_id(1) + 1) * SUM_STEPS, steps);
    int sum = 0;
    for (uint step = get_group_id(1) * SUM_STEPS; step < end; step += IN_FLIGHT) {
        const uint at = piece * steps + step;
        uint4 values[IN_FLIGHT];
        UNROLL
        for (uint i = 0; i < IN_FLIGHT; i++)
            values[i] = step + i < end && row < rows
                            ? from[from_offset + (size_t)row * from_leading +
                                   (size_t)(at + i) * (STEP / 4) + chunk]
                            : (uint4)(0);
        UNROLL
        for (uint i = 0; i < IN_FLIGHT; i++) {
            if (step + i < end)
                to[step_at(row / BLOCK, all_steps, at + i) + row % BLOCK * (STEP / 4) +
                   (chunk ^ row % 8)] = values[i];
            sum += imaginary_parts(values[i].s0) + imaginary_parts(values[i].s1) +
                   imaginary_parts(values[i].s2) + imaginary_parts(values[i].s3);
        }
    }
    of_items[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (chunk == 0 && row < rows) {
        for (uint i = 1; i < STEP / 4; i++)
            sum += of_items[get_local_id(0) + i];
        sums[((size_t)piece * get_num_groups(1) + get_group_id(1)) * rows + row] = sum;
    }
}

/* Sets some numbers to 0. */
__kernel void clear(__global int* to, uint offset, uint count)
{
    const uint first = get_global_id(0) * 4;
    UNROLL
    for (uint i = 0; i < 4; i++)
        if (first + i < count)
            to[offset + first + i] = 0;
}

/* Loads a lane's words of its two rows of a step, turned. */
HELPER void load_turned(uint* rows, __local const uint4* from)
{
    UNROLL
    for (uint i = 0; i < 16; i++)
        rows[i] =
            turned(word_at(from, ROW_OF_LANE + i % 2 * 8, i / 2 * 4 + WORD_OF_LANE),
                   0xff00ff00u);
}

/* Multiplies a step: the sums of the real and of the imaginary parts. The units read the
 * rows of the former from local memory, which leaves registers for those of the latter. */
HELPER void multiply_samples(sum_type (*sums)[SUMS],
                             __local const uint4* a,
                             const uint* turned_rows,
                             __local const uint4* b,
                             bool keep EXCHANGE_ARGUMENT)
{
    UNROLL
    for (uint slice = 0; slice < 4; slice++) {
        multiply_add(sums[0], a, b, slice, keep || slice > 0);
        multiply_add_rows(
            sums[1], turned_rows + 4 * slice, b, slice, keep || slice > 0 EXCHANGE);
    }
}

#if !EMULATE
/* Begins the products of a step, as soon as its blocks have arrived. The sums must remain
 * in registers. */
__attribute__((always_inline)) HELPER void begin_samples(const tile_copy* copy,
                                                         uint step,
                                                         sum_type (*sums)[SUMS],
                                                         uint* rows,
                                                         uint group,
                                                         bool keep)
{
    wait_for(&copy->arrived[step % STAGES], step / STAGES);
    __local const uint4* stage = copy->stages[step % STAGES];
    load_turned(rows, stage + group * BLOCK_CHUNKS);
    begin_products();
    multiply_samples(sums,
                     stage + group * BLOCK_CHUNKS,
                     rows,
                     stage + A_BLOCKS * BLOCK_CHUNKS,
                     keep);
    commit_products();
}
#endif

/* The packed samples of all antennas are both factors. A piece has `steps` steps of
 * `all_steps`. A group computes one tile of the triangle, of COLUMNS antennas with as many
 * others, of one piece. There are `tiles` tiles of each piece, from first_tile on. After
 * the first `whole` of all tiles, `parts` groups share a tile, each with some steps, and
 * add their sums to `out`. Sums are whole numbers, so that their order has no effect. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
correlator(__global const uint4* in,
           uint antennas,
           uint steps,
           uint all_steps,
           uint tiles,
           uint first_tile,
           uint first_piece,
           uint whole,
           uint parts,
           __global const int* imaginary_sums,
           __global int* out,
           uint out_offset)
{
    __local uint4 stages[STAGES][STAGE_CHUNKS] __attribute__((aligned(1024)));
    __local int of_columns[COLUMNS];
    const uint item = get_local_id(0);
    const uint group = item / 128;
    uint number = get_group_id(0), part = 0;
    if (number >= whole) {
        part = (number - whole) % parts;
        number = whole + (number - whole) / parts;
    } else {
        parts = 1;
    }
    const uint tile = first_tile + number % tiles;
    const uint piece = first_piece + number / tiles;
    const uint tile_row = triangle_row(tile);
    const uint tile_column = tile - tile_row * (tile_row + 1) / 2;
    const uint first_step = steps * part / parts;
    const uint some_steps = steps * (part + 1) / parts - first_step;
    const uint first_block = tile_row * GROUPS;
    const uint first_b_block = tile_column * (COLUMNS / BLOCK);
    const uint last_block = (antennas + BLOCK - 1) / BLOCK - 1;

    /* One of the parts adds what the rows lack. */
    if (item < COLUMNS) {
        const uint column = tile_column * COLUMNS + item;
        const uint chunks = (steps + SUM_STEPS - 1) / SUM_STEPS;
        int sum = 0;
        if (part == 0 && column < antennas)
            for (uint i = 0; i < chunks; i++)
                sum += imaginary_sums[((size_t)piece * chunks + i) * antennas + column];
        of_columns[item] = sum;
    }

    sum_type sums[2][SUMS];
#if EMULATE
    __local uint exchange[ITEMS * 4];
    const uint first_of_all = piece * steps + first_step;
    for (uint step = 0; step < some_steps; step++) {
        __local uint4* stage = stages[step % STAGES];
        for (uint i = 0; i < A_BLOCKS + B_BLOCKS; i++) {
            const uint block =
                i < A_BLOCKS ? first_block + i : first_b_block + i - A_BLOCKS;
            __global const uint4* from =
                in + step_at(min(block, last_block), all_steps, first_of_all + step);
            for (uint j = item; j < BLOCK_CHUNKS; j += ITEMS)
                stage[i * BLOCK_CHUNKS + j] = from[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint rows[16];
        load_turned(rows, stage + group * BLOCK_CHUNKS);
        multiply_samples(sums,
                         stage + group * BLOCK_CHUNKS,
                         rows,
                         stage + A_BLOCKS * BLOCK_CHUNKS,
                         step > 0 EXCHANGE);
    }
#else
    __local ulong arrived[STAGES], read[STAGES];
    const tile_copy copy = { stages,     arrived,
                             read,       in,
                             in,         first_block,
                             last_block, first_b_block,
                             last_block, piece * steps + first_step,
                             some_steps, all_steps };
    if (item == 0) {
        for (uint i = 0; i < STAGES; i++) {
            make_signal(&arrived[i], 1);
            make_signal(&read[i], 4 * GROUPS);
        }
        __asm__ volatile("fence.proxy.async;" : : : "memory");
        for (uint i = 0; i < STAGES && i < some_steps; i++)
            copy_step(&copy, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* The products of a step are complete when those of the next one have begun. The
     * units still read the words of two steps at that time. */
    uint even[16], odd[16];
    begin_samples(&copy, 0, sums, even, group, false);
    uint step = 1;
    for (; step + 1 < some_steps; step += 2) {
        begin_samples(&copy, step, sums, odd, group, true);
        WAIT_FOR_PRODUCTS(1);
        end_step(&copy, step - 1);
        begin_samples(&copy, step + 1, sums, even, group, true);
        WAIT_FOR_PRODUCTS(1);
        end_step(&copy, step);
    }
    if (step < some_steps)
        begin_samples(&copy, step, sums, odd, group, true);
    WAIT_FOR_PRODUCTS(0);
    end_of_products(sums[0]);
    end_of_products(sums[1]);
#endif

    const size_t triangle = (size_t)antennas * (antennas + 1) / 2;
    __global int2* to = (__global int2*)out + out_offset + piece * triangle;
    UNROLL
    for (uint half_tile = 0; half_tile < 2; half_tile++) {
        const uint row =
            (first_block + group) * BLOCK + ROW_OF_LANE + half_tile * 8;
        if (row >= antennas)
            continue;
        __global int2* of_row = to + (size_t)row * (row + 1) / 2;
        UNROLL
        for (uint i = 0; i < SUMS / 2; i++) {
            const uint in_tile = i / 2 * 8 + WORD_OF_LANE * 2 + i % 2;
            const uint column = tile_column * COLUMNS + in_tile;
            const uint at = i / 2 * 4 + half_tile * 2 + i % 2;
            const int2 sum =
                (int2)(sums[0][at], sums[1][at] + of_columns[in_tile]);
            if (column > row)
                continue;
            if (parts == 1) {
                of_row[column] = sum;
            } else {
                atomic_add((__global int*)(of_row + column), sum.x);
                atomic_add((__global int*)(of_row + column) + 1, sum.y);
            }
        }
    }
}
#endif

#if WIDE
#define SLOTS 6 /* steps of a warp's columns of B in local memory */
#define WARPS (4 * GROUPS)
#define SLOT_CHUNKS 128 /* 16 rows of B of 128 bytes */
#define WIDE_COLUMNS 16 /* columns of B of a warp */

/* Copies two elements, of which `valid` exist; others become 0, and are not read. With
 * `whole` they lie at a multiple of 16 bytes. */
HELPER void
copy_elements(__local uint* to, __global const uint* from, uint valid, bool whole)
{
    if (whole) {
        copy_bytes(to, from, 16, valid * 8);
        return;
    }
    UNROLL
    for (uint i = 0; i < 2; i++)
        copy_bytes(to + i * 2, from + (i < valid ? i * 2 : 0), 8, i < valid ? 8 : 0);
}

HELPER void wait_for_warp(void)
{
#if EMULATE
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#endif
}

/* The part of B that a warp copies. */
typedef struct {
    __global const uint* b;
    size_t leading; /* elements */
    uint n, k;
    bool is_whole; /* whether two elements lie at a multiple of 16 bytes */
} columns_copy;

/* Copies 16 rows of 16 columns of B. Lane (g, t) reads chunk g of row t of four, so that
 * the chunks of a row are exchanged for different memory banks. */
HELPER void
copy_columns(const columns_copy* copy, uint step, uint first_column, __local uint4* slot)
{
    const uint chunk = get_local_id(0) % 8;
    const uint column = first_column + chunk * 2;
    UNROLL
    for (uint i = 0; i < 4; i++) {
        const uint row = i * 4 + get_local_id(0) % 32 / 8;
        const uint of_b = step * 16 + row;
        const uint valid =
            of_b < copy->k && column < copy->n ? min(copy->n - column, 2u) : 0;
        copy_elements((__local uint*)(slot + row * 8 + (chunk ^ row % 4 * 2)),
                      copy->b + (valid ? 2 * (of_b * copy->leading + column) : 0),
                      valid,
                      copy->is_whole);
    }
}

/* Begins the products of a step: the transpose of a tile of C, 64 columns of it by COLUMNS
 * rows of the expanded A. */
HELPER void multiply_columns(sum_type* sums,
                             uint (*words)[16],
                             __local uint4 (*a)[BLOCK_CHUNKS] EXCHANGE_ARGUMENT)
{
#if PARTS == 2
    UNROLL
    for (uint slice = 0; slice < 4; slice++) {
        multiply_add_rows(sums, words[1] + 4 * slice, a[0], slice, slice > 0 EXCHANGE);
        multiply_add_rows(
            sums, words[0] + 4 * slice, a[COLUMNS / BLOCK], slice, true EXCHANGE);
    }
#endif
    UNROLL
    for (uint slice = 0; slice < 4; slice++)
        multiply_add_rows(
            sums, words[0] + 4 * slice, a[0], slice, PARTS == 2 || slice > 0 EXCHANGE);
}

/* The place in C where a lane stores two neighbouring columns of each fourth row of a tile. */
typedef struct {
    __global float2* c;
    uint leading, m, n, column;
} place_of_columns;

HELPER void store_columns(const sum_type* sums,
                          const place_of_columns* place,
                          bool whole,
                          float2 alpha,
                          float2 beta)
{
    if (place->column >= place->n)
        return;
    const uint count = min(place->n - place->column, 2u);
    UNROLL
    for (uint j = 0; j < COLUMNS / 8; j++) {
        const uint row = j * 4 + get_local_id(0) % 4;
        if (row >= place->m)
            continue;
        __global float2* to = place->c + (size_t)row * place->leading + place->column;
        float2 values[2];
        UNROLL
        for (uint e = 0; e < 2; e++) {
            const float2 sum = (float2)(sums[j * 4 + e * 2], sums[j * 4 + e * 2 + 1]);
            values[e] = (float2)(alpha.x * sum.x - alpha.y * sum.y,
                                 alpha.x * sum.y + alpha.y * sum.x);
            if ((beta.x != 0 || beta.y != 0) && e < count) {
                const float2 old = to[e];
                values[e] += (float2)(beta.x * old.x - beta.y * old.y,
                                      beta.x * old.y + beta.y * old.x);
            }
        }
        if (count == 2 && whole) {
            *(__global float4*)to = (float4)(values[0], values[1]);
        } else {
            to[0] = values[0];
            if (count == 2)
                to[1] = values[1];
        }
    }
}

/* Writes four words of a row of the expanded A. */
HELPER void store_factors(__local uint4 (*factors)[B_BLOCKS][BLOCK_CHUNKS],
                          uint row,
                          uint slice,
                          uint part,
                          const float* values)
{
    __local uint4(*to)[BLOCK_CHUNKS] = factors[slice / 4] + row / BLOCK;
    const uint at = row % BLOCK * 8 + ((slice % 4 * 2 + part) ^ row % 8);
    uint high[4], low[4];
    UNROLL
    for (uint i = 0; i < 4; i++) {
        high[i] = rounded(as_uint(values[i]));
        low[i] = rounded(as_uint(values[i] - as_float(high[i])));
    }
    to[0][at] = (uint4)(high[0], high[1], high[2], high[3]);
    if (PARTS == 2)
        to[COLUMNS / BLOCK][at] = (uint4)(low[0], low[1], low[2], low[3]);
}

/* Writes the expanded A to local memory. Of 8 words along K the first 4 are multiplied by
 * the real parts of 4 elements of B, and the others by the imaginary parts: so a lane finds
 * what it needs in one element. */
HELPER void expand(__local uint4 (*factors)[B_BLOCKS][BLOCK_CHUNKS],
                   __global const float2* a,
                   size_t leading,
                   uint m,
                   uint k,
                   uint slices)
{
    for (uint i = get_local_id(0); i < COLUMNS / 2 * slices; i += ITEMS) {
        const uint row = i / slices;
        const uint slice = i % slices;
        float re[4], im[4], minus_im[4];
        UNROLL
        for (uint j = 0; j < 4; j++) {
            const uint column = slice * 4 + j;
            const float2 value =
                row < m && column < k ? a[row * leading + column] : (float2)(0, 0);
            re[j] = value.x;
            im[j] = value.y;
            minus_im[j] = -value.y;
        }
        store_factors(factors, 2 * row, slice, 0, re);
        store_factors(factors, 2 * row, slice, 1, minus_im);
        store_factors(factors, 2 * row + 1, slice, 0, im);
        store_factors(factors, 2 * row + 1, slice, 1, re);
    }
}

/* All matrices have complex elements. Work-groups take tiles of 64 GROUPS columns in turn.
 * A has at most COLUMNS / 2 rows. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_wide(uint m,
          uint n,
          uint k,
          float2 alpha,
          __global const float2* a,
          uint a_offset,
          uint a_leading,
          __global const uint* b,
          uint b_offset,
          uint b_leading,
          float2 beta,
          __global float2* c,
          uint c_offset,
          uint c_leading)
{
    __local uint4 factors[WIDE_STEPS][B_BLOCKS][BLOCK_CHUNKS]
        __attribute__((aligned(1024)));
    __local uint4 slots[WARPS][SLOTS][SLOT_CHUNKS];
    const uint item = get_local_id(0);
    const uint lane = item % 32;
    const uint g = lane / 4;
    const uint t = lane % 4;
    __local uint4(*own)[SLOT_CHUNKS] = slots[item / 32];

    const uint steps = (2 * k + STEP - 1) / STEP;
#if EMULATE
    __local uint exchange[ITEMS * 4];
#endif

    const columns_copy copy = { b + 2 * (size_t)b_offset,
                                b_leading,
                                n,
                                k,
                                (b_offset | b_leading) % 2 == 0 };
    const bool c_is_whole = (c_offset | c_leading) % 2 == 0;
    /* All groups take as many tiles, so that warps wait for each other in each step. */
    const uint tile_columns = 64 * GROUPS;
    const uint stride = get_num_groups(0) * tile_columns;
    const uint rounds = (n + stride - 1) / stride;
    const uint all_steps = rounds * steps;
    uint column = get_group_id(0) * tile_columns + item / 32 * WIDE_COLUMNS;
    uint ahead_column = column, ahead_step = 0;
#define COPY_AHEAD(slot)                                              \
    do {                                                              \
        copy_columns(&copy, ahead_step, ahead_column, own[slot]);     \
        end_of_copies();                                              \
        if (++ahead_step == steps) {                                  \
            ahead_step = 0;                                           \
            ahead_column = min(ahead_column, UINT_MAX - stride) + stride; \
        }                                                             \
    } while (0)
    for (uint i = 0; i < SLOTS - 1; i++)
        COPY_AHEAD(i);
    expand(factors, a + a_offset, a_leading, m, k, steps * 4);
#if !EMULATE
    /* The units read what this item has written. */
    __asm__ volatile("fence.proxy.async;" : : : "memory");
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    sum_type sums[SUMS];
    UNROLL
    for (uint j = 0; j < SUMS; j++)
        sums[j] = 0;
    uint slot = 0, step = 0;
    for (uint i = 0; i < all_steps; i++) {
        wait_for_copies();
        wait_for_warp();
        uint words[PARTS][16];
        UNROLL
        for (uint slice = 0; slice < 4; slice++) {
            /* Two elements: those of the rows g and g + 8 of what the units multiply. */
            const uint4 two = own[slot][(slice * 4 + t) * 8 + (g ^ t * 2)];
            words[0][4 * slice] = two.s0;
            words[0][4 * slice + 1] = two.s2;
            words[0][4 * slice + 2] = two.s1;
            words[0][4 * slice + 3] = two.s3;
        }
        /* All lanes are done with the slot before this one. */
        COPY_AHEAD(slot == 0 ? SLOTS - 1 : slot - 1);
        slot = slot == SLOTS - 1 ? 0 : slot + 1;
        UNROLL
        for (uint j = 0; j < 16; j++) {
#if PARTS == 2
            /* The units ignore the last 13 bits of a word. */
            const uint high = words[0][j] + 0x1000u;
            words[1][j] = as_uint(as_float(words[0][j]) - as_float(high & 0xffffe000u));
            words[0][j] = high;
#else
            words[0][j] = rounded(words[0][j]);
#endif
        }
        sum_type of_step[SUMS];
#if EMULATE
        multiply_columns(of_step, words, factors[step] EXCHANGE);
#else
        begin_products();
        multiply_columns(of_step, words, factors[step]);
        commit_products();
        WAIT_FOR_PRODUCTS(0);
        end_of_products(of_step);
#endif
        UNROLL
        for (uint j = 0; j < SUMS; j++)
            sums[j] += of_step[j];
        if (++step == steps) {
            const place_of_columns place = {
                c + c_offset, c_leading, m, n, column + 2 * g
            };
            store_columns(sums, &place, c_is_whole, alpha, beta);
            UNROLL
            for (uint j = 0; j < SUMS; j++)
                sums[j] = 0;
            step = 0;
            column += stride;
        }
    }
}
#endif
