/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "overlap_save.h"
#include "overlap_save_simd.h"

namespace cldsp {

/*!
 * make_overlap_save_bins() on the given kernels.
 *
 * A block of L = D M items, M being the rows, is transformed as a whole: X. A channel's
 * outputs are the M-point inverse transform of Z[g] = sum_r X[g + r M] G[g + r M], where
 * G is the response of the rotated taps, advanced by a whole number of outputs. So all
 * rotated copies of the band that decimation folds onto the channel are there, weighted.
 */
std::unique_ptr<overlap_save> make_overlap_save_bins(const overlap_save_shape& shape,
                                                     const overlap_save_kernels& kernels);

} // namespace cldsp
