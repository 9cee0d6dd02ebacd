// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of transforms to gathered bins, of complex and of real samples.

#include "fft/column_transform.h"
#include "fft/fftw_plan.h"
#include "fft/real_column_transform.h"
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

//! The bins, in double precision, of a block whose items begin at \p shift and wrap round
//! its end.
std::vector<std::complex<double>> expected_bins(const fftw_vector<complex>& items,
                                                std::size_t size,
                                                std::size_t shift,
                                                bool half_item)
{
    fftw_vector<complex> block(size), bins(size);
    for (std::size_t i = 0; i < items.size(); i++)
        block[(i + shift) % size] = items[i];
    fftw_plan::get(size, fftw_direction::forward)->execute(block.data(), bins.data());
    std::vector<std::complex<double>> expected;
    for (std::size_t k = 0; k < size; k++) {
        const double turns =
            half_item ? -0.5 * static_cast<double>(k) / static_cast<double>(size) : 0;
        expected.push_back(std::complex<double>(bins[k]) *
                           phase64::from_turns(turns).phasor());
    }
    return expected;
}

/*!
 * Compares what \p run(gathered) gathers with the expected bins; \p run returns false if
 * the kernels do not cover the layout.
 *
 * \return whether they do
 */
template <class F>
bool check_gathered(const gathered_layout& layout,
                    const std::vector<std::complex<double>>& expected,
                    const row_kernels& kernels,
                    const F& run)
{
    constexpr float guard = 1234.5f;
    const std::size_t row = 2 * kernels.width;
    const std::size_t tiles = layout.bins_per_row / kernels.width;
    std::vector<float> gathered(tiles * layout.tile_rows * row, guard);
    if (!run(gathered.data()))
        return false;
    const double error = error_db(bins_of(gathered, layout, kernels.width), expected);
    CPPUNIT_ASSERT_MESSAGE(std::to_string(layout.bins_per_row) + " x " +
                               std::to_string(layout.rows) + ", " + kernels.name + ": " +
                               std::to_string(error) + " dB",
                           error < -125);
    for (std::size_t t = 0; t < tiles; t++)
        for (std::size_t i = layout.rows * row; i < layout.tile_rows * row; i++)
            CPPUNIT_ASSERT(gathered[t * layout.tile_rows * row + i] == guard);
    return true;
}

//! \return how many sets of kernels cover the layout
int check(const gathered_layout& layout,
          std::size_t shift,
          std::size_t missing,
          bool half_item)
{
    const std::size_t size = layout.bins_per_row * layout.rows;
    const auto items = random_items(size - missing, 11);
    const auto expected = expected_bins(items, size, shift, half_item);
    int covered = 0;
    for (const row_kernels* kernels : available_row_kernels())
        covered += check_gathered(layout, expected, *kernels, [&](float* gathered) {
            const auto transform = column_transform::make(layout, half_item, *kernels);
            if (!transform)
                return false;
            auto memory = transform->make_memory();
            // The memory ends with the items, so that reading beyond them is noticed.
            const guarded_memory in(items.size() * sizeof(complex), true);
            std::copy(items.begin(), items.end(), reinterpret_cast<complex*>(in.data()));
            transform->run(reinterpret_cast<const complex*>(in.data()),
                           shift,
                           items.size(),
                           memory,
                           gathered);
            return true;
        });
    return covered;
}

//! The same check for real items of a type.
template <class T>
int check_real(sample_type type,
               const gathered_layout& layout,
               std::size_t shift,
               std::size_t missing,
               bool half_item)
{
    const std::size_t size = layout.bins_per_row * layout.rows;
    auto items = random_items(size - missing, 11);
    std::vector<T> values;
    for (auto& item : items) {
        values.push_back(static_cast<T>(1000 * item.real()));
        item = static_cast<float>(values.back());
    }
    const auto expected = expected_bins(items, size, shift, half_item);
    int covered = 0;
    for (const row_kernels* kernels : available_row_kernels())
        covered += check_gathered(layout, expected, *kernels, [&](float* gathered) {
            const auto transform =
                real_column_transform::make(layout, half_item, *kernels);
            if (!transform)
                return false;
            auto memory = transform->make_memory();
            const guarded_memory in(values.size() * sizeof(T), true);
            std::copy(values.begin(), values.end(), reinterpret_cast<T*>(in.data()));
            // Values that an earlier block has left in the memory must not matter.
            std::fill(memory.items.begin(), memory.items.end(), 1e6f);
            transform->run(in.data(), type, shift, values.size(), memory, gathered);
            return true;
        });
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
    CPPUNIT_TEST(real_items);
    CPPUNIT_TEST(placement_of_real_items);
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

    void real_items()
    {
        for (const std::size_t bins : { 64, 256, 1024 })
            for (const std::size_t rows : { 2, 6, 10, 42, 50 })
                for (const bool half_item : { false, true }) {
                    const gathered_layout layout{ bins, rows, rows + 2 };
                    CPPUNIT_ASSERT(
                        check_real<float>(sample_type::f32, layout, 0, 0, half_item) > 0);
                    check_real<short>(sample_type::s16, layout, 1, 0, half_item);
                }
    }

    // Pairs begin at even places, wherever the block begins and however long it is.
    void placement_of_real_items()
    {
        for (const std::size_t shift : { 0, 1, 2, 5 })
            for (const std::size_t missing : { 0, 1, 2, 5 })
                for (const bool half_item : { false, true })
                    check_real<short>(
                        sample_type::s16, { 256, 6, 6 }, shift, missing, half_item);
    }

    void not_covered()
    {
        CPPUNIT_ASSERT_EQUAL(
            0, check_real<float>(sample_type::f32, { 256, 7, 7 }, 0, 0, false));
        for (const gathered_layout& layout :
             { gathered_layout{ 61, 42, 42 }, { 256, 17, 17 }, { 256, 34, 34 } })
            CPPUNIT_ASSERT_EQUAL(0, check(layout, 0, 0, false));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_column_transform, "qa_column_transform");
