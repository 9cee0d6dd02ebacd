// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks the sizes of blocks, and selects the kernels of the fold.

#include "fast_convolution/overlap_save.h"

#include "fast_convolution/fold.h"
#include "fft/row_transform.h"
#include "fft/selective_transform.h"
#include "filter/variants.h"
#include "simd/dispatch.h"

#include <cldsp/errors.h>

#include <string>

namespace cldsp {

CLDSP_DECLARE_KERNELS(fold_kernel_set, fold_kernels)

std::vector<const fold_kernel_set*> available_fold_kernels()
{
    return runnable_kernels<fold_kernel_set>(CLDSP_KERNEL_SETS(fold_kernels));
}

namespace {

// The most items of a block, far beyond any size that pays.
constexpr std::size_t max_block_items = std::size_t(1) << 24;

} // namespace

void overlap_save_shape::check() const
{
    const auto at_least_one = [](const char* name, std::size_t value) {
        if (value < 1)
            throw_invalid(name, std::to_string(value), "1 or more");
    };
    at_least_one("decimation", decimation);
    at_least_one("max_taps", max_taps);
    at_least_one("channels", channels);
    at_least_one("ifft_size", ifft_size);
    const std::size_t most = max_block_items / decimation;
    if (ifft_size > most)
        throw_invalid("ifft_size",
                      std::to_string(ifft_size),
                      "at most " + std::to_string(most) + " at decimation " +
                          std::to_string(decimation));
    check_accuracy(accuracy);
}

void overlap_save_shape::check_channel(std::size_t channel,
                                       const filter_channel& setup) const
{
    if (channel >= channels)
        throw_invalid(
            "channel", std::to_string(channel), "below " + std::to_string(channels));
    if (setup.taps() > max_taps)
        throw_invalid("taps",
                      std::to_string(setup.taps()) + " taps",
                      "at most " + std::to_string(max_taps));
}

bool gathers_bins(std::size_t decimation, std::size_t channels, double kept)
{
    constexpr double min_kept = 0.06;
    return decimation > 1 && channels > 1 && kept > min_kept;
}

const std::vector<overlap_save_kernels>& available_overlap_save_kernels()
{
    static const auto& sets = *[] {
        auto* made = new std::vector<overlap_save_kernels>;
        const auto folds = available_fold_kernels();
        const auto transforms = available_selective_kernels();
        const auto rows = available_row_kernels();
        for (std::size_t i = 0; i < folds.size(); i++)
            made->push_back({ *folds[i], *transforms[i], *rows[i] });
        return made;
    }();
    return sets;
}

} // namespace cldsp
