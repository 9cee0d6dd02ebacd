// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct kernel for GPUs, whose groups share taps or add up sums.

#include "base/arithmetic.h"
#include "direct/fir_kernel_rotated.h"
#include "direct/gpu_layout.h"
#include "direct/opencl_direct_variant.h"
#include "opencl/item_options.h"
#include "opencl/kernel_groups.h"

#include <algorithm>
#include <iterator>

namespace cldsp {

namespace {

parameter_table<gpu_layout> fir_gpu_table(const device_limits& limits,
                                          const filter_channel& setup)
{
    using p = gpu_layout;
    const std::int64_t most = largest_group(limits);
    return { { "fir_gpu_tile", "freq_xlating_fir_gpu" },
             suggested_gpu_layout(setup, limits),
             { { "sums_in_group", &p::sums_in_group, { 0, 1 } },
               { "group",
                 &p::group,
                 powers_of_two(most),
                 "GROUP",
                 [most](std::int64_t group) { return group >= 1 && group <= most; } },
               { "outputs", &p::outputs, { 1, 2, 3, 4, 6, 8, 12, 16 }, "OUTPUTS" },
               { "chunk", &p::chunk, { 16, 32, 64, 128, 256 }, "CHUNK" } },
             { { "halves of a group",
                 [](const p& of) {
                     return !of.sums_in_group || is_power_of_two(of.group);
                 } },
               { "local memory", [local = limits.local_memory](const p& of) {
                    return of.local_bytes() <= local;
                } } } };
}

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
        with_groups_that_run(d_device->limits(), [&](const device_limits& limits) {
            const auto table = fir_gpu_table(limits, d_setup);
            const auto layout = table.chosen(d_device->options(), d_tuned);
            cl::Kernel kernel(d_device->build(table.family().file,
                                              table.macros(layout) + " " +
                                                  item_options(d_setup.problem.input)),
                              layout.sums_in_group ? "sums_in_group"
                                                   : "outputs_in_group");
            check_group_size(*d_device, kernel, layout.group, d_name);
            d_layout = layout;
            replace(d_kernel, std::move(kernel));
        });
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
    std::optional<kernel_parameters>
    parameters(const device_limits& limits, const filter_channel& setup) const override
    {
        return fir_gpu_table(limits, setup).parameters();
    }
    std::optional<tuned_work_group> work_groups(const context& where,
                                                const filter_channel& setup,
                                                std::size_t items) const override
    {
        const auto& limits = where.limits();
        const auto layout = fir_gpu_table(limits, setup).chosen(where.options(), {});
        const std::size_t outputs =
            std::max<std::size_t>(1, items / setup.problem.decimation);
        tuned_work_group found;
        found.parameters = { "group" };
        auto& p = found.problem;
        p.global = { divide_up(outputs, layout.group_outputs()) * layout.group };
        p.max_items = limits.max_work_group_size;
        std::copy(std::begin(limits.max_work_item_sizes),
                  std::end(limits.max_work_item_sizes),
                  std::begin(p.max_in_dimension));
        p.compute_units = limits.compute_units;
        p.cache_bytes = where.cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
        return found;
    }
};

} // namespace

const opencl_direct_variant& opencl_direct_gpu_tile()
{
    static const auto& variant = *new gpu_tile_variant;
    return variant;
}

} // namespace cldsp
