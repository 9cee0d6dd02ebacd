// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that tiles fit any device, and that filters of linear phase are found.

#include "fast_convolution/channel_responses.h"
#include "fast_convolution/tiled_fold.h"
#include "tests/support/qa_fast_convolution_contract.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <cstddef>
#include <vector>

using namespace cldsp;

namespace {

//! What is special to the variant that folds many channels in tiles.
class qa_tiled_fold : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_tiled_fold);
    CPPUNIT_TEST(linear_phase_is_found);
    CPPUNIT_TEST(sizes_for_any_limits);
    CPPUNIT_TEST_SUITE_END();

    using taps_of = std::vector<std::complex<float>>;

    static std::vector<std::complex<double>> rotated(const taps_of& taps,
                                                     double center_freq)
    {
        return filter_channel({ sample_type::fc32, 1, taps, center_freq, 1.0 }).rotated();
    }

public:
    void linear_phase_is_found()
    {
        const auto found = [](const taps_of& taps, double frequency) {
            return find_linear_phase(rotated(taps, frequency));
        };
        for (const std::size_t count : { 1, 2, 31, 60 })
            for (const float sign : { 1.0f, -1.0f })
                for (const double frequency : { 0.0, 0.123, -0.49 }) {
                    const auto taps = mirrored_taps(count, 4, sign);
                    CPPUNIT_ASSERT(found(taps, frequency).is_linear);
                    auto other = taps;
                    other.front() *= 1.00001f;
                    CPPUNIT_ASSERT_EQUAL(count == 1, found(other, frequency).is_linear);
                }
        CPPUNIT_ASSERT(!found(random_taps(31, true, 2), 0.1).is_linear);
        CPPUNIT_ASSERT(!found(random_taps(31, false, 2), 0.1).is_linear);
        CPPUNIT_ASSERT(found(taps_of(9), 0.1).is_linear);
        // The phase of the middle tap, but for half a turn.
        const auto taps = rotated(mirrored_taps(31, 5), 0.1);
        const auto middle =
            taps[15] * (-find_linear_phase(taps).turn).phasor() / std::abs(taps[15]);
        CPPUNIT_ASSERT(std::abs(middle.imag()) < 1e-6);
    }

    void sizes_for_any_limits()
    {
        device_limits limits;
        for (const auto kind : { device_kind::cpu, device_kind::gpu })
            for (const std::size_t group : { 1, 12, 64, 1024 })
                for (const std::size_t memory : { 1024, 8192, 49152 })
                    for (const std::size_t decimation : { 1, 2, 7, 42, 1000 })
                        for (const std::size_t channels : { 1, 3, 64, 1024 }) {
                            limits.max_work_group_size = limits.max_work_item_sizes[0] =
                                group;
                            limits.local_memory = memory;
                            const auto shape = suggested_tiled_fold(
                                kind, limits, 64, decimation, channels);
                            CPPUNIT_ASSERT(shape.items() <= group);
                            CPPUNIT_ASSERT(shape.local_bytes() <= memory);
                            CPPUNIT_ASSERT(shape.step >= 1 && shape.step <= decimation);
                            CPPUNIT_ASSERT_EQUAL(std::size_t(0), 64 % shape.lanes);
                            CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                                                 shape.step * shape.blocks % shape.teams);
                            CPPUNIT_ASSERT(shape.item_channels <= channels);
                        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tiled_fold, "qa_tiled_fold");

} // namespace
