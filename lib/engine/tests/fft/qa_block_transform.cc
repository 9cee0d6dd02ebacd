// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that transforms of blocks as a grid have the bins that FFTW gives.

#include "fft/block_transform.h"
#include "fft/fftw_plan.h"
#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_random_items.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using complex = std::complex<float>;

std::vector<std::complex<double>> transformed_by_fftw(const fftw_vector<complex>& items)
{
    fftw_vector<complex> bins(items.size());
    fftw_plan::get(items.size(), fftw_direction::forward)
        ->execute(items.data(), bins.data());
    return { bins.begin(), bins.end() };
}

} // namespace

class qa_block_transform : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_block_transform);
    CPPUNIT_TEST(every_kind_of_size);
    CPPUNIT_TEST(grids_instead_of_estimates);
    CPPUNIT_TEST(bins_of_real_items);
    CPPUNIT_TEST_SUITE_END();

    // Blocks within the cache, and larger ones: grids of each number of rows, with whole
    // vectors in a row and without, and a size that has no grid.
    void every_kind_of_size()
    {
        for (const std::size_t size : { std::size_t(1),
                                        std::size_t(10752),
                                        std::size_t(64) * 2700,
                                        std::size_t(128) * 1031,
                                        std::size_t(256) * 4096,
                                        std::size_t(3) * 3 * 3 * 5 * 7 * 11 * 13 }) {
            const auto items = random_items(size, 17);
            const auto expected = transformed_by_fftw(items);
            for (const row_kernels* kernels : available_row_kernels()) {
                const block_transform transform(size, *kernels);
                auto memory = transform.make_memory();
                fftw_vector<complex> bins(size);
                transform.run(items.data(), memory, bins.data());
                const double error = error_db({ bins.begin(), bins.end() }, expected);
                CPPUNIT_ASSERT_MESSAGE(std::to_string(size) + ", " + kernels->name +
                                           ": " + std::to_string(error) + " dB",
                                       error < -120);
            }
        }
    }

    // A grid has memory between its steps. FFTW's plan of the whole block needs none.
    void grids_instead_of_estimates()
    {
        const fftw_planning_limit none(0);
        const row_kernels& kernels = *available_row_kernels().front();
        const auto is_grid = [&](std::size_t size) {
            const auto items = random_items(size, 17);
            const block_transform transform(size, kernels);
            auto memory = transform.make_memory();
            const bool has_steps = !memory.transformed.empty();
            fftw_vector<complex> bins(size);
            transform.run(items.data(), memory, bins.data());
            const auto expected = transformed_by_fftw(items);
            CPPUNIT_ASSERT(error_db({ bins.begin(), bins.end() }, expected) < -120);
            return has_steps;
        };
        CPPUNIT_ASSERT(is_grid(64 * 264));
        CPPUNIT_ASSERT(!is_grid(64 * 261)); // its rows would not fill vectors
        CPPUNIT_ASSERT(!is_grid(64 * 168)); // FFTW's estimate is as fast
    }

    void bins_of_real_items()
    {
        for (const std::size_t size : { 2, 4, 6, 1000, 10752 }) {
            auto items = random_items(size, 17);
            fftw_vector<complex> pairs(size / 2), pair_bins(size / 2);
            for (std::size_t i = 0; i < size; i++) {
                items[i] = items[i].real();
                reinterpret_cast<float*>(pairs.data())[i] = items[i].real();
            }
            fftw_plan::get(size / 2, fftw_direction::forward)
                ->execute(pairs.data(), pair_bins.data());
            const auto expected = transformed_by_fftw(items);
            for (const std::size_t first : { std::size_t(0), size / 2, size - 1 }) {
                std::vector<complex> bins(size - first);
                std::vector<complex> turns(bins.size());
                fill_pair_turns(size, first, bins.size(), turns.data());
                bins_of_pairs(pair_bins.data(),
                              size,
                              first,
                              bins.size(),
                              turns.data(),
                              bins.data());
                const double error =
                    error_db(bins, { expected.begin() + first, expected.end() });
                CPPUNIT_ASSERT_MESSAGE(std::to_string(size) + " from " +
                                           std::to_string(first) + ": " +
                                           std::to_string(error) + " dB",
                                       error < -110);
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_block_transform, "qa_block_transform");
