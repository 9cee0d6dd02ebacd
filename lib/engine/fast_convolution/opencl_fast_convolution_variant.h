/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_variant.h"

#include <cldsp/device.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The work of a variant on a device after the forward transforms.
struct device_channel_work {
    double bytes;   //!< read and written in the device's memory for a channel of a block
    double kernels; //!< of a call
};

//! A variant of fast convolution on OpenCL devices, which computes any channels by blocks.
class opencl_fast_convolution_variant : public filter_variant
{
public:
    //! Whether the variant may gain anything where the options leave the variant open.
    virtual bool suits(const filter_task&, const plan_place&) const { return true; }
    virtual device_channel_work work(const plan_shape& shape,
                                     const device_info& device,
                                     std::size_t ifft_size) const = 0;

    bool leaves_bins_out() const override { return true; }
    std::vector<std::size_t> sizes(const filter_task& task,
                                   const plan_place& place) const override;
    double predict(const plan_shape& shape,
                   const plan_place& place,
                   std::size_t ifft_size,
                   const host_rates& rates) const override;
    std::unique_ptr<filter_executor> make(const filter_task& task,
                                          const plan_place& place,
                                          std::size_t ifft_size) const override;
    tuning_values tuned(const filter_task& task, const plan_place& place) const override;
    double error_bound(const shared_taps& taps, double accuracy) const override;
    double operations(const counted_filter& filter) const override;

protected:
    //! \param name,description see variant_info
    opencl_fast_convolution_variant(std::string name, std::string description);
};

const opencl_fast_convolution_variant& fused_fold_variant();
const opencl_fast_convolution_variant& tiled_fold_variant();
const opencl_fast_convolution_variant& tensor_fold_variant();
const opencl_fast_convolution_variant& vkfft_variant();

const std::vector<const opencl_fast_convolution_variant*>&
opencl_fast_convolution_variants();

//! Fewer channels gain nothing from a fold in tiles.
constexpr std::size_t min_tiled_channels = 16;

//! The bytes of a block's results for a channel, and those of the bins that it reads,
//! which are as many as its gains have.
struct channel_bytes {
    channel_bytes(const plan_shape& shape, std::size_t ifft_size);
    double outputs, bins;
};

} // namespace cldsp
