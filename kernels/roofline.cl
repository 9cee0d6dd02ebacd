// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Kernels that measure the peak rates of a device.

/*
 * Kernels that measure the peak rates of a device:
 *
 * `arithmetic`: each work-item has CHAINS vectors of WIDTH values of the type REAL, and
 * computes STEPS * passes steps of each. A step depends on the step before it. The chains
 * do not depend on each other, and so hide the latency of a step. A step is a
 * multiply-add; with COUNT_BITS and the type uint it is an exclusive or, a bit count and
 * a sum.
 *
 * `read_global`, `write_global`, `copy_global`: move vectors of WIDTH values of global
 * memory. With BLOCKED 1 (for CPUs) the vectors of a work-item follow each other. With
 * BLOCKED 0 (for GPUs) neighbouring vectors belong to neighbouring work-items.
 *
 * `read_local`: reads vectors of WIDTH values from TILE + STEPS vectors of local memory.
 *
 * `nothing`: does nothing, and so shows the cost of a launch.
 *
 * Preconditions: `arithmetic` writes a vector for each work-item. The memory kernels need
 * uint as REAL, and buffers of `count` vectors for each work-item. TILE is a power of
 * two. The size of the work-groups is free.
 */

#ifndef REAL
#define REAL float
#endif
#ifndef WIDTH /* 1, 2, 4, 8 or 16 */
#define WIDTH 1
#endif
#ifndef CHAINS
#define CHAINS 8
#endif
#ifndef STEPS /* number of unrolled steps */
#define STEPS 8
#endif
#ifndef BLOCKED
#define BLOCKED 0
#endif
#ifndef TILE
#define TILE 64
#endif

#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#include "join.clh"
#include "portable.clh"

#if WIDTH == 1
typedef REAL vec;
#else
typedef JOIN(REAL, WIDTH) vec;
#endif

#if defined(COUNT_BITS)
#ifdef BITS_BY_SUMS /* for devices where popcount() takes only one value at a time */
HELPER vec bits_of(vec v)
{
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    return (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}
#else
#define bits_of popcount
#endif
#define STEP(x, a, b) ((x) + bits_of((x) ^ (a)))
#elif defined(INTEGER)
#define STEP(x, a, b) ((x) * (a) + (b))
#elif defined(FUSED) /* for devices that have an instruction for it */
#define STEP(x, a, b) FMA(x, a, b)
#else
#define STEP(x, a, b) mad(x, a, b)
#endif

__kernel void
arithmetic(__global vec *restrict out, const float scale, const float shift, const uint passes)
{
    const uint item = get_global_id(0);
    const vec a = (vec)((REAL)scale);
    const vec b = (vec)((REAL)shift);
    vec x[CHAINS];
#pragma unroll
    for (uint c = 0; c < CHAINS; c++)
        x[c] = (vec)((REAL)(item % 7 + c));
    for (uint pass = 0; pass < passes; pass++) {
#pragma unroll
        for (uint s = 0; s < STEPS; s++) {
#pragma unroll
            for (uint c = 0; c < CHAINS; c++)
                x[c] = STEP(x[c], a, b);
        }
    }
    vec sum = x[0];
#pragma unroll
    for (uint c = 1; c < CHAINS; c++)
        sum += x[c];
    out[item] = sum;
}

#if !defined(HALF) /* the memory kernels, for which REAL is uint */

#if BLOCKED
#define FIRST(count) (get_global_id(0) * (count))
#define NEXT 1
#else
#define FIRST(count) get_global_id(0)
#define NEXT get_global_size(0)
#endif

/* Writes the sum only if every value of it is `magic`. That practically never happens,
 * but the compiler does not know that, and so cannot leave the reads out. */
#define KEEP(out, sum, magic)          \
    if (all_are(sum, (vec)(magic)))    \
        (out)[get_global_id(0)] = (sum);

#if WIDTH == 1
#define all_are(x, y) ((x) == (y))
#else
#define all_are(x, y) all((x) == (y))
#endif

__kernel void read_global(__global const vec *restrict in,
                          __global vec *restrict out,
                          const REAL magic,
                          const uint count)
{
    const size_t next = NEXT;
    __global const vec *p = in + FIRST(count);
    vec s0 = *p, s1 = s0, s2 = s0, s3 = s0;
    uint i = 0;
    for (; i + 4 <= count; i += 4, p += 4 * next) {
        s0 += p[0];
        s1 += p[next];
        s2 += p[2 * next];
        s3 += p[3 * next];
    }
    for (; i < count; i++, p += next)
        s0 += *p;
    const vec sum = s0 + s1 + s2 + s3;
    KEEP(out, sum, magic)
}

__kernel void
write_global(__global vec *restrict out, const REAL value, const uint count)
{
    const size_t next = NEXT;
    __global vec *p = out + FIRST(count);
    for (uint i = 0; i < count; i++, p += next)
        *p = (vec)(value);
}

__kernel void copy_global(__global const vec *restrict in,
                          __global vec *restrict out,
                          const uint count)
{
    const size_t next = NEXT;
    const size_t first = FIRST(count);
    for (uint i = 0; i < count; i++)
        out[first + i * next] = in[first + i * next];
}

__kernel void
read_local(__global vec *restrict out, const REAL magic, const uint passes)
{
    __local vec tile[TILE + STEPS];
    const uint local_item = get_local_id(0);
    for (uint i = local_item; i < TILE + STEPS; i += get_local_size(0))
        tile[i] = (vec)((REAL)(i * magic));
    barrier(CLK_LOCAL_MEM_FENCE);

    vec s[4];
    s[0] = s[1] = s[2] = s[3] = (vec)((REAL)local_item);
    uint at = local_item & (TILE - 1);
    for (uint pass = 0; pass < passes; pass++) {
#pragma unroll
        for (uint k = 0; k < STEPS; k++)
            s[k % 4] += tile[at + k];
        at = (at + STEPS) & (TILE - 1);
    }
    const vec sum = s[0] + s[1] + s[2] + s[3];
    KEEP(out, sum, magic)
}

__kernel void nothing(__global uint *restrict out, const uint value) { out[0] = value; }

#endif
