// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Multiplies samples by a phasor whose frequency may change linearly.

#pragma once

#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

struct phase_curve;

//! The items of a group share the coefficients of their phases. A group begins at an item
//! whose index is a multiple of this.
constexpr std::size_t mixer_group_items = 64;

/*!
 * Item i of a group is multiplied by a phasor, whose angle in turns is
 *
 * (phase + i step + i (i - 1) / 2 bend) 2^-32 + i step_rest + i (i - 1) / 2 bend_rest
 *
 * The integers wrap round. The rests are the rounding errors of step and bend: without
 * its rest, a bend of 32 bits would be ten times too coarse.
 */
struct mixer_group {
    std::uint32_t phase;
    std::uint32_t step;
    std::uint32_t bend;
    float step_rest;
    float bend_rest;
};

//! The kernels of one instruction set.
struct mixer_kernels {
    /*!
     * Multiplies items, with the scaling of their type, by the phasors of their angles.
     * \param groups the group of the first item, and the groups after it
     * \param skip the place of the first item in its group
     * \param out pairs of a real and an imaginary part; must not overlap \p in
     */
    void (*mix)(const void* in,
                sample_type type,
                const mixer_group* groups,
                std::size_t skip,
                float* out,
                std::size_t items);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const mixer_kernels*> available_mixer_kernels();

/*!
 * \p out[i] is item i of \p in, with the scaling of its type, times
 * exp(-j 2 pi curve.at(\p first + i)). The phasors are exact to 2e-7. An item's result
 * does not depend, to the bit, on the items that are computed with it.
 * \param out must not overlap \p in; no pointer needs any alignment
 */
void mix_to_zero(const void* in,
                 sample_type type,
                 const phase_curve& curve,
                 std::int64_t first,
                 std::complex<float>* out,
                 std::size_t items);

//! The same by the given kernels.
void mix_to_zero(const mixer_kernels& kernels,
                 const void* in,
                 sample_type type,
                 const phase_curve& curve,
                 std::int64_t first,
                 std::complex<float>* out,
                 std::size_t items);

} // namespace cldsp
