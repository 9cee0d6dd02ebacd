// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the bins of a response by the accuracy, and packs their gains.

#include "fast_convolution/fold_response.h"

#include "base/complex_floats.h"

#include <cldsp/phase.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace cldsp {

namespace {

constexpr double fine_steps = 0x1p26; // steps of a fine gain in the largest gain
constexpr double max_fine = 32000;    // the largest fine gain in steps; fits 16 bits

//! The largest squared gain of each row of each tile.
std::vector<double> largest_gains(const gathered_response& response)
{
    std::vector<double> result;
    result.reserve(response.tiles * response.tile_rows);
    for (std::size_t t = 0; t < response.tiles; t++) {
        for (std::size_t r = 0; r < response.tile_rows; r++) {
            const float* gains = response.row(t, r);
            double largest = 0;
            for (std::size_t i = 0; i < response.lanes; i++) {
                const double re = gains[i];
                const double im = response.real ? 0 : gains[response.lanes + i];
                largest = std::max(largest, re * re + im * im);
            }
            result.push_back(largest);
        }
    }
    return result;
}

//! Packs pairs of gains into a fine chunk's integers.
void append_fine(const float* first,
                 const float* second,
                 std::size_t lanes,
                 double steps,
                 fftw_vector<float>& out)
{
    const std::size_t at = out.size();
    out.resize(at + lanes);
    for (std::size_t i = 0; i < lanes; i++) {
        const double low = std::nearbyint(first[i] * steps);
        const double rest = second ? second[i] * steps : 0;
        const double high = std::nearbyint(rest - low * 0x1p-16);
        const auto both = static_cast<std::int32_t>(high * 0x1p16 + low);
        std::memcpy(&out[at + i], &both, sizeof(both));
    }
}

//! The number of rows of a chunk. Long chunks are computed faster, but fewer can be left
//! out.
std::size_t chunk_rows(double accuracy, const fold_kernel_set& kernels)
{
    constexpr double much_is_left_out = 3e-5;
    constexpr std::size_t max_where_it_is = 4;
    return accuracy < much_is_left_out
               ? kernels.max_chunk_rows
               : std::min(kernels.max_chunk_rows, max_where_it_is);
}

} // namespace

bool is_linear_phase(const std::vector<std::complex<double>>& taps,
                     std::complex<double>& turn)
{
    const std::size_t last = taps.size() - 1;
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k <= last; k++)
        sum += taps[k] * taps[last - k];
    if (!(std::abs(sum) > 0))
        return false;
    const std::complex<double> square = sum / std::abs(sum);

    double energy = 0;
    double difference = 0;
    for (std::size_t k = 0; k <= last; k++) {
        energy += std::norm(taps[k]);
        difference += std::norm(taps[last - k] - square * std::conj(taps[k]));
    }
    turn = std::sqrt(square);
    // The bound is that of taps whose values are rounded to 2^-24.
    return difference <= 0x1p-46 * energy;
}

block_placement::block_placement(std::size_t block_decimation,
                                 std::size_t block_max_taps,
                                 bool half_items)
    : decimation(block_decimation), max_taps(block_max_taps)
{
    // All delays are in half items. The delay of the taps is max_taps - 1 half items.
    const std::size_t output = 2 * decimation;
    const std::size_t missing = (output - (max_taps - 1) % output) % output;
    shift = missing / 2;
    half_item = half_items && missing % 2 == 1;
}

placed_taps::placed_taps(const std::vector<std::complex<double>>& taps,
                         const block_placement& block,
                         fftw_vector<std::complex<float>>& out)
{
    const std::size_t items = out.size();
    const std::size_t output = 2 * block.decimation;
    // Both are in half items: the time when the first output is due, and that time
    // without the delay of the taps. The whole outputs in `left` are not part of the
    // advance: they become `first`, the index of the first output in the inverse
    // transform.
    const std::size_t due =
        2 * (block.max_taps - 1 + block.shift) + (block.half_item ? 1 : 0);
    const std::size_t left = due - (taps.size() - 1);
    const std::size_t advance = due / 2 - left / output * block.decimation;
    first = left / output % (items / block.decimation);

    std::complex<double> turn = 1;
    real = left % output == 0 && is_linear_phase(taps, turn);
    factor = real ? std::complex<float>(turn) : 1;
    const std::complex<double> scale =
        (real ? std::conj(turn) : 1) / static_cast<double>(items);

    std::fill(out.begin(), out.end(), 0);
    std::size_t at = (items - advance % items) % items;
    for (const auto& tap : taps) {
        out[at] = std::complex<float>(tap * scale);
        at = at + 1 == items ? 0 : at + 1;
    }
}

void single_response::assign(const gathered_response& response)
{
    const std::vector<double> largest = largest_gains(response);
    const double limit = response.accuracy * response.accuracy *
                         *std::max_element(largest.begin(), largest.end());
    real = response.real;
    runs.clear();
    gains.clear();
    for (std::size_t t = 0; t < response.tiles; t++) {
        const std::size_t first_run = runs.size();
        bool open = false;
        for (std::size_t r = 0; r < response.rows; r++) {
            if (largest[t * response.tile_rows + r] <= limit) {
                open = false;
                continue;
            }
            if (!open)
                runs.push_back({ static_cast<std::uint32_t>(r), 0, false });
            open = true;
            runs.back().rows++;
            const float* row = response.row(t, r);
            gains.insert(gains.end(),
                         row,
                         row + (response.real ? response.lanes : response.step()));
        }
        if (runs.size() == first_run)
            runs.push_back({ 0, 0, false });
        runs.back().last = true;
    }
}

void fold_responses::assign(std::size_t channel,
                            const gathered_response& response,
                            std::complex<float> factor)
{
    const std::vector<double> largest = largest_gains(response);
    const double all = *std::max_element(largest.begin(), largest.end());
    const double limit = response.accuracy * response.accuracy * all;
    // Fine gains need a scale factor that can be too small for a float.
    const double unit = std::sqrt(all) / (fine_steps * 0x1p16);
    const bool has_fine = unit * 0x1p-20 > std::numeric_limits<float>::min();
    const double fine_limit = has_fine ? std::pow(max_fine * 0x1p16 * unit, 2) : 0;
    const auto scale = static_cast<float>(has_fine ? 1 / unit : 1);

    d_lanes = response.lanes;
    d_changed = true;
    auto& gains = d_gains[channel];
    gains.values.clear();
    gains.factor = factor * static_cast<float>(has_fine ? unit : 1);
    const auto bit = std::uint32_t(1) << channel;
    for (auto& mask : d_masks)
        mask &= ~bit;

    const auto append = [&](const float* first, const float* second, bool fine) {
        if (fine) {
            append_fine(first, second, response.lanes, scale * 0x1p-16, gains.values);
            return;
        }
        for (std::size_t i = 0; i < response.lanes; i++)
            gains.values.push_back(first[i] * scale);
        for (std::size_t i = 0; second && i < response.lanes; i++)
            gains.values.push_back(second[i] * scale);
    };
    for (std::size_t i = 0; i < largest.size() / d_chunk_rows; i++) {
        const auto begin = largest.begin() + i * d_chunk_rows;
        const double most = *std::max_element(begin, begin + d_chunk_rows);
        if (most <= limit)
            continue;
        const bool fine = most < fine_limit;
        const auto kind = response.real
                              ? (fine ? fold_kind::fine_real : fold_kind::real)
                              : (fine ? fold_kind::fine_complex : fold_kind::complex);
        const float* row = response.values + i * d_chunk_rows * response.step();
        for (std::size_t r = 0; r < d_chunk_rows; r++, row += response.step()) {
            if (!response.real) {
                append(row, row + response.lanes, fine);
            } else {
                const bool paired = r + 1 < d_chunk_rows;
                append(row, paired ? row + response.step() : nullptr, fine);
                r += paired;
                row += paired ? response.step() : 0;
            }
        }
        // Last, so that settle() copies no gains that memory was missing for.
        d_masks[i * fold_kinds + static_cast<std::size_t>(kind)] |= bit;
    }
}

//! Copies the gains of the active channels into one array, in the order of use. This is
//! done for all of them even after a retune of one: its number of gains may change, which
//! shifts the gains of the others.
void fold_responses::settle()
{
    if (!d_changed)
        return;
    const std::size_t rows = d_chunk_rows;
    // The number of vectors in a chunk of each kind.
    const std::size_t vectors[fold_kinds] = { rows, (rows + 1) / 2, 2 * rows, rows };
    std::size_t size = 0;
    const float* next[max_channels];
    for (std::size_t c = 0; c < max_channels; c++) {
        next[c] = d_gains[c].values.data();
        if (d_active >> c & 1)
            size += d_gains[c].values.size();
    }
    d_used = d_masks;
    for (auto& mask : d_used)
        mask &= d_active;
    d_all.resize(size);
    float* to = d_all.data();
    for (std::size_t i = 0; i < d_used.size(); i++) {
        const std::size_t count = vectors[i % fold_kinds] * d_lanes;
        for (std::size_t c = 0; d_used[i] >> c != 0; c++) {
            if ((d_used[i] >> c & 1) == 0)
                continue;
            to = std::copy_n(next[c], count, to);
            next[c] += count;
        }
    }
    d_changed = false; // last, so that all is done again if it fails
}

fold_member fold_responses::member(std::size_t channel) const
{
    const auto factor = d_gains[channel].factor;
    return { { factor.real(), factor.imag() }, {} };
}

channel_folds::channel_folds(const fold_kernel_set& kernels,
                             std::size_t row,
                             std::size_t rows,
                             std::size_t channels,
                             double accuracy)
    : d_kernels(kernels),
      d_row(row),
      d_rows(rows),
      d_tiles((row + kernels.lanes - 1) / kernels.lanes),
      d_channels(channels),
      d_accuracy(accuracy),
      d_chunks(rows, chunk_rows(accuracy, kernels)),
      d_groups((channels + max_group - 1) / max_group,
               { d_tiles, d_chunks.count, d_chunks.rows_each })
{
}

std::size_t channel_folds::gathered_size() const
{
    return d_tiles * d_chunks.tile_rows() * 2 * d_kernels.lanes;
}

void channel_folds::read_bins_of(const channel_folds& source, std::size_t delay)
{
    d_places.clear();
    d_row_factors.clear();
    d_out_factors.clear();
    if (&source == this && delay == 0)
        return;
    const std::size_t vector = 2 * d_kernels.lanes;
    d_places.reserve(d_tiles * d_chunks.tile_rows() + d_chunks.rows_each);
    for (std::size_t t = 0; t < d_tiles; t++) {
        for (std::size_t r = 0; r < d_rows; r++) {
            const std::size_t index = r * d_tiles + t;
            const std::size_t tile = index % source.d_tiles;
            const std::size_t row = index / source.d_tiles;
            d_places.push_back(static_cast<std::uint32_t>(
                (tile * source.d_chunks.tile_rows() + row) * vector));
        }
        d_places.resize((t + 1) * d_chunks.tile_rows());
    }
    d_places.resize(d_places.size() + d_chunks.rows_each);
    if (delay == 0)
        return;
    // Bin g + r N/D is delayed by a factor that depends on r alone, which its sum has to
    // include, and by one that depends on g alone.
    const double turns = -0.5 * static_cast<double>(delay) / static_cast<double>(d_rows);
    d_row_factors.resize(d_chunks.tile_rows());
    for (std::size_t r = 0; r < d_rows; r++)
        d_row_factors[r] = std::complex<float>(
            phase64::from_turns(turns * static_cast<double>(r)).phasor());
    d_out_factors.resize(d_tiles * vector);
    for (std::size_t i = 0; i < d_tiles * d_kernels.lanes; i++) {
        const std::size_t g =
            i - i % d_kernels.lanes + split_lane(i % d_kernels.lanes, d_kernels.lanes);
        const auto factor = phase64::from_turns(turns * static_cast<double>(g) /
                                                static_cast<double>(d_row))
                                .phasor();
        float* const to =
            &d_out_factors[i / d_kernels.lanes * vector + i % d_kernels.lanes];
        to[0] = static_cast<float>(factor.real());
        to[d_kernels.lanes] = static_cast<float>(factor.imag());
    }
}

std::size_t channel_folds::rest_of_group(std::size_t first) const
{
    return std::min(d_channels - first, max_group - first % max_group);
}

void channel_folds::gather(const std::complex<float>* bins,
                           const float* phasors,
                           float* gathered) const
{
    d_kernels.gather(
        as_floats(bins), d_row, d_rows, d_chunks.tile_rows(), phasors, gathered);
}

void channel_folds::assign(std::size_t channel,
                           const float* gathered,
                           const placed_taps& placed)
{
    d_groups[channel / max_group].assign(channel % max_group,
                                         { gathered,
                                           d_kernels.lanes,
                                           d_tiles,
                                           d_rows,
                                           d_chunks.tile_rows(),
                                           placed.real,
                                           d_accuracy },
                                         placed.factor);
}

void channel_folds::set_active(const std::vector<std::size_t>& active)
{
    d_masks.assign(d_groups.size(), 0);
    for (const std::size_t channel : active)
        d_masks[channel / max_group] |= std::uint32_t(1) << channel % max_group;
    for (std::size_t g = 0; g < d_masks.size(); g++)
        if (d_masks[g]) // an idle group is not computed and may stay as it is
            d_groups[g].set_active(d_masks[g]);
}

void channel_folds::settle()
{
    for (auto& group : d_groups)
        group.settle();
}

void channel_folds::run(std::size_t first,
                        std::size_t channels,
                        const float* const* bins,
                        std::size_t blocks,
                        const std::complex<float>* const* wanted,
                        float* out) const
{
    const fold_responses& responses = d_groups[first / max_group];
    fold_member members[max_group];
    fold_group group = { {},
                         d_places.empty() ? nullptr : d_places.data(),
                         d_row_factors.empty() ? nullptr
                                               : as_floats(d_row_factors.data()),
                         d_out_factors.empty() ? nullptr : d_out_factors.data(),
                         blocks,
                         d_tiles,
                         d_chunks.count,
                         d_chunks.rows_each,
                         responses.masks(),
                         responses.gains(),
                         0,
                         members };
    for (std::size_t c = 0; c < channels; c++) {
        const std::size_t index = first % max_group + c;
        if (!wanted[c])
            continue;
        group.wanted |= std::uint32_t(1) << index;
        members[index] = responses.member(index);
        for (std::size_t b = 0; b < blocks; b++)
            members[index].out[b] = out + (b * channels + c) * folded_size();
    }
    std::copy_n(bins, blocks, group.bins);
    d_kernels.fold_all(group);
}

} // namespace cldsp
