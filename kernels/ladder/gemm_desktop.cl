// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrix products with one element of the result for each work-item.

/*
 * C = alpha A B + beta C, row-major: the variants of the desktop ladder in which a
 * work-item computes one element of C. A is m by k, C is m by n; `naive` reads B as k by
 * n, the others read it transposed, as n by k.
 *
 * `naive` and `coalesced` add up in memory, `private_sum` in a register.
 *
 * Preconditions: the global size is at least m by n, with rows as the first dimension.
 * For half precision, `naive` and `coalesced` need m * n floats for their sums, because C
 * would round them. Half precision is only a format in memory, so that no device needs
 * cl_khr_fp16. C is not read if beta is 0; A and B are not read if k is 0.
 */

#include "gemm_types.clh"
#include "portable.clh"

#if TYPE == C32
typedef float2 value_t;
#else
typedef float value_t;
#endif

#if TYPE == F16
#define STORED half
#define LOAD(p, i) vload_half(i, p)
#define STORE(v, p, i) vstore_half(v, i, p)
#else
#define STORED value_t
#define LOAD(p, i) (p)[i]
#define STORE(v, p, i) (p)[i] = (v)
#endif

HELPER value_t multiply(value_t a, value_t b)
{
#if TYPE == C32
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
#else
    return a * b;
#endif
}

/* The factors are passed as complex numbers for every type. */
HELPER value_t factor(float2 f)
{
#if TYPE == C32
    return f;
#else
    return f.x;
#endif
}

HELPER value_t scaled(__global const STORED* c, size_t at, float2 beta)
{
    if (beta.x == 0.0f && beta.y == 0.0f)
        return (value_t)(0.0f);
    return multiply(factor(beta), LOAD(c, at));
}

#define ARGUMENTS                                                                    \
    __global const STORED *a, uint a_offset, uint a_leading, __global const STORED *b, \
        uint b_offset, uint b_leading, __global STORED *c, uint c_offset,            \
        uint c_leading, uint m, uint n, uint k, float2 alpha, float2 beta

#define A_AT(i, j) (a_offset + (size_t)(i)*a_leading + (j))
#define B_AT(i, j) (b_offset + (size_t)(i)*b_leading + (j))
#define C_AT(i, j) (c_offset + (size_t)(i)*c_leading + (j))

/* SUM is the memory of an element's sum; DONE copies it to C. */
#if TYPE == F16
#define MEMORY_ARGUMENTS ARGUMENTS, __global float *sums
#define SUM sums[(size_t)row * n + column]
#define DONE STORE(SUM, c, C_AT(row, column))
#else
#define MEMORY_ARGUMENTS ARGUMENTS
#define SUM c[C_AT(row, column)]
#define DONE
#endif

#define SUM_IN_MEMORY(name, B)                                                       \
    __kernel void name(MEMORY_ARGUMENTS)                                             \
    {                                                                                \
        const uint row = get_global_id(0);                                           \
        const uint column = get_global_id(1);                                        \
        if (row >= m || column >= n)                                                 \
            return;                                                                  \
        SUM = scaled(c, C_AT(row, column), beta);                                    \
        for (uint i = 0; i < k; ++i)                                                 \
            SUM += multiply(factor(alpha), multiply(LOAD(a, A_AT(row, i)), B));      \
        DONE;                                                                        \
    }

SUM_IN_MEMORY(naive, LOAD(b, B_AT(i, column)))
SUM_IN_MEMORY(coalesced, LOAD(b, B_AT(column, i)))

__kernel void private_sum(ARGUMENTS)
{
    const uint row = get_global_id(0);
    const uint column = get_global_id(1);
    if (row >= m || column >= n)
        return;
    value_t sum = (value_t)(0.0f);
    for (uint i = 0; i < k; ++i)
        sum += multiply(LOAD(a, A_AT(row, i)), LOAD(b, B_AT(column, i)));
    const size_t at = C_AT(row, column);
    STORE(multiply(factor(alpha), sum) + scaled(c, at, beta), c, at);
}
