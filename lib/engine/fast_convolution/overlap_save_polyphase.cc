// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Overlap-save on a transform of each column, which folds all bins exactly.

#include "direct/host_direct.h"
#include "fast_convolution/overlap_save_method.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/row_transform.h"
#include "filter/operation_counts.h"

#include <cldsp/errors.h>

#include "base/aligned_vector.h"
#include "base/arithmetic.h"
#include "simd/samples.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace cldsp {

namespace {

struct rows_spectrum final : overlap_save_spectrum {
    aligned_vector<float> values; // in the layout of row_kernels
    aligned_vector<float>
        items; // the block's items, if they are converted to float first
    aligned_vector<unsigned char> tail; // the last rows, with zero bytes behind the block
    aligned_vector<float> work;
};

struct rows_workspace final : overlap_save_workspace {
    aligned_vector<float> sums; // folded bins, as split planes
    inverse_fft_with_rotator::memory inverse;
    aligned_vector<std::complex<float>> outputs; // one output of each row
};

/*!
 * Overlap-save on a transform of each column of the block.
 *
 * A block has ifft_size rows of e D items, and row a gives the e outputs e a + q, for q
 * from 0 to e - 1. Let A[g][b] be the transform of column b, and Y_q[g] that of the
 * outputs with the same q. Then Y_q is a sum over a row: Y_q[g] = sum_b A[g][b]
 * C_q[g][b]. C_q[.][b] is the transform of the taps that meet column b in these outputs.
 *
 * That is the exact fold of all D bins that alias onto each other, for one complex
 * product per item and q. No bin of the whole block's transform is ever computed.
 *
 * Two neighbouring rows of real items are the parts of one row of complex values, which
 * halves the transforms. The fold computes A, the transform of the items, from the
 * transforms of these rows.
 */
class overlap_save_polyphase final : public overlap_save
{
public:
    overlap_save_polyphase(const overlap_save_shape& shape, const row_kernels& kernels);

    void configure(std::size_t channel, const filter_channel& setup) override;
    std::size_t block_items() const override { return d_shape.items_of(d_outputs); }
    std::size_t block_outputs() const override { return d_outputs; }
    std::unique_ptr<overlap_save_spectrum> make_spectrum() const override;
    std::unique_ptr<overlap_save_workspace> make_workspace() const override;
    void forward(const void* items,
                 overlap_save_spectrum& spectrum,
                 overlap_save_workspace& workspace) const override;
    void compute(std::size_t first,
                 std::size_t channels,
                 const overlap_save_spectrum* const* spectra,
                 overlap_save_workspace& workspace,
                 const phase64* phases,
                 std::complex<float>* const* out,
                 std::size_t outputs) const override;

private:
    std::size_t floats_of_block() const
    {
        return d_real ? block_items() : 2 * block_items();
    }
    //! Bytes of a number of the items that are transformed.
    std::size_t number_bytes() const
    {
        if (d_integers)
            return sample_size(d_shape.input) / 2;
        return d_numbers == real_numbers::s16 ? sizeof(std::int16_t) : sizeof(float);
    }
    void lay_out_row_pairs();
    void arrange_for_row_pairs(aligned_vector<float>& response) const;
    void compute_block(std::size_t channel,
                       const rows_spectrum& spectrum,
                       rows_workspace& work,
                       phase64 start,
                       std::complex<float>* out,
                       std::size_t outputs) const;

    const overlap_save_shape d_shape;
    const row_kernels& d_kernels;
    const bool d_real; // whether rows of real items are transformed as pairs
    // Items that the transform converts: complex ones, and those of row pairs.
    const std::optional<pair_integers> d_integers;
    const real_numbers d_numbers;
    row_layout d_layout = {};
    row_pairs_layout d_pairs = {};
    const std::size_t d_phases; // e: outputs of a row
    std::size_t d_lost;         // rows that the overlap makes invalid
    std::size_t d_offset;       // column of the newest item of a row's first output
    std::size_t d_outputs;      // outputs of a block
    aligned_vector<float> d_twiddles;
    aligned_vector<std::complex<float>> d_pair_twiddles;
    std::vector<std::uint32_t> d_places;
    // One response for each channel and each output of a row.
    std::vector<aligned_vector<float>> d_responses;
    std::vector<phase64> d_steps; // phase step of each channel's rotator
    // It has a transform for each channel and each output of a row.
    inverse_fft_with_rotator d_inverse;
};

overlap_save_polyphase::overlap_save_polyphase(const overlap_save_shape& shape,
                                               const row_kernels& kernels)
    : d_shape(shape),
      d_kernels(kernels),
      d_real(!is_complex(shape.input) && passes_of(shape.ifft_size / 2).first != 0),
      d_integers(pair_integers_of(shape.input)),
      d_numbers(d_real && shape.input == sample_type::s16 ? real_numbers::s16
                                                          : real_numbers::f32),
      d_phases(row_phases(shape.decimation, !is_complex(shape.input), kernels.width)),
      d_inverse(shape.ifft_size, shape.channels * d_phases, kernels)
{
    const std::size_t columns = d_phases * d_shape.decimation;
    d_layout.rows = d_real ? d_shape.ifft_size / 2 : d_shape.ifft_size;
    const row_passes passes = passes_of(d_layout.rows);
    d_layout.first = passes.first;
    d_layout.second = passes.second;
    d_layout.columns = columns;
    d_layout.strips = divide_up(columns, kernels.width);

    d_lost = (d_shape.max_taps - 1) / columns;
    d_offset = (d_shape.max_taps - 1) % columns;
    // The later outputs of a row may need items of the next row.
    const std::size_t last =
        d_offset + (d_phases - 1) * d_shape.decimation >= columns ? 1 : 0;
    if (d_lost + last >= d_shape.ifft_size)
        throw_invalid("ifft_size",
                      std::to_string(d_shape.ifft_size),
                      "more than " + std::to_string(d_lost + last) + " for " +
                          std::to_string(d_shape.max_taps) + " taps");
    d_outputs = (d_shape.ifft_size - d_lost - last) * d_phases;

    // The last strip of a row may reach into the next row, but not beyond the block.
    const std::size_t row = 2 * columns;
    const std::size_t reach = d_real ? columns + d_layout.strips * kernels.width
                                     : 2 * d_layout.strips * kernels.width;
    d_layout.whole = floats_of_block() >= reach
                         ? std::min(d_layout.rows, (floats_of_block() - reach) / row + 1)
                         : 0;

    d_twiddles = row_twiddles(passes.first, passes.second);
    d_layout.twiddles = d_twiddles.data();
    if (d_real)
        lay_out_row_pairs();
    d_responses.resize(d_shape.channels * d_phases);
    d_steps.resize(d_shape.channels);
}

void overlap_save_polyphase::lay_out_row_pairs()
{
    const std::size_t width = d_kernels.width;
    const std::size_t pairs = d_layout.rows;
    d_pair_twiddles.resize(pairs / 2);
    fill_phasors(d_pair_twiddles.data(),
                 d_pair_twiddles.size(),
                 phase64(),
                 phase64::from_turns(-0.5 / static_cast<double>(pairs)));
    for (std::size_t slot = 0; slot < pairs / 2; slot++)
        for (const std::size_t g : rows_of_slot(slot, pairs)) {
            std::size_t lane = 0;
            while (split_lane(lane, width) != g % width)
                lane++;
            d_places.push_back(static_cast<std::uint32_t>(g / width * 2 * width + lane));
        }
    d_pairs.pairs = pairs;
    d_pairs.strips = d_layout.strips;
    d_pairs.twiddles = reinterpret_cast<const float*>(d_pair_twiddles.data());
    d_pairs.places = d_places.data();
}

//! Puts the rows of a response into the order in which the fold of row pairs reads them:
//! slot by slot, strip by strip.
void overlap_save_polyphase::arrange_for_row_pairs(aligned_vector<float>& response) const
{
    const std::size_t strip = 2 * d_kernels.width;
    const std::size_t row = strip * d_layout.strips;
    aligned_vector<float> arranged;
    arranged.reserve(response.size());
    for (std::size_t slot = 0; slot < d_pairs.pairs / 2; slot++)
        for (std::size_t s = 0; s < d_layout.strips; s++)
            for (const std::size_t g : rows_of_slot(slot, d_pairs.pairs)) {
                const auto from = response.begin() + g * row + s * strip;
                arranged.insert(arranged.end(), from, from + strip);
            }
    response.swap(arranged);
}

std::unique_ptr<overlap_save_spectrum> overlap_save_polyphase::make_spectrum() const
{
    auto spectrum = std::make_unique<rows_spectrum>();
    const std::size_t strip = 2 * d_kernels.width;
    spectrum->values.resize(d_layout.spectrum_size(d_kernels.width));
    spectrum->tail.resize((2 * (d_layout.rows - d_layout.whole) * d_layout.columns +
                           strip * d_layout.strips) *
                          number_bytes());
    spectrum->work.resize(row_work_size(d_layout, d_kernels));
    if (!d_integers && d_numbers == real_numbers::f32 &&
        d_shape.input != (d_real ? sample_type::f32 : sample_type::fc32))
        spectrum->items.resize(floats_of_block());
    return spectrum;
}

std::unique_ptr<overlap_save_workspace> overlap_save_polyphase::make_workspace() const
{
    auto workspace = std::make_unique<rows_workspace>();
    workspace->sums.resize(2 * d_shape.ifft_size);
    workspace->inverse = d_inverse.make_memory();
    if (d_phases > 1)
        workspace->outputs.resize(d_shape.ifft_size);
    return workspace;
}

void overlap_save_polyphase::forward(const void* items,
                                     overlap_save_spectrum& spectrum,
                                     overlap_save_workspace&) const
{
    auto& s = static_cast<rows_spectrum&>(spectrum);
    const void* numbers = items;
    if (!s.items.empty()) {
        if (d_real)
            convert_to_floats(items, d_shape.input, s.items.data(), block_items());
        else
            convert_to_complex(items,
                               d_shape.input,
                               reinterpret_cast<std::complex<float>*>(s.items.data()),
                               block_items());
        numbers = s.items.data();
    }
    const std::size_t whole = 2 * d_layout.whole * d_layout.columns;
    const auto* bytes = static_cast<const unsigned char*>(numbers);
    std::copy(bytes + whole * number_bytes(),
              bytes + floats_of_block() * number_bytes(),
              s.tail.begin());
    if (d_integers)
        d_kernels.transform_integers(d_layout,
                                     *d_integers,
                                     numbers,
                                     s.tail.data(),
                                     s.work.data(),
                                     s.values.data());
    else if (d_real)
        d_kernels.transform_row_pairs(
            d_layout, d_numbers, numbers, s.tail.data(), s.work.data(), s.values.data());
    else
        d_kernels.transform(d_layout,
                            nullptr,
                            static_cast<const float*>(numbers),
                            reinterpret_cast<const float*>(s.tail.data()),
                            s.work.data(),
                            s.values.data());
}

void overlap_save_polyphase::configure(std::size_t channel, const filter_channel& setup)
{
    d_shape.check_channel(channel, setup);

    // The response is the transform of a block in which each column has the taps that
    // multiply the items of this column. Taps that reach ahead into the next row go to
    // the last row, because the convolution is circular.
    const auto taps = setup.rotated();
    const std::size_t rows = d_shape.ifft_size;
    const std::size_t columns = d_layout.columns;
    // In the last strip of a row, the lanes beyond the row hold other items, which must
    // meet zeros.
    row_layout layout = d_layout;
    const row_passes passes = passes_of(rows);
    const auto twiddles = row_twiddles(passes.first, passes.second);
    layout.rows = rows;
    layout.first = passes.first;
    layout.second = passes.second;
    layout.twiddles = twiddles.data();
    layout.columns = layout.strips * d_kernels.width;
    layout.whole = rows;
    // Row pairs give twice the transform, and integers one of numbers that are not
    // scaled.
    const double scale = (d_real ? 0.5 : 1.0) /
                         (d_integers ? item_format_of(d_shape.input).one : 1.0) /
                         static_cast<double>(rows);
    aligned_vector<std::complex<float>> items(rows * layout.columns);
    aligned_vector<float> work(row_work_size(layout, d_kernels));

    for (std::size_t phase = 0; phase < d_phases; phase++) {
        std::fill(items.begin(), items.end(), std::complex<float>());
        const std::size_t newest = d_offset + phase * d_shape.decimation;
        for (std::size_t k = 0; k < taps.size(); k++) {
            // Tap k multiplies the item k places before the newest one. That item lies
            // `back` rows before the row of the output.
            const std::size_t at = newest + rows * columns - k;
            const std::size_t row = at / columns % rows;
            const std::size_t column = at % columns;
            const std::size_t back = (rows - row) % rows;
            items[back * layout.columns + column] = std::complex<float>(taps[k] * scale);
        }
        auto& response = d_responses[channel * d_phases + phase];
        response.resize(layout.spectrum_size(d_kernels.width));
        d_kernels.transform(layout,
                            nullptr,
                            reinterpret_cast<const float*>(items.data()),
                            nullptr,
                            work.data(),
                            response.data());
        if (d_real)
            arrange_for_row_pairs(response);
        d_inverse.configure(channel * d_phases + phase,
                            d_lost,
                            -setup.step * (d_shape.decimation * d_phases));
    }
    d_steps[channel] = -setup.step * d_shape.decimation;
}

void overlap_save_polyphase::compute(std::size_t first,
                                     std::size_t channels,
                                     const overlap_save_spectrum* const* spectra,
                                     overlap_save_workspace& workspace,
                                     const phase64* phases,
                                     std::complex<float>* const* out,
                                     std::size_t outputs) const
{
    auto& w = static_cast<rows_workspace&>(workspace);
    for (std::size_t c = 0; c < channels; c++)
        for (std::size_t done = 0; done < outputs; done += d_outputs)
            compute_block(first + c,
                          static_cast<const rows_spectrum&>(*spectra[done / d_outputs]),
                          w,
                          phases[c] + d_steps[first + c] * done,
                          out[c] + done,
                          std::min(d_outputs, outputs - done));
}

void overlap_save_polyphase::compute_block(std::size_t channel,
                                           const rows_spectrum& spectrum,
                                           rows_workspace& work,
                                           phase64 start,
                                           std::complex<float>* out,
                                           std::size_t outputs) const
{
    for (std::size_t phase = 0; phase < d_phases && phase < outputs; phase++) {
        const std::size_t index = channel * d_phases + phase;
        const auto& response = d_responses[index];
        if (response.empty()) { // the channel was never configured
            std::fill_n(out, outputs, 0.0f);
            return;
        }
        if (d_real)
            d_kernels.fold_row_pairs(
                d_pairs, spectrum.values.data(), response.data(), work.sums.data());
        else
            d_kernels.fold(
                d_layout, spectrum.values.data(), response.data(), work.sums.data());
        std::complex<float>* const to = d_phases == 1 ? out : work.outputs.data();
        d_inverse.run(index,
                      work.sums.data(),
                      work.inverse,
                      start + d_steps[channel] * phase,
                      to,
                      divide_up(outputs - phase, d_phases));
        if (d_phases > 1)
            for (std::size_t i = phase; i < outputs; i += d_phases)
                out[i] = to[i / d_phases];
    }
}

} // namespace

std::unique_ptr<overlap_save>
make_overlap_save_polyphase(const overlap_save_shape& shape,
                            const overlap_save_kernels& kernels)
{
    shape.check();
    if (passes_of(shape.ifft_size).first == 0)
        throw_invalid(
            "ifft_size", std::to_string(shape.ifft_size), "a power of two, 16 to 1024");
    return std::make_unique<overlap_save_polyphase>(shape, kernels.rows);
}

namespace {

class polyphase_method final : public overlap_save_method
{
public:
    polyphase_method()
        : overlap_save_method("polyphase",
                              "on the host, overlap-save on transforms of columns")
    {
    }

    std::string former_name() const override { return "rows"; }
    using overlap_save_method::make;
    std::unique_ptr<overlap_save> make(const overlap_save_shape& shape,
                                       const overlap_save_kernels& kernels) const override
    {
        return make_overlap_save_polyphase(shape, kernels);
    }
    bool covers(std::size_t, std::size_t ifft_size) const override
    {
        return passes_of(ifft_size).first != 0;
    }
    std::size_t phases(const plan_shape& shape) const override
    {
        return row_phases(shape.decimation, !is_complex(shape.input), row_width());
    }
    block_cost cost(const plan_shape& shape,
                    std::size_t ifft_size,
                    const host_rates& rates) const override
    {
        const std::size_t outputs = phases(shape);
        const std::size_t padded = round_up(outputs * shape.decimation, row_width());
        const auto rows = static_cast<double>(ifft_size);
        const double items = rows * static_cast<double>(padded);
        const std::size_t block_items = ifft_size * shape.decimation * outputs;
        gain_shares gains;
        gains.read /= blocks_of_a_gain(shape,
                                       block_items,
                                       this->outputs(shape, ifft_size) * shape.decimation,
                                       rates);
        // Two real items are the parts of one value.
        const double values = is_complex(shape.input) ? items : items / 2;
        return { rates.polyphase_item * values + transform_traffic(values, 1, rates),
                 rates.polyphase_fold * items * static_cast<double>(outputs) +
                     channel_traffic(shape, values, block_items, 1, 1, gains, rates) +
                     inverse_cost(
                         rows * static_cast<double>(outputs), ifft_size, rates) };
    }
    block_operations count(const plan_shape& shape, std::size_t ifft_size) const override
    {
        // A row holds the items of several outputs. Each of its columns is one transform.
        const auto rows = static_cast<double>(ifft_size);
        const auto decimation = static_cast<double>(shape.decimation);
        const auto outputs = static_cast<double>(phases(shape));
        return { outputs * decimation *
                     transform_operations(is_complex(shape.input) ? rows : rows / 2),
                 outputs * (complex_product * outputs * rows * decimation +
                            transform_operations(rows)) };
    }
};

} // namespace

const overlap_save_method& overlap_save_polyphase_method()
{
    static const auto& method = *new polyphase_method;
    return method;
}

} // namespace cldsp
