/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tuning/tuned_lookup.h"

#include <cldsp/context.h>
#include <cldsp/tuned.h>
#include <cldsp/tuning_space.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace cldsp {

//! A kernel family that can be tuned, and the device that it runs on, with limits that
//! the options' profile may have lowered.
struct kernel_place {
    std::string kernel;  //!< e.g. "fir"
    std::string variant; //!< e.g. "cpu_tile"
    std::string file;    //!< name of the kernel file, as for context::build()
    const device_info& device;
    const context_options& options;

    std::string family() const { return kernel + "_" + variant; }
    bool is_cpu_tile() const { return variant == "cpu_tile"; }
    //! The values that the options give in place of the shipped ones; null if they give
    //! none.
    const tuning_values* defaults_given() const;
    tuning_place for_wisdom() const { return { family(), device, options, file }; }
};

//! The place of a tiled kernel. FIR filters and matrix products have two of them each,
//! cpu_tile and gpu_tile.
struct tiled_place : kernel_place {
    //! \param stem the common beginning of the names of the two kernel files
    tiled_place(const std::string& kernel_name,
                const std::string& stem,
                const std::string& variant_name,
                const device_info& where,
                const context_options& with)
        : kernel_place{ kernel_name,
                        variant_name,
                        stem + (variant_name == "cpu_tile" ? "_cpu" : "_gpu"),
                        where,
                        with }
    {
    }
};

//! Whether a variant is cpu_tile or gpu_tile; other variants have nothing to tune.
inline bool is_tiled(const std::string& variant)
{
    return variant == "cpu_tile" || variant == "gpu_tile";
}

//! Returns the space that contains valid values; it may depend on the values given.
using space_for_values = std::function<tuning_space(const tuning_values&)>;

//! A parameter with the values of a set and one more, in ascending order.
tuning_parameter
with(std::string name, const std::set<std::int64_t>& values, std::int64_t one_more);

//! The value of a parameter as a std::size_t.
inline std::size_t size_of(const tuning_values& values, const char* name)
{
    return static_cast<std::size_t>(values.at(name));
}

/*!
 * The values that a kernel is built with: \p suggested, changed by the options'
 * tuning_defaults for the family, then by \p tuned. If the values of one of these two do
 * not fit, all its values are ignored, with a warning.
 *
 * \param suggested values that suit the device
 * \param place the kernel family, and where it runs
 * \param tuned values that a tuner has found
 * \param space_for gives the space in which the values have to lie
 */
tuning_values chosen_values(tuning_values suggested,
                            const kernel_place& place,
                            const tuning_values& tuned,
                            const space_for_values& space_for);

//! The values that the wisdom holds for this problem, or else for the nearest one; only
//! values inside the space count. Empty if there are none.
tuning_values recalled_values(wisdom& all,
                              const kernel_place& place,
                              const tuning_problem& problem,
                              const space_for_values& space_for);

} // namespace cldsp
