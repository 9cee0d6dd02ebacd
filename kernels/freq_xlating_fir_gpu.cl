/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Frequency-xlating decimating FIR filter for GPUs: the work-items of a group work on
 * neighbouring data, so that the device combines their loads.
 *
 * `sums_in_group`: a work-group computes OUTPUTS outputs. Each of its work-items takes
 * every GROUP-th tap, and their sums are added up in local memory. For long filters and
 * large decimations.
 *
 * `outputs_in_group`: a work-item computes OUTPUTS outputs, which are GROUP apart. The
 * taps are brought to local memory, CHUNK at a time. For short filters and small
 * decimations.
 *
 * In both kernels at most CHUNK products are added up before the sum is added to the
 * output.
 *
 * Preconditions: GROUP is a power of two within the device's work-group size; GROUP *
 * OUTPUTS complex values (sums_in_group) or CHUNK (outputs_in_group) fit into local
 * memory; the taps are rotated to the centre frequency and reversed.
 */

#ifndef GROUP
#define GROUP 64
#endif
#ifndef OUTPUTS
#define OUTPUTS 4
#endif
#ifndef CHUNK
#define CHUNK 64
#endif
#ifndef INPUT /* one of INPUT_FC32, ... below */
#define INPUT 0
#endif

#define INPUT_FC32 0
#define INPUT_F32 1
#define INPUT_S16 2
#define INPUT_CU8 3
#define INPUT_CS8 4
#define INPUT_CS16 5
#define INPUT_S8 6
#define INPUT_CS12 7

#if INPUT == INPUT_FC32
typedef float2 item;
#define VALUE(p) (*(p))
#elif INPUT == INPUT_F32
typedef float item;
#define REAL_INPUT
#define VALUE(p) (*(p))
#elif INPUT == INPUT_S16
typedef short item;
#define REAL_INPUT
#define VALUE(p) ((float)*(p))
#elif INPUT == INPUT_CU8
typedef uchar2 item;
#define VALUE(p) ((convert_float2(*(p)) - 127.5f) * (1.0f / 127.5f))
#elif INPUT == INPUT_CS8
typedef char2 item;
#define VALUE(p) (convert_float2(*(p)) * (1.0f / 128.0f))
#elif INPUT == INPUT_CS16
typedef short2 item;
#define VALUE(p) (convert_float2(*(p)) * (1.0f / 32768.0f))
#elif INPUT == INPUT_S8
typedef char item;
#define REAL_INPUT
#define VALUE(p) ((float)*(p))
#elif INPUT == INPUT_CS12
typedef struct {
    uchar bytes[3]; /* a uchar3 would be four bytes */
} item;
float2 unpacked(__global const item* p)
{
    /* I and Q are in the high 24 bits, so that shifts to the right extend their signs. */
    const uint word =
        (uint)p->bytes[0] << 8 | (uint)p->bytes[1] << 16 | (uint)p->bytes[2] << 24;
    return (float2)((float)((int)(word << 12) >> 20), (float)((int)word >> 20)) *
           (1.0f / 2048.0f);
}
#define VALUE(p) unpacked(p)
#else
#error "INPUT is a type that this file does not know"
#endif

/* sum += tap * value */
#ifdef REAL_INPUT
#define MULTIPLY_ADD(sum, tap, value) sum = fma(tap, (float2)(value), sum)
#else
#define MULTIPLY_ADD(sum, tap, value)                                         \
    do {                                                                      \
        const float2 v = value;                                               \
        sum = fma((float2)(tap.x), v, sum);                                   \
        sum = fma((float2)(tap.y), (float2)(-v.y, v.x), sum);                 \
    } while (0)
#endif

float2 multiply(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* exp(j 2 pi (phase + n * step)). The phase and the step are 64-bit fractions of a turn,
 * each as its high and its low word, because small devices have no 64-bit integers. */
float2 phasor_at(uint n, uint2 phase, uint2 step)
{
    const uint low = n * step.y;
    const uint sum = low + phase.y;
    const uint high = n * step.x + mul_hi(n, step.y) + phase.x + (sum < low ? 1u : 0u);
    const float half_turns = (float)(int)high * 0x1p-31f;
    return (float2)(cospi(half_turns), sinpi(half_turns));
}

/* in_offset: the number of bytes before the call's first item, which need not be whole items */
#define ARGUMENTS                                                                    \
    __global const uchar *in_base, uint in_offset, __global const float2 *taps,      \
        uint taps_count, uint decimation, __global float2 *out_base, uint out_offset, \
        uint outputs, uint2 phase, uint2 step
#define FIRST_ITEM ((__global const item*)(in_base + in_offset))

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sums_in_group(ARGUMENTS)
{
    __local float2 sums[OUTPUTS * GROUP];
    const uint me = get_local_id(0);
    const uint first = get_group_id(0) * OUTPUTS;
    __global const item* window[OUTPUTS];
    float2 acc[OUTPUTS];
    for (int o = 0; o < OUTPUTS; ++o) {
        /* Instead of outputs beyond the last one, it is computed again, and not
         * stored. */
        const uint n = min(first + o, outputs - 1);
        window[o] = FIRST_ITEM + (size_t)n * decimation;
        acc[o] = (float2)(0.0f);
    }
    for (uint k = me; k < taps_count;) {
        /* Partial sums, because thousands of terms in one sum would cost accuracy. */
        const uint end = min(k + CHUNK * GROUP, taps_count);
        float2 part[OUTPUTS];
        for (int o = 0; o < OUTPUTS; ++o)
            part[o] = (float2)(0.0f);
        for (; k < end; k += GROUP) {
            const float2 h = taps[k];
            for (int o = 0; o < OUTPUTS; ++o)
                MULTIPLY_ADD(part[o], h, VALUE(window[o] + k));
        }
        for (int o = 0; o < OUTPUTS; ++o)
            acc[o] += part[o];
    }
    for (int o = 0; o < OUTPUTS; ++o)
        sums[o * GROUP + me] = acc[o];
    for (uint half_group = GROUP / 2; half_group > 0; half_group /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < half_group)
            for (int o = 0; o < OUTPUTS; ++o)
                sums[o * GROUP + me] += sums[o * GROUP + me + half_group];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint o = me; o < OUTPUTS; o += GROUP)
        if (first + o < outputs)
            out_base[out_offset + first + o] =
                multiply(sums[o * GROUP], phasor_at(first + o, phase, step));
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
outputs_in_group(ARGUMENTS)
{
    __local float2 chunk[CHUNK];
    const uint me = get_local_id(0);
    const uint first = get_group_id(0) * (OUTPUTS * GROUP) + me;
    __global const item* window[OUTPUTS];
    float2 acc[OUTPUTS];
    for (int o = 0; o < OUTPUTS; ++o) {
        const uint n = min(first + o * GROUP, outputs - 1);
        window[o] = FIRST_ITEM + (size_t)n * decimation;
        acc[o] = (float2)(0.0f);
    }
    for (uint start = 0; start < taps_count; start += CHUNK) {
        const uint count = min((uint)CHUNK, taps_count - start);
        for (uint k = me; k < count; k += GROUP)
            chunk[k] = taps[start + k];
        barrier(CLK_LOCAL_MEM_FENCE);
        float2 part[OUTPUTS]; /* partial sums, as above */
        for (int o = 0; o < OUTPUTS; ++o)
            part[o] = (float2)(0.0f);
        for (uint k = 0; k < count; ++k) {
            const float2 h = chunk[k];
            for (int o = 0; o < OUTPUTS; ++o)
                MULTIPLY_ADD(part[o], h, VALUE(window[o] + start + k));
        }
        for (int o = 0; o < OUTPUTS; ++o)
            acc[o] += part[o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int o = 0; o < OUTPUTS; ++o) {
        const uint n = first + o * GROUP;
        if (n < outputs)
            out_base[out_offset + n] = multiply(acc[o], phasor_at(n, phase, step));
    }
}
