/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/overlap_save.h"
#include "simd/dispatch.h"
#include "fast_convolution/overlap_save_simd.h"

#include <cldsp/errors.h>

#include <string>

namespace cldsp {

CLDSP_DECLARE_KERNELS(overlap_save_kernels, fold_kernels)

std::vector<const overlap_save_kernels*> available_overlap_save_kernels()
{
    return runnable_kernels<overlap_save_kernels>(CLDSP_KERNEL_SETS(fold_kernels));
}

namespace {

// Of a block: far beyond any size that pays.
constexpr std::size_t max_items = std::size_t(1) << 24;

} // namespace

void overlap_save_shape::check() const
{
    const auto at_least_one = [](const char* name, std::size_t value) {
        if (value < 1)
            throw_invalid(name, std::to_string(value), "1 or more");
    };
    at_least_one("decimation", decimation);
    at_least_one("reach", reach);
    at_least_one("channels", channels);
    at_least_one("rows", rows);
    const std::size_t most = max_items / decimation;
    if (rows > most)
        throw_invalid("rows",
                      std::to_string(rows),
                      "at most " + std::to_string(most) + " at decimation " +
                          std::to_string(decimation));
    if (!(accuracy >= 0 && accuracy <= 0.1))
        throw_invalid("accuracy", std::to_string(accuracy), "from 0 to 0.1");
}

void overlap_save_shape::check_channel(std::size_t channel, const fir_setup& setup) const
{
    if (channel >= channels)
        throw_invalid(
            "channel", std::to_string(channel), "below " + std::to_string(channels));
    if (setup.taps() > reach)
        throw_invalid("taps",
                      std::to_string(setup.taps()) + " taps",
                      "at most " + std::to_string(reach));
}

} // namespace cldsp
