/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/page_memory.h"
#include "gemm_1bit/gemm_1bit_executor.h"
#include "planning/output_check.h"
#include "tuning/tuning_choice.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

//! The items and the correlations of a typical call, for measurements.
struct typical_1bit_call {
    typical_1bit_call(const gemm_1bit_codes& of, std::size_t items_)
        : codes(of),
          items(items_),
          in(trial_input(sample_type::cu8, (items * codes.bytes_each() + 1) / 2)),
          out(items * codes.count * sizeof(std::int32_t))
    {
    }

    void run(gemm_1bit_executor& executor) const
    {
        executor.run(in.as<const std::uint8_t>(), items, out.as<std::int32_t>());
    }

    void lend_to(gemm_1bit_executor& executor) const
    {
        executor.set_stream_memory(in.region(), out.region());
    }
    void take_from(gemm_1bit_executor& executor) const
    {
        executor.set_stream_memory({}, {});
    }
    void spoil() const { fill_with_nonsense(out.as<void>(), out.region().bytes); }
    output_error error(const gemm_1bit_executor&) const { return { error(), 0 }; }

    //! The difference of some items' correlations from the host's; see output_error.
    double error() const
    {
        constexpr std::size_t each = 4;
        const auto host = make_host_gemm_1bit(codes);
        output_comparison comparison;
        for (const auto& range : some_outputs(items, each)) {
            std::vector<std::int32_t> expected(range.count * codes.count);
            host->run(in.as<const std::uint8_t>() + range.first * codes.bytes_each(),
                      range.count,
                      expected.data());
            comparison.add(out.as<const std::int32_t>() + range.first * codes.count,
                           expected.data(),
                           expected.size());
        }
        return comparison.error();
    }

    void keep() const noexcept
    {
        in.keep();
        out.keep();
    }
    bool is_kept() const noexcept { return in.is_kept(); }

    const gemm_1bit_codes& codes;
    std::size_t items;
    page_memory in, out;
};

//! The parameters with which the kernel for CPU devices is built and enqueued.
struct gemm_1bit_cpu_parameters {
    explicit gemm_1bit_cpu_parameters(const device_limits& limits); //!< values to suit it
    explicit gemm_1bit_cpu_parameters(const tuning_values& values);
    tuning_values values() const;

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
    explicit gemm_1bit_gpu_parameters(const tuning_values& values);
    tuning_values values() const;
    bool fits(const device_limits& limits) const;

    std::size_t codes() const { return group_codes * each_codes; } //!< codes of a group
    std::size_t items() const { return group_items * each_items; } //!< items of a group

    std::size_t group_codes, group_items, each_codes, each_items;
    std::size_t depth; //!< words of 32 bits that are in local memory at once; an even
                       //!< number
};

//! A variant of the 1-bit product that can be tuned ("cpu_tile" or "gpu_tile"), and the
//! device that it runs on.
struct gemm_1bit_place : tiled_place {
    gemm_1bit_place(const std::string& name, const context& where)
        : gemm_1bit_place(name, where.device(), where.options())
    {
    }
    gemm_1bit_place(const std::string& name,
                    const device_info& where,
                    const context_options& with)
        : tiled_place("gemm_1bit", "gemm_1bit", name, where, with)
    {
    }
};

//! The values that the kernel can be built with.
//! \param place the variant, and where it runs
//! \param bits number of bits in a code
//! \throws std::invalid_argument if no buffer can hold such codes
tuning_space gemm_1bit_tuning_space(const gemm_1bit_place& place, std::size_t bits);

//! \param shape m is the number of items, n that of codes, k that of bits
tuning_problem gemm_1bit_tuning_problem(const gemm_shape& shape);

/*!
 * The values that a kernel is built with: those that suit the device, changed by the
 * options' tuning_defaults, then by \p tuned. If the values of one of these two do not
 * fit, all its values are ignored.
 *
 * \param place the variant, and where it runs
 * \param bits number of bits in a code
 * \param tuned values that a tuner has found
 */
tuning_values gemm_1bit_values(const gemm_1bit_place& place,
                               std::size_t bits,
                               const tuning_values& tuned = {});

//! The values that the wisdom holds for this problem, or else for the nearest one; empty
//! if there are none.
tuning_values tuned_gemm_1bit_values(wisdom& all,
                                     const gemm_1bit_place& place,
                                     const gemm_shape& shape);

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
