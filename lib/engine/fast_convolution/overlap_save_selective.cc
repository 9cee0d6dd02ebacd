// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the tiles of bins that channels keep, and folds them.

#include "fast_convolution/overlap_save_selective.h"

#include "base/complex_floats.h"
#include "simd/samples.h"
#include "simd/split_planes.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <string>

namespace cldsp {

namespace {

// Blocks of fewer values fit the cache, where FFTW is as fast.
constexpr std::size_t min_values = 40960;

struct tiles_spectrum final : overlap_save_spectrum {
    aligned_vector<float> bins;
};

struct selective_workspace final : overlap_save_workspace {
    fftw_vector<float> folded;
    inverse_fft_with_rotator::memory inverse;
    selective_transform::memory transform;
    aligned_vector<float> pairs; // bins of pairs of real items
    // The items as floats, where the transform does not read their type.
    aligned_vector<float> block;
};

//! The number of complex values that a block is transformed as; 0: pairs of real items do
//! not fill it.
std::size_t values_of(sample_type input, std::size_t items)
{
    if (is_complex(input))
        return items;
    return items % 2 == 0 ? items / 2 : 0;
}

//! The format in which the transform reads items: their own, or that of floats.
pair_format format_of(sample_type input)
{
    return input == sample_type::s16 || input == sample_type::cs16 ? pair_format::s16
                                                                   : pair_format::f32;
}

bool needs_floats(sample_type input)
{
    return format_of(input) == pair_format::f32 && input != sample_type::f32 &&
           input != sample_type::fc32;
}

//! The factor that converts the values which the transform reads to those of the items.
float scale_of(sample_type input)
{
    return input == sample_type::cs16 ? 1 / 32768.0f : 1;
}

//! The bytes of an item as the transform reads it.
std::size_t read_bytes(sample_type input)
{
    if (!needs_floats(input))
        return sample_size(input);
    return is_complex(input) ? sizeof(std::complex<float>) : sizeof(float);
}

//! exp(-2 pi j k / items) for the bins k of tiles.
class tile_phasors
{
public:
    tile_phasors(std::size_t items, std::size_t width)
        : d_step(phase64::from_turns(-1.0 / static_cast<double>(items))), d_lanes(width)
    {
        for (std::size_t i = 0; i < width; i++)
            d_lanes[i] = (d_step * split_lane(i, width)).phasor();
    }
    //! Writes those of a tile, times a factor, in the order of split planes.
    void
    fill(std::size_t tile, std::complex<double> factor, std::complex<float>* out) const
    {
        const auto first = (d_step * (tile * d_lanes.size())).phasor() * factor;
        for (std::size_t i = 0; i < d_lanes.size(); i++)
            out[i] = std::complex<float>(first * d_lanes[i]);
    }

private:
    phase64 d_step;
    std::vector<std::complex<double>> d_lanes;
};

overlap_save_shape checked_selective(const overlap_save_shape& shape, std::size_t width)
{
    shape.check();
    const std::size_t items = shape.ifft_size * shape.decimation;
    if (items < shape.max_taps)
        throw_invalid("ifft_size",
                      std::to_string(shape.ifft_size),
                      "so many that a block holds " + std::to_string(shape.max_taps) +
                          " taps");
    if (!overlap_save_selective::covers(
            shape.input, shape.decimation, shape.ifft_size, width))
        throw_invalid("ifft_size",
                      std::to_string(shape.ifft_size),
                      "a multiple of " + std::to_string(width) +
                          " whose blocks are large products of small factors");
    return shape;
}

//! Makes room for values. Those of earlier blocks are not kept.
void make_room(aligned_vector<float>& values, std::size_t count)
{
    if (values.size() < count) {
        values = {};
        values.resize(count);
    }
}

} // namespace

bool overlap_save_selective::covers(sample_type input,
                                    std::size_t decimation,
                                    std::size_t ifft_size,
                                    std::size_t width)
{
    const std::size_t items = ifft_size * decimation;
    const std::size_t values = values_of(input, items);
    return values >= min_values && ifft_size % width == 0 &&
           selective_transform::relative_cost(values, width) > 0;
}

overlap_save_selective::overlap_save_selective(const overlap_save_shape& shape,
                                               const overlap_save_kernels& kernels)
    : d_shape(checked_selective(shape, kernels.transform.width)),
      d_kernels(kernels),
      d_block(shape.decimation, shape.max_taps, false),
      d_inverse(shape.ifft_size, shape.channels, kernels.rows),
      d_channels(shape.channels, channel_state(row_tiles())),
      d_taps(items())
{
    const std::size_t bytes = read_bytes(shape.input);
    const std::size_t values = values_of(shape.input, items());
    d_transform = selective_transform::make(
        values,
        { format_of(shape.input), d_block.shift * bytes, block_items() * bytes },
        kernels.transform);
    d_taps_transform = selective_transform::make(
        values,
        { pair_format::f32, 0, values * sizeof(std::complex<float>) },
        kernels.transform);
    d_taps_work = d_taps_transform->make_memory();
    const std::size_t tiles = d_taps_transform->tiles();
    std::vector<std::int32_t> places(tiles);
    for (std::size_t first = 0; first < items() / kernels.transform.width;
         first += tiles) {
        for (std::size_t t = 0; t < tiles; t++)
            places[t] = static_cast<std::int32_t>(response_place(first + t));
        d_response_tiles.push_back(d_taps_transform->select(places));
    }
    d_response.resize(items() * 2);
    if (pairs())
        d_part_of_taps.resize(values);
    settle();
}

//! The place of a tile of a response, in the order in which single_response reads them.
std::size_t overlap_save_selective::response_place(std::size_t tile) const
{
    return (tile % row_tiles() * d_shape.decimation + tile / row_tiles()) * tile_floats();
}

//! Transforms the placed taps.
void overlap_save_selective::transform_taps()
{
    const auto run = [&](const auto& taps, std::size_t part) {
        d_taps_transform->run(
            taps.data(), d_taps_work, d_response_tiles[part], d_response.data());
    };
    if (!pairs())
        return run(d_taps, 0);

    // The response of both taps of each pair, whose transforms are as long as those of
    // blocks. Bin k is E[k] + exp(-2 pi j k / items) O[k], and the bin half a transform
    // further is the difference of the two.
    for (std::size_t part = 0; part < 2; part++) {
        for (std::size_t i = 0; i < d_part_of_taps.size(); i++)
            d_part_of_taps[i] = d_taps[2 * i + part];
        run(d_part_of_taps, part);
    }
    const std::size_t width = d_kernels.transform.width;
    const std::size_t tiles = d_taps_transform->tiles();
    const tile_phasors phasors(items(), width);
    std::vector<std::complex<float>> turns(width);
    for (std::size_t t = 0; t < tiles; t++) {
        phasors.fill(t, 1, turns.data());
        float* const low = d_response.data() + response_place(t);
        float* const high = d_response.data() + response_place(t + tiles);
        for (std::size_t i = 0; i < width; i++) {
            const float re =
                high[i] * turns[i].real() - high[i + width] * turns[i].imag();
            const float im =
                high[i] * turns[i].imag() + high[i + width] * turns[i].real();
            high[i] = low[i] - re;
            high[i + width] = low[i + width] - im;
            low[i] += re;
            low[i + width] += im;
        }
    }
}

void overlap_save_selective::configure(std::size_t channel, const filter_channel& setup)
{
    d_shape.check_channel(channel, setup);
    const placed_taps placed(setup.rotated(), d_block, d_taps);
    if (const float scale = scale_of(d_shape.input); scale != 1)
        for (auto& tap : d_taps)
            tap *= scale;
    transform_taps();

    auto& state = d_channels[channel];
    state.step = -setup.step * d_shape.decimation;
    d_inverse.configure(channel, placed.first, state.step);
    d_changed = true;
    state.response.assign({ d_response.data(),
                            d_kernels.transform.width,
                            row_tiles(),
                            d_shape.decimation,
                            d_shape.decimation,
                            placed.real,
                            d_shape.accuracy });
    state.response.factor = placed.factor;
}

bool overlap_save_selective::set_active(const std::vector<std::size_t>& active)
{
    for (auto& channel : d_channels)
        channel.active = false;
    for (const std::size_t channel : active)
        d_channels[channel].active = true;
    d_changed = true;
    return false;
}

void overlap_save_selective::settle()
{
    if (!d_changed)
        return;
    place_tiles();
    place_pairs();
    d_changed = false; // last, so that all is done again if it fails
}

//! Lists the tiles that the active channels keep, and their places in a spectrum.
void overlap_save_selective::place_tiles()
{
    const std::size_t rows = d_shape.decimation;
    std::vector<std::uint32_t> places(row_tiles() * rows);
    const auto each_run = [&](auto& channel, const auto& use) {
        std::size_t tile = 0;
        for (const auto& run : channel.response.runs) {
            use(tile * rows, run);
            tile += run.last;
        }
    };
    for (const auto& channel : d_channels)
        if (channel.active)
            each_run(channel, [&](std::size_t tile, const fold_run& run) {
                const auto first = places.begin() + tile + run.first;
                std::fill_n(first, run.rows, 1);
            });
    d_kept.clear();
    for (std::size_t i = 0; i < places.size(); i++) {
        const bool kept = places[i] != 0;
        places[i] = static_cast<std::uint32_t>(d_kept.size());
        if (kept)
            d_kept.push_back(
                static_cast<std::uint32_t>(i % rows * row_tiles() + i / rows));
    }
    // The rows of a run follow each other in a spectrum, because all of them are kept.
    for (auto& channel : d_channels) {
        channel.runs.clear();
        if (channel.active)
            each_run(channel, [&](std::size_t tile, const fold_run& run) {
                const std::uint32_t place = run.rows ? places[tile + run.first] : 0;
                channel.runs.push_back({ place, run.rows, run.last });
            });
    }
}

//! Selects the tiles that the transform stores.
void overlap_save_selective::place_pairs()
{
    const std::size_t width = d_kernels.transform.width;
    const std::size_t tiles = d_transform->tiles();
    std::vector<std::int32_t> places(tiles, -1);
    const auto place_of = [&](std::size_t tile) {
        return static_cast<std::int32_t>(tile * tile_floats());
    };
    d_mirrored.clear();
    d_turns.clear();
    if (!pairs()) {
        for (std::size_t i = 0; i < d_kept.size(); i++)
            places[d_kept[i]] = place_of(i);
        d_selected = d_kept.size();
        d_selection = d_transform->select(places);
        return;
    }

    const auto each = [&](const auto& use) {
        for (const std::size_t kept : d_kept) {
            const std::size_t tile = kept % tiles;
            const std::size_t far = (tiles - tile) % tiles;
            use(tile, (far + tiles - 1) % tiles, far);
        }
    };
    each([&](std::size_t tile, std::size_t near, std::size_t far) {
        places[tile] = places[near] = places[far] = 0;
    });
    d_selected = 0;
    for (auto& place : places)
        if (place >= 0)
            place = place_of(d_selected++);
    d_selection = d_transform->select(places);
    each([&](std::size_t tile, std::size_t near, std::size_t far) {
        d_mirrored.push_back({ static_cast<std::uint32_t>(places[tile]),
                               static_cast<std::uint32_t>(places[near]),
                               static_cast<std::uint32_t>(places[far]) });
    });

    const tile_phasors phasors(items(), width);
    std::vector<std::complex<float>> turns(width);
    d_turns.reserve(d_kept.size() * tile_floats());
    for (const std::size_t kept : d_kept) {
        phasors.fill(kept, { 0, -0.5 }, turns.data()); // divided by 2j
        append_planes(turns.data(), width, d_turns);
    }
}

std::unique_ptr<overlap_save_spectrum> overlap_save_selective::make_spectrum() const
{
    // forward() gives it memory, which depends on the channels.
    return std::make_unique<tiles_spectrum>();
}

std::unique_ptr<overlap_save_workspace> overlap_save_selective::make_workspace() const
{
    auto workspace = std::make_unique<selective_workspace>();
    workspace->folded.resize(row_tiles() * tile_floats());
    workspace->inverse = d_inverse.make_memory();
    workspace->transform = d_transform->make_memory();
    if (needs_floats(d_shape.input))
        workspace->block.resize(block_items() * read_bytes(d_shape.input) /
                                sizeof(float));
    return workspace;
}

void overlap_save_selective::forward(const void* in,
                                     overlap_save_spectrum& any,
                                     overlap_save_workspace& any_workspace) const
{
    auto& bins = static_cast<tiles_spectrum&>(any).bins;
    auto& workspace = static_cast<selective_workspace&>(any_workspace);
    make_room(bins, d_kept.size() * tile_floats());
    const void* items = in;
    if (needs_floats(d_shape.input)) {
        float* const block = workspace.block.data();
        if (pairs())
            convert_to_floats(in, d_shape.input, block, block_items());
        else
            convert_to_complex(in,
                               d_shape.input,
                               reinterpret_cast<std::complex<float>*>(block),
                               block_items());
        items = block;
    }
    if (!pairs()) {
        d_transform->run(items, workspace.transform, d_selection, bins.data());
        return;
    }
    make_room(workspace.pairs, d_selected * tile_floats());
    d_transform->run(items, workspace.transform, d_selection, workspace.pairs.data());
    d_kernels.transform.split_pairs(d_mirrored.data(),
                                    d_mirrored.size(),
                                    workspace.pairs.data(),
                                    d_turns.data(),
                                    bins.data());
}

void overlap_save_selective::compute(std::size_t first,
                                     std::size_t channels,
                                     const overlap_save_spectrum* const* spectra,
                                     overlap_save_workspace& any_workspace,
                                     const phase64* phases,
                                     std::complex<float>* const* out,
                                     std::size_t outputs) const
{
    auto& workspace = static_cast<selective_workspace&>(any_workspace);
    float* const folded = workspace.folded.data();
    const std::size_t size = block_outputs();
    for (std::size_t c = 0; c < channels; c++) {
        const channel_state& channel = d_channels[first + c];
        const single_response& response = channel.response;
        for (std::size_t done = 0; done < outputs; done += size) {
            const auto& spectrum =
                static_cast<const tiles_spectrum&>(*spectra[done / size]);
            d_kernels.fold.fold_tiles(
                { spectrum.bins.data(),
                  d_shape.ifft_size,
                  channel.runs.data(),
                  response.gains.data(),
                  response.real,
                  { response.factor.real(), response.factor.imag() },
                  folded });
            d_inverse.run(first + c,
                          folded,
                          workspace.inverse,
                          phases[c] + channel.step * done,
                          out[c] + done,
                          std::min(size, outputs - done));
        }
    }
}

} // namespace cldsp
