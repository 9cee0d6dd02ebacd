// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Random filters and banks, and all choices that can be forced for them.

#pragma once

#include "filters/bank_candidates.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp::bench {

/*!
 * Low passes of 1 to 5000 taps at a decimation of 1 to 200; every second problem is a
 * bank of 2 to 256 channels. All three numbers are drawn evenly on a logarithmic scale.
 * The same seed gives the same problems on every machine.
 */
std::vector<bank_workload> random_problems(std::size_t count, unsigned seed);

//! A choice that `auto` may take, forced by name.
struct forced_choice {
    engine_wish wish; //!< names one variant, one device and one transfer
    std::size_t ifft_size =
        0; //!< above 0: this block size of fast convolution on the host

    std::unique_ptr<candidate> make(const bank_workload& work,
                                    const call_memory& memory,
                                    context_registry& registry) const;
};

//! All forced choices: algorithms, devices, transfers, and the block sizes that the
//! planner considers.
std::vector<forced_choice> forced_choices(const bank_workload& work,
                                          const call_memory& memory,
                                          context_registry& registry);

} // namespace cldsp::bench
