/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "overlap_save_bins.h"

#include "fftw_plan.h"
#include "fold_response.h"
#include "host_fir.h"
#include "host_fir_simd.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

// Far beyond any size that pays.
constexpr std::size_t most_items = std::size_t(1) << 24;

constexpr std::size_t most_group = 16; // channels

using complex_vector = fftw_vector<std::complex<float>>;

float* as_floats(complex_vector& values)
{
    return reinterpret_cast<float*>(values.data());
}
const float* as_floats(const complex_vector& values)
{
    return reinterpret_cast<const float*>(values.data());
}

void check(const overlap_save_shape& shape)
{
    const auto at_least_one = [](const char* name, std::size_t value) {
        if (value < 1)
            throw_invalid(name, std::to_string(value), "1 or more");
    };
    at_least_one("decimation", shape.decimation);
    at_least_one("reach", shape.reach);
    at_least_one("channels", shape.channels);
    at_least_one("rows", shape.rows);
    const std::size_t most = most_items / shape.decimation;
    if (shape.rows > most)
        throw_invalid("rows",
                      std::to_string(shape.rows),
                      "at most " + std::to_string(most) + " at decimation " +
                          std::to_string(shape.decimation));
    if (shape.rows * shape.decimation < shape.reach)
        throw_invalid("rows",
                      std::to_string(shape.rows),
                      "so many that a block holds " + std::to_string(shape.reach) +
                          " taps");
    if (!(shape.accuracy >= 0 && shape.accuracy <= 0.1))
        throw_invalid("accuracy", std::to_string(shape.accuracy), "from 0 to 0.1");
}

struct bins_spectrum final : overlap_save_spectrum {
    complex_vector block;
    complex_vector bins;
    fftw_vector<float> gathered;
};

struct bins_workspace final : overlap_save_workspace {
    complex_vector folded;
    complex_vector outputs;
};

//! What a channel's outputs are made with.
struct channel_response : fold_response {
    std::size_t first = 0; // where the inverse transform has the first output
};

/*!
 * A block lies in the transformed items d_shift items from their start and wraps round
 * their end, d_half_item says whether it then is half an item further. This makes the
 * delay of linear-phase taps as long as the reach a whole number of outputs: their gains
 * are real.
 */
class overlap_save_bins final : public overlap_save
{
public:
    overlap_save_bins(const overlap_save_shape& shape,
                      const overlap_save_kernels& kernels);

    void configure(std::size_t channel, const fir_setup& setup) override;
    std::size_t block_items() const override
    {
        return (block_outputs() - 1) * d_shape.decimation + d_shape.reach;
    }
    std::size_t block_outputs() const override
    {
        return d_shape.rows - (d_shape.reach - 1) / d_shape.decimation;
    }
    std::unique_ptr<overlap_save_spectrum> make_spectrum() const override;
    std::unique_ptr<overlap_save_workspace> make_workspace() const override;
    void forward(const void* items, overlap_save_spectrum& spectrum) const override;
    void compute(std::size_t first,
                 std::size_t channels,
                 const overlap_save_spectrum& spectrum,
                 overlap_save_workspace& workspace,
                 std::complex<float>* const* out,
                 std::size_t outputs) const override;

private:
    std::size_t items() const { return d_shape.rows * d_shape.decimation; }
    void place(const fir_setup& setup, channel_response& response);
    void convert(const void* in, std::complex<float>* out, std::size_t count) const;
    void fold(std::size_t first,
              std::size_t channels,
              const bins_spectrum& spectrum,
              complex_vector& out) const;

    const overlap_save_shape d_shape;
    const overlap_save_kernels& d_kernels;
    const simd_kernels& d_convert;
    const std::size_t d_tiles; // of a row of bins
    const std::size_t d_group; // channels computed together
    // With one channel, the fold had better read each bin where it is.
    const bool d_gathers;
    std::size_t d_shift;
    bool d_half_item;
    complex_vector d_half_item_phasors; // delay by half an item
    const std::shared_ptr<const fftw_transform> d_forward;
    const std::shared_ptr<const fftw_transform> d_inverse;
    std::vector<channel_response> d_responses;

    complex_vector d_taps; // of the channel being configured
    complex_vector d_response;
    fftw_vector<float> d_gathered;
};

overlap_save_bins::overlap_save_bins(const overlap_save_shape& shape,
                                     const overlap_save_kernels& kernels)
    : d_shape(shape),
      d_kernels(kernels),
      d_convert(*available_simd_kernels().front()),
      d_tiles((shape.rows + kernels.lanes - 1) / kernels.lanes),
      d_group(std::min({ shape.channels, kernels.channels, most_group })),
      d_gathers(shape.decimation > 1 && shape.channels > 1),
      d_forward(fftw_transform::get(items(), fftw_direction::forward)),
      d_inverse(fftw_transform::get(shape.rows, fftw_direction::backward)),
      d_responses(shape.channels),
      d_taps(items()),
      d_response(items() + kernels.lanes),
      d_gathered(d_tiles * shape.decimation * 2 * kernels.lanes)
{
    // Channels are silent until they are configured.
    for (auto& response : d_responses)
        response.runs.resize(d_tiles, { 0, false, true, 0 });
    const std::size_t turn = 2 * shape.decimation;
    const std::size_t half_items = (turn - (shape.reach - 1) % turn) % turn;
    d_shift = half_items / 2;
    d_half_item = d_gathers && half_items % 2 == 1;
    if (d_half_item) {
        d_half_item_phasors.resize(items() + kernels.lanes);
        const auto step = phase64::from_turns(-0.5 / static_cast<double>(items()));
        fill_phasors(
            d_half_item_phasors.data(), d_half_item_phasors.size(), phase64(), step);
    }
}

//! The taps into d_taps, such that output i is the inverse transform's value first + i.
void overlap_save_bins::place(const fir_setup& setup, channel_response& response)
{
    const auto& taps = setup.rotated;
    const std::size_t decimation = d_shape.decimation;
    // In half items, with the block's place: when the first output is due, and how much
    // of that the taps' own delay leaves to whole outputs.
    const std::size_t due = 2 * (d_shape.reach - 1 + d_shift) + (d_half_item ? 1 : 0);
    const std::size_t left = due - (taps.size() - 1);
    const std::size_t first = left / (2 * decimation);
    const std::size_t advance = due / 2 - first * decimation;
    response.first = first % d_shape.rows;

    std::complex<double> turn = 1;
    response.real = left % (2 * decimation) == 0 && is_linear_phase(taps, turn);
    response.turn = response.real ? std::complex<float>(turn) : 1;
    const std::complex<double> scale =
        (response.real ? std::conj(turn) : 1) / static_cast<double>(items());

    std::fill(d_taps.begin(), d_taps.end(), 0);
    std::size_t at = (items() - advance % items()) % items();
    for (const auto& tap : taps) {
        d_taps[at] = std::complex<float>(tap * scale);
        at = at + 1 == items() ? 0 : at + 1;
    }
}

void overlap_save_bins::configure(std::size_t channel, const fir_setup& setup)
{
    if (channel >= d_shape.channels)
        throw_invalid("channel",
                      std::to_string(channel),
                      "below " + std::to_string(d_shape.channels));
    if (setup.taps() > d_shape.reach)
        throw_invalid("taps",
                      std::to_string(setup.taps()) + " taps",
                      "at most " + std::to_string(d_shape.reach));

    channel_response& response = d_responses[channel];
    place(setup, response);
    d_forward->execute(d_taps.data(), d_response.data());
    if (d_half_item) {
        for (std::size_t i = 0; i < items(); i++)
            d_response[i] *= std::conj(d_half_item_phasors[i]);
    }
    d_kernels.gather(as_floats(d_response),
                     d_shape.rows,
                     d_shape.decimation,
                     nullptr,
                     d_gathered.data());
    select_tiles(d_gathered,
                 d_kernels.lanes,
                 d_shape.decimation,
                 response.real,
                 d_shape.accuracy,
                 response);
}

std::unique_ptr<overlap_save_spectrum> overlap_save_bins::make_spectrum() const
{
    auto spectrum = std::make_unique<bins_spectrum>();
    spectrum->block.resize(items());
    spectrum->bins.resize(items() + d_kernels.lanes);
    if (d_gathers)
        spectrum->gathered.resize(d_gathered.size());
    return spectrum;
}

std::unique_ptr<overlap_save_workspace> overlap_save_bins::make_workspace() const
{
    auto workspace = std::make_unique<bins_workspace>();
    workspace->folded.resize(d_group * d_tiles * d_kernels.lanes);
    workspace->outputs.resize(d_shape.rows);
    return workspace;
}

void overlap_save_bins::convert(const void* in,
                                std::complex<float>* out,
                                std::size_t count) const
{
    // The kernels make pairs of real items that suit products with taps.
    if (is_complex(d_shape.input))
        d_convert.prepare(
            in, d_shape.input, nullptr, reinterpret_cast<float*>(out), count);
    else
        convert_samples(in, d_shape.input, out, count);
}

void overlap_save_bins::forward(const void* in, overlap_save_spectrum& any) const
{
    auto& spectrum = static_cast<bins_spectrum&>(any);
    // What lies outside the block has been zero from the start.
    const std::size_t before_wrap = std::min(block_items(), items() - d_shift);
    const auto* wrapped =
        static_cast<const char*>(in) + before_wrap * sample_size(d_shape.input);
    convert(in, &spectrum.block[d_shift], before_wrap);
    convert(wrapped, spectrum.block.data(), block_items() - before_wrap);
    d_forward->execute(spectrum.block.data(), spectrum.bins.data());
    if (d_gathers)
        d_kernels.gather(as_floats(spectrum.bins),
                         d_shape.rows,
                         d_shape.decimation,
                         d_half_item ? as_floats(d_half_item_phasors) : nullptr,
                         spectrum.gathered.data());
}

void overlap_save_bins::fold(std::size_t first,
                             std::size_t channels,
                             const bins_spectrum& spectrum,
                             complex_vector& out) const
{
    const std::size_t vectors = 2 * d_kernels.lanes; // floats of a tile's row
    fold_bins bins;
    bins.bins = d_gathers ? spectrum.gathered.data() : as_floats(spectrum.bins);
    bins.tile_step = d_gathers ? vectors * d_shape.decimation : vectors;
    bins.row_step = d_gathers ? vectors : 2 * d_shape.rows;
    bins.tiles = d_tiles;
    fold_channel parts[most_group];
    for (std::size_t c = 0; c < channels; c++) {
        const channel_response& response = d_responses[first + c];
        parts[c] = { response.runs.data(),
                     response.gains.data(),
                     response.real,
                     response.fine_step,
                     { response.turn.real(), response.turn.imag() },
                     as_floats(out) + c * vectors * d_tiles };
    }
    (d_gathers ? d_kernels.fold_gathered
               : d_kernels.fold_interleaved)(bins, parts, channels);
}

void overlap_save_bins::compute(std::size_t first,
                                std::size_t channels,
                                const overlap_save_spectrum& any_spectrum,
                                overlap_save_workspace& any_workspace,
                                std::complex<float>* const* out,
                                std::size_t outputs) const
{
    const auto& spectrum = static_cast<const bins_spectrum&>(any_spectrum);
    auto& workspace = static_cast<bins_workspace&>(any_workspace);
    for (std::size_t done = 0; done < channels; done += d_group) {
        const std::size_t count = std::min(d_group, channels - done);
        fold(first + done, count, spectrum, workspace.folded);
        for (std::size_t c = 0; c < count; c++) {
            d_inverse->execute(&workspace.folded[c * d_tiles * d_kernels.lanes],
                               workspace.outputs.data());
            const auto values = workspace.outputs.begin();
            const std::size_t start = d_responses[first + done + c].first;
            const std::size_t before_wrap = std::min(outputs, d_shape.rows - start);
            std::complex<float>* to = out[done + c];
            std::copy_n(values + start, before_wrap, to);
            std::copy_n(values, outputs - before_wrap, to + before_wrap);
        }
    }
}

} // namespace

std::unique_ptr<overlap_save> make_overlap_save_bins(const overlap_save_shape& shape,
                                                     const overlap_save_kernels& kernels)
{
    check(shape);
    return std::make_unique<overlap_save_bins>(shape, kernels);
}

std::unique_ptr<overlap_save> make_overlap_save_bins(const overlap_save_shape& shape)
{
    return make_overlap_save_bins(shape, *available_overlap_save_kernels().front());
}

} // namespace cldsp
