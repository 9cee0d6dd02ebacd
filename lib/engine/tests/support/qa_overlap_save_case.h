// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Cases for overlap-save: taps of every kind, blocks, and the exact outputs.

#pragma once

#include "fast_convolution/fold.h"
#include "fast_convolution/overlap_save_method.h"
#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <cmath>
#include <memory>
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

//! A method on the kernels of one instruction set.
struct overlap_save_way {
    std::string name;
    std::string variant;
    std::unique_ptr<overlap_save> method;
};

//! Every method of the engine that has blocks of this shape.
//! \param sets the number of instruction sets, from the fastest on
inline std::vector<overlap_save_way> ways_of(const overlap_save_shape& shape,
                                             std::size_t sets = 9)
{
    std::vector<overlap_save_way> ways;
    for (const auto* method : overlap_save_methods()) {
        if (!method->covers(shape.decimation, shape.ifft_size))
            continue;
        std::size_t left = sets;
        for (const auto& kernels : available_overlap_save_kernels()) {
            if (left-- == 0)
                break;
            try {
                ways.push_back({ method->name + ", " + kernels.fold.name,
                                 method->name,
                                 method->make(shape, kernels) });
            } catch (const std::invalid_argument&) {
                // Some methods lose a little more than the overlap.
                if (shape.block_outputs() > 2)
                    throw;
            }
        }
    }
    if (ways.empty())
        throw std::invalid_argument("no method has such blocks");
    return ways;
}

//! One block of noise, and the expected outputs of each of several channels. The block
//! is long enough for every method.
struct overlap_save_case {
    //! \param counts the number of taps of each channel; if empty, max_taps for every
    //! channel
    overlap_save_case(const overlap_save_shape& problem_shape,
                      const std::vector<tap_kind>& kinds,
                      std::vector<std::size_t> counts = {},
                      std::size_t sets = 9)
        : shape(problem_shape), ways(ways_of(problem_shape, sets))
    {
        for (const auto& way : ways)
            d_outputs = std::max(d_outputs, way.method->block_outputs());
        // The reference gives outputs only at multiples of the decimation.
        const std::size_t past = (shape.max_taps - 1) % shape.decimation;
        d_lead = (shape.decimation - past) % shape.decimation;
        d_items =
            noise(shape.input, d_lead + shape.items_of(d_outputs) + shape.decimation, 9);
        counts.resize(shape.channels, shape.max_taps);
        std::mt19937 random(7);
        std::uniform_real_distribution<double> frequency(-1e6, 1e6);
        for (std::size_t c = 0; c < shape.channels; c++) {
            freq_xlating_fir_problem problem;
            problem.input = shape.input;
            problem.decimation = shape.decimation;
            problem.center_freq = frequency(random);
            problem.sampling_freq = 2016000;
            problem.taps = make_taps(
                kinds[c % kinds.size()], counts[c], 5 + static_cast<unsigned>(c));
            d_problems.push_back(problem);
            d_expected.emplace_back();
        }
    }

    void set_center_freq(std::size_t channel, double center_freq)
    {
        d_problems[channel].center_freq = center_freq;
        d_expected[channel].clear();
    }
    void set_taps(std::size_t channel, const std::vector<std::complex<float>>& taps)
    {
        d_problems[channel].taps = taps;
        d_expected[channel].clear();
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
    const void* block() const
    {
        return d_items.data() + d_lead * sample_size(shape.input);
    }

    //! The phase of a channel's rotator at an output of the block.
    phase64 rotator(std::size_t channel, std::size_t output) const
    {
        const auto& problem = d_problems[channel];
        return phase64::from_turns(0.1 + 0.3 * static_cast<double>(channel)) -
               problem.step() * problem.decimation * output;
    }

    //! Asserts that outputs of a channel, from the block's first one on, are right.
    void check(std::size_t channel,
               const std::vector<std::complex<float>>& out,
               const std::string& what) const
    {
        auto expected = expected_of(channel);
        expected.resize(out.size());
        // The bound is relative to the peak; a single output may lie far below the peak.
        double bound = out.size() > 1 ? -120 : -110;
#ifdef __aarch64__
        // Each processor rounds long sums otherwise: arm64 has reached -119.5 dB where
        // x86 has -124 dB.
        if (shape.ifft_size * shape.decimation > 40000)
            bound = std::max(bound, -118.0);
#endif
        const double error = error_db(out, expected);
        CPPUNIT_ASSERT_MESSAGE(what + ", " + describe(channel) + ": " +
                                   std::to_string(error) + " dB",
                               error < bound);
    }
    void check(const channel_outputs& out, const std::string& what) const
    {
        for (std::size_t c = 0; c < out.size(); c++)
            check(c, out[c], what);
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
    std::vector<overlap_save_way> ways;

private:
    //! The outputs of the reference, with the phase of this block's rotator.
    const std::vector<std::complex<double>>& expected_of(std::size_t channel) const
    {
        auto& values = d_expected[channel];
        if (!values.empty())
            return values;
        const freq_xlating_fir_problem& problem = d_problems[channel];
        freq_xlating_fir_reference model(problem);
        const std::size_t items = d_items.size() / sample_size(shape.input);
        const std::size_t skipped = (d_lead + shape.max_taps - 1) / shape.decimation;
        values = model.process(d_items.data(), items);
        values.erase(values.begin(), values.begin() + static_cast<long>(skipped));
        values.resize(d_outputs);
        const double turns = problem.center_freq / problem.sampling_freq;
        const phase64 start =
            phase64::from_turns(turns * (problem.taps.size() - 1.0) / 2);
        const phase64 change =
            start + problem.step() * problem.decimation * skipped + rotator(channel, 0);
        for (auto& value : values)
            value *= change.phasor();
        return values;
    }

    std::size_t d_outputs = 0; // of the longest block
    std::size_t d_lead;        // number of items before the block
    std::vector<unsigned char> d_items;
    std::vector<freq_xlating_fir_problem> d_problems;
    mutable std::vector<std::vector<std::complex<double>>> d_expected; // when needed
};

//! Blocks that a method has transformed for a case.
class transformed_blocks
{
public:
    //! The memory is filled with other values first, as it is when blocks follow each
    //! other.
    transformed_blocks(const overlap_save& method, const overlap_save_case& c)
        : d_method(method), d_case(c), d_workspace(method.make_workspace())
    {
        d_spectra.push_back(method.make_spectrum());
        d_pointers.push_back(d_spectra.back().get());
        transform(noise(c.shape.input, method.block_items(), 123).data());
    }
    //! Blocks that follow each other.
    transformed_blocks(const overlap_save& method,
                       const overlap_save_case& c,
                       const std::vector<unsigned char>& items,
                       std::size_t blocks)
        : transformed_blocks(method, c)
    {
        const std::size_t advance =
            method.block_outputs() * c.shape.decimation * sample_size(c.shape.input);
        transform(items.data());
        for (std::size_t b = 1; b < blocks; b++) {
            d_spectra.push_back(method.make_spectrum());
            d_pointers.push_back(d_spectra.back().get());
            method.forward(items.data() + b * advance, *d_spectra.back(), *d_workspace);
        }
    }

    void transform(const void* items)
    {
        d_method.forward(items, *d_spectra.front(), *d_workspace);
    }

    //! The outputs of some channels; none of those that are not wanted.
    //! \param begin the first output, which is the first one of a block
    channel_outputs outputs(std::size_t first,
                            std::size_t channels,
                            std::size_t count,
                            std::size_t begin = 0,
                            const std::vector<bool>& wanted = {})
    {
        constexpr float guard = 1234.5f;
        channel_outputs out(channels, std::vector<std::complex<float>>(count + 1, guard));
        std::vector<std::complex<float>*> pointers;
        std::vector<phase64> phases;
        for (std::size_t c = 0; c < channels; c++) {
            const bool is_wanted = wanted.empty() || wanted[c];
            pointers.push_back(is_wanted ? out[c].data() : nullptr);
            phases.push_back(d_case.rotator(first + c, begin));
        }
        d_method.compute(first,
                         channels,
                         &d_pointers[begin / d_method.block_outputs()],
                         *d_workspace,
                         phases.data(),
                         pointers.data(),
                         count);
        for (auto& values : out) {
            if (values.back() != guard)
                throw std::runtime_error("more outputs than asked for");
            values.pop_back();
        }
        return out;
    }
    channel_outputs all()
    {
        return outputs(0, d_case.shape.channels, d_method.block_outputs());
    }

private:
    const overlap_save& d_method;
    const overlap_save_case& d_case;
    std::unique_ptr<overlap_save_workspace> d_workspace;
    std::vector<std::unique_ptr<overlap_save_spectrum>> d_spectra;
    std::vector<const overlap_save_spectrum*> d_pointers;
};

//! The outputs of the case's block.
inline channel_outputs outputs_of(const overlap_save& method, const overlap_save_case& c)
{
    transformed_blocks block(method, c);
    block.transform(c.block());
    return block.all();
}

} // namespace cldsp
