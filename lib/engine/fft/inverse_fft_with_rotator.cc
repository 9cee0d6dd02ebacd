// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Inverse transforms as grids by our kernels, other sizes by FFTW, then the rotator.

#include "fft/inverse_fft_with_rotator.h"

#include "base/arithmetic.h"
#include "base/complex_floats.h"
#include "simd/samples.h"

#include <algorithm>

namespace cldsp {

namespace {

aligned_vector<float> grid_twiddles(const inverse_layout& layout, std::size_t width)
{
    const auto items = static_cast<double>(layout.first * layout.second);
    const phase64 step = phase64::from_turns(-1.0 / items);
    aligned_vector<float> twiddles;
    std::vector<std::complex<float>> of_a_vector(width);
    for (std::size_t q = 0; q < layout.second; q += width)
        for (std::size_t g = 0; g < layout.first; g++) {
            fill_phasors(of_a_vector.data(), width, step * (g * q), step * g);
            append_split(of_a_vector.data(), width, twiddles);
        }
    return twiddles;
}

} // namespace

void block_rotator::configure(phase64 step, std::size_t outputs)
{
    d_step = step;
    d_phasors.resize(outputs);
    fill_phasors(d_phasors.data(), outputs, phase64(), step);
}

void block_rotator::apply(std::complex<float>* values,
                          std::size_t count,
                          phase64 phase) const
{
    static const sample_kernels& kernels = *available_sample_kernels().front();
    const std::complex<float> phasor = phase.float_phasor();
    kernels.rotate(as_floats(values),
                   d_phasors.empty() ? nullptr : as_floats(d_phasors.data()),
                   phasor.real(),
                   phasor.imag(),
                   count);
}

bool inverse_fft_with_rotator::has_grid(std::size_t size, std::size_t width)
{
    return inverse_passes(size, width).first != 0;
}

inverse_fft_with_rotator::inverse_fft_with_rotator(std::size_t size,
                                                   std::size_t channels,
                                                   const row_kernels& kernels)
    : d_size(size), d_kernels(kernels), d_channels(1)
{
    if (has_grid(size, kernels.width)) {
        const row_passes passes = inverse_passes(size, kernels.width);
        d_layout = {
            passes.first, passes.second, round_up(passes.first, kernels.width), nullptr
        };
        d_twiddles = grid_twiddles(d_layout, kernels.width);
        d_layout.twiddles = d_twiddles.data();
        configure(0, 0, phase64()); // a grid cannot be transformed without tables
    } else {
        d_plan = fftw_plan::get(size, fftw_direction::backward);
    }
    const channel_state still = d_channels.front();
    d_channels.resize(channels, still);
}

void inverse_fft_with_rotator::configure(std::size_t channel,
                                         std::size_t first,
                                         phase64 step)
{
    channel_state& c = d_channels[channel];
    c.first = first;
    c.step = step;
    if (d_layout.first == 0) {
        c.rotator.configure(step, d_size);
        return;
    }
    c.rows.resize(d_layout.second);
    fill_phasors(c.rows.data(), d_layout.second, phase64(), step * d_layout.first);
    std::vector<std::complex<float>> columns(d_layout.padded);
    fill_phasors(columns.data(), d_layout.first, phase64(), step);
    c.columns.clear();
    for (std::size_t i = 0; i < d_layout.padded; i += d_kernels.width)
        append_split(&columns[i], d_kernels.width, c.columns);
}

inverse_fft_with_rotator::memory inverse_fft_with_rotator::make_memory() const
{
    return memory(d_plan ? padded_size() + d_size : d_layout.padded * d_layout.second);
}

std::size_t inverse_fft_with_rotator::padded_size() const
{
    return (d_size + d_kernels.width - 1) / d_kernels.width * d_kernels.width;
}

void inverse_fft_with_rotator::run(std::size_t channel,
                                   const float* values,
                                   memory& work,
                                   phase64 phase,
                                   std::complex<float>* out,
                                   std::size_t outputs) const
{
    const channel_state& c = d_channels[channel];
    if (!d_plan) {
        run_grid(c, values, work, phase, out, outputs);
        return;
    }
    d_kernels.join_planes(values, padded_size(), as_floats(work.data()));
    std::complex<float>* const results = work.data() + padded_size();
    d_plan->execute(work.data(), results);
    const std::size_t before_wrap = std::min(outputs, d_size - c.first);
    std::copy_n(results + c.first, before_wrap, out);
    std::copy_n(results, outputs - before_wrap, out + before_wrap);
    c.rotator.apply(out, outputs, phase);
}

void inverse_fft_with_rotator::run_grid(const channel_state& c,
                                        const float* values,
                                        memory& work,
                                        phase64 phase,
                                        std::complex<float>* out,
                                        std::size_t outputs) const
{
    std::size_t first = c.first;
    // The phase of the transform's first result.
    phase64 start = phase - c.step * first;
    // The loop usually has one round. It can have two if a channel has far fewer taps
    // than the longest one: its outputs can then continue beyond the last result of the
    // transform, with the first.
    for (std::size_t done = 0; done < outputs;) {
        const std::size_t count = std::min(outputs - done, d_size - first);
        const std::complex<float> phasor = start.float_phasor();
        d_kernels.inverse(
            d_layout,
            values,
            { c.columns.data(), as_floats(c.rows.data()), phasor.real(), phasor.imag() },
            first,
            count,
            as_floats(work.data()),
            as_floats(out + done));
        done += count;
        first = 0;
        start += c.step * d_size;
    }
}

} // namespace cldsp
