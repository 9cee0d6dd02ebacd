/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/phase.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! The kernels as compiled for one instruction set. Pointers to float are to pairs of real
//! and imaginary part, without any alignment.
struct sample_kernels {
    /*!
     * Converts items to complex float with the type's scaling, real ones to (x, x), and
     * multiplies by \p phasors where that is not null.
     */
    void (*prepare)(const void* in,
                    sample_type type,
                    const float* phasors,
                    float* out,
                    std::size_t items);

    //! \p sums += j \p other
    void (*add_rotated)(float* sums, const float* other, std::size_t count);

    //! \p data *= (re, im) \p phasors, or just (re, im) where that is null.
    void (*rotate)(
        float* data, const float* phasors, float re, float im, std::size_t count);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const sample_kernels*> available_sample_kernels();

/*!
 * Converts items to complex float with the type's scaling, real ones to (x, 0), on the
 * fastest kernels. No pointer needs any alignment.
 */
void convert_to_complex(const void* in,
                        sample_type type,
                        std::complex<float>* out,
                        std::size_t items);

/*!
 * \p out[i] = exp(j 2 pi (\p start + i \p step)): a double-precision recurrence that
 * starts afresh every 64 values, so that a table costs little and is exact to a float's
 * rounding.
 */
void fill_phasors(std::complex<float>* out,
                  std::size_t count,
                  phase64 start,
                  phase64 step);

} // namespace cldsp
