/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/tuned_fast_convolutions.h"

#include "fast_convolution/fast_convolution_shape.h"

#include <stdexcept>

namespace cldsp {

tuned_fast_convolutions::tuned_fast_convolutions(context_registry& registry,
                                                 tuned_lookup& lookup,
                                                 const plan_shape& shape)
    : d_registry(registry),
      d_lookup(lookup),
      d_shape(shape),
      d_problem{ shape.input, shape.decimation, shape.taps, shape.channels }
{
}

const tuning_values& tuned_fast_convolutions::of(const device_info& device,
                                                 const std::string& variant)
{
    return d_lookup.of(
        device,
        variant,
        fast_convolution_tuning_problem(d_problem, d_shape.items).text(),
        [&](wisdom& all, const device_info& where, const context_options& with) {
            return tuned_fast_convolution_values(
                all, { variant, where, with }, d_problem, d_shape.items);
        });
}

std::size_t tuned_fast_convolutions::ifft_size(device_info device,
                                               const std::string& variant)
{
    const auto& tuned = of(device, variant);
    const auto& options = d_registry.options();
    device = d_registry.lowered(std::move(device));
    try {
        return size_of(fast_convolution_values({ variant, device, options },
                                               d_problem,
                                               fast_convolution_size(variant,
                                                                     device,
                                                                     d_shape.decimation,
                                                                     d_shape.taps,
                                                                     d_shape.channels,
                                                                     d_shape.outputs()),
                                               tuned),
                       "ifft_size");
    } catch (const std::invalid_argument&) {
        return 0;
    }
}

} // namespace cldsp
