/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_executor.h"
#include "tuning/tuning_choice.h"

#include <cldsp/context.h>
#include <cldsp/sample_type.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <string>

namespace cldsp {

//! The file of a variant's kernels.
std::string kernel_file_of(const std::string& variant);

//! Fast convolution through OpenCL, and the device that it runs on.
struct fast_convolution_place : kernel_place {
    fast_convolution_place(const std::string& its_variant, const context& where)
        : fast_convolution_place(its_variant, where.device(), where.options())
    {
    }
    fast_convolution_place(const std::string& its_variant,
                           const device_info& where,
                           const context_options& with)
        : kernel_place{
              "fast_convolution", its_variant, kernel_file_of(its_variant), where, with
          }
    {
    }
};

//! The problem that the sizes of fast convolution are chosen for.
struct fast_convolution_problem {
    sample_type input = sample_type::fc32;
    std::size_t decimation = 1;
    std::size_t max_taps = 1; //!< taps of the longest channel
    std::size_t channels = 1;
};

/*!
 * The values that fast convolution can be built with:
 * - `ifft_size`: the size of the inverse transform
 * - `pipeline_kib`: KiB of values that one batch of the pipeline computes
 * - those of the variant's fold, see opencl_fast_convolution_variant::parameters(). With
 *   VkFFT's transforms these are `group`, the work-items in a work-group of the engine's
 *   own kernels, and `fold_blocks`, the blocks for which a work-item of the fold reads a
 *   response once
 *
 * \param items input items of a typical call. Sizes that are much larger than it needs
 *        are left out. 0: no size is left out for that reason
 * \throws std::invalid_argument if no block fits the device
 */
tuning_space fast_convolution_tuning_space(const fast_convolution_place& place,
                                           const fast_convolution_problem& problem,
                                           std::size_t items,
                                           const tuning_values& suggested);

tuning_problem fast_convolution_tuning_problem(const fast_convolution_problem& problem,
                                               std::size_t items);

/*!
 * The values that suit the device.
 *
 * \param ifft_size the size of the inverse transform; 0: fast_convolution_size()
 * \throws std::invalid_argument if no block fits the device
 */
tuning_values suggested_values(const fast_convolution_place& place,
                               const fast_convolution_problem& problem,
                               std::size_t ifft_size);

/*!
 * The values that fast convolution is built with: suggested_values(), changed by the
 * options' tuning_defaults, then by \p tuned. Each of these two sets is ignored as a
 * whole if it does not fit.
 */
tuning_values fast_convolution_values(const fast_convolution_place& place,
                                      const fast_convolution_problem& problem,
                                      std::size_t ifft_size,
                                      const tuning_values& tuned = {});

//! The values that the wisdom has for a problem or the nearest one; empty if there are
//! none.
tuning_values tuned_fast_convolution_values(wisdom& all,
                                            const fast_convolution_place& place,
                                            const fast_convolution_problem& problem,
                                            std::size_t items);

} // namespace cldsp
