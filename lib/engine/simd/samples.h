// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Converts samples to complex floats, and multiplies them by phasors.

#pragma once

#include <cldsp/phase.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! The kernels of one instruction set. A pointer to float points to pairs of a real and
//! an imaginary part, and needs no alignment.
struct sample_kernels {
    /*!
     * Converts items to complex float with the scaling of their type. A real item x
     * becomes the pair (x, x). Then multiplies the items by \p phasors, unless that is
     * null.
     */
    void (*prepare)(const void* in,
                    sample_type type,
                    const float* phasors,
                    float* out,
                    std::size_t items);

    //! Converts real items to float, without scaling. No pointer needs any alignment.
    void (*to_floats)(const void* in, sample_type type, float* out, std::size_t items);

    //! Adds j times \p other to \p sums.
    void (*add_rotated)(float* sums, const float* other, std::size_t count);

    //! Multiplies \p data by (re, im), and by \p phasors unless that is null.
    void (*rotate)(
        float* data, const float* phasors, float re, float im, std::size_t count);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const sample_kernels*> available_sample_kernels();

/*!
 * Converts items to complex float with the scaling of their type, by the fastest kernels.
 * A real item x becomes (x, 0). No pointer needs any alignment.
 */
void convert_to_complex(const void* in,
                        sample_type type,
                        std::complex<float>* out,
                        std::size_t items);

//! Converts real items to float on the fastest kernels. No pointer needs any alignment.
void convert_to_floats(const void* in, sample_type type, float* out, std::size_t items);

/*!
 * \p out[i] = exp(j 2 pi (\p start + i \p step)). The values come from recurrences in
 * double precision that start afresh every 256 values. So a table costs little and is
 * exact to the rounding of a float.
 */
void fill_phasors(std::complex<float>* out,
                  std::size_t count,
                  phase64 start,
                  phase64 step);

} // namespace cldsp
