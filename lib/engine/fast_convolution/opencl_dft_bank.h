// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A DFT filter bank on an OpenCL device, for channels on a raster of frequencies.

#pragma once

#include "filter/filter_executor.h"
#include "filter/filter_variant.h"

#include <cldsp/context.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A DFT filter bank on an OpenCL device, for channels with the same taps on a raster of
 * frequencies: the variant "dft_bank", kernels/dft_bank.cl.
 *
 * If the active channels move to another raster, the bank follows. Channels that are on
 * no raster with most of the others, or get taps of their own, are computed by fast
 * convolution in tiles; where that is not possible, directly.
 *
 * \param transfer see make_opencl_direct(); the outputs leave through mapped buffers
 * \param channels one or more, of one input type and decimation
 * \param accuracy of the channels that are not on the raster, see
 *        freq_xlating_filter_bank_options. Channels on the raster leave nothing out
 * \param size of the raster, see find_raster(); 0: the least
 * \throws std::invalid_argument if not all channels are on one raster that the device can
 *         take, or if the accuracy is out of range
 * \throws opencl_error if the device fails
 */
std::unique_ptr<filter_executor>
make_opencl_dft_bank(std::shared_ptr<context> device,
                     const std::string& transfer,
                     const std::vector<filter_channel>& channels,
                     double accuracy,
                     std::size_t size = 0);

//! The variant "dft_bank".
const filter_variant& dft_bank_variant();

} // namespace cldsp
