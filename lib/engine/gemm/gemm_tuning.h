// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The parameters of the kernels of products, for a tuner.

#pragma once

#include "gemm/gemm_parameters.h"
#include "tuning/kernel_parameters.h"
#include "tuning/tuned_lookup.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <optional>
#include <string>

namespace cldsp {

//! The parameters of a variant's kernel; empty: it has none.
std::optional<kernel_parameters>
gemm_parameters(const std::string& variant, const device_limits& limits, gemm_type type);

tuning_problem gemm_tuning_problem(gemm_type type, const gemm_shape& shape);

/*!
 * The configuration that is used for a shape if nothing was tuned. Only gpu_tile has
 * several usual ones, and uses the one that suits the shape.
 *
 * \param variant "cpu_tile" or "gpu_tile"
 */
tuning_values untuned_gemm_values(const std::string& variant,
                                  const device_limits& limits,
                                  const context_options& options,
                                  gemm_type type,
                                  const gemm_shape& shape);

//! Looks up the tuned values for one problem, see tuned_lookup.
class tuned_gemms
{
public:
    tuned_gemms(context_registry& registry, gemm_type type, const gemm_shape& shape)
        : d_lookup(registry), d_type(type), d_shape(shape)
    {
    }

    //! The values of a variant on a device; empty if there are none, or nothing to tune.
    const tuning_values& of(const device_info& device, const std::string& variant);
    std::string text() const { return d_lookup.text(); }

private:
    tuned_lookup d_lookup;
    gemm_type d_type;
    gemm_shape d_shape;
};

} // namespace cldsp
