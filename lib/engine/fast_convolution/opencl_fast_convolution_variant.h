// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of the variants of fast convolution on OpenCL devices.

#pragma once

#include "fast_convolution/channel_fold.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "filter/filter_variant.h"
#include "opencl/matrix_units.h"

#include <cldsp/device.h>
#include <cldsp/tuning_space.h>

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

//! What the sizes of a fold are chosen for.
struct fold_problem {
    device_kind kind;
    const device_limits& limits;
    const overlap_save_block& block;
    std::size_t channels;
    bool is_large;    //!< whether calls have many channels and many blocks
    tensor_mode mode; //!< how matrix units multiply
};

//! The parameters of a fold's kernels, for a tuner.
struct fold_parameters {
    std::vector<kernel_parameter> parameters;
    std::vector<tuning_constraint> constraints;
};

//! A variant of fast convolution on OpenCL devices, which computes any channels by
//! blocks.
class opencl_fast_convolution_variant : public filter_variant
{
public:
    //! Whether the variant transforms blocks with kernels of the engine's own, and folds
    //! whole rows of bins.
    virtual bool folds_rows() const { return true; }
    virtual std::shared_ptr<const fold_sizes>
    fold_sizes_for(const fold_problem& problem) const = 0;
    //! The file of the kernels.
    virtual std::string kernel_file() const { return name; }
    //! Whether the variant can be tuned, for a single channel.
    virtual bool has_tunable() const { return false; }
    //! \param usual the sizes that are taken where nothing was tuned
    virtual fold_parameters parameters(const device_info& /*device*/,
                                       const fast_convolution_problem&,
                                       const pipeline_shape& /*usual*/) const
    {
        return {};
    }

    virtual device_channel_work work(const plan_shape& shape,
                                     const device_info& device,
                                     std::size_t ifft_size) const = 0;

    bool leaves_bins_out() const override { return true; }
    double predict(const plan_shape& shape,
                   const plan_place& place,
                   std::size_t ifft_size,
                   const host_rates& rates) const override;
    std::unique_ptr<filter_executor> make(const filter_task& task,
                                          const plan_place& place,
                                          std::size_t ifft_size) const override;
    tuning_values tuned(const filter_task& task, const plan_place& place) const override;
    double operations(const counted_filter& filter) const override;

protected:
    bool may_gain(const filter_task& task, const plan_place& place) const override;
    std::vector<std::size_t> block_sizes(const filter_task& task,
                                         const plan_place& place) const override;

    //! \param name,description see variant_info
    opencl_fast_convolution_variant(std::string name, std::string description);

private:
    std::size_t planned_size(const filter_task& task, const plan_place& place) const;
};

const opencl_fast_convolution_variant& fused_fold_variant();
const opencl_fast_convolution_variant& tiled_fold_variant();
const opencl_fast_convolution_variant& tensor_fold_variant();
const opencl_fast_convolution_variant& vkfft_variant();

const std::vector<const opencl_fast_convolution_variant*>&
opencl_fast_convolution_variants();

//! The variant with this name. \throws std::invalid_argument if there is none
const opencl_fast_convolution_variant&
opencl_fast_convolution_named(const std::string& name);

//! Fewer channels gain nothing from a fold in tiles.
constexpr std::size_t min_tiled_channels = 16;

//! The bytes of a block's results for a channel, and those of the bins that it reads,
//! which are as many as its gains have.
struct channel_bytes {
    channel_bytes(const plan_shape& shape, std::size_t ifft_size);
    double outputs, bins;
};

} // namespace cldsp
