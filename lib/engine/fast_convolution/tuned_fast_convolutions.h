/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/fast_convolution_tuning.h"
#include "filter/plan_shape.h"

#include <cstddef>
#include <string>

namespace cldsp {

//! The tuned values for the fast convolution of a filter or a bank, see tuned_lookup, and
//! the block size that follows from them.
class tuned_fast_convolutions
{
public:
    tuned_fast_convolutions(context_registry& registry,
                            tuned_lookup& lookup,
                            const plan_shape& shape);

    //! The tuned values of a variant on a device; empty if there are none.
    const tuning_values& of(const device_info& device, const std::string& variant);
    //! The size of the inverse transform to plan with; 0 if no block fits the device.
    std::size_t ifft_size(device_info device, const std::string& variant);

private:
    context_registry& d_registry;
    tuned_lookup& d_lookup;
    plan_shape d_shape;
    fast_convolution_problem d_problem;
};

} // namespace cldsp
