// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that engines survive a lack of memory at any point of their changes.

// This program replaces the functions that allocate aligned memory, which the arrays of
// transforms and responses use.

#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "freq_xlating/bank_selection.h"
#include "tests/support/qa_bank_executor_support.h"
#include "tests/support/qa_bank_of_rates.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

namespace {

// The number of allocations that succeed before one fails; negative: none fails.
std::atomic<long> allocations_left{ -1 };

} // namespace

void* operator new(std::size_t size, std::align_val_t alignment)
{
    if (allocations_left >= 0 && allocations_left-- == 0)
        throw std::bad_alloc();
    const auto step = static_cast<std::size_t>(alignment);
    void* const memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (!memory)
        throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

namespace cldsp {

class qa_missing_memory : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_missing_memory);
    CPPUNIT_TEST(blocks_of_every_method);
    CPPUNIT_TEST(responses_of_channels_with_rates);
    CPPUNIT_TEST(choosing_for_channels_with_rates);
    CPPUNIT_TEST(a_matrix_that_is_held);
    CPPUNIT_TEST_SUITE_END();

public:
    //! Memory is missing at any point where blocks and responses are made for longer
    //! taps. The next call makes all that is missing.
    void blocks_of_every_method()
    {
        for (const auto* method : overlap_save_methods()) {
            const std::size_t decimation = method->covers(7, 64) ? 7 : 1;
            const auto channels_of = [&](std::size_t taps) {
                return make_channels(sample_type::cs16, decimation, taps, 3, false);
            };
            const auto channels = channels_of(60), longer = channels_of(600);
            std::size_t failures = 0;
            stream_case after(longer, 300);
            for (long left = 0; left < 100; left += 1 + left / 4) {
                const auto bank = make_host_fast_convolution(
                    method->name, channels, 0, 0, std::make_shared<thread_pool>(1));
                stream_case(channels, 50).run(*bank);
                for (std::size_t c = 0; c < longer.size(); c++)
                    bank->configure(c, longer[c]);
                allocations_left = left;
                try {
                    after.again();
                    after.run(*bank);
                } catch (const std::bad_alloc&) {
                    failures++;
                }
                allocations_left = -1;
                after.again();
                after.run(*bank);
                CPPUNIT_ASSERT_MESSAGE(
                    method->name + ", " + std::to_string(left) +
                        " allocations: " + std::to_string(after.error()) + " dB",
                    after.error() < -120);
            }
            CPPUNIT_ASSERT_MESSAGE(method->name, failures > 5);
        }
    }

    //! Memory is missing at any point of the preparation of responses, half-made ones
    //! included. The next call makes all that is missing.
    void responses_of_channels_with_rates()
    {
        const std::size_t items = small_tests() ? 2000 : 6000;
        bank_of_rates bank(
            sample_type::fc32, { { 1, 8 }, { 1, 16 }, { 1, 24 } }, { 3, 18, 1 }, items);
        std::size_t failures = 0;
        for (long left = 0; left < 100; left += 1 + left / 4) {
            const auto executor =
                bank.make([](const multirate_block&) { return 1536; }, 1);
            allocations_left = left;
            try {
                bank.error(*executor, items, 1);
            } catch (const std::bad_alloc&) {
                failures++;
            }
            allocations_left = -1;
            const double error = bank.error(*executor, items / 2, 2);
            CPPUNIT_ASSERT_MESSAGE(std::to_string(left) +
                                       " allocations: " + std::to_string(error) + " dB",
                                   error < -120);
        }
        CPPUNIT_ASSERT(failures > 10);
    }

    //! A bank is made in another way where memory is missing for one.
    void choosing_for_channels_with_rates()
    {
        freq_xlating_filter_bank_problem problem;
        problem.input = sample_type::fc32;
        problem.taps = { std::vector<std::complex<float>>(301, 0.003f) };
        problem.center_freqs = { 0, 0.1, 0.2, 0.3 };
        problem.sampling_freq = 1;
        problem.rates = { { 3, 64 }, { 1, 24 }, { 1, 48 }, { 7, 50 } };
        freq_xlating_filter_bank_options options;
        options.device = "host";
        options.threads = 2;
        std::size_t lacks = 0;
        options.log = [&](log_level, const std::string& text) {
            lacks +=
                text.find("is left out: there is not enough memory") != std::string::npos
                    ? 1
                    : 0;
        };
        for (long left = 0; left < 100; left += 1 + left / 3) {
            allocations_left = left;
            const auto selected =
                host_instead(problem, options, host_rates(), std::string());
            allocations_left = -1;
            CPPUNIT_ASSERT(selected.executor);
        }
        CPPUNIT_ASSERT(lacks > 3);
    }

    //! The old matrix is held as long as there is no memory for the new one.
    void a_matrix_that_is_held()
    {
        context_registry registry;
        gemm_options options;
        options.device = "host";
        gemm product(gemm_type::f32, { 1, 64, 64 }, options, registry);
        const std::vector<float> ones(64, 1), twos(64 * 64, 2);
        std::vector<float> c(64);
        product.hold_b(8, 8, { ones.data(), 8 });
        allocations_left = 0;
        CPPUNIT_ASSERT_THROW(product.hold_b(64, 64, { twos.data(), 64 }), std::bad_alloc);
        allocations_left = -1;
        product.multiply_held(1, 1, { ones.data(), 8 }, 0, { c.data(), 8 });
        CPPUNIT_ASSERT_EQUAL(8.0f, c[7]);
        product.hold_b(64, 64, { twos.data(), 64 });
        product.multiply_held(1, 1, { ones.data(), 64 }, 0, { c.data(), 64 });
        CPPUNIT_ASSERT_EQUAL(128.0f, c[63]);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_missing_memory, "qa_missing_memory");

} // namespace cldsp
