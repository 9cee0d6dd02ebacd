// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the fold, transform and rotator in one kernel, with tiles of every size.

#include "fast_convolution/fused_fold.h"
#include "tests/support/qa_fast_convolution_support.h"

#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! What is special to the variant that computes the channels in one kernel.
class qa_fused_fold : public fast_convolution_fixture
{
    CPPUNIT_TEST_SUITE(qa_fused_fold);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(every_size);
    CPPUNIT_TEST(longer_taps_get_a_block);
    CPPUNIT_TEST(sizes_that_do_not_fit);
    CPPUNIT_TEST(other_sizes_are_refused);
#endif
    CPPUNIT_TEST_SUITE_END();

    std::string variant() const override { return "fused_fold"; }

public:
    //! Every tile that a work-group can have.
    void every_size()
    {
        constexpr std::size_t decimation = 2;
        const auto sizes_taken = ifft_sizes_of(variant(), d_device->device(), decimation);
        std::size_t rows = small_tests() ? 16 : 64;
        while (rows > sizes_taken.most)
            rows /= 2;
        const auto channels =
            make_channels(sample_type::fc32, decimation, rows, 1, false);
        const auto suggested = suggested_fused_fold(limits(), rows, decimation, 1);
        std::size_t tried = 0;
        unsigned number = 0;
        for (std::int64_t items = 1; items <= 64; items *= 2)
            for (const std::int64_t blocks : { 1, 8 })
                for (const std::int64_t values : { 2, 4, 8, 16 }) {
                    const tuning_values sizes{ { "ifft_size",
                                                 static_cast<std::int64_t>(rows) },
                                               { "pipeline_kib", 256 },
                                               { "items", items },
                                               { "blocks", blocks },
                                               { "values", values } };
                    // Half of them, such that every two of the three values meet.
                    const unsigned place = number++;
                    if ((place / 8 + place / 4 + place) % 2 == 1 ||
                        !with_values(suggested, sizes).fits(limits()) ||
                        (small_tests() && values == 8))
                        continue;
                    tried++;
                    const auto filter = make(channels, rows, sizes);
                    stream_case c(channels, small_tests() ? 80 : 300);
                    c.run(*filter);
                    CPPUNIT_ASSERT_MESSAGE(std::to_string(items) + " " +
                                               std::to_string(blocks) + " " +
                                               std::to_string(values),
                                           c.error() < bound);
                }
        CPPUNIT_ASSERT(tried > 0);
    }

    //! Taps no longer than the decimation need no overlap; taps that are set later may.
    void longer_taps_get_a_block()
    {
        if (small_tests() || !takes(4, 64))
            return;
        const auto with_taps = [](std::size_t taps) {
            return make_channels(sample_type::fc32, 64, taps, 1, true);
        };
        const auto bank = make(with_taps(20), 0);
        stream_case before(with_taps(20), 100);
        before.run(*bank);
        CPPUNIT_ASSERT(before.error() < bound);
        const auto longer = with_taps(40);
        bank->configure(0, longer[0]);
        stream_case after(longer, 100);
        after.run(*bank);
        CPPUNIT_ASSERT(after.error() < bound);
    }

    void sizes_that_do_not_fit()
    {
        device_limits limits = d_device->limits();
        limits.max_work_group_size = limits.max_work_item_sizes[0] = 256;
        limits.local_memory = 40000;
        const std::size_t most = max_fused_rows(limits);
        CPPUNIT_ASSERT_EQUAL(std::size_t(4096), most);
        for (std::size_t rows = 2; rows <= most; rows *= 2)
            for (const std::size_t channels : { 1, 2, 3, 64 })
                CPPUNIT_ASSERT(
                    suggested_fused_fold(limits, rows, 42, channels).fits(limits));
        const auto good = suggested_fused_fold(limits, 256, 42, 64);
        const auto fits = [&](std::size_t fused_fold_shape::*size, std::size_t value) {
            auto shape = good;
            shape.*size = value;
            return shape.fits(limits);
        };
        CPPUNIT_ASSERT(fits(&fused_fold_shape::values, 16));
        for (const std::size_t values : { 0, 1, 3, 32 })
            CPPUNIT_ASSERT(!fits(&fused_fold_shape::values, values));
        for (const std::size_t items : { 0, 16, 100, 512 })
            CPPUNIT_ASSERT(!fits(&fused_fold_shape::items, items));
        CPPUNIT_ASSERT(!fits(&fused_fold_shape::blocks, 64)); // local memory
        CPPUNIT_ASSERT(!fits(&fused_fold_shape::channels, 3));
        // Small groups have few registers.
        limits.max_work_group_size = 32;
        CPPUNIT_ASSERT_EQUAL(std::size_t(256), max_fused_rows(limits));
        CPPUNIT_ASSERT_EQUAL(std::size_t(8),
                             suggested_fused_fold(limits, 256, 8, 1).values);
        limits.max_work_group_size = 1;
        CPPUNIT_ASSERT_EQUAL(std::size_t(16), max_fused_rows(limits));
    }

    void other_sizes_are_refused()
    {
        const auto channels = make_channels(sample_type::fc32, 3, 40, 1, true);
        for (const std::size_t rows :
             { std::size_t(1), std::size_t(24), 2 * max_fused_rows(limits()) })
            CPPUNIT_ASSERT_THROW(make(channels, rows), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_fused_fold, "qa_fused_fold");

} // namespace
