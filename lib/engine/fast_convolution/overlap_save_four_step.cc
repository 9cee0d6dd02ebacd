// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Overlap-save with each block as a grid of about as many rows as columns.

#include "direct/host_direct.h"
#include "fast_convolution/overlap_save_method.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/row_transform.h"
#include "filter/operation_counts.h"
#include "simd/samples.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <string>

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
    aligned_vector<float> other;
    aligned_vector<float> work;
    aligned_vector<std::complex<float>> items; // the block's items, converted
};

struct grid_workspace final : overlap_save_workspace {
    aligned_vector<float> values;
    aligned_vector<float> other;
    aligned_vector<float> work;
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
    void transform(const std::complex<float>* items, grid_spectrum& s) const;
    aligned_vector<float> twiddle_factors(std::size_t rows, std::size_t columns) const;

    const overlap_save_shape d_shape;
    const row_kernels& d_kernels;
    const grid d_grid;
    row_layout d_down;  // the grid of the items: P rows, Q columns
    row_layout d_along; // the transposed grid: Q rows, P columns
    aligned_vector<float> d_down_twiddles, d_along_twiddles;
    // The twiddle factors between the two transforms.
    aligned_vector<float> d_down_factors, d_along_factors;
    std::vector<aligned_vector<float>> d_responses;
    std::vector<block_rotator> d_rotators;
};

overlap_save_four_step::overlap_save_four_step(const overlap_save_shape& shape,
                                               const row_kernels& kernels)
    : d_shape(shape),
      d_kernels(kernels),
      d_grid(grid_of(shape.ifft_size)),
      d_down(layout_of(d_grid.rows, d_grid.columns, kernels.width)),
      d_along(layout_of(d_grid.columns, d_grid.rows, kernels.width)),
      d_down_twiddles(row_twiddles(d_down.first, d_down.second)),
      d_along_twiddles(row_twiddles(d_along.first, d_along.second)),
      d_down_factors(twiddle_factors(d_grid.rows, d_grid.columns)),
      d_along_factors(twiddle_factors(d_grid.columns, d_grid.rows)),
      d_responses(shape.channels),
      d_rotators(shape.channels)
{
    d_down.twiddles = d_down_twiddles.data();
    d_along.twiddles = d_along_twiddles.data();
}

//! The factors exp(-2 pi j r c / ifft_size) for each row r and column c.
aligned_vector<float> overlap_save_four_step::twiddle_factors(std::size_t rows,
                                                              std::size_t columns) const
{
    const std::size_t width = d_kernels.width;
    const phase64 step =
        phase64::from_turns(-1.0 / static_cast<double>(d_shape.ifft_size));
    aligned_vector<float> factors(2 * rows * columns);
    std::vector<std::complex<float>> row(columns);
    for (std::size_t r = 0; r < rows; r++) {
        fill_phasors(row.data(), columns, phase64(), step * r);
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
    spectrum->other.resize(2 * d_shape.ifft_size);
    spectrum->work.resize(row_work_size(d_down, d_kernels));
    if (d_shape.input != sample_type::fc32)
        spectrum->items.resize(d_shape.ifft_size);
    return spectrum;
}

std::unique_ptr<overlap_save_workspace> overlap_save_four_step::make_workspace() const
{
    auto workspace = std::make_unique<grid_workspace>();
    workspace->values.resize(2 * d_shape.ifft_size);
    workspace->other.resize(2 * d_shape.ifft_size);
    workspace->work.resize(row_work_size(d_down, d_kernels));
    return workspace;
}

//! d_down is the larger layout, so memory for it is enough for both.
void overlap_save_four_step::transform(const std::complex<float>* items,
                                       grid_spectrum& s) const
{
    d_kernels.transform(d_down,
                        nullptr,
                        reinterpret_cast<const float*>(items),
                        nullptr,
                        s.work.data(),
                        s.values.data());
    d_kernels.transpose_twiddled(s.values.data(),
                                 d_down_factors.data(),
                                 d_grid.rows,
                                 d_grid.columns,
                                 s.other.data());
    d_kernels.transform_planes(d_along, s.other.data(), s.work.data(), s.values.data());
}

void overlap_save_four_step::forward(const void* items,
                                     overlap_save_spectrum& spectrum,
                                     overlap_save_workspace&) const
{
    auto& s = static_cast<grid_spectrum&>(spectrum);
    if (d_shape.input == sample_type::fc32) {
        transform(static_cast<const std::complex<float>*>(items), s);
    } else {
        convert_to_complex(items, d_shape.input, s.items.data(), d_shape.ifft_size);
        transform(s.items.data(), s);
    }
}

void overlap_save_four_step::configure(std::size_t channel, const filter_channel& setup)
{
    d_shape.check_channel(channel, setup);
    const double scale = 1.0 / static_cast<double>(d_shape.ifft_size);
    aligned_vector<std::complex<float>> items(d_shape.ifft_size);
    const auto rotated = setup.rotated();
    std::transform(rotated.begin(), rotated.end(), items.begin(), [&](const auto& tap) {
        return std::complex<float>(tap * scale);
    });
    const auto spectrum = make_spectrum();
    auto& s = static_cast<grid_spectrum&>(*spectrum);
    transform(items.data(), s);
    d_responses[channel] = std::move(s.values);
    d_rotators[channel].configure(-setup.step, block_outputs());
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
                          phases[c] + d_rotators[first + c].step() * done,
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
    const auto& response = d_responses[channel];
    if (response.empty()) { // the channel was never configured
        std::fill_n(out, outputs, 0.0f);
        return;
    }
    d_kernels.filter_planes(d_along,
                            spectrum.values.data(),
                            response.data(),
                            work.work.data(),
                            work.values.data());
    d_kernels.transpose_twiddled(work.values.data(),
                                 d_along_factors.data(),
                                 d_grid.columns,
                                 d_grid.rows,
                                 work.other.data());
    d_kernels.transform_planes(
        d_down, work.other.data(), work.work.data(), work.values.data());
    d_kernels.interleave(
        work.values.data(), d_shape.max_taps - 1, outputs, reinterpret_cast<float*>(out));
    d_rotators[channel].apply(out, outputs, start);
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
        const auto items = static_cast<double>(ifft_size);
        const double transform = rates.four_step_item * items * log2_of(ifft_size) *
                                     (ifft_size > near_items ? rates.far_items : 1) +
                                 transform_traffic(items, steps, rates);
        return { transform, transform + items * rates.rotate_output };
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
