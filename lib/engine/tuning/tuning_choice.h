/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

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

//! A kernel family that can be tuned, and where it runs: a device, its limits as the
//! profile of the options lowers them.
struct kernel_place {
    std::string kernel;  //!< e.g. "fir"
    std::string variant; //!< e.g. "cpu_tile"
    std::string file;    //!< as context::build()'s
    const device_info& device;
    const context_options& options;

    std::string family() const { return kernel + "_" + variant; }
    bool is_cpu_tile() const { return variant == "cpu_tile"; }
    //! The options' values in the place of the shipped ones; null: there are none.
    const tuning_values* defaults_given() const;
    tuning_place for_wisdom() const { return { family(), device, options, file }; }
};

//! A place of one of the two kernels in tiles that there are of FIR filters and products.
struct tiled_place : kernel_place {
    //! \param stem of the two kernels' files
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

//! Whether a variant is one of those two; the others have nothing to tune.
inline bool is_tiled(const std::string& variant)
{
    return variant == "cpu_tile" || variant == "gpu_tile";
}

//! The space in which values have to be.
using space_for_values = std::function<tuning_space(const tuning_values&)>;

//! A list's values, and one more, in ascending order.
tuning_parameter
with(std::string name, const std::set<std::int64_t>& values, std::int64_t one_more);

//! 1, 2, 4 and so on up to \p most.
std::set<std::int64_t> powers_of_two(std::int64_t most);

//! The largest work-group of one dimension that is worth a try.
std::int64_t largest_group(const device_limits& limits);

//! A value as a size.
inline std::size_t size_of(const tuning_values& values, const char* name)
{
    return static_cast<std::size_t>(values.at(name));
}

/*!
 * What a kernel is built with: \p suggested values, changed by the options'
 * tuning_defaults for the family, then by \p tuned. Values that do not fit are passed
 * over with a warning, each set as a whole.
 */
tuning_values chosen_values(tuning_values suggested,
                            const kernel_place& place,
                            const tuning_values& tuned,
                            const space_for_values& space_for);

//! The wisdom's values for a problem or the nearest one that are in the space; empty:
//! there are none.
tuning_values recalled_values(wisdom& all,
                              const kernel_place& place,
                              const tuning_problem& problem,
                              const space_for_values& space_for);

//! What is tuned for an object that is made: each question is asked of the wisdom once.
class tuned_lookup
{
public:
    explicit tuned_lookup(context_registry& registry) : d_registry(registry) {}

    /*!
     * Values of a variant on a device; empty: there are none.
     *
     * \param problem names the question, besides the device and the variant
     * \param recall is given the device as the profile lowers it
     */
    const tuning_values&
    of(const device_info& device,
       const std::string& variant,
       const std::string& problem,
       const std::function<
           tuning_values(wisdom&, const device_info&, const context_options&)>& recall);
    //! All that was found, in one line: what was measured with other values does not
    //! hold.
    std::string text() const;

private:
    context_registry& d_registry;
    std::map<std::string, tuning_values> d_found;
};

//! E.g. "; tuned: tile=4 width=8", for a plan's text; empty for no values.
std::string tuned_text(const tuning_values& values);

} // namespace cldsp
