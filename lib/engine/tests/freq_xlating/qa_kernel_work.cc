// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the operations and bytes of a call are counted rightly.

#include <cldsp/kernel_work.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>
#include <string>

using namespace cldsp;

class qa_kernel_work : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_kernel_work);
    CPPUNIT_TEST(direct);
    CPPUNIT_TEST(bytes);
    CPPUNIT_TEST(fast_convolution);
    CPPUNIT_TEST(fraction);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

    static freq_xlating_filter_bank_problem
    bank(std::size_t taps, std::size_t decimation, std::size_t channels, bool real = true)
    {
        freq_xlating_filter_bank_problem problem;
        problem.decimation = decimation;
        problem.taps = { std::vector<std::complex<float>>(
            taps, std::complex<float>(1, real ? 0 : 1)) };
        problem.center_freqs.assign(channels, 0.1);
        return problem;
    }

    void direct()
    {
        const auto operations = [](const char* variant, bool real) {
            return filter_work(bank(100, 5, 3, real), variant, 0, 0, 20).operations;
        };
        const double complex = 8.0 * 100 * 20 * 3;
        CPPUNIT_ASSERT_EQUAL(complex, operations("naive", true));
        CPPUNIT_ASSERT_EQUAL(complex, operations("volk", true));
        CPPUNIT_ASSERT_EQUAL(complex, operations("simd", false));
        CPPUNIT_ASSERT_EQUAL(complex / 2, operations("simd", true));
        CPPUNIT_ASSERT_EQUAL(complex / 2, operations("cpu_tile", true));
    }

    void bytes()
    {
        auto problem = bank(100, 5, 3);
        CPPUNIT_ASSERT_EQUAL(20.0 * (5 * 8 + 3 * 8),
                             filter_work(problem, "simd", 0, 0, 20).bytes);
        problem.input = sample_type::cu8;
        CPPUNIT_ASSERT_EQUAL(20.0 * (5 * 2 + 3 * 8),
                             filter_work(problem, "simd", 0, 0, 20).bytes);
    }

    void fast_convolution()
    {
        // With an exact accuracy all bins are kept. In a block of 64 rows at decimation
        // 4, 41 taps invalidate 10 outputs.
        const double forward = 5.0 * 256 * 8, inverse = 5.0 * 64 * 6;
        const auto work = filter_work(bank(41, 4, 1), "selected_bins", 64, 0, 54);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(
            forward + 8 * 256 + inverse + 54 * 6, work.operations, 1);
        // Further channels share the forward transform.
        const auto two = filter_work(bank(41, 4, 2), "selected_bins", 64, 0, 54);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(
            forward + 2 * (8 * 256 + inverse + 54 * 6), two.operations, 1);
        // Twice as many outputs need twice as many blocks.
        const auto longer = filter_work(bank(41, 4, 1), "vkfft", 64, 0, 108);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(2 * work.operations, longer.operations, 1);
        for (const char* variant : { "polyphase",
                                     "selected_bins",
                                     "fused_fold",
                                     "tiled_fold",
                                     "tensor_fold",
                                     "dft_bank",
                                     "vkfft" })
            CPPUNIT_ASSERT(
                filter_work(bank(2429, 42, 1), variant, 256, 1e-5, 1000).operations > 0);
        CPPUNIT_ASSERT(
            filter_work(bank(101, 1, 1), "four_step", 4096, 0, 1000).operations > 0);
        // Fast convolution needs fewer operations than the direct algorithm.
        CPPUNIT_ASSERT(
            filter_work(bank(2429, 1, 1), "four_step", 16384, 0, 1000).operations <
            filter_work(bank(2429, 1, 1), "simd", 0, 0, 1000).operations);
    }

    void fraction()
    {
        kernel_work work;
        work.operations = 1000;
        work.bytes = 10;
        roofline roof;
        CPPUNIT_ASSERT_EQUAL(0.0, work.fraction_of(roof, 1));
        roof.fp32 = 4000;
        CPPUNIT_ASSERT_EQUAL(0.5, work.fraction_of(roof, 0.5));
        CPPUNIT_ASSERT_EQUAL(0.0, work.fraction_of(roof, 0));
        roof.global_read = 20; // 2000 operations per second
        CPPUNIT_ASSERT_EQUAL(1.0, work.fraction_of(roof, 0.5));
        CPPUNIT_ASSERT_EQUAL(0.0, kernel_work().fraction_of(roof, 1));
    }

    void bad_arguments()
    {
        CPPUNIT_ASSERT_THROW(filter_work(bank(41, 4, 1), "none", 64, 0, 54),
                             std::invalid_argument);
        CPPUNIT_ASSERT_THROW(filter_work(bank(41, 4, 1), "selected_bins", 8, 0, 54),
                             std::invalid_argument);
        CPPUNIT_ASSERT_THROW(filter_work(bank(41, 4, 1), "selected_bins", 0, 0, 54),
                             std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_kernel_work, "qa_kernel_work");
