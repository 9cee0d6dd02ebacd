// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The direct kernel for CPU devices, a register tile over outputs and taps.

#include "direct/cpu_layout.h"
#include "direct/opencl_direct_variant.h"
#include "opencl/held_memory.h"
#include "opencl/item_options.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cldsp {

namespace {

parameter_table<cpu_tuning> fir_cpu_table(const device_limits& limits,
                                          const filter_channel& setup)
{
    using p = cpu_tuning;
    const bool two_planes = is_complex(setup.problem.input) && !setup.real_taps;
    return { { "fir_cpu_tile", "freq_xlating_fir_cpu" },
             cpu_shape(setup, limits.native_vector_width_float).tuning(),
             { { "width", &p::width, { 4, 8, 16 }, "WIDTH" },
               { "tile_outputs",
                 &p::tile_outputs,
                 { 1, 2, 3, 4, 6, 8, 10, 12, 16 },
                 "TILE_OUT" },
               { "tile_taps", &p::tile_taps, { 1, 2, 3, 4, 5, 6, 7, 8 }, "TILE_TAPS" },
               { "scratch_items",
                 &p::scratch_items,
                 { 2048, 4096, 8192, 12288, 16384, 24576, 49152 } },
               { "item_cycles", &p::item_cycles, { 2000, 5000, 15000, 40000, 120000 } } },
             // Compilers take ever longer for more unrolled steps, and no device has
             // registers for them.
             { { "unrolled steps", [planes = two_planes ? 2 : 1](const p& of) {
                    return of.tile_outputs * of.tile_taps * planes <= 96;
                } } } };
}

class fir_kernel_cpu : public fir_kernel
{
public:
    explicit fir_kernel_cpu(const fir_kernel_args& args);
    void configure(const filter_channel& setup) override;
    cl::Event enqueue(const device_range& in,
                      const device_range& out,
                      std::size_t outputs,
                      phase64 phase) override;
    std::size_t max_outputs() const override;
    const std::string& name() const override { return d_name; }

private:
    //! The taps in one layout, uploaded at first use.
    struct stored_taps {
        bool fresh = false;
        device_table table;
    };

    cpu_shape shape(const tuning_values& tuned) const;
    void build();
    void choose_outputs_per_item();
    void need_phasors(std::size_t outputs);
    std::size_t scratch_floats(const cpu_layout& layout, std::size_t outputs) const;
    cpu_layout best_layout(std::size_t outputs, std::size_t items) const;
    const cl::Buffer& taps_in(const cpu_layout& layout);

    const std::string d_name = "cpu_tile";
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    cl::Kernel d_kernel;
    filter_channel d_setup;
    bool d_local_scratch = true;
    parameter_table<cpu_tuning> d_table;
    cpu_shape d_shape;
    std::size_t d_max_outputs = 0; //!< the most outputs of a work-item
    std::array<stored_taps, cpu_shape::max_groups + 1> d_taps;
    device_table d_phasors;         //!< for the translation, or to rotate the outputs
    std::size_t d_phasor_count = 0; //!< items or outputs that d_phasors covers
    held_memory<cl::Buffer> d_scratch;
    std::size_t d_scratch_bytes = 0;
};

fir_kernel_cpu::fir_kernel_cpu(const fir_kernel_args& args)
    : d_device(args.device),
      d_queue(args.queue),
      d_setup(args.setup),
      d_table(fir_cpu_table(d_device->limits(), d_setup)),
      d_shape(shape(args.tuned))
{
    choose_outputs_per_item();
    build();
}

void fir_kernel_cpu::configure(const filter_channel& setup)
{
    const bool taps_changed = !setup.has_taps(d_setup.problem.taps);
    const bool kind_changed = setup.real_taps != d_setup.real_taps;
    d_setup = setup;
    // A program is built for one tile. New taps of the same kind, real or complex, keep
    // the tile, so that nothing is compiled while streaming.
    if (kind_changed) {
        // The tuned values were for the other kind of taps, real or complex.
        d_table = fir_cpu_table(d_device->limits(), d_setup);
        d_shape = shape({});
    }
    // If items are translated, a retune does not change the taps.
    if (taps_changed || !d_shape.translate)
        for (auto& t : d_taps)
            t.fresh = false;
    if (taps_changed)
        choose_outputs_per_item();
    if (taps_changed || kind_changed)
        build();
    d_phasor_count = 0;
}

cpu_shape fir_kernel_cpu::shape(const tuning_values& tuned) const
{
    return { d_setup,
             d_device->limits().native_vector_width_float,
             d_table.chosen(d_device->options(), tuned) };
}

//! The number of floats in the scratch of a work-item with \p outputs outputs.
std::size_t fir_kernel_cpu::scratch_floats(const cpu_layout& layout,
                                           std::size_t outputs) const
{
    return 2 * d_shape.scratch_items(layout, outputs, d_setup.problem.decimation);
}

void fir_kernel_cpu::choose_outputs_per_item()
{
    const std::size_t decimation = d_setup.problem.decimation;
    const std::size_t granule = d_shape.granule();
    const std::size_t window = d_setup.taps();
    const std::size_t wanted = d_shape.scratch_wanted;
    const std::size_t spare = wanted > window ? wanted - window : 0;
    // The window of a long filter overlaps that of the next work-item. So each work-item
    // takes at least as many new items as the window is long.
    const std::size_t fresh = std::max(spare, window);
    d_max_outputs = std::max(fresh / decimation / granule, std::size_t(1)) * granule;

    const auto bytes = [&](std::size_t outputs) {
        return sizeof(float) * scratch_floats(d_shape.layout(d_setup, 1), outputs);
    };
    while (d_max_outputs > granule &&
           bytes(d_max_outputs) > d_device->limits().max_buffer)
        d_max_outputs = round_up(d_max_outputs / 2, granule);
    d_local_scratch = bytes(d_max_outputs) * 2 <= d_device->limits().local_memory;
}

void fir_kernel_cpu::build()
{
    std::string options = d_table.macros(d_shape.tuning()) +
                          " -DPLANES=" + (d_shape.two_planes ? "2" : "1") +
                          " -DTRANSLATE=" + (d_shape.translate ? "1" : "0") + " " +
                          item_options(d_setup.problem.input);
    options += " -DFINE=" + std::to_string(cpu_shape::fine_phasors);
    options += d_local_scratch ? "" : " -DSCRATCH=__global -DSCRATCH_IS_GLOBAL";
    replace(d_kernel,
            cl::Kernel(d_device->build(d_table.family().file, options),
                       d_shape.lanes_are_taps ? "taps_in_lanes" : "outputs_in_lanes"));
}

//! Makes the phasors for a work-item with \p outputs outputs, unless they are there
//! already.
void fir_kernel_cpu::need_phasors(std::size_t outputs)
{
    const std::size_t count = d_shape.translate ? d_setup.window(outputs) : outputs;
    if (count <= d_phasor_count)
        return;
    const auto table = d_shape.translate
                           ? translation_table(d_setup, count)
                           : rotation_table(d_setup, count, d_shape.tile.lanes());
    d_phasors.set(d_device, d_queue, table.data(), table.size() * sizeof(float));
    d_phasor_count = count;
}

//! The layout with the group size that wastes least on padding, for work-items of
//! \p outputs outputs.
cpu_layout fir_kernel_cpu::best_layout(std::size_t outputs, std::size_t items) const
{
    cpu_layout best = d_shape.layout(d_setup, 1);
    if (!d_shape.lanes_are_taps)
        return best;
    const std::size_t room = d_local_scratch ? d_device->limits().local_memory
                                             : d_device->limits().max_buffer / items;
    for (std::size_t group = 2; group <= cpu_shape::max_groups; ++group) {
        const cpu_layout other = d_shape.layout(d_setup, group);
        const std::size_t bytes = sizeof(float) * scratch_floats(other, outputs);
        if (d_shape.cost(other, outputs) < d_shape.cost(best, outputs) && bytes <= room)
            best = other;
    }
    return best;
}

const cl::Buffer& fir_kernel_cpu::taps_in(const cpu_layout& layout)
{
    auto& stored = d_taps[layout.group];
    if (!stored.fresh) {
        const auto table = d_shape.taps_table(d_setup, layout);
        stored.table.set(d_device, d_queue, table.data(), table.size() * sizeof(float));
        stored.fresh = true;
    }
    return stored.table.buffer();
}

std::size_t fir_kernel_cpu::max_outputs() const
{
    if (d_local_scratch)
        return max_elements_per_call;
    // The scratch memory of all work-items lies in one buffer.
    const std::size_t bytes =
        sizeof(float) * scratch_floats(d_shape.layout(d_setup, 1), d_max_outputs);
    return std::max(d_device->limits().max_buffer / bytes, std::size_t(1)) *
           d_max_outputs;
}

cl::Event fir_kernel_cpu::enqueue(const device_range& in,
                                  const device_range& out,
                                  std::size_t outputs,
                                  phase64 phase)
{
    const std::size_t decimation = d_setup.problem.decimation;
    std::size_t items = d_shape.work_items(
        d_setup, outputs, d_device->limits().compute_units, d_max_outputs);
    const std::size_t a_item = divide_up(outputs, items);
    items = divide_up(outputs, a_item);
    const cpu_layout layout = best_layout(a_item, items);
    need_phasors(a_item);
    const std::size_t floats = scratch_floats(layout, a_item);
    const phase64 output_step = -d_setup.step * decimation;
    const phase64 first =
        d_shape.translate ? phase + d_setup.step * (d_setup.taps() - 1) : phase;

    const auto arguments = [&](const auto& scratch) {
        set_args(d_kernel,
                 in.buffer,
                 static_cast<cl_uint>(in.offset),
                 d_phasors.buffer(),
                 d_phasors.buffer(),
                 taps_in(layout),
                 static_cast<cl_uint>(d_setup.taps()),
                 static_cast<cl_uint>(layout.rows),
                 static_cast<cl_uint>(layout.columns),
                 static_cast<cl_uint>(layout.group),
                 static_cast<cl_uint>(decimation),
                 out.buffer,
                 static_cast<cl_uint>(out.offset / sizeof(std::complex<float>)),
                 static_cast<cl_uint>(outputs),
                 static_cast<cl_uint>(a_item),
                 phase_words(first),
                 phase_words(output_step),
                 scratch,
                 static_cast<cl_uint>(floats));
    };
    if (d_local_scratch) {
        arguments(cl::Local(floats * sizeof(float)));
    } else {
        const std::size_t bytes = items * floats * sizeof(float);
        if (bytes > d_scratch_bytes) {
            if (bytes > d_device->limits().max_buffer)
                throw opencl_error("clCreateBuffer",
                                   CL_INVALID_BUFFER_SIZE,
                                   d_device->name(),
                                   "scratch of " + std::to_string(bytes) + " bytes");
            d_device->check_injected(injected_call::allocate);
            d_scratch.hold(*d_device,
                           cl::Buffer(d_device->cl_context(), CL_MEM_READ_WRITE, bytes));
            d_scratch_bytes = bytes;
        }
        arguments(d_scratch.get());
    }
    return enqueue_kernel(
        *d_device, d_queue, d_kernel, cl::NDRange(items), cl::NDRange(1));
}

class cpu_tile_variant final : public opencl_direct_variant
{
public:
    cpu_tile_variant()
        : opencl_direct_variant(
              { "cpu_tile",
                "for CPU devices: items become floats first, then a register tile",
                false,
                true })
    {
    }

    std::unique_ptr<fir_kernel> make_kernel(const fir_kernel_args& args) const override
    {
        return std::make_unique<fir_kernel_cpu>(args);
    }
    bool suits(const device_info& device) const override
    {
        return device.kind == device_kind::cpu;
    }
    std::optional<kernel_parameters>
    parameters(const device_limits& limits, const filter_channel& setup) const override
    {
        return fir_cpu_table(limits, setup).parameters();
    }
    bool uses_real_taps() const override { return true; }
};

} // namespace

const opencl_direct_variant& opencl_direct_cpu_tile()
{
    static const auto& variant = *new cpu_tile_variant;
    return variant;
}

} // namespace cldsp
