/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_kernel_rotated.h"
#include "direct/fir_tuning.h"
#include "direct/opencl_direct_variant.h"
#include "opencl/item_options.h"

namespace cldsp {

namespace {

class fir_kernel_gpu : public fir_kernel_rotated
{
public:
    explicit fir_kernel_gpu(const fir_kernel_args& args)
        : fir_kernel_rotated("gpu_tile", args), d_tuned(args.tuned)
    {
        build();
    }
    void configure(const filter_channel& setup) override
    {
        const bool resized = setup.taps() != d_setup.taps();
        fir_kernel_rotated::configure(setup);
        if (resized)
            build();
    }

protected:
    cl::NDRange prepare(std::size_t outputs, cl::NDRange& group) override
    {
        const std::size_t a_group = d_layout.group_outputs();
        group = cl::NDRange(d_layout.group);
        return cl::NDRange((outputs + a_group - 1) / a_group * d_layout.group);
    }
    void
    set_last_args(cl_uint index, const cl_uint2& phase, const cl_uint2& step) override
    {
        d_kernel.setArg(index++, phase);
        d_kernel.setArg(index, step);
    }

private:
    void build()
    {
        d_layout =
            gpu_layout_of(fir_values(fir_place(d_name, *d_device), d_setup, d_tuned));
        replace(d_kernel,
                cl::Kernel(
                    d_device->build("freq_xlating_fir_gpu",
                                    "-DGROUP=" + std::to_string(d_layout.group) +
                                        " -DOUTPUTS=" + std::to_string(d_layout.outputs) +
                                        " -DCHUNK=" + std::to_string(d_layout.chunk) +
                                        " " + item_options(d_setup.problem.input)),
                    d_layout.sums_in_group ? "sums_in_group" : "outputs_in_group"));
    }

    tuning_values d_tuned;
    gpu_layout d_layout{};
};

class gpu_tile_variant final : public opencl_direct_variant
{
public:
    gpu_tile_variant()
        : opencl_direct_variant(
              { "gpu_tile",
                "for GPUs: a work-group shares the taps, or the sums, of several outputs",
                false,
                true })
    {
    }

    std::unique_ptr<fir_kernel> make_kernel(const fir_kernel_args& args) const override
    {
        return std::make_unique<fir_kernel_gpu>(args);
    }
    bool suits(const device_info& device) const override
    {
        return device.kind != device_kind::cpu;
    }
    bool has_tuning() const override { return true; }
};

} // namespace

const opencl_direct_variant& opencl_direct_gpu_tile()
{
    static const auto& variant = *new gpu_tile_variant;
    return variant;
}

} // namespace cldsp
