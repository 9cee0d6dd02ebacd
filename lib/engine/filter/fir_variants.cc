/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter/plan_options.h"

namespace cldsp {

const std::vector<variant_info>& freq_xlating_fir_variants()
{
    static const auto& variants = *new std::vector<variant_info>{
        { "naive", "one output a work-item", false, false },
        { "block", "several outputs a work-item, one work-item a group", false, false },
        { "float8", "as block, four complex products at a time in float8", false, false },
        { "float16",
          "as block, eight complex products at a time in float16",
          false,
          false },
        { "float8_evenodd",
          "as float8, by the vectors' even and odd halves",
          false,
          false },
        { "float16_evenodd",
          "as float16, by the vectors' even and odd halves",
          false,
          false },
        { "local",
          "as float16_evenodd; results leave through local memory by asynchronous copy",
          false,
          false },
        { "constant",
          "as float16_evenodd; taps and decimation are compiled in",
          false,
          false },
        { "cpu_tile",
          "for CPU devices: items become floats first, then a register tile",
          false,
          true },
        { "gpu_tile",
          "for GPUs: a work-group shares the taps, or the sums, of several outputs",
          false,
          true },
        { "volk", "on the host, VOLK's dot products", true, true },
        { "simd", "on the host, a register tile on its vector unit", true, true },
        { "rows",
          "on the host, overlap-save on transforms of columns",
          true,
          true,
          "fast_convolution" },
        { "grid",
          "on the host, overlap-save on transforms of columns and rows; decimation 1",
          true,
          true,
          "fast_convolution" },
        { "bins",
          "on the host, overlap-save on FFTW's transform of the whole block",
          true,
          true,
          "fast_convolution" },
        { "vkfft",
          "overlap-save on VkFFT's transforms",
          false,
          true,
          "fast_convolution" },
    };
    return variants;
}

const variant_info* find_variant(const std::string& name)
{
    for (const auto& variant : freq_xlating_fir_variants())
        if (variant.name == name)
            return &variant;
    return nullptr;
}

} // namespace cldsp
