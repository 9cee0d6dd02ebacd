/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fft/column_transform.h"
#include "fft/fftw_plan.h"
#include "tests/support/qa_host_fir_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using complex = std::complex<float>;

fftw_vector<complex> random_items(std::size_t count)
{
    std::mt19937 random(11);
    std::uniform_real_distribution<float> uniform(-1, 1);
    fftw_vector<complex> items(count);
    for (auto& item : items)
        item = { uniform(random), uniform(random) };
    return items;
}

//! The bins that the transform gathered, in their natural order.
std::vector<complex> bins_of(const std::vector<float>& gathered,
                             const gathered_layout& layout,
                             std::size_t width)
{
    std::vector<complex> bins(layout.bins_per_row * layout.rows);
    for (std::size_t r = 0; r < layout.rows; r++)
        for (std::size_t g = 0; g < layout.bins_per_row; g += width) {
            const std::size_t at = (g / width * layout.tile_rows + r) * 2 * width;
            for (std::size_t i = 0; i < width; i++)
                bins[r * layout.bins_per_row + g + split_lane(i, width)] = {
                    gathered[at + i], gathered[at + width + i]
                };
        }
    return bins;
}

//! Checks the transform on every set of kernels.
//! \return how many sets of kernels cover the layout
int check(const gathered_layout& layout,
          std::size_t shift,
          std::size_t missing,
          bool half_item)
{
    const std::size_t size = layout.bins_per_row * layout.rows;
    const auto items = random_items(size - missing);
    fftw_vector<complex> block(size), expected_bins(size);
    for (std::size_t i = 0; i < items.size(); i++)
        block[(i + shift) % size] = items[i];
    fftw_plan::get(size, fftw_direction::forward)
        ->execute(block.data(), expected_bins.data());
    std::vector<std::complex<double>> expected;
    for (std::size_t k = 0; k < size; k++) {
        const double turns =
            half_item ? -0.5 * static_cast<double>(k) / static_cast<double>(size) : 0;
        expected.push_back(std::complex<double>(expected_bins[k]) *
                           phase64::from_turns(turns).phasor());
    }

    int covered = 0;
    for (const row_kernels* kernels : available_row_kernels()) {
        const auto transform = column_transform::make(layout, half_item, *kernels);
        if (!transform)
            continue;
        covered++;
        constexpr float guard = 1234.5f;
        std::vector<float> gathered(layout.bins_per_row / kernels->width *
                                        layout.tile_rows * 2 * kernels->width,
                                    guard);
        auto memory = transform->make_memory();
        // The memory has exactly the size of the items, so that reading beyond it is
        // noticed.
        const guarded_memory in(items.size() * sizeof(complex), true);
        std::copy(items.begin(), items.end(), reinterpret_cast<complex*>(in.data()));
        transform->run(reinterpret_cast<const complex*>(in.data()),
                       shift,
                       items.size(),
                       memory,
                       gathered.data());
        const double error =
            error_db(bins_of(gathered, layout, kernels->width), expected);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(layout.bins_per_row) + " x " +
                                   std::to_string(layout.rows) + ", shift " +
                                   std::to_string(shift) + ", " + kernels->name + ": " +
                                   std::to_string(error) + " dB",
                               error < -125);
        for (std::size_t t = 0; t < layout.bins_per_row / kernels->width; t++)
            for (std::size_t i = layout.rows * 2 * kernels->width;
                 i < layout.tile_rows * 2 * kernels->width;
                 i++)
                CPPUNIT_ASSERT(gathered[t * layout.tile_rows * 2 * kernels->width + i] ==
                               guard);
    }
    return covered;
}

} // namespace

class qa_column_transform : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_column_transform);
    CPPUNIT_TEST(every_pass);
    CPPUNIT_TEST(every_number_of_rows);
    CPPUNIT_TEST(placement);
    CPPUNIT_TEST(half_items);
    CPPUNIT_TEST(not_covered);
    CPPUNIT_TEST_SUITE_END();

    void every_pass()
    {
        // Products of the sizes of two passes, with a common factor and without.
        for (const std::size_t rows :
             { 22,  25,  26,  33,  42,  45,  63,  70,  81,  100,
               121, 143, 144, 165, 169, 182, 196, 208, 225, 256 })
            CPPUNIT_ASSERT_MESSAGE(std::to_string(rows),
                                   check({ 128, rows, rows }, 0, 0, false) > 0);
    }

    void every_number_of_rows()
    {
        const auto sets = static_cast<int>(available_row_kernels().size());
        for (const std::size_t bins : { 64, 128, 256, 512, 768, 1024, 1280, 2048 })
            CPPUNIT_ASSERT_EQUAL(sets, check({ bins, 42, 44 }, 4, 30, false));
        for (const std::size_t rows : { 2, 3, 4, 5, 7, 8, 13, 16 })
            CPPUNIT_ASSERT_EQUAL(sets, check({ 1024, rows, rows + 1 }, 0, 0, false));
    }

    // Items wrap round the end of the block, and the rows at its ends are read in another
    // way.
    void placement()
    {
        for (const std::size_t rows : { 7, 42 })
            for (const std::size_t shift : { 0, 1, 3, 6 })
                for (const std::size_t missing : { 0, 1, 3, 6 })
                    check({ 256, rows, rows }, shift, missing, false);
    }

    void half_items()
    {
        for (const std::size_t rows : { 2, 7, 42, 50 })
            CPPUNIT_ASSERT(check({ 256, rows, rows }, 1, 1, true) > 0);
    }

    void not_covered()
    {
        for (const gathered_layout& layout :
             { gathered_layout{ 61, 42, 42 }, { 256, 17, 17 }, { 256, 34, 34 } })
            CPPUNIT_ASSERT_EQUAL(0, check(layout, 0, 0, false));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_column_transform, "qa_column_transform");
