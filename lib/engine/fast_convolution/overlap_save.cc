/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/overlap_save.h"

#include "fast_convolution/fold.h"
#include "fft/row_transform.h"
#include "fft/selective_transform.h"
#include "filter/variants.h"
#include "simd/dispatch.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <stdexcept>
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

// Limits of the sizes that are tried where none is given.
constexpr std::size_t min_rows = 64;
constexpr std::size_t min_items = 1024;
constexpr std::size_t max_rows = std::size_t(1) << 22;

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

const std::vector<overlap_save_method>& overlap_save_methods()
{
    static const auto& methods = *new std::vector<overlap_save_method>{
        { "polyphase",
          make_overlap_save_polyphase,
          [](std::size_t, std::size_t ifft_size) {
              return passes_of(ifft_size).first != 0;
          } },
        { "four_step",
          make_overlap_save_four_step,
          [](std::size_t decimation, std::size_t ifft_size) {
              return decimation == 1 && covers_four_step(ifft_size);
          } },
        { "selected_bins",
          make_overlap_save_selected_bins,
          [](std::size_t, std::size_t ifft_size) {
              return ifft_size > 0 && ifft_size <= max_rows;
          } },
    };
    return methods;
}

const overlap_save_method* find_overlap_save_method(const std::string& name)
{
    for (const auto& method : overlap_save_methods())
        if (method.name == name)
            return &method;
    return nullptr;
}

std::unique_ptr<overlap_save> make_blocks(const overlap_save_method& method,
                                          overlap_save_shape& shape)
{
    check_accuracy(shape.accuracy); // no other size would help
    const auto& kernels = available_overlap_save_kernels().front();
    if (shape.ifft_size != 0) {
        try {
            auto blocks = method.make(shape, kernels);
            if (2 * blocks->block_outputs() * shape.decimation >= shape.max_taps)
                return blocks;
        } catch (const std::invalid_argument&) {
            if (!method.covers(shape.decimation, shape.ifft_size))
                throw;
        }
    }
    std::unique_ptr<overlap_save> blocks;
    overlap_save_shape larger = shape;
    larger.ifft_size = min_rows;
    while (larger.ifft_size * shape.decimation < min_items)
        larger.ifft_size *= 2;
    for (; larger.ifft_size <= max_rows; larger.ifft_size *= 2) {
        if (!method.covers(shape.decimation, larger.ifft_size))
            continue;
        try {
            blocks = method.make(larger, kernels);
        } catch (const std::invalid_argument&) {
            continue; // the whole block would be overlap
        }
        shape.ifft_size = larger.ifft_size;
        if (blocks->block_outputs() * shape.decimation >= 3 * shape.max_taps)
            break;
    }
    if (!blocks)
        throw_invalid("variant",
                      "'" + method.name + "'",
                      "one that covers decimation " + std::to_string(shape.decimation) +
                          " and " + std::to_string(shape.max_taps) + " taps");
    return blocks;
}

} // namespace cldsp
