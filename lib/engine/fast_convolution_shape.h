/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "overlap_save_block.h"

#include <cldsp/device.h>
#include <cldsp/sample_type.h>

#include <cstddef>

namespace cldsp {

/*!
 * The rows that are chosen for a problem: few values a valid output, and a transform in
 * one pass over the memory where the device's local memory allows it.
 * \throws std::invalid_argument if no block fits the device's buffers
 */
std::size_t fast_convolution_rows(const device_info& device,
                                  std::size_t decimation,
                                  std::size_t reach);

/*!
 * The block of fast convolution on a device.
 *
 * \param rows 0: fast_convolution_rows()
 * \throws std::invalid_argument if the rows do not reach over the taps or the block does
 * not fit a buffer
 */
overlap_save_block make_fast_convolution_block(const device_info& device,
                                               std::size_t decimation,
                                               std::size_t reach,
                                               std::size_t rows);

//! How much a lane takes at a time.
struct lane_shape {
    sample_type input;
    std::size_t channels;
    std::size_t channels_a_group;
    std::size_t blocks; //!< at most
};

//! As much as fills a device and still fits its cache and its buffers.
lane_shape make_lane_shape(const device_info& device,
                           const overlap_save_block& block,
                           sample_type input,
                           std::size_t channels);

} // namespace cldsp
