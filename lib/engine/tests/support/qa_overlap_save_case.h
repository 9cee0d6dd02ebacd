/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/overlap_save.h"
#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp {

enum class tap_kind {
    real,
    complex,
    symmetric,
    antisymmetric,
    hermitian,    //!< equal to the taps backwards and conjugated
    turned,       //!< hermitian times a constant of magnitude 1
    low_pass,     //!< symmetric, with a stopband that falls
    bent_low_pass //!< the low pass with other phases
};

using channel_outputs = std::vector<std::vector<std::complex<float>>>;

//! Taps of noise, except for the low passes, which pass a twentieth of the band with a
//! gain of 1.
inline std::vector<std::complex<float>>
make_taps(tap_kind kind, std::size_t count, unsigned seed)
{
    using complex = std::complex<double>;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<complex> taps(count);
    for (std::size_t k = 0; k < count; k++) {
        const complex mirrored = taps[count - 1 - k];
        const bool second_half = 2 * k >= count;
        const bool middle = 2 * k + 1 == count;
        const complex noise(uniform(random),
                            kind == tap_kind::real ? 0 : uniform(random));
        const double offset = static_cast<double>(k) - 0.5 * (count - 1.0);
        switch (kind) {
        case tap_kind::real:
        case tap_kind::complex:
            taps[k] = noise;
            break;
        case tap_kind::symmetric:
            taps[k] = second_half && !middle ? mirrored : noise.real();
            break;
        case tap_kind::antisymmetric:
            taps[k] = middle ? 0 : second_half ? -mirrored : noise.real();
            break;
        case tap_kind::hermitian:
        case tap_kind::turned:
            taps[k] = middle ? noise.real() : second_half ? std::conj(mirrored) : noise;
            break;
        case tap_kind::low_pass:
        case tap_kind::bent_low_pass: {
            const double x = 0.05 * 3.14159265358979 * offset;
            const double turn = 2 * 3.14159265358979 * offset / (count - 1.0);
            taps[k] =
                0.05 * (x == 0 ? 1 : std::sin(x) / x) * (0.5 + 0.5 * std::cos(turn));
            if (kind == tap_kind::bent_low_pass)
                taps[k] *= std::polar(1.0, 1e-5 * offset * offset);
            break;
        }
        }
    }
    std::vector<std::complex<float>> rounded;
    for (const complex& tap : taps)
        rounded.emplace_back(tap * (kind == tap_kind::turned ? std::polar(1.0, 0.7) : 1));
    return rounded;
}

//! One block of noise, and the expected outputs of each of several channels.
struct overlap_save_case {
    //! \param counts the number of taps of each channel; if empty, max_taps for every
    //! channel
    overlap_save_case(const overlap_save_shape& problem_shape,
                      const std::vector<tap_kind>& kinds,
                      std::vector<std::size_t> counts = {})
        : shape(problem_shape)
    {
        // The reference gives outputs only at multiples of the decimation.
        const std::size_t past = (shape.max_taps - 1) % shape.decimation;
        d_lead = (shape.decimation - past) % shape.decimation;
        d_items =
            noise(shape.input, d_lead + (shape.ifft_size + 1) * shape.decimation, 9);
        counts.resize(shape.channels, shape.max_taps);
        std::mt19937 random(7);
        std::uniform_real_distribution<double> frequency(-1e6, 1e6);
        for (std::size_t c = 0; c < shape.channels; c++) {
            freq_xlating_fir_problem problem;
            problem.input = shape.input;
            problem.decimation = shape.decimation;
            problem.center_freq = frequency(random);
            problem.sampling_freq = 2016000;
            problem.taps = make_taps(kinds[c], counts[c], 5 + static_cast<unsigned>(c));
            d_problems.push_back(problem);
            expected.push_back(reference(c));
        }
    }

    void set_center_freq(std::size_t channel, double center_freq)
    {
        d_problems[channel].center_freq = center_freq;
        expected[channel] = reference(channel);
    }
    void set_taps(std::size_t channel, const std::vector<std::complex<float>>& taps)
    {
        d_problems[channel].taps = taps;
        expected[channel] = reference(channel);
    }

    filter_channel setup(std::size_t channel) const
    {
        return filter_channel(d_problems[channel]);
    }
    void configure(overlap_save& method) const
    {
        for (std::size_t c = 0; c < shape.channels; c++)
            method.configure(c, setup(c));
        method.settle();
    }

    std::size_t outputs() const
    {
        return shape.ifft_size - (shape.max_taps - 1) / shape.decimation;
    }
    const void* block() const
    {
        return d_items.data() + d_lead * sample_size(shape.input);
    }

    channel_outputs run(const overlap_save& method) const
    {
        return run_on(method, block());
    }
    channel_outputs run_on(const overlap_save& method, const void* block_memory) const
    {
        return run(method, 0, shape.channels, outputs(), block_memory);
    }
    channel_outputs run(const overlap_save& method,
                        std::size_t first,
                        std::size_t channels,
                        std::size_t count) const
    {
        return run(method, first, channels, count, block());
    }

    //! The change of the gain for exponentials at some random frequencies, compared with
    //! the exact response and relative to a gain of 1.
    struct change {
        double response = 0; //!< largest change of a block's mean gain
        double output = 0;   //!< largest change of any output
    };
    change response_change(const overlap_save& method, std::size_t frequencies) const
    {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> frequency(-0.5, 0.5);
        change largest;
        for (std::size_t i = 0; i < frequencies; i++) {
            // Half of the frequencies are near the channel's centre, where its passband
            // and the edges of its stopband are; the others are anywhere.
            const double far = frequency(random);
            const double turns = i % 2 ? far : 0.1 * far + setup(0).step.turns();
            add_change(method, phase64::from_turns(turns), largest);
        }
        return largest;
    }

    //! The phase of a channel's rotator at an output of the block.
    phase64 rotator(std::size_t channel, std::size_t output) const
    {
        const auto& problem = d_problems[channel];
        return phase64::from_turns(0.1 + 0.3 * static_cast<double>(channel)) -
               problem.step() * problem.decimation * output;
    }

    std::string describe(std::size_t channel) const
    {
        const auto& taps = d_problems[channel].taps;
        return std::string(sample_type_name(shape.input)) + ", decimation " +
               std::to_string(shape.decimation) + ", " + std::to_string(shape.ifft_size) +
               " rows, max_taps " + std::to_string(shape.max_taps) + ", channel " +
               std::to_string(channel) + " of " + std::to_string(shape.channels) +
               " with " + std::to_string(taps.size()) + " taps";
    }

    overlap_save_shape shape;
    std::vector<std::vector<std::complex<double>>> expected; // one list per channel

private:
    channel_outputs run(const overlap_save& method,
                        std::size_t first,
                        std::size_t channels,
                        std::size_t count,
                        const void* block_memory) const
    {
        constexpr float guard = 1234.5f;
        const auto spectrum = method.make_spectrum();
        const auto workspace = method.make_workspace();
        // Filled with other values first, as the memory is when blocks follow each other.
        const std::vector<unsigned char> other =
            noise(shape.input, method.block_items(), 123);
        method.forward(other.data(), *spectrum, *workspace);
        method.forward(block_memory, *spectrum, *workspace);

        channel_outputs out(channels, std::vector<std::complex<float>>(count + 1, guard));
        std::vector<std::complex<float>*> pointers;
        for (auto& values : out)
            pointers.push_back(values.data());
        const overlap_save_spectrum* const blocks = spectrum.get();
        std::vector<phase64> phases;
        for (std::size_t c = first; c < first + channels; c++)
            phases.push_back(rotator(c, 0));
        method.compute(
            first, channels, &blocks, *workspace, phases.data(), pointers.data(), count);
        for (auto& values : out) {
            if (values.back() != guard)
                throw std::runtime_error("more outputs than asked for");
            values.pop_back();
        }
        return out;
    }

    //! The outputs of the reference, with the phase of this block's rotator.
    std::vector<std::complex<double>> reference(std::size_t channel) const
    {
        const freq_xlating_fir_problem& problem = d_problems[channel];
        freq_xlating_fir_reference model(problem);
        const std::size_t items = d_items.size() / sample_size(shape.input);
        const std::size_t skipped = (d_lead + shape.max_taps - 1) / shape.decimation;
        auto values = model.process(d_items.data(), items);
        values.erase(values.begin(), values.begin() + skipped);
        values.resize(outputs());
        const double turns = problem.center_freq / problem.sampling_freq;
        const phase64 start =
            phase64::from_turns(turns * (problem.taps.size() - 1.0) / 2);
        const phase64 change =
            start + problem.step() * problem.decimation * skipped + rotator(channel, 0);
        for (auto& value : values)
            value *= change.phasor();
        return values;
    }

    void add_change(const overlap_save& method, phase64 step, change& largest) const
    {
        std::vector<std::complex<float>> items;
        for (std::size_t i = 0; i < method.block_items(); i++)
            items.emplace_back((step * i).phasor());
        const channel_outputs out = run_on(method, items.data());
        for (std::size_t c = 0; c < shape.channels; c++) {
            const filter_channel channel = setup(c);
            std::complex<double> exact = 0;
            const auto rotated = channel.rotated();
            for (std::size_t k = 0; k < rotated.size(); k++)
                exact += rotated[k] * (-(step * k)).phasor();
            std::complex<double> sum = 0;
            for (std::size_t i = 0; i < out[c].size(); i++) {
                const std::size_t newest = shape.max_taps - 1 + i * shape.decimation;
                const auto gain = std::complex<double>(out[c][i]) *
                                  (-(rotator(c, i) + step * newest)).phasor();
                largest.output = std::max(largest.output, std::abs(gain - exact));
                sum += gain - exact;
            }
            largest.response = std::max(
                largest.response, std::abs(sum) / static_cast<double>(out[c].size()));
        }
    }

    std::size_t d_lead; // number of items before the block
    std::vector<unsigned char> d_items;
    std::vector<freq_xlating_fir_problem> d_problems;
};

} // namespace cldsp
