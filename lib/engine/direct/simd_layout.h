/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "direct/host_fir_simd.h"

#include <volk/volk_alloc.hh>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! The layout for \p taps taps and the kernels' vectors that leaves the fewest lanes
//! empty.
simd_layout
make_simd_layout(const simd_kernels& kernels, std::size_t taps, std::size_t decimation);

/*!
 * Taps in the order in which simd_kernels::filter() reads them, filled up with zeros.
 *
 * \param taps in the window's order, the oldest item's first
 */
void lay_out_taps(const simd_kernels& kernels,
                  const simd_layout& layout,
                  const std::vector<std::complex<float>>& taps,
                  volk::vector<std::complex<float>>& out);

} // namespace cldsp
