/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm_parameters.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <map>
#include <string>
#include <utility>

namespace cldsp {

//! A variant of the multiplication that can be tuned, and where it runs: a device, its
//! limits as the profile of the options lowers them.
struct gemm_place {
    std::string variant;
    const device_info& device;
    const context_options& options;

    gemm_place(std::string name, const context& where)
        : gemm_place(std::move(name), where.device(), where.options())
    {
    }
    gemm_place(std::string name, const device_info& where, const context_options& with)
        : variant(std::move(name)), device(where), options(with)
    {
    }

    std::string family() const { return "gemm_" + variant; }
    bool is_cpu_tile() const { return variant == "cpu_tile"; }
    //! Whether the options have values instead of the shipped ones.
    bool has_defaults_given() const
    {
        return options.tuning_defaults.find(family()) != options.tuning_defaults.end();
    }
    tuning_place for_wisdom() const;
};

//! Whether a variant has anything to tune.
inline bool gemm_can_be_tuned(const std::string& variant)
{
    return variant == "cpu_tile" || variant == "gpu_tile";
}

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

//! Looks up what is tuned for one problem, on each device once.
class tuned_gemms
{
public:
    tuned_gemms(context_registry& registry, gemm_type type, const gemm_shape& shape)
        : d_registry(registry), d_type(type), d_shape(shape)
    {
    }

    //! Values of a variant on a device; empty: there are none, or nothing to tune.
    const tuning_values& of(device_info device, const std::string& variant);
    //! All that was found, in one line: what was measured with other values does not
    //! hold.
    std::string text() const;

private:
    context_registry& d_registry;
    gemm_type d_type;
    gemm_shape d_shape;
    std::map<std::string, tuning_values> d_found; //!< by device and variant
};

gemm_cpu_parameters gemm_cpu_parameters_of(gemm_type type, const tuning_values& values);
gemm_gpu_parameters gemm_gpu_parameters_of(const tuning_values& values);

} // namespace cldsp
