// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The call of a 1-bit product that the planner and the tuner time.

#pragma once

#include "base/page_memory.h"
#include "gemm_1bit/gemm_1bit_executor.h"
#include "planning/output_check.h"

#include <cstddef>
#include <cstdint>
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

} // namespace cldsp
