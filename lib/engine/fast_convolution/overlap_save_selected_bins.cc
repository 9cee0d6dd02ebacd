// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One transform of the block, then a fold and an inverse transform per channel.

#include "fast_convolution/overlap_save_selected_bins.h"

#include "base/complex_floats.h"
#include "direct/host_direct.h"
#include "fast_convolution/overlap_save_method.h"
#include "fast_convolution/overlap_save_selective.h"
#include "filter/operation_counts.h"
#include "simd/samples.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <set>

namespace cldsp {

using complex_vector = fftw_vector<std::complex<float>>;

struct bins_spectrum final : overlap_save_spectrum {
    // The block's items where they have to be converted, or need zeros around them. Two
    // real items are the parts of one value.
    complex_vector block;
    complex_vector pair_bins; // the transform of such values
    complex_vector bins;
    fftw_vector<float> gathered;
};

namespace {

overlap_save_shape checked(const overlap_save_shape& shape)
{
    shape.check();
    if (shape.ifft_size * shape.decimation < shape.max_taps)
        throw_invalid("ifft_size",
                      std::to_string(shape.ifft_size),
                      "so many that a block holds " + std::to_string(shape.max_taps) +
                          " taps");
    return shape;
}

struct bins_workspace final : overlap_save_workspace {
    fftw_vector<float> folded; // bins of a group of channels, as split planes
    inverse_fft_with_rotator::memory inverse;
    column_transform::memory forward;
    real_column_transform::memory real_forward;
    block_transform::memory block;
};

} // namespace

overlap_save_selected_bins::overlap_save_selected_bins(const overlap_save_shape& shape,
                                                       const fold_kernel_set& kernels,
                                                       const row_kernels& rows)
    : d_shape(checked(shape)),
      d_kernels(kernels),
      d_gathers(gathers_bins(shape.decimation, shape.channels, shape.kept)),
      d_groups(kernels,
               shape.ifft_size,
               shape.decimation,
               d_gathers ? shape.channels : 0, // the others have d_singles
               shape.accuracy),
      d_block(shape.decimation, shape.max_taps, d_gathers),
      d_inverse(shape.ifft_size, shape.channels, rows),
      d_steps(shape.channels),
      d_taps(items()),
      d_gathered(d_groups.gathered_size())
{
    if (d_gathers)
        d_columns = column_transform::make(
            { shape.ifft_size, shape.decimation, d_groups.chunks().tile_rows() },
            d_block.half_item,
            rows);
    if (d_columns) {
        d_work = d_columns->make_memory();
    } else {
        d_block_transform = std::make_unique<block_transform>(items(), rows);
        d_block_work = d_block_transform->make_memory();
        d_response.resize(items() + kernels.lanes);
    }
    if (!is_complex(shape.input) && items() % 2 == 0) {
        if (d_columns)
            d_real_columns = real_column_transform::make(
                { shape.ifft_size, shape.decimation, d_groups.chunks().tile_rows() },
                d_block.half_item,
                rows);
        if (!d_real_columns)
            d_pairs = std::make_unique<block_transform>(items() / 2, rows);
        if (d_pairs && d_gathers) {
            d_turns.resize(items());
            fill_pair_turns(items(), 0, items(), d_turns.data());
        }
    }
    if (!d_gathers)
        d_singles.assign(shape.channels, single_response(d_groups.tiles()));
    if (d_block.half_item && (!d_columns || d_pairs)) {
        d_half_item.resize(items() + kernels.lanes);
        const auto step = phase64::from_turns(-0.5 / static_cast<double>(items()));
        fill_phasors(d_half_item.data(), d_half_item.size(), phase64(), step);
    }
}

//! Makes the gathered response of the placed taps. It is advanced by half an item if the
//! block is delayed by as much.
void overlap_save_selected_bins::transform_taps()
{
    if (d_columns) {
        // Advances the taps by a whole item, as this transform delays by half an item,
        // too.
        if (d_block.half_item)
            std::rotate(d_taps.begin(), d_taps.begin() + 1, d_taps.end());
        d_columns->run(d_taps.data(), 0, items(), d_work, d_gathered.data());
        return;
    }
    d_block_transform->run(d_taps.data(), d_block_work, d_response.data());
    for (std::size_t i = 0; i < d_half_item.size() && i < items(); i++)
        d_response[i] *= std::conj(d_half_item[i]);
    d_groups.gather(d_response.data(), nullptr, d_gathered.data());
}

void overlap_save_selected_bins::configure(std::size_t channel,
                                           const filter_channel& setup)
{
    d_shape.check_channel(channel, setup);

    const placed_taps placed(setup.rotated(), d_block, d_taps);
    transform_taps();
    d_steps[channel] = -setup.step * d_shape.decimation;
    d_inverse.configure(channel, placed.first, d_steps[channel]);
    if (d_gathers) {
        d_groups.assign(channel, d_gathered.data(), placed);
    } else {
        d_singles[channel].assign({ d_gathered.data(),
                                    d_kernels.lanes,
                                    d_groups.tiles(),
                                    d_shape.decimation,
                                    d_groups.chunks().tile_rows(),
                                    placed.real,
                                    d_shape.accuracy });
        d_singles[channel].factor = placed.factor;
        d_singles_changed = true;
    }
}

bool overlap_save_selected_bins::set_active(const std::vector<std::size_t>& active)
{
    if (d_gathers)
        d_groups.set_active(active);
    return d_gathers;
}

void overlap_save_selected_bins::settle()
{
    if (d_gathers)
        d_groups.settle();
    if (!d_pairs || !d_singles_changed)
        return;
    std::set<std::size_t> rows;
    for (const auto& single : d_singles)
        for (const auto& run : single.runs)
            for (std::size_t r = run.first; r < run.first + run.rows; r++)
                rows.insert(r);
    d_rows_read.assign(rows.begin(), rows.end());
    const std::size_t row = d_shape.ifft_size;
    d_turns.resize(rows.size() * row);
    for (std::size_t i = 0; i < d_rows_read.size(); i++)
        fill_pair_turns(items(), d_rows_read[i] * row, row, &d_turns[i * row]);
    d_singles_changed = false; // last, so that all is done again if it fails
}

std::unique_ptr<overlap_save_spectrum> overlap_save_selected_bins::make_spectrum() const
{
    auto spectrum = std::make_unique<bins_spectrum>();
    if (d_gathers)
        spectrum->gathered.resize(d_gathered.size());
    if (d_real_columns)
        return spectrum;
    if (d_pairs) {
        spectrum->block.resize(items() / 2);
        spectrum->pair_bins.resize(items() / 2);
    } else if (!d_columns) {
        spectrum->block.resize(items());
    } else if (d_shape.input != sample_type::fc32) {
        spectrum->block.resize(block_items());
    }
    if (d_pairs || !d_columns)
        spectrum->bins.resize(items() + d_kernels.lanes);
    return spectrum;
}

std::unique_ptr<overlap_save_workspace> overlap_save_selected_bins::make_workspace() const
{
    auto workspace = std::make_unique<bins_workspace>();
    const std::size_t channels =
        d_gathers ? std::min(d_shape.channels, channel_folds::max_group) : 1;
    workspace->folded.resize(blocks_at_once() * channels * d_groups.folded_size());
    workspace->inverse = d_inverse.make_memory();
    if (d_real_columns)
        workspace->real_forward = d_real_columns->make_memory();
    else if (d_pairs)
        workspace->block = d_pairs->make_memory();
    else if (d_columns)
        workspace->forward = d_columns->make_memory();
    else
        workspace->block = d_block_transform->make_memory();
    return workspace;
}

void overlap_save_selected_bins::forward(const void* in,
                                         overlap_save_spectrum& any,
                                         overlap_save_workspace& any_workspace) const
{
    auto& spectrum = static_cast<bins_spectrum&>(any);
    auto& workspace = static_cast<bins_workspace&>(any_workspace);
    if (d_real_columns) {
        d_real_columns->run(in,
                            d_shape.input,
                            d_block.shift,
                            block_items(),
                            workspace.real_forward,
                            spectrum.gathered.data());
        return;
    }
    if (d_columns && !d_pairs) {
        const auto* values = static_cast<const std::complex<float>*>(in);
        if (d_shape.input != sample_type::fc32) {
            convert_to_complex(in, d_shape.input, spectrum.block.data(), block_items());
            values = spectrum.block.data();
        }
        d_columns->run(values,
                       d_block.shift,
                       block_items(),
                       workspace.forward,
                       spectrum.gathered.data());
        return;
    }
    if (d_pairs)
        forward_real(in, spectrum, workspace.block);
    else
        forward_complex(in, spectrum, workspace.block);
    if (d_gathers)
        d_groups.gather(spectrum.bins.data(),
                        d_block.half_item ? as_floats(d_half_item.data()) : nullptr,
                        spectrum.gathered.data());
}

//! Calls \p convert(from, to, count) for the two parts of a block that wraps round its
//! end.
template <class F>
void overlap_save_selected_bins::place_block(const F& convert) const
{
    // The values outside the block have been zero from the start.
    const std::size_t before_wrap = std::min(block_items(), items() - d_block.shift);
    convert(0, d_block.shift, before_wrap);
    convert(before_wrap, 0, block_items() - before_wrap);
}

void overlap_save_selected_bins::forward_complex(const void* in,
                                                 bins_spectrum& spectrum,
                                                 block_transform::memory& work) const
{
    const auto* values = static_cast<const std::complex<float>*>(in);
    const bool as_it_is = d_shape.input == sample_type::fc32 &&
                          block_items() == items() && d_block.shift == 0 &&
                          fftw_plan::is_aligned(values);
    if (!as_it_is) {
        place_block([&](std::size_t from, std::size_t to, std::size_t count) {
            convert_to_complex(static_cast<const char*>(in) +
                                   from * sample_size(d_shape.input),
                               d_shape.input,
                               &spectrum.block[to],
                               count);
        });
        values = spectrum.block.data();
    }
    d_block_transform->run(values, work, spectrum.bins.data());
}

void overlap_save_selected_bins::forward_real(const void* in,
                                              bins_spectrum& spectrum,
                                              block_transform::memory& work) const
{
    float* const values = as_floats(spectrum.block.data());
    place_block([&](std::size_t from, std::size_t to, std::size_t count) {
        convert_to_floats(static_cast<const char*>(in) +
                              from * sample_size(d_shape.input),
                          d_shape.input,
                          values + to,
                          count);
    });
    d_pairs->run(spectrum.block.data(), work, spectrum.pair_bins.data());
    const auto make = [&](std::size_t first, std::size_t count, const auto* turns) {
        bins_of_pairs(spectrum.pair_bins.data(),
                      items(),
                      first,
                      count,
                      turns,
                      spectrum.bins.data() + first);
    };
    const std::size_t row = d_shape.ifft_size;
    if (d_gathers)
        make(0, items(), d_turns.data());
    for (std::size_t i = 0; i < d_rows_read.size(); i++)
        make(d_rows_read[i] * row, row, &d_turns[i * row]);
}

void overlap_save_selected_bins::fold(std::size_t channel,
                                      const bins_spectrum& spectrum,
                                      float* out) const
{
    const single_response& response = d_singles[channel];
    d_kernels.fold({ as_floats(spectrum.bins.data()),
                     d_shape.ifft_size,
                     response.runs.data(),
                     response.gains.data(),
                     response.real,
                     { response.factor.real(), response.factor.imag() },
                     out });
}

void overlap_save_selected_bins::compute(std::size_t first,
                                         std::size_t channels,
                                         const overlap_save_spectrum* const* spectra,
                                         overlap_save_workspace& any_workspace,
                                         const phase64* phases,
                                         std::complex<float>* const* out,
                                         std::size_t outputs) const
{
    auto& workspace = static_cast<bins_workspace&>(any_workspace);
    float* const folded = workspace.folded.data();
    const std::size_t size = block_outputs();
    for (std::size_t c = 0; c < channels;) {
        const std::size_t at = first + c;
        const std::size_t count =
            d_gathers ? std::min(channels - c, d_groups.rest_of_group(at)) : 1;
        for (std::size_t done = 0; done < outputs;) {
            const auto* const* some = spectra + done / size;
            const std::size_t blocks =
                std::min(blocks_at_once(), (outputs - done + size - 1) / size);
            if (d_gathers) {
                const float* gathered[max_fold_blocks];
                for (std::size_t b = 0; b < blocks; b++)
                    gathered[b] =
                        static_cast<const bins_spectrum*>(some[b])->gathered.data();
                d_groups.run(at, count, gathered, blocks, out + c, folded);
            } else
                fold(at, static_cast<const bins_spectrum&>(**some), folded);
            for (std::size_t i = 0; i < blocks * count; i++) {
                if (!out[c + i % count])
                    continue; // an idle channel
                const std::size_t start = done + i / count * size;
                d_inverse.run(at + i % count,
                              folded + i * d_groups.folded_size(),
                              workspace.inverse,
                              phases[c + i % count] + d_steps[at + i % count] * start,
                              out[c + i % count] + start,
                              std::min(size, outputs - start));
            }
            done += blocks * size;
        }
        c += count;
    }
}

std::unique_ptr<overlap_save>
make_overlap_save_selected_bins(const overlap_save_shape& shape,
                                const overlap_save_kernels& kernels)
{
    if (!gathers_bins(shape.decimation, shape.channels, shape.kept) &&
        overlap_save_selective::covers(
            shape.input, shape.decimation, shape.ifft_size, kernels.transform.width))
        return std::make_unique<overlap_save_selective>(shape, kernels);
    return std::make_unique<overlap_save_selected_bins>(
        shape, kernels.fold, kernels.rows);
}

namespace {

class selected_bins_method final : public overlap_save_method
{
public:
    selected_bins_method()
        : overlap_save_method(
              "selected_bins",
              "on the host, overlap-save on a transform of the whole block")
    {
    }

    std::string former_name() const override { return "bins"; }
    using overlap_save_method::make;
    std::unique_ptr<overlap_save> make(const overlap_save_shape& shape,
                                       const overlap_save_kernels& kernels) const override
    {
        return make_overlap_save_selected_bins(shape, kernels);
    }
    bool leaves_bins_out() const override { return true; }
    bool covers(std::size_t, std::size_t ifft_size) const override
    {
        return ifft_size > 0 && ifft_size <= max_overlap_save_rows;
    }
    block_cost cost(const plan_shape& shape,
                    std::size_t ifft_size,
                    const host_rates& rates) const override
    {
        const bool gathers = gathers_bins(shape.decimation, shape.channels, shape.kept);
        const std::size_t items = ifft_size * shape.decimation;
        gain_shares gains;
        gains.read /= blocks_of_a_gain(
            shape, items, outputs(shape, ifft_size) * shape.decimation, rates);
        return { forward_cost(shape, ifft_size, gathers, rates),
                 fold_cost(shape, items, ifft_size, shape.kept, gathers, gains, rates) +
                     inverse_cost(static_cast<double>(ifft_size), ifft_size, rates) };
    }
    block_operations count(const plan_shape& shape, std::size_t ifft_size) const override
    {
        const auto outputs = static_cast<double>(ifft_size);
        const double items = outputs * static_cast<double>(shape.decimation);
        return { transform_operations(items),
                 complex_product * std::max(shape.kept * items, outputs) +
                     transform_operations(outputs) };
    }
};

} // namespace

const overlap_save_method& overlap_save_selected_bins_method()
{
    static const auto& method = *new selected_bins_method;
    return method;
}

} // namespace cldsp
