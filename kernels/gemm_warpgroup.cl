/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
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
 * Preconditions: groups of ITEMS work-items; COLUMNS is 64, 128 or 256; alpha and
 * beta of products of bytes are 0 or 1; steps is at least 1. Packed rows of bits are
 * followed, behind all blocks, by the number of ones of each; the result is bits - 2
 * popcount(a xor b) = bits - 2 ones(a) - 2 ones(b) + 4 popcount(a and b), and alpha and beta
 * are not used. With EMULATE the kernel is plain OpenCL C for any device, which computes
 * from the same local memory: this is how the layout is tested.
 */

#define F32 0
#define C32 1
#define F16 2
#define S8 3 /* bytes, whose sums are integers of 32 bits */
#define BITS 4

#define EXACT 0
#define TF32 1
#define HALF 2

#ifndef TYPE
#define TYPE F32
#endif
#ifndef PRECISION
#define PRECISION EXACT /* of floats: three products of tf32, one, or one of halves */
#endif
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
#ifndef BAND
#define BAND 8 /* rows of tiles that consecutive work-groups share */
#endif
#ifndef EMULATE
#define EMULATE 0
#endif

#define STEP 32                      /* words of K in a step */
#define BLOCK 64                     /* rows or columns of a block */
#define BLOCK_CHUNKS (BLOCK * STEP / 4) /* chunks of 16 bytes of a block */
#define OF_FLOATS (TYPE == F32 || TYPE == C32)
#define PARTS (OF_FLOATS && PRECISION == EXACT ? 2 : 1)
#define ROWS (BLOCK * GROUPS) /* the tile of C of a work-group */
/* With SUMMED a work-item needs so many registers that there is no room for another warp,
 * and the first one has the copies made; otherwise a warp of its own does. */
#define ITEMS (128 * GROUPS + (SUMMED ? 0 : 32))
#define SUMS (COLUMNS / 2) /* elements of C of a work-item */
#define WHOLE (TYPE == S8 || TYPE == BITS) /* sums are integers */

/* A stage has the blocks of A, those of the first part first, and then the ones of B. */
#define A_BLOCKS (PARTS * GROUPS)
#define B_BLOCKS (PARTS * COLUMNS / BLOCK)
#define STAGE_CHUNKS ((A_BLOCKS + B_BLOCKS) * BLOCK_CHUNKS)

#if WHOLE
typedef int sum_type;
#else
typedef float sum_type;
#endif
#if OF_FLOATS
typedef float element;
typedef uint packed_element;
#elif TYPE == F16
typedef half element;
typedef ushort packed_element;
#else
typedef int element;
typedef uchar packed_element;
#endif

/* Elements of a word. */
#if OF_FLOATS && PRECISION != HALF
#define PER_WORD 1
#elif OF_FLOATS || TYPE == F16
#define PER_WORD 2
#else
#define PER_WORD 4
#endif

#if EMULATE

static sum_type word_product(uint a, uint b)
{
#if TYPE == BITS
    return (int)popcount(a & b);
#elif TYPE == S8
    int sum = 0;
    for (uint i = 0; i < 4; i++, a >>= 8, b >>= 8)
        sum += (int)as_char((uchar)a) * as_char((uchar)b);
    return sum;
#elif PER_WORD == 2
    return vload_half(0, (const half*)&a) * vload_half(0, (const half*)&b) +
           vload_half(1, (const half*)&a) * vload_half(1, (const half*)&b);
#else
    return as_float(a & 0xffffe000u) * as_float(b & 0xffffe000u);
#endif
}

/* A word of a row of the blocks that begin at `from`. */
static uint word_at(__local const uint4* from, uint row, uint word)
{
    return ((__local const uint*)(from + row * 8 + (word / 4 ^ row % 8)))[word % 4];
}

/* The products of 8 words, as the matrix units leave them to the lanes. */
static void multiply_add(
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

#define UNROLL

#else

#define MARK "//@sm_90a "
#define UNROLL _Pragma("unroll")
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#if WHOLE
#define SUM(x) "+r"(x)
#else
#define SUM(x) "+f"(x)
#endif
#if TYPE == BITS
#define SHAPE "k256.s32.b1.b1.and.popc"
#define FACTORS ""
#elif TYPE == S8
#define SHAPE "k32.s32.s8.s8"
#define FACTORS ""
#elif PER_WORD == 2
#define SHAPE "k16.f32.f16.f16"
#define FACTORS ", 1, 1, 0, 0"
#else
#define SHAPE "k8.f32.tf32.tf32"
#define FACTORS ", 1, 1"
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

/* An address within local memory, which is what a pointer to local memory contains. */
#define ADDRESS(pointer) ((uint)(size_t)(pointer))

/* How wgmma finds the words of the rows that begin at an address: rows of 128 bytes whose
 * chunks are exchanged as above, and 1024 bytes from eight rows to the next eight. */
static ulong descriptor(uint address)
{
    return (ulong)(address >> 4) | 1ul << 16 | 1024ul >> 4 << 32 | 1ul << 62;
}

/* Begins to multiply 8 words. The sums must not be read before end_of_products(). */
static void multiply_add(
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

static void begin_products(void)
{
    __asm__ volatile(MARK "wgmma.fence.sync.aligned;" : : : "memory");
}

static void commit_products(void)
{
    __asm__ volatile(MARK "wgmma.commit_group.sync.aligned;" : : : "memory");
}

/* Waits for the products of all steps but the last ones. */
#define WAIT_FOR_PRODUCTS(steps)                                                    \
    __asm__ volatile(MARK "wgmma.wait_group.sync.aligned " #steps ";" : : : "memory")

/* Nothing that follows uses these sums earlier than here. */
static void end_of_products(sum_type* sums)
{
    __asm__ volatile("" : OPERANDS(sums) : : "memory");
}

static void make_signal(__local ulong* signal, uint arrivals)
{
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;"
                     :
                     : "r"(ADDRESS(signal)), "r"(arrivals)
                     : "memory");
}

static void arrive(__local ulong* signal)
{
    __asm__ volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
                     :
                     : "r"(ADDRESS(signal))
                     : "memory");
}

/* As arrive(); the signal waits for as many bytes of copies as well. */
static void arrive_with_copies(__local ulong* signal, uint bytes)
{
    __asm__ volatile(
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
        :
        : "r"(ADDRESS(signal)), "r"(bytes)
        : "memory");
}

/* Waits until everybody has arrived for the time of this number, which are counted from
 * 0. */
static void wait_for(__local ulong* signal, uint time)
{
    uint done;
    do {
        __asm__ volatile("{ .reg .pred all; "
                         "mbarrier.try_wait.parity.shared.b64 all, [%1], %2; "
                         "selp.u32 %0, 1, 0, all; }"
                         : "=r"(done)
                         : "r"(ADDRESS(signal)), "r"(time % 2)
                         : "memory");
    } while (!done);
}

/* Copies a block, and tells the signal how much of it has arrived. */
static void
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
static size_t step_at(uint block, uint steps, uint step)
{
    return ((size_t)block * steps + step) * PARTS * BLOCK_CHUNKS;
}

/* Multiplies a step. The sums of an earlier one are kept if `keep` is set. */
static void multiply_step(sum_type* sums, __local const uint4* stage, uint group, bool keep)
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
    uint steps;
} tile_copy;

/* One work-item has the blocks of a step copied to its stage, which must be free. */
static void copy_step(const tile_copy* copy, uint step)
{
    __local uint4* stage = copy->stages[step % STAGES];
    __local ulong* signal = &copy->arrived[step % STAGES];
    arrive_with_copies(signal, STAGE_CHUNKS * 16);
    UNROLL
    for (uint part = 0; part < PARTS; part++) {
        UNROLL
        for (uint i = 0; i < GROUPS; i++)
            copy_block(stage + (part * GROUPS + i) * BLOCK_CHUNKS,
                       copy->a +
                           step_at(min(copy->first_a + i, copy->last_a), copy->steps, step) +
                           part * BLOCK_CHUNKS,
                       signal);
        UNROLL
        for (uint i = 0; i < COLUMNS / BLOCK; i++)
            copy_block(stage + (A_BLOCKS + part * (COLUMNS / BLOCK) + i) * BLOCK_CHUNKS,
                       copy->b +
                           step_at(min(copy->first_b + i, copy->last_b), copy->steps, step) +
                           part * BLOCK_CHUNKS,
                       signal);
    }
}

/* Begins the products of a step, as soon as its blocks have arrived. */
static void
begin_step(const tile_copy* copy, uint step, sum_type* sums, uint group, bool keep)
{
    wait_for(&copy->arrived[step % STAGES], step / STAGES);
    begin_products();
    multiply_step(sums, copy->stages[step % STAGES], group, keep);
    commit_products();
}

/* As soon as the products of a step are complete in all warps, its stage takes a later
 * one. */
static void copy_after(const tile_copy* copy, uint step)
{
    if (step + STAGES >= copy->steps)
        return;
    wait_for(&copy->read[step % STAGES], step / STAGES);
    copy_step(copy, step + STAGES);
}

/* Says that this warp's products of a step are complete. */
static void end_step(const tile_copy* copy, uint step)
{
    const uint item = get_local_id(0);
    if (item % 32 == 0)
        arrive(&copy->read[step % STAGES]);
    if (SUMMED && item == 0)
        copy_after(copy, step);
}
#endif

#if TYPE == F16
#define LOAD_C(i, c) vload_half(i, c)
#define STORE_C(x, i, c) vstore_half(x, i, c)
#else
#define LOAD_C(i, c) (c)[i]
#define STORE_C(x, i, c) (c)[i] = (x)
#endif

/* Stores two neighbouring columns of a row of C, or only the first one if `count` is 1;
 * with `whole` they are two, and lie at a multiple of their size. */
static void store(__global element* c,
                  size_t index,
                  const sum_type* sums,
                  int count,
                  bool whole,
                  float2 alpha,
                  float2 beta)
{
    sum_type values[2];
    UNROLL
    for (int i = 0; i < 2; i++) {
#if TYPE == C32
        values[i] = alpha.x * sums[i] + (i ? alpha.y : -alpha.y) * sums[1 - i];
#elif WHOLE
        values[i] = sums[i];
#else
        values[i] = alpha.x * sums[i];
#endif
    }
#if TYPE != BITS
    if (beta.x != 0 || beta.y != 0) {
        sum_type old[2];
        UNROLL
        for (int i = 0; i < 2; i++)
            old[i] = i < count ? LOAD_C(index + i, c) : 0;
        UNROLL
        for (int i = 0; i < 2; i++) {
#if TYPE == C32
            values[i] += beta.x * old[i] + (i ? beta.y : -beta.y) * old[1 - i];
#elif WHOLE
            values[i] = (int)((uint)values[i] + (uint)old[i]);
#else
            values[i] += beta.x * old[i];
#endif
        }
    }
#endif
    if (whole) {
#if TYPE == F16
        ushort2 halves;
        vstore_half2((float2)(values[0], values[1]), 0, (half*)&halves);
        *(__global ushort2*)(c + index) = halves;
#elif WHOLE
        *(__global int2*)(c + index) = (int2)(values[0], values[1]);
#else
        *(__global float2*)(c + index) = (float2)(values[0], values[1]);
#endif
        return;
    }
    STORE_C(values[0], index, c);
    if (count > 1)
        STORE_C(values[1], index + 1, c);
}

#define PACK_ITEMS 128
#define PACK_ROWS 32 /* rows of a block that a group packs, half of them */
#define ROWS_EACH (PACK_ROWS * STEP / PACK_ITEMS) /* rows of which an item packs a word */

#if OF_FLOATS
/* A number of 11 bits. No bits are added to those of a NaN, which could make a number of
 * it. */
static uint rounded(uint x)
{
    return isnan(as_float(x)) ? 0x7fc00000u : (x + 0x1000u) & 0xffffe000u;
}

static uint two_halves(uint low, uint high)
{
    uint both;
    vstore_half_rte(as_float(low), 0, (half*)&both);
    vstore_half_rte(as_float(high), 1, (half*)&both);
    return both;
}
#endif

/* A word along K of a row of A: the elements at `at`, of which there are `count`; others
 * are 0. */
static uint word_of_row(__global const packed_element* from, size_t at, uint count)
{
#if OF_FLOATS && PRECISION == HALF
    return two_halves(count > 0 ? from[at] : 0, count > 1 ? from[at + 1] : 0);
#elif OF_FLOATS
    return count > 0 ? from[at] : 0;
#else
    if (at % PER_WORD == 0 && count >= PER_WORD)
        return ((__global const uint*)from)[at / PER_WORD];
    uint word = 0;
    UNROLL
    for (uint i = 0; i < PER_WORD; i++)
        if (i < count)
            word |= (uint)from[at + i] << (32 / PER_WORD * i);
    return word;
#endif
}

#if TYPE != BITS
/* A word along K of a column of B, whose rows are `leading` elements apart: its elements
 * from `row` on, of which there are `count`. Floats of complex matrices are counted as if
 * both matrices were real. */
static uint word_of_column(__global const packed_element* from,
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
    uint word = 0;
    UNROLL
    for (uint i = 0; i < PER_WORD; i++)
        if (i < count)
            word |= (uint)from[(size_t)(row + i) * leading + column]
                    << (32 / PER_WORD * i);
    return word;
#endif
}
#endif

/* Writes the words of some rows of a block, as they have been collected. */
static void store_rows(__local uint (*words)[STEP + 1],
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
     __global element* c,
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
    /* Consecutive groups work on BAND rows of tiles, column by column, so that the groups
     * that run together share rows of A and columns of B in the cache. */
    const uint blocks_down = (m + BLOCK - 1) / BLOCK;
    const uint blocks_across = (n + BLOCK - 1) / BLOCK;
    const uint tiles_down = (m + ROWS - 1) / ROWS;
    const uint tiles_across = (n + COLUMNS - 1) / COLUMNS;
    const uint band = get_group_id(0) / (BAND * tiles_across);
    const uint in_band = get_group_id(0) - band * BAND * tiles_across;
    const uint band_rows = min((uint)BAND, tiles_down - band * BAND);
    const uint first_block = (band * BAND + in_band % band_rows) * GROUPS;
    const uint first_b_block = in_band / band_rows * (COLUMNS / BLOCK);
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
    const tile_copy copy = { stages,       arrived,       read,         a,    b, first_block,
                             last_block, first_b_block, last_b_block, steps };
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
