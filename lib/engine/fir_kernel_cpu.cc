/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_kernel.h"
#include "host_fir.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace cldsp {

namespace {

// Scratch of a work-item in items: large enough that windows overlap little, small enough
// to stay in a core's own cache beside the taps.
constexpr std::size_t scratch_items_wanted = 12288;
constexpr std::size_t most_groups = 8;
constexpr std::size_t fine_phasors = 64; // the kernel's FINE

std::size_t round_up(std::size_t value, std::size_t step)
{
    return (value + step - 1) / step * step;
}
std::size_t divide_up(std::size_t value, std::size_t step)
{
    return (value + step - 1) / step;
}

//! The register tile that fits a vector width: its accumulators must stay in registers.
struct tile {
    std::size_t width; //!< floats in a vector
    std::size_t outputs, taps;
    std::size_t most_taps; //!< that registers have room for

    tile(std::size_t native_width, bool two_planes)
        : width(native_width >= 16  ? 16
                : native_width >= 8 ? 8
                                    : 4)
    {
        // AVX-512 and NEON have 32 vector registers, AVX2 and SSE 16.
        const bool many = width != 8;
        outputs = two_planes ? (many ? 6 : 4) : (many ? 12 : 8);
        taps = many || !two_planes ? 4 : 2;
        most_taps = two_planes ? taps : many ? 7 : 5;
    }
    std::size_t lanes() const { return width / 2; } //!< complex values in a vector

    //! Rough cycles of one step, `taps` taps against `outputs` vectors.
    double cycles() const
    {
        // Multiply-adds on one port, and loads on another, which half cross a cache line.
        const double loads = static_cast<double>(outputs + taps - 1) * 1.5;
        return std::max(static_cast<double>(outputs * taps),
                        loads + static_cast<double>(taps));
    }
};

//! How taps are cut into vectors for one group size, see the kernel's head.
struct cpu_layout {
    std::size_t group, rows, columns;

    cpu_layout(std::size_t group_,
               const fir_setup& setup,
               const tile& t,
               bool lanes_are_taps)
        : group(group_)
    {
        const std::size_t super =
            lanes_are_taps ? group * setup.problem.decimation : t.lanes();
        columns = lanes_are_taps ? divide_up(super, t.lanes()) : t.lanes();
        rows = round_up(divide_up(setup.taps(), super), t.taps);
        tile_steps = static_cast<double>(rows * columns) / static_cast<double>(t.taps);
    }
    double tile_steps; //!< of one tile's outputs
};

class fir_kernel_cpu : public fir_kernel
{
public:
    explicit fir_kernel_cpu(const fir_kernel_args& args);
    void configure(const fir_setup& setup) override;
    cl::Event enqueue(const device_range& in,
                      const device_range& out,
                      std::size_t outputs,
                      phase64 phase) override;
    std::size_t most_outputs() const override;
    const std::string& name() const override { return d_name; }

private:
    //! The taps in one layout, uploaded at first use.
    struct stored_taps {
        bool fresh = false;
        device_table table;
    };

    void build();
    void choose_tile();
    void choose_outputs_a_item();
    double cost(const cpu_layout& layout, const tile& t, std::size_t outputs) const;
    void need_phasors(std::size_t outputs);
    std::vector<float> translation_table(std::size_t items) const;
    std::vector<float> rotation_table(std::size_t outputs) const;
    std::size_t scratch_items(const cpu_layout& layout, std::size_t outputs) const;
    cpu_layout best_layout(std::size_t outputs, std::size_t items) const;
    const cl::Buffer& taps_in(const cpu_layout& layout);

    const std::string d_name = "cpu_tile";
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    cl::Kernel d_kernel;
    fir_setup d_setup;
    const bool d_real_input, d_lanes_are_taps;
    bool d_translate, d_two_planes;
    bool d_local_scratch = true;
    tile d_tile;
    std::size_t d_most_outputs = 0; //!< of a work-item
    std::array<stored_taps, most_groups + 1> d_taps;
    device_table d_phasors;         //!< of the translation, or of the outputs' rotation
    std::size_t d_phasor_count = 0; //!< items or outputs that d_phasors reaches
    cl::Buffer d_scratch;
    std::size_t d_scratch_bytes = 0;
};

fir_kernel_cpu::fir_kernel_cpu(const fir_kernel_args& args)
    : d_device(args.device),
      d_queue(args.queue),
      d_setup(args.setup),
      d_real_input(!is_complex(args.setup.problem.input)),
      d_lanes_are_taps(args.setup.problem.decimation > 1),
      d_translate(!d_real_input && args.setup.real_taps),
      d_two_planes(!d_real_input && !args.setup.real_taps),
      d_tile(args.device->limits().native_vector_width_float, d_two_planes)
{
    choose_tile();
    choose_outputs_a_item();
    build();
}

void fir_kernel_cpu::configure(const fir_setup& setup)
{
    const bool taps_changed = setup.problem.taps != d_setup.problem.taps;
    const bool kind_changed = setup.real_taps != d_setup.real_taps;
    d_setup = setup;
    if (kind_changed) {
        d_translate = !d_real_input && setup.real_taps;
        d_two_planes = !d_real_input && !setup.real_taps;
        d_tile = tile(d_device->limits().native_vector_width_float, d_two_planes);
        choose_tile();
    }
    // A retune leaves translated items' taps as they are.
    if (taps_changed || !d_translate)
        for (auto& t : d_taps)
            t.fresh = false;
    if (taps_changed)
        choose_outputs_a_item();
    if (taps_changed || kind_changed)
        build();
    d_phasor_count = 0;
}

//! Items of scratch that a work-item with this many outputs reads, padding included.
std::size_t fir_kernel_cpu::scratch_items(const cpu_layout& layout,
                                          std::size_t outputs) const
{
    const std::size_t decimation = d_setup.problem.decimation;
    if (!d_lanes_are_taps)
        return round_up(outputs, d_tile.outputs * d_tile.lanes()) +
               (layout.rows + 1) * d_tile.lanes();
    const std::size_t padded = round_up(outputs, layout.group * d_tile.outputs);
    return (padded + layout.rows * layout.group) * decimation + d_tile.lanes();
}

//! Rough cycles of the tiles that compute \p outputs outputs, padding included.
double
fir_kernel_cpu::cost(const cpu_layout& layout, const tile& t, std::size_t outputs) const
{
    const std::size_t granule = t.outputs * (d_lanes_are_taps ? layout.group : t.lanes());
    const std::size_t tiles =
        round_up(outputs, granule) / (d_lanes_are_taps ? t.outputs : granule);
    return static_cast<double>(tiles) * layout.tile_steps * t.cycles();
}

/*!
 * The number of taps in a tile whose multiple pads these taps least. A program is built
 * for it, so that later taps keep it: nothing may be compiled while streaming.
 */
void fir_kernel_cpu::choose_tile()
{
    constexpr std::size_t many_outputs = 240;
    double least = 0;
    const tile any = d_tile;
    for (std::size_t taps = std::min<std::size_t>(any.taps, 3); taps <= any.most_taps;
         ++taps) {
        tile t = any;
        t.taps = taps;
        const std::size_t groups = d_lanes_are_taps ? most_groups : 1;
        for (std::size_t group = 1; group <= groups; ++group) {
            const double c =
                cost(cpu_layout(group, d_setup, t, d_lanes_are_taps), t, many_outputs);
            if (least == 0 || c < least) {
                least = c;
                d_tile = t;
            }
        }
    }
}

void fir_kernel_cpu::choose_outputs_a_item()
{
    const std::size_t decimation = d_setup.problem.decimation;
    const std::size_t granule =
        d_lanes_are_taps ? d_tile.outputs : d_tile.outputs * d_tile.lanes();
    const std::size_t window = d_setup.taps();
    const std::size_t spare =
        scratch_items_wanted > window ? scratch_items_wanted - window : 0;
    // A long filter's window overlaps its neighbour's: give it as much again.
    const std::size_t fresh = std::max(spare, window);
    d_most_outputs = std::max(fresh / decimation / granule, std::size_t(1)) * granule;

    const auto bytes = [&](std::size_t outputs) {
        return 2 * sizeof(float) *
               scratch_items(cpu_layout(1, d_setup, d_tile, d_lanes_are_taps), outputs);
    };
    while (d_most_outputs > granule &&
           bytes(d_most_outputs) > d_device->limits().max_buffer)
        d_most_outputs = round_up(d_most_outputs / 2, granule);
    d_local_scratch = bytes(d_most_outputs) * 2 <= d_device->limits().local_memory;
}

void fir_kernel_cpu::build()
{
    std::string options = "-DWIDTH=" + std::to_string(d_tile.width) +
                          " -DTILE_OUT=" + std::to_string(d_tile.outputs) +
                          " -DTILE_TAPS=" + std::to_string(d_tile.taps) +
                          " -DPLANES=" + (d_two_planes ? "2" : "1") +
                          " -DTRANSLATE=" + (d_translate ? "1" : "0") + " -DINPUT=" +
                          std::to_string(static_cast<int>(d_setup.problem.input));
    options += " -DFINE=" + std::to_string(fine_phasors);
    options += d_local_scratch ? "" : " -DSCRATCH=__global -DSCRATCH_IS_GLOBAL";
    d_kernel = cl::Kernel(d_device->build("freq_xlating_fir_cpu", options),
                          d_lanes_are_taps ? "taps_in_lanes" : "outputs_in_lanes");
}

/*!
 * exp(-j w m) for the translation, in two factors, so that little has to be made and
 * moved after a retune: `fine` for m modulo FINE as planes (re, re) and (-im, im), and
 * `coarse` for its multiples.
 */
std::vector<float> fir_kernel_cpu::translation_table(std::size_t items) const
{
    std::vector<std::complex<float>> fine(fine_phasors),
        coarse(divide_up(items, fine_phasors));
    fill_phasors(fine.data(), fine.size(), phase64(), -d_setup.step);
    fill_phasors(coarse.data(), coarse.size(), phase64(), -d_setup.step * fine_phasors);
    std::vector<float> table(4 * fine.size() + 2 * coarse.size());
    float* re = table.data();
    float* im = re + 2 * fine.size();
    for (std::size_t i = 0; i < fine.size(); ++i) {
        re[2 * i] = re[2 * i + 1] = fine[i].real();
        im[2 * i] = -fine[i].imag();
        im[2 * i + 1] = fine[i].imag();
    }
    std::memcpy(im + 2 * fine.size(), coarse.data(), coarse.size() * sizeof(coarse[0]));
    return table;
}

//! exp(-j w D i) of a work-item's outputs.
std::vector<float> fir_kernel_cpu::rotation_table(std::size_t outputs) const
{
    std::vector<std::complex<float>> phasors(round_up(outputs, d_tile.lanes()));
    fill_phasors(phasors.data(),
                 phasors.size(),
                 phase64(),
                 -d_setup.step * d_setup.problem.decimation);
    std::vector<float> table(2 * phasors.size());
    std::memcpy(table.data(), phasors.data(), table.size() * sizeof(float));
    return table;
}

//! Makes the phasors of a work-item with this many outputs, unless they are there
//! already.
void fir_kernel_cpu::need_phasors(std::size_t outputs)
{
    const std::size_t count = d_translate ? d_setup.window(outputs) : outputs;
    if (count <= d_phasor_count)
        return;
    const auto table = d_translate ? translation_table(count) : rotation_table(count);
    d_phasors.set(*d_device, d_queue, table.data(), table.size() * sizeof(float));
    d_phasor_count = count;
}

//! The group size that wastes least on padding for work-items of this many outputs.
cpu_layout fir_kernel_cpu::best_layout(std::size_t outputs, std::size_t items) const
{
    cpu_layout best(1, d_setup, d_tile, d_lanes_are_taps);
    if (!d_lanes_are_taps)
        return best;
    const std::size_t room = d_local_scratch ? d_device->limits().local_memory
                                             : d_device->limits().max_buffer / items;
    for (std::size_t group = 2; group <= most_groups; ++group) {
        const cpu_layout other(group, d_setup, d_tile, d_lanes_are_taps);
        const std::size_t bytes = scratch_items(other, outputs) * 2 * sizeof(float);
        if (cost(other, d_tile, outputs) < cost(best, d_tile, outputs) && bytes <= room)
            best = other;
    }
    return best;
}

const cl::Buffer& fir_kernel_cpu::taps_in(const cpu_layout& layout)
{
    auto& stored = d_taps[layout.group];
    if (stored.fresh)
        return stored.table.buffer();
    const std::size_t count = d_setup.taps();
    const std::size_t lanes = d_tile.lanes();
    const std::size_t super =
        d_lanes_are_taps ? layout.group * d_setup.problem.decimation : lanes;
    // In a vector a tap has its two lanes; a broadcast one only what differs.
    const std::size_t floats = d_lanes_are_taps || d_real_input ? 2 : 1;
    const std::size_t lanes_stored = d_lanes_are_taps ? lanes : 1;
    const std::size_t plane = layout.columns * layout.rows * lanes_stored * floats;
    std::vector<float> table(plane * (d_two_planes ? 2 : 1), 0.0f);
    for (std::size_t i = 0; i < count; ++i) {
        // The oldest item of a window comes first, and so does its tap.
        const std::size_t row = i / super;
        const std::size_t column = d_lanes_are_taps ? i % super / lanes : i % super;
        const std::size_t lane = d_lanes_are_taps ? i % super % lanes : 0;
        const std::size_t at =
            ((column * layout.rows + row) * lanes_stored + lane) * floats;
        const std::complex<float> tap =
            d_translate ? d_setup.problem.taps[count - 1 - i]
                        : std::complex<float>(d_setup.rotated[count - 1 - i]);
        table[at] = tap.real();
        if (floats == 2)
            table[at + 1] = d_real_input ? tap.imag() : tap.real();
        if (d_two_planes)
            for (std::size_t f = 0; f < floats; ++f)
                table[plane + at + f] = tap.imag();
    }
    stored.table.set(*d_device, d_queue, table.data(), table.size() * sizeof(float));
    stored.fresh = true;
    return stored.table.buffer();
}

std::size_t fir_kernel_cpu::most_outputs() const
{
    if (d_local_scratch)
        return max_elements_a_call;
    // All work-items' scratch lies in one buffer.
    const std::size_t bytes =
        2 * sizeof(float) *
        scratch_items(cpu_layout(1, d_setup, d_tile, d_lanes_are_taps), d_most_outputs);
    return std::max(d_device->limits().max_buffer / bytes, std::size_t(1)) *
           d_most_outputs;
}

cl::Event fir_kernel_cpu::enqueue(const device_range& in,
                                  const device_range& out,
                                  std::size_t outputs,
                                  phase64 phase)
{
    const std::size_t decimation = d_setup.problem.decimation;
    const std::size_t units = d_device->limits().compute_units;
    std::size_t items = std::max(divide_up(outputs, d_most_outputs),
                                 std::min(units, divide_up(outputs, d_tile.outputs)));
    if (items > units)
        items = round_up(items, units);
    const std::size_t a_item = divide_up(outputs, items);
    items = divide_up(outputs, a_item);
    const cpu_layout layout = best_layout(a_item, items);
    need_phasors(a_item);
    const std::size_t scratch_floats = 2 * scratch_items(layout, a_item);
    const std::size_t element = is_complex(d_setup.problem.input) ? 2 : 1;
    const std::size_t in_offset =
        in.offset / sample_size(d_setup.problem.input) * element;
    const phase64 output_step = -d_setup.step * decimation;
    const phase64 first =
        d_translate ? phase + d_setup.step * (d_setup.taps() - 1) : phase;

    const auto arguments = [&](const auto& scratch) {
        set_args(d_kernel,
                 in.buffer,
                 static_cast<cl_uint>(in_offset),
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
                 static_cast<cl_uint>(scratch_floats));
    };
    if (d_local_scratch) {
        arguments(cl::Local(scratch_floats * sizeof(float)));
    } else {
        const std::size_t bytes = items * scratch_floats * sizeof(float);
        if (bytes > d_scratch_bytes) {
            if (bytes > d_device->limits().max_buffer)
                throw opencl_error("clCreateBuffer",
                                   CL_INVALID_BUFFER_SIZE,
                                   d_device->name(),
                                   "scratch of " + std::to_string(bytes) + " bytes");
            d_device->check_injected(injected_call::allocate);
            d_scratch = cl::Buffer(d_device->cl_context(), CL_MEM_READ_WRITE, bytes);
            d_scratch_bytes = bytes;
        }
        arguments(d_scratch);
    }
    d_device->check_injected(injected_call::enqueue);
    cl::Event done;
    d_queue.enqueueNDRangeKernel(
        d_kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(1), nullptr, &done);
    return done;
}

} // namespace

std::unique_ptr<fir_kernel> make_fir_kernel_cpu(const fir_kernel_args& args)
{
    return std::make_unique<fir_kernel_cpu>(args);
}

} // namespace cldsp
