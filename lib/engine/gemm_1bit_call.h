/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm_1bit_executor.h"
#include "trial_memory.h"

#include <cstddef>
#include <cstdint>

namespace cldsp {

//! The items and correlations of a typical call, for a measurement.
struct typical_1bit_call {
    typical_1bit_call(const gemm_1bit_codes& codes, std::size_t items_)
        : items(items_),
          in(trial_input(sample_type::cu8, (items * codes.bytes_each() + 1) / 2)),
          out(items * codes.count * sizeof(std::int32_t))
    {
    }

    void run(gemm_1bit_executor& executor) const
    {
        executor.run(in.as<const std::uint8_t>(), items, out.as<std::int32_t>());
    }

    std::size_t items;
    trial_memory in, out;
};

} // namespace cldsp
