// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the fold on matrix units, which are emulated where there are none.

#include "fast_convolution/tensor_fold.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_fast_convolution_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"

#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! What is special to the variant that folds on matrix units, see
//! opencl_variants::mode().
class qa_tensor_fold : public fast_convolution_fixture
{
    CPPUNIT_TEST_SUITE(qa_tensor_fold);
    CPPUNIT_TEST(small_groups_are_refused);
    CPPUNIT_TEST(sums_of_every_shape);
    CPPUNIT_TEST(sums_of_every_size);
    CPPUNIT_TEST(rows_without_gains);
    CPPUNIT_TEST(sums_are_those_of_floats);
    CPPUNIT_TEST(nan_stays_nan);
    CPPUNIT_TEST(wrong_lanes_are_refused);
    CPPUNIT_TEST(gains_have_two_exact_parts);
    CPPUNIT_TEST(sizes_for_any_limits);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(device_without_matrix_units);
#endif
    CPPUNIT_TEST_SUITE_END();

    std::string variant() const override { return "tensor_fold"; }
    tensor_fold_shape shape_of(std::size_t rows,
                               std::size_t bins,
                               std::size_t tiles,
                               std::size_t parts,
                               std::size_t chunks) const
    {
        auto shape = suggested_tensor_fold(d_device->limits(), rows, 1, false, mode());
        shape.bins = bins;
        shape.tiles = tiles;
        shape.parts = parts;
        shape.chunks = shape.complex_chunks = chunks;
        return shape;
    }

    void check_sums(const tensor_fold_shape& shape, const tensor_fold_trial& trial) const
    {
        constexpr double bound_of_sums = 5e-7;
        const double error = tensor_fold_error(d_device, shape, trial);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(trial.channels) + " channels, " +
                                   std::to_string(trial.blocks) + " blocks, decimation " +
                                   std::to_string(trial.decimation) +
                                   (trial.real_gains ? ", real: " : ", complex: ") +
                                   std::to_string(error),
                               error < bound_of_sums);
    }

public:
    void small_groups_are_refused()
    {
        if (has_warps())
            return;
        const auto shape =
            suggested_tensor_fold(d_device->limits(), 16, 7, false, mode());
        assert_refused({ "variant", "tensor_fold", d_device->name() },
                       [&] { check_tensor_fold(d_device, shape); });
    }

    void sums_of_every_shape()
    {
        if (!has_warps())
            return;
        if (small_tests()) {
            for (const bool real_gains : { true, false })
                check_sums(shape_of(4, 2, 1, 2, 1), { 17, 9, 20, 0, 20, real_gains });
            return;
        }
        for (const auto& shape : { shape_of(2, 2, 1, 1, 1),
                                   shape_of(16, 1, 2, 2, 2),
                                   shape_of(16, 2, 2, 1, 3),
                                   shape_of(8, 2, 1, 2, 1) })
            for (const bool real_gains : { true, false })
                for (const std::size_t decimation : { 1, 42 })
                    check_sums(shape, { 21, 5, decimation, 0, decimation, real_gains });
        for (const bool is_large : { false, true }) {
            auto usual_shape = suggested_tensor_fold(
                d_device->limits(), 16, 42, is_large, tensor_mode::native);
            usual_shape.mode = mode();
            if ((mode() == tensor_mode::native ||
                 usual_shape.local_bytes() <= d_device->limits().local_memory) &&
                usual_shape.items() <= d_device->limits().max_work_group_size)
                check_tensor_fold(d_device, usual_shape);
        }
    }

    void nan_stays_nan()
    {
        if (!has_warps())
            return;
        const auto shape = shape_of(4, 2, 1, 1, 1);
        for (const bool real_gains : { true, false }) {
            const tensor_fold_trial trial{ 3, 2, 5, 0, 5, real_gains, true };
            CPPUNIT_ASSERT(std::isinf(tensor_fold_error(d_device, shape, trial)));
        }
    }

    void sums_of_every_size()
    {
        if (!has_warps() || small_tests())
            return;
        const auto shape = shape_of(4, 2, 1, 1, 1);
        for (const bool real_gains : { true, false }) {
            for (const std::size_t decimation : { 1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 100 })
                check_sums(shape, { 3, 2, decimation, 0, decimation, real_gains });
            for (const std::size_t channels : { 1, 2, 8, 9, 15, 16, 17, 32, 33, 70 })
                check_sums(shape, { channels, 1, 7, 0, 7, real_gains });
            for (std::size_t blocks = 1; blocks <= 9; ++blocks)
                check_sums(shape, { 1, blocks, 7, 0, 7, real_gains });
        }
    }

    //! Work-groups read no gains of these rows.
    void rows_without_gains()
    {
        if (!has_warps() || small_tests())
            return;
        const auto shape = shape_of(4, 2, 1, 1, 1);
        for (const bool real_gains : { true, false })
            for (const std::size_t first : { 0, 1, 6, 7, 8, 15, 16, 31, 39 })
                for (const std::size_t rows : { 1, 3, 10, 40 })
                    check_sums(shape,
                               { 17,
                                 3,
                                 40,
                                 first,
                                 std::min<std::size_t>(first + rows, 40),
                                 real_gains });
    }

    //! Three products of 11 bits each are as good as one of 24.
    void sums_are_those_of_floats()
    {
        if (!has_warps() || small_tests())
            return;
        for (const bool real_gains : { true, false }) {
            const double error = tensor_fold_error(
                d_device, shape_of(16, 2, 1, 1, 3), { 32, 8, 48, 0, 48, real_gains });
            CPPUNIT_ASSERT_MESSAGE(std::to_string(error * 1e7), error < 3e-7);
        }
    }

    //! A driver that puts a value into a wrong lane, or loses a part of it, gives sums
    //! that are not taken.
    void wrong_lanes_are_refused()
    {
        if (!has_warps() || small_tests())
            return;
        const auto source = kernel_source("tensor_fold");
        const std::vector<std::pair<std::string, std::string>> changes = {
            { "my_block + 4 * j + t;", "my_block + 4 * j + (t ^ 1);" },
            { "const uint channel = g + 8 * part,",
              "const uint channel = g + 8 * (1 - part)," },
            { "const uint row = (4 * t + i)", "const uint row = (4 * (t ^ 1) + i)" },
            { "const uint g = lane / 4;", "const uint g = lane / 4 ^ 1;" },
            { "multiply_add(small[j], rests,", "multiply_add(small[j], of_gains," },
            { "multiply_add(small[j], of_gains, low[j][c] + i EXCHANGE);", "" }
        };
        for (const auto& [right, wrong] : changes) {
            auto text = source;
            const auto at = text.find(right);
            CPPUNIT_ASSERT_MESSAGE(right, at != std::string::npos);
            text.replace(at, right.size(), wrong);
            const temporary_folder folder;
            folder.write("tensor_fold.cl", text);
            auto options = test_options();
            options.kernel_path = folder.path();
            const auto device = std::make_shared<context>(test_device(), options);
            assert_refused({ "variant", "wrong sums", device->name() },
                           [&] { check_tensor_fold(device, shape_of(4, 2, 1, 1, 1)); });
        }
    }

    void gains_have_two_exact_parts()
    {
        const auto upper = [](float value) {
            std::uint32_t bits;
            std::memcpy(&bits, &value, sizeof(bits));
            bits &= 0xffffe000u;
            std::memcpy(&value, &bits, sizeof(bits));
            return value;
        };
        for (float gain = 1e-20f; gain < 1e20f; gain *= -1.37f) {
            const float rounded = rounded_gain(gain);
            CPPUNIT_ASSERT(std::abs(rounded - gain) <= 0x1p-22f * std::abs(gain));
            const float rest = rounded - upper(rounded);
            CPPUNIT_ASSERT_EQUAL(rest, upper(rest));
            if (std::abs(gain) > 1e19f)
                break;
        }
        CPPUNIT_ASSERT_EQUAL(0.0f, rounded_gain(0));
        CPPUNIT_ASSERT(std::isnan(rounded_gain(std::nanf("0x3fffff"))));
        const float infinite = std::numeric_limits<float>::infinity();
        CPPUNIT_ASSERT_EQUAL(-infinite, rounded_gain(-infinite));
    }

    void sizes_for_any_limits()
    {
        auto limits = d_device->limits();
        for (const auto each : { tensor_mode::native, tensor_mode::emulated })
            for (const std::size_t group : { 1, 12, 128, 256, 1024 })
                for (const std::size_t rows : { 2, 4, 64, 4096 })
                    for (const std::size_t decimation : { 1, 2, 16, 17, 42, 1000 }) {
                        limits.max_work_group_size = limits.max_work_item_sizes[0] =
                            group;
                        limits.local_memory = 49152;
                        const auto shape = suggested_tensor_fold(
                            limits, rows, decimation, group > 128, each);
                        CPPUNIT_ASSERT_EQUAL(std::size_t(0), rows % shape.bins);
                        CPPUNIT_ASSERT(shape.items() <= group || group < 128);
                        CPPUNIT_ASSERT(shape.chunks >= 1 && shape.chunks <= 3);
                        CPPUNIT_ASSERT(shape.local_bytes() <=
                                       (may_use_large_tiles(limits, shape.items())
                                            ? 172032U
                                            : 49152U));
                    }
    }

    void device_without_matrix_units()
    {
        if (mode() == tensor_mode::native)
            return; // the other tests then run it
        freq_xlating_filter_bank_problem problem;
        problem.decimation = 4;
        problem.taps = { random_taps(21, true, 1) };
        problem.center_freqs.assign(20, 0.1);
        problem.sampling_freq = 1;
        freq_xlating_filter_bank_options options;
        options.device = test_device().id();
        options.variant = "tensor_fold";
        assert_refused(
            { "variant", "tensor_fold", "compute capability 8.0", d_device->name() },
            [&] { freq_xlating_filter_bank(problem, options, d_registry); });
        if (small_tests())
            return;
        // With "auto" another variant computes.
        options.variant = "auto";
        options.algorithm = "fast_convolution";
        const freq_xlating_filter_bank bank(problem, options, d_registry);
        CPPUNIT_ASSERT(bank.variant_name() != "tensor_fold");
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tensor_fold, "qa_tensor_fold");

} // namespace
