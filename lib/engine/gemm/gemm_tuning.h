/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_parameters.h"
#include "tuning/tuning_choice.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <string>

namespace cldsp {

//! A variant of the multiplication that can be tuned, "cpu_tile" or "gpu_tile", and
//! where it runs.
struct gemm_place : tiled_place {
    gemm_place(const std::string& name, const context& where)
        : gemm_place(name, where.device(), where.options())
    {
    }
    gemm_place(const std::string& name,
               const device_info& where,
               const context_options& with)
        : tiled_place("gemm", "gemm", name, where, with)
    {
    }
};

//! The values that the kernel can be built with.
tuning_space gemm_tuning_space(const gemm_place& place, gemm_type type);
tuning_problem gemm_tuning_problem(gemm_type type, const gemm_shape& shape);

/*!
 * What a kernel is built with: what suits the device, changed by the options'
 * tuning_defaults, then by \p tuned. Values that do not fit are passed over, each set as
 * a whole.
 */
tuning_values
gemm_values(const gemm_place& place, gemm_type type, const tuning_values& tuned = {});

/*!
 * What runs for a shape where nothing was tuned: gemm_values(), but that gpu_tile has
 * several shipped tiles and takes the one for the shape.
 */
tuning_values
untuned_gemm_values(const gemm_place& place, gemm_type type, const gemm_shape& shape);

//! The wisdom's values for a problem or the nearest one; empty: there are none.
tuning_values tuned_gemm_values(wisdom& all,
                                const gemm_place& place,
                                gemm_type type,
                                const gemm_shape& shape);

//! What is tuned for one problem, see tuned_lookup.
class tuned_gemms
{
public:
    tuned_gemms(context_registry& registry, gemm_type type, const gemm_shape& shape)
        : d_lookup(registry), d_type(type), d_shape(shape)
    {
    }

    //! Values of a variant on a device; empty: there are none, or nothing to tune.
    const tuning_values& of(const device_info& device, const std::string& variant);
    std::string text() const { return d_lookup.text(); }

private:
    tuned_lookup d_lookup;
    gemm_type d_type;
    gemm_shape d_shape;
};

gemm_cpu_parameters gemm_cpu_parameters_of(gemm_type type, const tuning_values& values);
gemm_gpu_parameters gemm_gpu_parameters_of(const tuning_values& values);

} // namespace cldsp
