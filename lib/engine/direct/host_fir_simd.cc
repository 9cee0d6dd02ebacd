// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters in blocks that fit the cache, by the SIMD kernels of the machine.

#include "direct/host_fir_simd.h"

#include "base/arithmetic.h"
#include "direct/host_direct_variant.h"
#include "simd/dispatch.h"
#include "simd/samples.h"

#include <cldsp/errors.h>
#include <cldsp/memory_region.h>

#include <algorithm>

namespace cldsp {

namespace {

/*!
 * Register-blocked filter on the kernels of host_fir_simd.inc, in blocks that fit the L2
 * cache.
 *
 * The kernels multiply the real and the imaginary part of an item by one number each.
 * That suits
 * - complex items and real taps, if the items are moved to 0 Hz first. The phasors for
 *   this start at phase 0 in each block, so that all outputs of the block need one
 *   further rotation by the phase of its first item;
 * - real items, as pairs (x, x), which are multiplied by the real and imaginary parts of
 *   the rotated taps.
 *
 * For complex items and complex taps the kernels run twice: with the real parts of the
 * rotated taps, and with their imaginary parts.
 */
class host_fir_simd final : public host_fir
{
public:
    host_fir_simd(const filter_channel& setup, const simd_kernels& kernels)
        : d_kernels(kernels),
          d_type(setup.problem.input),
          d_decimation(setup.problem.decimation),
          d_item_bytes(sample_size(d_type))
    {
        configure(setup);
    }

    void configure(const filter_channel& setup) override;
    std::string variant_name() const override { return "simd"; }
    using host_fir::run;
    void run(const fir_call& call, host_fir_scratch& scratch) override;

private:
    // With blocks this long, the overlap of the blocks and the phasor of each block cost
    // little.
    static constexpr std::size_t block_items = 12288;

    std::size_t window(std::size_t outputs) const
    {
        return (outputs - 1) * d_layout.decimation + d_taps;
    }
    void set_taps(const filter_channel& setup);
    void fill_tables(std::size_t outputs);
    memory_region new_items(const fir_call& call, std::size_t first) const;
    float* prepare(const char* in, std::size_t outputs, host_fir_scratch& scratch) const;
    void filter(const float* items,
                std::complex<float>* out,
                std::size_t outputs,
                memory_region next,
                host_fir_scratch& scratch) const;

    const simd_kernels& d_kernels;
    const sample_type d_type;
    const std::size_t d_decimation;
    const std::size_t d_item_bytes;

    std::vector<std::complex<float>> d_prototype;
    std::size_t d_taps = 0;
    simd_layout d_layout = {};
    std::size_t d_block = 1;        // outputs of a block
    phase64 d_step;                 // phase step of an input item
    bool d_translate = false;       // items are moved to 0 Hz first
    bool d_rotate_each = false;     // each output lacks a different rotation
    phase64 d_constant;             // the rotation that all outputs lack
    std::size_t d_tables_ready = 0; // the outputs that the tables suffice for

    volk::vector<std::complex<float>> d_plane[2]; // taps as the kernels read them
    volk::vector<std::complex<float>> d_phasors;  // for the items of a block
    volk::vector<std::complex<float>> d_rotation; // for the outputs of a block
};

void host_fir_simd::configure(const filter_channel& setup)
{
    d_step = setup.step;
    d_tables_ready = 0;
    d_translate = is_complex(d_type) && setup.real_taps;

    // If the windows of outputs do not touch, only the items inside windows are prepared.
    // The windows then lie side by side, and each is moved to 0 Hz by itself.
    const bool apart = d_decimation > setup.taps();
    d_rotate_each = !d_translate || apart;
    d_constant = d_translate ? d_step * (setup.taps() - 1) : phase64();

    if (setup.taps() != d_taps) {
        d_taps = setup.taps();
        d_layout = make_simd_layout(d_kernels, d_taps, std::min(d_decimation, d_taps));
        const std::size_t outputs = std::max(block_items, d_taps) / d_layout.decimation;
        const std::size_t tile =
            d_kernels.tile_outputs *
            (d_layout.lanes_over_outputs ? d_kernels.lanes : d_layout.interleave);
        d_block = (outputs + tile - 1) / tile * tile;
    }
    // If items are translated, a retune does not change the taps.
    if (!d_translate || !setup.has_taps(d_prototype))
        set_taps(setup);
}

void host_fir_simd::set_taps(const filter_channel& setup)
{
    d_prototype.clear();
    std::vector<std::complex<float>> planes[2];
    planes[0].reserve(d_taps);
    const auto all = d_translate ? std::vector<std::complex<double>>() : setup.rotated();
    for (std::size_t i = d_taps; i-- > 0;) {
        if (d_translate) {
            const float tap = setup.problem.taps[i].real();
            planes[0].push_back({ tap, tap });
            continue;
        }
        const std::complex<float> rotated(all[i]);
        if (is_complex(d_type)) {
            planes[0].push_back({ rotated.real(), rotated.real() });
            planes[1].push_back({ rotated.imag(), rotated.imag() });
        } else {
            planes[0].push_back(rotated);
        }
    }
    for (int i = 0; i < 2; i++) {
        d_plane[i].clear();
        if (!planes[i].empty())
            lay_out_taps(d_kernels, d_layout, planes[i], d_plane[i]);
    }
    d_prototype = setup.problem.taps; // last, so that all is done again if it fails
}

// Fills the tables only as far as calls need them. Most calls are far shorter than a
// block, and a change of frequency fills the tables anew.
void host_fir_simd::fill_tables(std::size_t outputs)
{
    const auto fill =
        [](auto& table, std::size_t ready, std::size_t count, phase64 step) {
            table.resize(std::max(table.size(), count));
            fill_phasors(table.data() + ready, count - ready, step * ready, step);
        };
    if (d_translate)
        fill(d_phasors,
             d_tables_ready ? window(d_tables_ready) : 0,
             window(outputs),
             -d_step);
    if (d_rotate_each)
        fill(d_rotation, d_tables_ready, outputs, -d_step * d_decimation);
    d_tables_ready = outputs;
}

void host_fir_simd::run(const fir_call& call, host_fir_scratch& scratch)
{
    const char* in = static_cast<const char*>(call.in);
    const std::size_t output_bytes = d_decimation * d_item_bytes;
    for (std::size_t first = 0; first < call.outputs; first += d_block) {
        const std::size_t outputs = std::min(d_block, call.outputs - first);
        std::complex<float>* out = call.out + first;
        if (outputs > d_tables_ready)
            fill_tables(outputs);
        const float* items = prepare(in + first * output_bytes, outputs, scratch);
        filter(items, out, outputs, new_items(call, first + outputs), scratch);

        const phase64 phase = call.phase - d_step * d_decimation * first + d_constant;
        const std::complex<float> phasor(phase.phasor());
        d_kernels.samples->rotate(
            reinterpret_cast<float*>(out),
            d_rotate_each ? reinterpret_cast<float*>(d_rotation.data()) : nullptr,
            phasor.real(),
            phasor.imag(),
            outputs);
    }
}

//! Brings the items of a block into the form that the kernels read.
float* host_fir_simd::prepare(const char* in,
                              std::size_t outputs,
                              host_fir_scratch& scratch) const
{
    const auto* phasors =
        d_translate ? reinterpret_cast<const float*>(d_phasors.data()) : nullptr;
    const std::size_t count = window(outputs);
    const std::size_t beyond = 2 * d_kernels.lanes;
    auto* room = host_fir_scratch::room(scratch.items, count + beyond);
    auto* items = reinterpret_cast<float*>(room);
    if (d_decimation == d_layout.decimation) {
        d_kernels.samples->prepare(in, d_type, phasors, items, count);
    } else {
        const std::size_t output_bytes = d_decimation * d_item_bytes;
        for (std::size_t i = 0; i < outputs; i++)
            d_kernels.samples->prepare(
                in + i * output_bytes, d_type, phasors, items + 2 * i * d_taps, d_taps);
    }
    // The vectors of the last window reach beyond its end. The taps there are zero, and
    // have to meet zeros instead of values that an earlier block left.
    std::fill_n(room + count, beyond, 0.0f);
    return items;
}

//! The items that the block from output \p first on reads, but no block before it.
memory_region host_fir_simd::new_items(const fir_call& call, std::size_t first) const
{
    if (first == call.outputs)
        return {};
    const std::size_t outputs = std::min(d_block, call.outputs - first);
    return { static_cast<const char*>(call.in) +
                 (first * d_decimation + d_taps - 1) * d_item_bytes,
             ((outputs - 1) * d_decimation + 1) * d_item_bytes };
}

void host_fir_simd::filter(const float* items,
                           std::complex<float>* out,
                           std::size_t outputs,
                           memory_region next,
                           host_fir_scratch& scratch) const
{
    float* sums = reinterpret_cast<float*>(out);
    d_kernels.filter(d_layout,
                     items,
                     reinterpret_cast<const float*>(d_plane[0].data()),
                     sums,
                     outputs,
                     next.base,
                     next.bytes);
    if (d_plane[1].empty())
        return;
    auto* other = reinterpret_cast<float*>(host_fir_scratch::room(scratch.sums, outputs));
    d_kernels.filter(d_layout,
                     items,
                     reinterpret_cast<const float*>(d_plane[1].data()),
                     other,
                     outputs,
                     nullptr,
                     0);
    d_kernels.samples->add_rotated(sums, other, outputs);
}

std::size_t vectors(const simd_layout& layout)
{
    return layout.full_rows * layout.columns + layout.last_columns;
}

simd_layout over_outputs(const simd_kernels& kernels, std::size_t taps)
{
    simd_layout layout = {};
    layout.lanes_over_outputs = true;
    layout.decimation = 1;
    layout.interleave = 1;
    layout.row = kernels.lanes;
    layout.columns = kernels.lanes;
    layout.full_rows = divide_up(taps, layout.row) - 1;
    layout.last_columns = taps - layout.full_rows * layout.row;
    return layout;
}

simd_layout over_taps(const simd_kernels& kernels,
                      std::size_t taps,
                      std::size_t decimation,
                      std::size_t interleave)
{
    simd_layout layout = {};
    layout.decimation = decimation;
    layout.interleave = interleave;
    layout.row = interleave * decimation;
    layout.columns = divide_up(layout.row, kernels.lanes);
    layout.full_rows = divide_up(taps, layout.row) - 1;
    layout.last_columns = divide_up(taps - layout.full_rows * layout.row, kernels.lanes);
    return layout;
}

} // namespace

std::unique_ptr<host_fir> make_host_fir_simd(const filter_channel& setup,
                                             const simd_kernels& kernels)
{
    return std::make_unique<host_fir_simd>(setup, kernels);
}

namespace {

class simd_variant final : public host_direct_variant
{
public:
    simd_variant()
        : host_direct_variant(
              { "simd", "on the host, a register tile on its vector unit", true, true })
    {
    }

    std::unique_ptr<host_fir> make_fir(const filter_channel& channel) const override
    {
        return make_host_fir_simd(channel, *available_simd_kernels().front());
    }

    direct_cost cost(const plan_shape& shape, const host_rates& rates) const override
    {
        // A tile of outputs reads all taps, and the items of its window, once.
        constexpr double tile = 12;
        const auto taps = static_cast<double>(shape.taps);
        const auto traffic = [&](double bytes) {
            return rates.memory.seconds(bytes, 2 * taps * value_bytes);
        };
        const double rest = shape.decimation == 1           ? rates.simd_output
                            : shape.decimation > shape.taps ? rates.simd_window
                                                            : rates.simd_sum;
        const double item = rates.simd_item + traffic(written_bytes);
        return { rest + static_cast<double>(shape.decimation) * item,
                 rates.simd_tap * (shape.real_taps ? 1 : 2) +
                     traffic(2 * value_bytes / tile),
                 item + traffic(2 * value_bytes) };
    }

    double lone_tap(const host_rates& rates) const override
    {
        constexpr double loads = 2; // such products load both their operands
        return loads * rates.simd_tap;
    }
    double lone_output(const host_rates& rates) const override
    {
        return rates.simd_window;
    }
    bool uses_real_taps() const override { return true; }
};

} // namespace

const host_direct_variant& host_direct_simd()
{
    static const auto& variant = *new simd_variant;
    return variant;
}

CLDSP_DECLARE_KERNELS(simd_kernels, kernels)

std::vector<const simd_kernels*> available_simd_kernels()
{
    return runnable_kernels<simd_kernels>(CLDSP_KERNEL_SETS(kernels));
}

simd_layout
make_simd_layout(const simd_kernels& kernels, std::size_t taps, std::size_t decimation)
{
    if (decimation == 1)
        return over_outputs(kernels, taps);

    // Rows of several decimation steps fill their last vector better, but span more
    // items. So a longer row has to save a fiftieth of the vectors.
    simd_layout best = over_taps(kernels, taps, decimation, 1);
    for (std::size_t interleave = 2; interleave <= kernels.lanes; interleave++) {
        const simd_layout layout = over_taps(kernels, taps, decimation, interleave);
        if (50 * vectors(layout) < 49 * vectors(best))
            best = layout;
    }
    return best;
}

void lay_out_taps(const simd_kernels& kernels,
                  const simd_layout& layout,
                  const std::vector<std::complex<float>>& taps,
                  volk::vector<std::complex<float>>& out)
{
    const std::size_t width = layout.lanes_over_outputs ? 1 : kernels.lanes;
    out.resize(vectors(layout) * width);
    auto to = out.begin();
    const auto add = [&](std::size_t row, std::size_t rows, std::size_t c) {
        // Taps beyond a row's end belong to the next row.
        const std::size_t inside = std::min(width, layout.row - c * width);
        for (std::size_t q = row; q < row + rows; q++, to += width) {
            const std::size_t first = std::min(q * layout.row + c * width, taps.size());
            const std::size_t count = std::min(inside, taps.size() - first);
            std::copy_n(taps.begin() + first, count, to);
            std::fill(to + count, to + width, std::complex<float>());
        }
    };

    std::size_t row = 0;
    for (; row + kernels.tile_rows <= layout.full_rows; row += kernels.tile_rows) {
        for (std::size_t c = 0; c < layout.columns; c++)
            add(row, kernels.tile_rows, c);
    }
    const std::size_t rest = layout.full_rows - row;
    for (std::size_t c = 0; c < layout.last_columns; c++)
        add(row, rest + 1, c);
    for (std::size_t c = layout.last_columns; c < layout.columns; c++)
        add(row, rest, c);
}

} // namespace cldsp
