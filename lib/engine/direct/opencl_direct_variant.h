// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of the direct variants on OpenCL devices.

#pragma once

#include "direct/fir_kernel.h"
#include "filter/filter_variant.h"
#include "tuning/kernel_parameters.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! A variant of the direct algorithm on OpenCL devices.
class opencl_direct_variant : public filter_variant
{
public:
    virtual std::unique_ptr<fir_kernel>
    make_kernel(const fir_kernel_args& args) const = 0;
    //! Whether a plan that leaves the variant open takes this one on a device.
    virtual bool suits(const device_info& device) const = 0;
    //! The parameters of the kernel for a channel; empty: it has none.
    virtual std::optional<kernel_parameters> parameters(const device_limits&,
                                                        const filter_channel&) const
    {
        return std::nullopt;
    }
    //! The parameter that is a work-group size, for calls of so many input items; empty:
    //! there is none.
    virtual std::optional<tuned_work_group>
    work_groups(const context&, const filter_channel&, std::size_t /*items*/) const
    {
        return std::nullopt;
    }
    virtual bool uses_real_taps() const { return false; } //!< for half the products

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
    using filter_variant::filter_variant;

private:
    bool may_gain(const filter_task&, const plan_place& place) const override
    {
        return suits(place.device);
    }
    const tuning_values& tuned(const filter_task& task,
                               const plan_place& place,
                               const filter_channel& channel) const;
};

//! \param items input items of a typical call
tuning_problem fir_tuning_problem(const filter_channel& setup, std::size_t items);

//! Seconds of a typical call by the direct algorithm.
double direct_device_seconds(const plan_shape& shape,
                             const plan_place& place,
                             const host_rates& host);

const opencl_direct_variant& opencl_direct_cpu_tile();
const opencl_direct_variant& opencl_direct_gpu_tile();
//! The kernels for comparison, in the order in which they were developed.
const std::vector<const opencl_direct_variant*>& opencl_direct_ladder();

//! The variants of the direct algorithm on OpenCL devices.
const std::vector<const opencl_direct_variant*>& opencl_direct_variants();

} // namespace cldsp
