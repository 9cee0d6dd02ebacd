/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/bank_candidates.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp::bench {

/*!
 * Low passes of 1 to 5000 taps at decimation 1 to 200, every second one a bank of 2 to
 * 256 channels, all drawn evenly on a logarithmic scale. The same for the same seed on
 * every machine.
 */
std::vector<bank_workload> random_problems(std::size_t count, unsigned seed);

//! A choice that `auto` may take, asked for by name.
struct forced_choice {
    engine_wish wish; //!< of one variant, on one device, with one transfer
    std::size_t ifft_size =
        0; //!< above 0: this block size of fast convolution on the host

    std::unique_ptr<candidate> make(const bank_workload& work,
                                    const call_memory& memory,
                                    context_registry& registry) const;
};

//! All of them: algorithms, devices, transfers, and the planner's own block sizes.
std::vector<forced_choice> forced_choices(const bank_workload& work,
                                          const call_memory& memory,
                                          context_registry& registry);

} // namespace cldsp::bench
