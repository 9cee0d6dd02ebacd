// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The table of all variants of filters and banks.

#include "filter/filter_variant.h"

#include "direct/host_direct_variant.h"
#include "direct/opencl_direct_variant.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fast_convolution/overlap_save_method.h"

namespace cldsp {

namespace {

std::vector<const filter_variant*> list_variants()
{
    std::vector<const filter_variant*> all;
    const auto add = [&](const auto& variants) {
        all.insert(all.end(), variants.begin(), variants.end());
    };
    add(opencl_direct_variants());
    add(host_direct_variants());
    add(overlap_save_methods());
    add(opencl_fast_convolution_variants());
    all.push_back(&dft_bank_variant());
    return all;
}

} // namespace

const std::vector<const filter_variant*>& filter_variants()
{
    static const auto& all = *new std::vector<const filter_variant*>(list_variants());
    return all;
}

} // namespace cldsp
