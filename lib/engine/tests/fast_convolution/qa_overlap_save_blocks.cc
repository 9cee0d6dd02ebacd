/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/overlap_save_selected_bins.h"
#include "tests/support/qa_overlap_save_case.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr std::size_t blocks = 5;

//! The outputs of consecutive blocks, from one call of compute() for all or from one call
//! for each block.
channel_outputs run(const overlap_save& method,
                    const overlap_save_case& c,
                    const std::vector<unsigned char>& items,
                    std::size_t outputs,
                    bool together)
{
    const std::size_t advance = method.block_outputs() * c.shape.decimation;
    const auto workspace = method.make_workspace();
    std::vector<std::unique_ptr<overlap_save_spectrum>> spectra;
    std::vector<const overlap_save_spectrum*> pointers;
    for (std::size_t b = 0; b < blocks; b++) {
        spectra.push_back(method.make_spectrum());
        pointers.push_back(spectra.back().get());
        method.forward(items.data() + b * advance * sample_size(c.shape.input),
                       *spectra.back(),
                       *workspace);
    }
    channel_outputs out(c.shape.channels, std::vector<std::complex<float>>(outputs));
    const std::size_t step = together ? outputs : method.block_outputs();
    for (std::size_t done = 0; done < outputs; done += step) {
        std::vector<phase64> phases;
        std::vector<std::complex<float>*> to;
        for (std::size_t i = 0; i < c.shape.channels; i++) {
            phases.push_back(c.rotator(i, done));
            to.push_back(out[i].data() + done);
        }
        method.compute(0,
                       c.shape.channels,
                       &pointers[done / method.block_outputs()],
                       *workspace,
                       phases.data(),
                       to.data(),
                       std::min(step, outputs - done));
    }
    return out;
}

void check(overlap_save& method, const overlap_save_case& c, const std::string& name)
{
    c.configure(method);
    const std::size_t size = method.block_outputs();
    const auto items =
        noise(c.shape.input,
              method.block_items() + (blocks - 1) * size * c.shape.decimation,
              21);
    for (const std::size_t outputs : { 5 * size, 4 * size + 1, 2 * size - 1, size }) {
        const auto together = run(method, c, items, outputs, true);
        const auto apart = run(method, c, items, outputs, false);
        for (std::size_t i = 0; i < together.size(); i++) {
            const std::vector<std::complex<double>> expected(apart[i].begin(),
                                                             apart[i].end());
            const double error = error_db(together[i], expected);
            CPPUNIT_ASSERT_MESSAGE(name + ", " + c.describe(i) + ": " +
                                       std::to_string(error) + " dB",
                                   error < -125);
        }
    }
}

overlap_save_case make_case(std::size_t decimation, std::size_t channels)
{
    std::vector<tap_kind> kinds;
    for (std::size_t i = 0; i < channels; i++)
        kinds.push_back(i % 3 ? tap_kind::symmetric : tap_kind::complex);
    return { { sample_type::cs16, decimation, 101, channels, 256, 0 }, kinds };
}

} // namespace

class qa_overlap_save_blocks : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_overlap_save_blocks);
    CPPUNIT_TEST(sizes_of_the_kernels);
    CPPUNIT_TEST(bins);
    CPPUNIT_TEST(rows);
    CPPUNIT_TEST(grid);
    CPPUNIT_TEST_SUITE_END();

    static void check_block(const overlap_save_case& c)
    {
        const auto sets = available_fold_kernels();
        const auto row_sets = available_row_kernels();
        for (std::size_t s = 0; s < sets.size(); s++) {
            overlap_save_selected_bins method(c.shape, *sets[s], *row_sets[s]);
            c.configure(method);
            const channel_outputs out = c.run(method);
            for (std::size_t i = 0; i < out.size(); i++) {
                const double error = error_db(out[i], c.expected[i]);
                CPPUNIT_ASSERT_MESSAGE(c.describe(i) + ", " + sets[s]->name + ": " +
                                           std::to_string(error) + " dB",
                                       error < -120);
            }
        }
    }

    // Sizes for the transforms by rows and columns, with and without a delay of half an
    // item, and with more channels than a group has.
    void sizes_of_the_kernels()
    {
        for (const std::size_t decimation : { 2, 10, 42 }) {
            for (const std::size_t rows : { 64, 256, 512, 768, 1024 })
                for (const std::size_t taps : { 100, 101 })
                    check_block({ { sample_type::fc32, decimation, taps, 2, rows, 0 },
                                  { tap_kind::symmetric, tap_kind::complex } });
            check_block({ { sample_type::fc32, decimation, 100, 19, 64, 0 },
                          std::vector<tap_kind>(19, tap_kind::symmetric) });
        }
    }

    void bins()
    {
        const auto sets = available_fold_kernels();
        const auto row_sets = available_row_kernels();
        for (std::size_t s = 0; s < sets.size(); s++)
            for (const std::size_t decimation : { 1, 7, 42 })
                for (const std::size_t channels : { 1, 2, 21 }) {
                    const auto c = make_case(decimation, channels);
                    overlap_save_selected_bins method(c.shape, *sets[s], *row_sets[s]);
                    check(method, c, sets[s]->name);
                }
    }

    void rows()
    {
        for (const row_kernels* kernels : available_row_kernels())
            for (const std::size_t decimation : { 3, 42 }) {
                const auto c = make_case(decimation, 2);
                check(*make_overlap_save_polyphase(c.shape, *kernels), c, kernels->name);
            }
    }

    void grid()
    {
        for (const row_kernels* kernels : available_row_kernels()) {
            const auto c = make_case(1, 2);
            check(*make_overlap_save_four_step(c.shape, *kernels), c, kernels->name);
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_overlap_save_blocks, "qa_overlap_save_blocks");
