// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tries the block sizes that suit a call, whatever is predicted for them.

#include "filters/block_scan.h"

#include "fast_convolution/overlap_save_method.h"


#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds_of(candidate& c)
{
    const auto start = clock::now();
    c.call();
    return std::chrono::duration<double>(clock::now() - start).count();
}

} // namespace

std::unique_ptr<candidate> scan_blocks(const bank_workload& work,
                                       const call_memory& memory,
                                       double accuracy,
                                       double seconds,
                                       bool coarse,
                                       context_registry& registry)
{
    plan_shape shape;
    shape.input = work.filter.input;
    shape.taps = work.filter.taps;
    shape.decimation = work.filter.decimation;
    shape.items = memory.items();
    std::unique_ptr<candidate> best;
    double least = std::numeric_limits<double>::infinity();
    const auto try_block = [&](const overlap_save_method& method, std::size_t ifft_size) {
        const std::size_t outputs = method.outputs(shape, ifft_size);
        // Leaves out blocks that are mostly overlap, and blocks far longer than a call.
        if (outputs * 8 < ifft_size || outputs > 2 * memory.outputs())
            return;
        std::unique_ptr<candidate> tried;
        try {
            tried = make_block_candidate(
                work, memory, method.name, ifft_size, accuracy, 1, registry);
        } catch (const std::invalid_argument&) {
            return; // the variant does not cover this size
        }
        tried->call();
        double shortest = seconds_of(*tried);
        for (const auto start = clock::now();
             std::chrono::duration<double>(clock::now() - start).count() < seconds;)
            shortest = std::min(shortest, seconds_of(*tried));
        if (shortest < least) {
            least = shortest;
            best = std::move(tried);
        }
    };
    const std::size_t step = coarse ? 4 : 2;
    for (const auto* method : overlap_save_methods())
        for (std::size_t size = 32; size <= 65536; size *= step)
            for (const std::size_t fourths : { 4, 5, 6, 7 })
                if (fourths == 4 || !coarse)
                    try_block(*method, size / 4 * fourths);
    return best;
}

} // namespace cldsp::bench
