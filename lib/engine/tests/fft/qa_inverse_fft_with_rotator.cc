// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the inverse transforms of every size, with their rotators.

#include "fft/inverse_fft_with_rotator.h"
#include "tests/support/qa_host_fir_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using values = std::vector<std::complex<double>>;

const auto start = phase64::from_turns(0.7); // phase of the first output of each call

values random_values(std::size_t count)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    values result;
    for (std::size_t i = 0; i < count; i++) {
        const float re = uniform(random), im = uniform(random);
        result.emplace_back(re, im);
    }
    return result;
}

values transformed(const values& bins)
{
    values roots, result;
    for (std::size_t i = 0; i < bins.size(); i++)
        roots.push_back(
            phase64::from_turns(static_cast<double>(i) / static_cast<double>(bins.size()))
                .phasor());
    for (std::size_t n = 0; n < bins.size(); n++) {
        std::complex<double> sum = 0;
        for (std::size_t g = 0; g < bins.size(); g++)
            sum += bins[g] * roots[g * n % bins.size()];
        result.push_back(sum);
    }
    return result;
}

fftw_vector<float> as_split_planes(const values& bins, std::size_t width)
{
    const std::size_t tiles = (bins.size() + width - 1) / width;
    // The memory beyond the bins holds arbitrary values that a fold has left there.
    fftw_vector<float> result(tiles * 2 * width, 1e9f);
    for (std::size_t t = 0; t < tiles; t++)
        for (std::size_t i = 0; i < width; i++) {
            const std::size_t bin = t * width + split_lane(i, width);
            if (bin >= bins.size())
                continue;
            result[t * 2 * width + i] = static_cast<float>(bins[bin].real());
            result[t * 2 * width + width + i] = static_cast<float>(bins[bin].imag());
        }
    return result;
}

} // namespace

class qa_inverse_fft_with_rotator : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_inverse_fft_with_rotator);
    CPPUNIT_TEST(every_size);
    CPPUNIT_TEST(every_grid);
    CPPUNIT_TEST(every_part);
    CPPUNIT_TEST(rotators_stand_still_at_first);
    CPPUNIT_TEST_SUITE_END();

    //! Checks the outputs of a channel, with guard values before and after them.
    static void check(const inverse_fft_with_rotator& inverse,
                      const row_kernels& kernels,
                      std::size_t channel,
                      const values& bins,
                      const values& expected,
                      const std::string& what)
    {
        const auto planes = as_split_planes(bins, kernels.width);
        auto work = inverse.make_memory();
        constexpr float guard = 1234.5f;
        std::vector<std::complex<float>> out(expected.size() + 2, guard);
        inverse.run(channel, planes.data(), work, start, out.data() + 1, expected.size());
        CPPUNIT_ASSERT(out.front() == guard && out.back() == guard);
        out.erase(out.begin());
        out.pop_back();
        if (expected.empty())
            return;
        const double error = error_db(out, expected);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(bins.size()) + what + ", " + kernels.name +
                                   ": " + std::to_string(error) + " dB",
                               error < -120);
    }

    static void check(std::size_t size,
                      const std::vector<std::pair<std::size_t, std::size_t>>& parts)
    {
        const values bins = random_values(size);
        const values results = transformed(bins);
        const auto step = phase64::from_turns(0.123456789);
        for (const row_kernels* kernels : available_row_kernels()) {
            inverse_fft_with_rotator inverse(size, 2, *kernels);
            for (const auto& [first, count] : parts) {
                inverse.configure(1, first, step);
                values expected;
                for (std::size_t i = 0; i < count; i++)
                    expected.push_back(results[(first + i) % size] *
                                       (start + step * i).phasor());
                check(inverse,
                      *kernels,
                      1,
                      bins,
                      expected,
                      " from " + std::to_string(first) + ", " + std::to_string(count));
            }
        }
    }

    void every_size()
    {
        for (const std::size_t size :
             { 1, 2, 5, 16, 32, 60, 64, 128, 256, 320, 512, 1000, 1024, 2048 })
            check(size,
                  { { 0, size }, { size / 8, size - size / 8 }, { size / 3, size } });
    }

    void every_grid()
    {
        for (const std::size_t first : inverse_firsts)
            for (const std::size_t second : inverse_seconds) {
                const std::size_t size = first * second;
                CPPUNIT_ASSERT(inverse_fft_with_rotator::has_grid(size, second));
                check(size, { { 0, size }, { size / 8, size - size / 8 } });
            }
    }

    void every_part()
    {
        for (const std::size_t size : { 64, 256, 60, 144 }) {
            std::vector<std::pair<std::size_t, std::size_t>> parts;
            for (std::size_t first = 0; first < size; first += 7)
                for (std::size_t count = 0; count <= size; count++)
                    if (count < 40 || count % 13 == 0 || count + first == size)
                        parts.emplace_back(first, count);
            check(size, parts);
        }
    }

    void rotators_stand_still_at_first()
    {
        for (const std::size_t size : { 60, 64, 256, 1024 }) {
            const values bins = random_values(size);
            values expected = transformed(bins);
            for (auto& value : expected)
                value *= start.phasor();
            for (const row_kernels* kernels : available_row_kernels()) {
                inverse_fft_with_rotator inverse(size, 2, *kernels);
                inverse.configure(1, 3, phase64::from_turns(0.1));
                check(inverse, *kernels, 0, bins, expected, ", not configured");
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_inverse_fft_with_rotator,
                                      "qa_inverse_fft_with_rotator");
