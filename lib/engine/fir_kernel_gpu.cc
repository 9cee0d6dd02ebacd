/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_kernel_rotated.h"

#include <algorithm>

namespace cldsp {

namespace {

constexpr std::size_t outputs_an_item = 4;
constexpr std::size_t taps_a_chunk = 64;

class fir_kernel_gpu : public fir_kernel_rotated
{
public:
    explicit fir_kernel_gpu(const fir_kernel_args& args)
        : fir_kernel_rotated("gpu_tile", args)
    {
        build();
    }
    void configure(const fir_setup& setup) override
    {
        const bool resized = setup.taps() != d_setup.taps();
        fir_kernel_rotated::configure(setup);
        if (resized)
            build();
    }

protected:
    cl::NDRange prepare(std::size_t outputs, cl::NDRange& group) override
    {
        const std::size_t a_group = outputs_an_item * (d_sums_in_group ? 1 : d_group);
        group = cl::NDRange(d_group);
        return cl::NDRange((outputs + a_group - 1) / a_group * d_group);
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
        const auto& limits = d_device->limits();
        const std::size_t most =
            std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]);
        // Neighbouring items' loads coalesce over neighbouring taps, or, where outputs
        // lie close together or the taps do not fill a group, over outputs.
        d_sums_in_group = d_setup.problem.decimation >= 4 && d_setup.taps() >= 128;
        const std::size_t wanted = d_sums_in_group && d_setup.taps() < 512 ? 32 : 64;
        for (d_group = 1; d_group * 2 <= std::min(most, wanted); d_group *= 2) {
        }
        const std::size_t value = sizeof(std::complex<float>);
        while (d_group > 1 && d_group * outputs_an_item * value > limits.local_memory)
            d_group /= 2;
        d_kernel = cl::Kernel(
            d_device->build("freq_xlating_fir_gpu",
                            "-DGROUP=" + std::to_string(d_group) +
                                " -DOUTPUTS=" + std::to_string(outputs_an_item) +
                                " -DCHUNK=" + std::to_string(taps_a_chunk) + " -DINPUT=" +
                                std::to_string(static_cast<int>(d_setup.problem.input))),
            d_sums_in_group ? "sums_in_group" : "outputs_in_group");
    }

    bool d_sums_in_group = false;
    std::size_t d_group = 1;
};

} // namespace

std::unique_ptr<fir_kernel> make_fir_kernel_gpu(const fir_kernel_args& args)
{
    return std::make_unique<fir_kernel_gpu>(args);
}

} // namespace cldsp
