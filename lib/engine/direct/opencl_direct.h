// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct algorithm on an OpenCL device, and the largest calls it takes.

#pragma once

#include "filter/filter_executor.h"

#include <cldsp/context.h>
#include <cldsp/tuning_values.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The direct algorithm on an OpenCL device, one channel after the other.
 *
 * \param variant an OpenCL variant's name or "auto"
 * \param transfer "copy", "mapped" or "zero_copy"
 * \param tuned gives the tuned values of a channel's kernel, see
 *        opencl_direct_variant::parameters(). Values that are not valid are ignored, and
 *        so are values for a variant without parameters. An empty function means that no
 *        values are tuned
 * \throws std::invalid_argument if the device cannot run the channels
 * \throws opencl_error if the device fails
 */
std::unique_ptr<filter_executor>
make_opencl_direct(std::shared_ptr<context> device,
                   const std::string& variant,
                   const std::string& transfer,
                   const std::vector<filter_channel>& channels,
                   const std::function<tuning_values(const filter_channel&)>& tuned = {});

//! The most taps of a channel on a device: one output's items fit into a buffer. A buffer
//! that wraps host memory begins at an aligned address, which may lie before the first
//! item.
std::size_t max_direct_taps(const device_limits& limits, std::size_t item_bytes);
//! The most outputs whose items and outputs fit into a device's buffers.
//! \param taps at most max_direct_taps()
std::size_t max_direct_outputs(const device_limits& limits,
                               std::size_t item_bytes,
                               std::size_t taps,
                               std::size_t decimation);

} // namespace cldsp
