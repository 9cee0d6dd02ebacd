// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The parameters of the 1-bit kernels, for a tuner.

#pragma once

#include "tuning/kernel_parameters.h"
#include "tuning/tuned_lookup.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp {

//! The parameters with which the kernel for CPU devices is built and enqueued.
struct gemm_1bit_cpu_parameters {
    explicit gemm_1bit_cpu_parameters(const device_limits& limits); //!< values to suit it

    std::size_t codes;       //!< codes side by side in a vector
    std::size_t block_words; //!< words of 64 bits that are counted in one go
    std::size_t items;       //!< most items of a work-item: their sums stay in the caches
    std::size_t item_bits;   //!< fewest bit pairs that make a work-item worth its start
};

//! The parameters with which the kernel for GPUs is built. A group has group_codes by
//! group_items work-items, and each of them correlates each_items items with each_codes
//! codes.
struct gemm_1bit_gpu_parameters {
    explicit gemm_1bit_gpu_parameters(const device_limits& limits); //!< values to suit it
    bool fits(const device_limits& limits) const;

    std::size_t codes() const { return group_codes * each_codes; } //!< codes of a group
    std::size_t items() const { return group_items * each_items; } //!< items of a group

    std::size_t group_codes, group_items, each_codes, each_items;
    std::size_t depth; //!< words of 32 bits that are in local memory at once; an even
                       //!< number
};

//! \param bits number of bits in a code
parameter_table<gemm_1bit_cpu_parameters> gemm_1bit_cpu_table(const device_limits& limits,
                                                              std::size_t bits);
parameter_table<gemm_1bit_gpu_parameters> gemm_1bit_gpu_table(const device_limits& limits,
                                                              std::size_t bits);

//! The parameters of a variant's kernel; empty: it has none.
std::optional<kernel_parameters> gemm_1bit_parameters(const std::string& variant,
                                                      const device_limits& limits,
                                                      std::size_t bits);

//! \param shape m is the number of items, n that of codes, k that of bits
tuning_problem gemm_1bit_tuning_problem(const gemm_shape& shape);

//! Looks up the tuned values for one problem, see tuned_lookup.
class tuned_gemms_1bit
{
public:
    tuned_gemms_1bit(context_registry& registry, const gemm_shape& shape)
        : d_lookup(registry), d_shape(shape)
    {
    }

    //! The values of a variant on a device; empty if there are none, or nothing to tune.
    const tuning_values& of(const device_info& device, const std::string& variant);
    std::string text() const { return d_lookup.text(); }

private:
    tuned_lookup d_lookup;
    gemm_shape d_shape;
};

} // namespace cldsp
