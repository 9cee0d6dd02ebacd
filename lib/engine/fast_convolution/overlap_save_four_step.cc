// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Overlap-save with each block as a grid of about as many rows as columns.

#include "base/complex_floats.h"
#include "direct/host_direct.h"
#include "fast_convolution/overlap_save_method.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/row_transform.h"
#include "filter/operation_counts.h"
#include "simd/samples.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace cldsp {

namespace {

//! The rows and columns of a block, about as many of both; 0 if the size is not covered.
struct grid {
    std::size_t rows = 0, columns = 0;
};

grid grid_of(std::size_t items)
{
    grid g;
    for (std::size_t side = 16; side <= 1024; side *= 2) {
        if (items == side * side)
            g = { side, side };
        else if (items == 2 * side * side && side < 1024)
            g = { 2 * side, side };
    }
    return g;
}

row_layout layout_of(std::size_t rows, std::size_t columns, std::size_t width)
{
    const row_passes passes = passes_of(rows);
    row_layout layout = {};
    layout.rows = rows;
    layout.first = passes.first;
    layout.second = passes.second;
    layout.columns = columns;
    layout.strips = columns / width;
    layout.whole = rows;
    return layout;
}

struct grid_spectrum final : overlap_save_spectrum {
    aligned_vector<float> values;
    aligned_vector<std::complex<float>> items; // the block's items, converted
};

// Both ways of a block use this memory, so that as little as possible has to fit the
// cache.
struct grid_workspace final : overlap_save_workspace {
    aligned_vector<float> values;
    aligned_vector<float> other;
    aligned_vector<float> work;
    std::vector<std::complex<float>> factors; // rotation of each row of the outputs
};

/*!
 * Overlap-save without decimation, on a transform of the whole block by its rows and
 * columns.
 *
 * The block is a grid of P rows and Q columns: item a Q + b is in row a and column b.
 * Three steps give the transform of the whole block: a transform down the columns, a
 * product with exp(-2 pi j b g / (P Q)), and a transform along the rows. Value g + P h is
 * then at row h and column g. The grid is transposed before the second transform, so that
 * both go down the rows of vectors. The way back takes the same steps in reverse order,
 * and no value is ever brought into its natural order.
 *
 * The rotator's phase at item a Q + b is a sum: a part of row a, by which the last step
 * multiplies the row, and a part of column b, which the factors between the two
 * transforms of the way back contain.
 */
class overlap_save_four_step final : public overlap_save
{
public:
    overlap_save_four_step(const overlap_save_shape& shape, const row_kernels& kernels);

    void configure(std::size_t channel, const filter_channel& setup) override;
    std::size_t block_items() const override { return d_shape.ifft_size; }
    std::size_t block_outputs() const override
    {
        return d_shape.ifft_size - (d_shape.max_taps - 1);
    }
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
    void compute_block(std::size_t channel,
                       const grid_spectrum& spectrum,
                       grid_workspace& work,
                       phase64 start,
                       std::complex<float>* out,
                       std::size_t outputs) const;
    void transform(const void* items, grid_workspace& w, float* spectrum) const;
    void second_step(grid_workspace& w, float* spectrum) const;
    aligned_vector<float>
    twiddle_factors(std::size_t rows, std::size_t columns, phase64 turn) const;

    const overlap_save_shape d_shape;
    const row_kernels& d_kernels;
    const std::optional<pair_integers> d_integers; // items that the transform converts
    const grid d_grid;
    row_layout d_down;  // the grid of the items: P rows, Q columns
    row_layout d_along; // the transposed grid: Q rows, P columns
    aligned_vector<float> d_down_twiddles, d_along_twiddles;
    // The twiddle factors between the two transforms.
    aligned_vector<float> d_down_factors;
    struct channel_state {
        aligned_vector<float> response; // empty: the channel was never configured
        // The twiddle factors of the way back, with the rotation of the columns.
        aligned_vector<float> factors;
        phase64 step;            // of the rotator, from one output to the next
        block_rotator row_turns; // the rotation of the rows
    };
    std::vector<channel_state> d_channels;
};

overlap_save_four_step::overlap_save_four_step(const overlap_save_shape& shape,
                                               const row_kernels& kernels)
    : d_shape(shape),
      d_kernels(kernels),
      d_integers(pair_integers_of(shape.input)),
      d_grid(grid_of(shape.ifft_size)),
      d_down(layout_of(d_grid.rows, d_grid.columns, kernels.width)),
      d_along(layout_of(d_grid.columns, d_grid.rows, kernels.width)),
      d_down_twiddles(row_twiddles(d_down.first, d_down.second)),
      d_along_twiddles(row_twiddles(d_along.first, d_along.second)),
      d_down_factors(twiddle_factors(d_grid.rows, d_grid.columns, phase64())),
      d_channels(shape.channels)
{
    d_down.twiddles = d_down_twiddles.data();
    d_along.twiddles = d_along_twiddles.data();
}

//! The factors exp(j r turn - 2 pi j r c / ifft_size) for each row r and column c.
aligned_vector<float> overlap_save_four_step::twiddle_factors(std::size_t rows,
                                                              std::size_t columns,
                                                              phase64 turn) const
{
    const std::size_t width = d_kernels.width;
    const phase64 step =
        phase64::from_turns(-1.0 / static_cast<double>(d_shape.ifft_size));
    aligned_vector<float> factors(2 * rows * columns);
    std::vector<std::complex<float>> row(columns);
    for (std::size_t r = 0; r < rows; r++) {
        fill_phasors(row.data(), columns, turn * r, step * r);
        for (std::size_t c = 0; c < columns; c++) {
            float* to = &factors[2 * (r * columns + c / width * width) + c % width];
            to[0] = row[c].real();
            to[width] = row[c].imag();
        }
    }
    return factors;
}

std::unique_ptr<overlap_save_spectrum> overlap_save_four_step::make_spectrum() const
{
    auto spectrum = std::make_unique<grid_spectrum>();
    spectrum->values.resize(2 * d_shape.ifft_size);
    if (!d_integers && d_shape.input != sample_type::fc32)
        spectrum->items.resize(d_shape.ifft_size);
    return spectrum;
}

std::unique_ptr<overlap_save_workspace> overlap_save_four_step::make_workspace() const
{
    auto workspace = std::make_unique<grid_workspace>();
    workspace->values.resize(2 * d_shape.ifft_size);
    workspace->other.resize(2 * d_shape.ifft_size);
    workspace->work.resize(row_work_size(d_down, d_kernels));
    workspace->factors.resize(d_grid.rows);
    return workspace;
}

//! Transforms complex floats. d_down is the larger layout, so memory for it is enough for
//! both.
void overlap_save_four_step::transform(const void* items,
                                       grid_workspace& w,
                                       float* spectrum) const
{
    d_kernels.transform(d_down,
                        nullptr,
                        static_cast<const float*>(items),
                        nullptr,
                        w.work.data(),
                        w.values.data());
    second_step(w, spectrum);
}

//! Transforms along the rows of what has been transformed down the columns.
void overlap_save_four_step::second_step(grid_workspace& w, float* spectrum) const
{
    d_kernels.transpose_twiddled(w.values.data(),
                                 d_down_factors.data(),
                                 d_grid.rows,
                                 d_grid.columns,
                                 w.other.data());
    d_kernels.transform_planes(d_along, w.other.data(), w.work.data(), spectrum);
}

void overlap_save_four_step::forward(const void* items,
                                     overlap_save_spectrum& spectrum,
                                     overlap_save_workspace& workspace) const
{
    auto& s = static_cast<grid_spectrum&>(spectrum);
    auto& w = static_cast<grid_workspace&>(workspace);
    if (d_integers) {
        d_kernels.transform_integers(
            d_down, *d_integers, items, nullptr, w.work.data(), w.values.data());
        second_step(w, s.values.data());
    } else if (d_shape.input == sample_type::fc32) {
        transform(items, w, s.values.data());
    } else {
        convert_to_complex(items, d_shape.input, s.items.data(), d_shape.ifft_size);
        transform(s.items.data(), w, s.values.data());
    }
}

void overlap_save_four_step::configure(std::size_t channel, const filter_channel& setup)
{
    d_shape.check_channel(channel, setup);
    // Integers are transformed without their scale.
    const double scale = (d_integers ? 1.0 / item_format_of(d_shape.input).one : 1.0) /
                         static_cast<double>(d_shape.ifft_size);
    aligned_vector<std::complex<float>> items(d_shape.ifft_size);
    const auto rotated = setup.rotated();
    std::transform(rotated.begin(), rotated.end(), items.begin(), [&](const auto& tap) {
        return std::complex<float>(tap * scale);
    });
    const auto workspace = make_workspace();
    aligned_vector<float> response(2 * d_shape.ifft_size);
    transform(items.data(), static_cast<grid_workspace&>(*workspace), response.data());
    auto& c = d_channels[channel];
    c.step = -setup.step;
    // On the way back real and imaginary parts are exchanged, so that a factor turns a
    // value the other way.
    c.factors = twiddle_factors(d_grid.columns, d_grid.rows, -c.step);
    c.row_turns.configure(c.step * d_grid.columns, d_grid.rows);
    c.response = std::move(response); // last, because it says that all is there
}

void overlap_save_four_step::compute(std::size_t first,
                                     std::size_t channels,
                                     const overlap_save_spectrum* const* spectra,
                                     overlap_save_workspace& workspace,
                                     const phase64* phases,
                                     std::complex<float>* const* out,
                                     std::size_t outputs) const
{
    auto& w = static_cast<grid_workspace&>(workspace);
    const std::size_t size = block_outputs();
    for (std::size_t c = 0; c < channels; c++)
        for (std::size_t done = 0; done < outputs; done += size)
            compute_block(first + c,
                          static_cast<const grid_spectrum&>(*spectra[done / size]),
                          w,
                          phases[c] + d_channels[first + c].step * done,
                          out[c] + done,
                          std::min(size, outputs - done));
}

void overlap_save_four_step::compute_block(std::size_t channel,
                                           const grid_spectrum& spectrum,
                                           grid_workspace& work,
                                           phase64 start,
                                           std::complex<float>* out,
                                           std::size_t outputs) const
{
    const auto& c = d_channels[channel];
    if (c.response.empty()) {
        std::fill_n(out, outputs, 0.0f);
        return;
    }
    d_kernels.filter_planes(d_along,
                            spectrum.values.data(),
                            c.response.data(),
                            work.work.data(),
                            work.values.data());
    d_kernels.transpose_twiddled(work.values.data(),
                                 c.factors.data(),
                                 d_grid.columns,
                                 d_grid.rows,
                                 work.other.data());
    const std::size_t lost = d_shape.max_taps - 1;
    std::fill(work.factors.begin(), work.factors.end(), 1.0f);
    c.row_turns.apply(work.factors.data(), work.factors.size(), start - c.step * lost);
    d_kernels.transform_to_items(d_down,
                                 work.other.data(),
                                 as_floats(work.factors.data()),
                                 lost,
                                 outputs,
                                 work.work.data(),
                                 as_floats(out));
}

} // namespace

bool covers_four_step(std::size_t rows) { return grid_of(rows).rows != 0; }

std::unique_ptr<overlap_save>
make_overlap_save_four_step(const overlap_save_shape& shape,
                            const overlap_save_kernels& kernels)
{
    shape.check();
    if (shape.decimation != 1)
        throw_invalid("decimation",
                      std::to_string(shape.decimation),
                      "1 for the variant four_step");
    if (!covers_four_step(shape.ifft_size))
        throw_invalid("ifft_size",
                      std::to_string(shape.ifft_size),
                      "a power of two, 256 to 1048576");
    if (shape.ifft_size < shape.max_taps)
        throw_invalid("ifft_size",
                      std::to_string(shape.ifft_size),
                      std::to_string(shape.max_taps) + " or more for as many taps");
    return std::make_unique<overlap_save_four_step>(shape, kernels.rows);
}

namespace {

class four_step_method final : public overlap_save_method
{
public:
    four_step_method()
        : overlap_save_method(
              "four_step",
              "on the host, overlap-save on transforms of columns and rows; decimation 1")
    {
    }

    std::string former_name() const override { return "grid"; }
    using overlap_save_method::make;
    std::unique_ptr<overlap_save> make(const overlap_save_shape& shape,
                                       const overlap_save_kernels& kernels) const override
    {
        return make_overlap_save_four_step(shape, kernels);
    }
    bool covers(std::size_t decimation, std::size_t ifft_size) const override
    {
        return decimation == 1 && covers_four_step(ifft_size);
    }
    block_cost
    cost(const plan_shape&, std::size_t ifft_size, const host_rates& rates) const override
    {
        constexpr double steps = 2; // rows, then columns
        // Items, spectrum, two in work, response, outputs, and two tables of factors. A
        // block comes back to all of them but the items and the outputs.
        constexpr double copies = 8;
        const auto items = static_cast<double>(ifft_size);
        const double transform =
            rates.four_step_item * items * log2_of(ifft_size) *
                (ifft_size > near_items ? rates.far_items : 1) +
            rates.memory.seconds(steps * items * (value_bytes + written_bytes),
                                 copies * items * value_bytes);
        // The last pass rotates, which costs less than a rotator of its own.
        constexpr double of_a_rotator = 0.6;
        return { transform, transform + of_a_rotator * items * rates.rotate_output };
    }
    block_operations count(const plan_shape&, std::size_t ifft_size) const override
    {
        const auto items = static_cast<double>(ifft_size);
        const double transform = transform_operations(items);
        return { transform, complex_product * items + transform };
    }
};

} // namespace

const overlap_save_method& overlap_save_four_step_method()
{
    static const auto& method = *new four_step_method;
    return method;
}

} // namespace cldsp
