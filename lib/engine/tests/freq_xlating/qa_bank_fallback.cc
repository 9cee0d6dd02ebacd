// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the host takes over a bank whose device fails.

#include "tests/support/qa_bank_fixture.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of a bank on a device, and of the fallback if the device fails.
class qa_bank_fallback : public bank_fixture
{
    CPPUNIT_TEST_SUITE(qa_bank_fallback);
    CPPUNIT_TEST(lost_device);
    CPPUNIT_TEST(lost_device_while_changing);
    CPPUNIT_TEST(broken_programs_leave_the_host);
    CPPUNIT_TEST(zero_copy_in_stream_memory);
    CPPUNIT_TEST_SUITE_END();

    std::shared_ptr<context> device() { return d_registry.get(test_device()); }

public:
    void lost_device()
    {
        for (const char* transfer : { "copy", "mapped", "zero_copy" })
            for (const int after : { 0, 4, 31 }) {
                d_log.clear();
                bank_beside_singles both(problem(), on_device(transfer), d_registry, 5);
                CPPUNIT_ASSERT(!both.bank().fell_back());
                device()->inject_failure(injected_call::enqueue, after);
                // Runs to the failing call, and a little further.
                for (int i = 0; i < 100 && !both.bank().fell_back(); i++)
                    both.run(small_tests() ? 50 : 400, 0);
                both.run(small_tests() ? 50 : 400, 0);
                device()->inject_failure(injected_call::none);
                CPPUNIT_ASSERT(both.error() < -120);
                CPPUNIT_ASSERT(both.bank().fell_back());
                CPPUNIT_ASSERT_EQUAL(std::string("host"), both.bank().device_name());
                CPPUNIT_ASSERT(logged("clEnqueueNDRangeKernel"));
                assert_names(both.bank().plan(),
                             { both.bank().algorithm_name(), "host" });
            }
    }

    void lost_device_while_changing()
    {
        // Every bank allocates at least three buffers: input, taps and outputs.
        const std::pair<injected_call, std::vector<int>> failures[] = {
            { injected_call::enqueue, { 0, 2, 9 } },
            { injected_call::allocate, { 0, 1, 2 } }
        };
        for (const auto& [call, places] : failures)
            for (const int after : places) {
                bank_beside_singles both(problem(), on_device("copy"), d_registry, 6);
                device()->inject_failure(call, after);
                both.run(small_tests() ? 100 : 800, 30);
                device()->inject_failure(injected_call::none);
                CPPUNIT_ASSERT(both.error() < -120);
                CPPUNIT_ASSERT(both.bank().fell_back());
                CPPUNIT_ASSERT_EQUAL(std::string("host"), both.bank().device_name());
            }
    }

    void broken_programs_leave_the_host()
    {
        device()->inject_failure(injected_call::build);
        bank_beside_singles both(problem(), on_device("copy"), d_registry, 7);
        CPPUNIT_ASSERT(both.bank().fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), both.bank().device_name());
        CPPUNIT_ASSERT(logged("clBuildProgram"));
        both.run(200, 5);
        CPPUNIT_ASSERT(both.error() < -120);
    }

    void zero_copy_in_stream_memory()
    {
        const auto p = problem();
        freq_xlating_filter_bank bank(p, on_device("zero_copy"), d_registry);
        freq_xlating_filter_bank host(p, options("host"), d_registry);
        const std::size_t items = 32 + 4000;
        const auto bytes = noise(p.input, items, 2);
        const std::size_t page = 4096;
        const std::size_t room = (bytes.size() + page - 1) / page * page;
        const std::unique_ptr<void, decltype(&std::free)> memory(
            std::aligned_alloc(page, room), &std::free);
        std::copy(bytes.begin(), bytes.end(), static_cast<unsigned char*>(memory.get()));
        bank.set_stream_memory({ memory.get(), room });
        bank_outputs a(3, 1000), b(3, 1000);
        for (std::size_t done = 0; done < 1000; done += 250) {
            const auto* at =
                static_cast<const std::complex<float>*>(memory.get()) + 4 * done;
            bank.process(at, 32 + 1000, a.at(done).data(), 250);
            host.process(at, 32 + 1000, b.at(done).data(), 250);
        }
        bank.set_stream_memory({});
        for (std::size_t c = 0; c < 3; c++) {
            const std::vector<std::complex<double>> want(b[c].begin(), b[c].end());
            CPPUNIT_ASSERT(error_db(a[c], want) < -120);
        }
        CPPUNIT_ASSERT(!bank.fell_back());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_bank_fallback, "qa_bank_fallback");

} // namespace
