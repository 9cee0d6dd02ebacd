// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A raster of channel frequencies, and the kernel that computes all its channels at once.

#pragma once

#include "filter/filter_channel.h"
#include "opencl/commands.h"
#include "opencl/device_table.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/phase.h>
#include <cldsp/sample_type.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The radices of the passes of a transform of \p size values in kernels/dft_bank.cl,
 * largest first. Empty if the size is not 2 or more, is no product of 2, 3 and 5, or
 * needs more passes than the kernel has.
 */
std::vector<std::size_t> dft_bank_radices(std::size_t size);

//! The sizes that kernels/dft_bank.cl is compiled with.
struct dft_bank_shape {
    std::size_t size = 2;    //!< raster channels in the sampling rate
    std::size_t items = 1;   //!< work-items of a work-group
    std::size_t outputs = 1; //!< of each channel, for a work-group
    std::size_t parts = 1;   //!< of these outputs, which different work-items sum up
    std::size_t window = 0;  //!< items in local memory; 0: none
    bool long_sums = false;  //!< whether a sum may have more products than a float should

    std::size_t local_bytes() const;
    std::string build_options(sample_type input) const;
};

//! The largest size of a raster. The kernel multiplies two places in 32 bits, and nobody
//! has a finer raster.
constexpr std::size_t max_raster_size = 16384;

//! The largest size on a device: the values fit the local memory, and there are not too
//! many for each work-item of a group.
std::size_t max_dft_bank_size(const device_limits& limits);

/*!
 * The sizes that suit a device.
 *
 * \param size of the transform, at most max_dft_bank_size() and one that has radices
 * \param max_taps taps of the longest filter
 */
dft_bank_shape suggested_dft_bank(const device_limits& limits,
                                  std::size_t size,
                                  std::size_t decimation,
                                  std::size_t max_taps);

//! The place of a channel on a raster.
struct raster_place {
    std::size_t
        place;    //!< k: the frequency is k / size of the sampling rate above the origin
    double error; //!< turns for an item by which it is off
};

/*!
 * The place of a channel on a raster of frequencies: \p channel has the taps of
 * \p origin, and its centre frequency is that of \p origin plus k / \p size of the
 * sampling rate. Empty if it is not on the raster. Differences of large frequencies in
 * double precision count as being on it.
 */
std::optional<raster_place> place_on_raster(const filter_channel& channel,
                                            const filter_channel& origin,
                                            std::size_t size);

//! The most items for which the phase of a channel that is off by \p error stays within
//! 2^-24 of a turn.
std::size_t max_raster_items(double error);

/*!
 * The size of the raster that all channels are on, with the first one as its origin: the
 * least that has radices. 0 if there is none of at most \p max_size.
 */
std::size_t find_raster(const std::vector<filter_channel>& channels,
                        std::size_t max_size);

//! The kernel of kernels/dft_bank.cl.
class dft_bank
{
public:
    //! The arguments of a launch. The kernel's comment explains them.
    struct launch {
        device_range in;
        const cl::Buffer& taps;
        std::size_t tap_count, decimation;
        phase64 step;
        const cl::Buffer &places, &factors;
        std::size_t channels, outputs;
        const cl::Buffer& out;
    };

    //! \throws std::invalid_argument if the device cannot run the kernel in work-groups
    //! of the shape's size; opencl_error
    dft_bank(std::shared_ptr<context> device,
             const cl::CommandQueue& queue,
             const dft_bank_shape& shape,
             sample_type input);

    //! Enqueues a launch, and appends its event.
    void enqueue(const launch& what, std::vector<cl::Event>& events);

private:
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    dft_bank_shape d_shape;
    device_table d_roots;
    cl::Kernel d_kernel;
};

} // namespace cldsp
