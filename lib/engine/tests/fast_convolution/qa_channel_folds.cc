// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of folds whose bins have the order of other folds, or are delayed.

#include "fast_convolution/fold_response.h"

#include <cldsp/phase.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using values = std::vector<std::complex<float>>;

values random_values(std::size_t count, std::mt19937& random)
{
    std::normal_distribution<float> normal;
    values result(count);
    for (auto& value : result)
        value = { normal(random), normal(random) };
    return result;
}

//! Folds of random responses, some of them real.
channel_folds make_folds(const fold_kernel_set& kernels,
                         std::size_t row,
                         std::size_t rows,
                         std::size_t channels)
{
    std::mt19937 random(3);
    channel_folds folds(kernels, row, rows, channels, 0);
    fftw_vector<std::complex<float>> placed(row * rows);
    for (std::size_t c = 0; c < channels; c++) {
        const std::complex<double> last = c % 2 ? 1 : 2;
        const placed_taps taps({ 1, 3, last }, block_placement(rows, 3, false), placed);
        CPPUNIT_ASSERT_EQUAL(c % 2 == 1, taps.real);
        const values response = random_values(row * rows + kernels.lanes, random);
        fftw_vector<float> gathered(folds.gathered_size());
        folds.gather(response.data(), nullptr, gathered.data());
        folds.assign(c, gathered.data(), taps);
    }
    folds.settle();
    return folds;
}

std::vector<fftw_vector<float>> gathered_by(const channel_folds& folds,
                                            const std::vector<values>& blocks)
{
    std::vector<fftw_vector<float>> result;
    for (const auto& block : blocks) {
        result.emplace_back(folds.gathered_size());
        folds.gather(block.data(), nullptr, result.back().data());
    }
    return result;
}

//! The outputs of all channels but one.
fftw_vector<float> run(const channel_folds& folds,
                       const std::vector<fftw_vector<float>>& gathered,
                       std::size_t channels)
{
    std::array<const float*, max_fold_blocks> bins{};
    for (std::size_t b = 0; b < gathered.size(); b++)
        bins[b] = gathered[b].data();
    const std::complex<float> some;
    std::vector<const std::complex<float>*> wanted(channels, &some);
    wanted[1] = nullptr;
    fftw_vector<float> out(gathered.size() * channels * folds.folded_size());
    folds.run(0, channels, bins.data(), gathered.size(), wanted.data(), out.data());
    return out;
}

} // namespace

class qa_channel_folds : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_channel_folds);
    CPPUNIT_TEST(bins_in_the_order_of_other_folds);
    CPPUNIT_TEST(bins_that_are_delayed);
    CPPUNIT_TEST_SUITE_END();

    //! Compares folds that read delayed bins with folds of bins that have been delayed
    //! before.
    //! \param source_rows the rows of the folds whose order the bins have; 0: of the same
    static void check(std::size_t row, std::size_t rows, std::size_t source_rows)
    {
        const std::size_t channels = 5;
        for (const auto* kernels : available_fold_kernels())
            for (std::size_t count = 1; count <= max_fold_blocks; count++)
                for (const std::size_t delay : { 0, 1, 2, 7 }) {
                    std::mt19937 random(5);
                    std::vector<values> blocks, delayed;
                    for (std::size_t b = 0; b < count; b++) {
                        blocks.push_back(
                            random_values(row * rows + kernels->lanes, random));
                        delayed.push_back(blocks.back());
                        const double turns = -0.5 * static_cast<double>(delay) /
                                             static_cast<double>(row * rows);
                        for (std::size_t k = 0; k < row * rows; k++)
                            delayed.back()[k] *= std::complex<float>(
                                phase64::from_turns(turns * static_cast<double>(k))
                                    .phasor());
                    }
                    const auto plain = make_folds(*kernels, row, rows, channels);
                    auto folds = make_folds(*kernels, row, rows, channels);
                    const auto expected =
                        run(plain, gathered_by(plain, delayed), channels);
                    fftw_vector<float> got;
                    if (source_rows) {
                        const auto source = make_folds(
                            *kernels, row * rows / source_rows, source_rows, 1);
                        folds.read_bins_of(source, delay);
                        got = run(folds, gathered_by(source, blocks), channels);
                    } else {
                        folds.read_bins_of(folds, delay);
                        got = run(folds, gathered_by(plain, blocks), channels);
                    }
                    float error = 0, peak = 0;
                    for (std::size_t i = 0; i < got.size(); i++) {
                        // Lanes behind the last bin of a row hold any values.
                        const std::size_t lane = i % kernels->lanes;
                        const std::size_t tile =
                            i % folds.folded_size() / (2 * kernels->lanes);
                        if (tile * kernels->lanes + split_lane(lane, kernels->lanes) >=
                            row)
                            continue;
                        error = std::max(error, std::abs(got[i] - expected[i]));
                        peak = std::max(peak, std::abs(expected[i]));
                    }
                    CPPUNIT_ASSERT_MESSAGE(std::string(kernels->name) + ", " +
                                               std::to_string(count) + " blocks, delay " +
                                               std::to_string(delay) + ": " +
                                               std::to_string(error / peak),
                                           error < 2e-6F * peak);
                }
    }

public:
    void bins_in_the_order_of_other_folds()
    {
        check(96, 8, 12);
        check(64, 12, 8);
        check(48, 7, 21);
    }

    void bins_that_are_delayed()
    {
        check(96, 8, 0);
        check(45, 7, 0);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_channel_folds, "qa_channel_folds");
