// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that the host replaces a device that computes nothing, without an error.

#include "opencl/kernel_source.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <complex>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Changes a kernel file so that its kernels return before they have done anything.
std::string idle_kernels(std::string source)
{
    const std::string head = "__kernel";
    for (auto at = source.find(head); at != std::string::npos;
         at = source.find(head, at)) {
        // The body of the kernel comes after its arguments and attributes.
        at += head.size();
        for (int depth = 0; at < source.size() && (depth || source[at] != '{'); at++)
            depth += (source[at] == '(') - (source[at] == ')');
        if (at < source.size())
            source.insert(at + 1, " return;");
    }
    // The arguments of a kernel may also end in this way.
    const std::string other = "\n)\n{\n";
    for (auto at = source.find(other); at != std::string::npos;
         at = source.find(other, at + 1))
        source.insert(at + other.size() - 1, " return;");
    return source;
}

//! A device that runs every kernel without an error, and computes nothing.
class qa_nonsense_device : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_nonsense_device);
    CPPUNIT_TEST(a_filter_leaves_it_for_the_host);
    CPPUNIT_TEST(a_filter_with_every_transfer);
    CPPUNIT_TEST(a_filter_with_a_free_choice);
    CPPUNIT_TEST(fast_convolution_leaves_it_for_the_host);
    CPPUNIT_TEST(a_bank_leaves_it_for_the_host);
    CPPUNIT_TEST(products_leave_it_for_the_host);
    CPPUNIT_TEST(correlations_leave_it_for_the_host);
    CPPUNIT_TEST_SUITE_END();

    temporary_folder d_folder;
    std::vector<std::string> d_log;
    std::unique_ptr<context_registry> d_registry;
    const std::string d_device = test_device().id();

    template <class Options>
    Options options()
    {
        Options result;
        result.device = d_device;
        result.log = [this](log_level, const std::string& text) {
            d_log.push_back(text);
        };
        return result;
    }

    bool logged(const std::string& part) const
    {
        return std::any_of(d_log.begin(), d_log.end(), [&](const auto& line) {
            return line.find(part) != std::string::npos;
        });
    }

    template <class Engine>
    void check_left(const Engine& engine)
    {
        CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
        CPPUNIT_ASSERT(engine.fell_back());
        CPPUNIT_ASSERT(logged(" on '" + test_device().name + "'"));
        CPPUNIT_ASSERT(logged(" is left out: its outputs "));
        CPPUNIT_ASSERT(logged("the host computes instead: device '" + test_device().name +
                              "': its outputs "));
    }

    void check_filter(one_thread_options asked)
    {
        const auto problem = make_fir_problem(sample_type::fc32, 2, 9, true);
        freq_xlating_filter_bank filter(bank_of_one(problem), asked, *d_registry);
        check_left(filter);
    }

public:
    void setUp() override
    {
        auto test = test_options();
        test.kernel_path = d_folder.path();
        test.disk_cache = false;
        for (const auto& name : kernel_names()) {
            std::ofstream(d_folder.path() + "/" + name + ".cl")
                << idle_kernels(kernel_source(name));
        }
        d_registry = std::make_unique<context_registry>(test);
    }

    void a_filter_leaves_it_for_the_host()
    {
        auto asked = options<one_thread_options>();
        asked.algorithm = "direct";
        check_filter(asked);
    }

    void a_filter_with_every_transfer()
    {
        for (const char* transfer : { "copy", "mapped", "zero_copy" }) {
            auto asked = options<one_thread_options>();
            asked.algorithm = "direct";
            asked.transfer = transfer;
            d_log.clear();
            check_filter(asked);
        }
    }

    void a_filter_with_a_free_choice()
    {
        auto asked = options<one_thread_options>();
        asked.device = "auto";
        const auto problem = make_fir_problem(sample_type::cs16, 3, 1000, false);
        const freq_xlating_filter_bank filter(bank_of_one(problem), asked, *d_registry);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), filter.device_name());
        CPPUNIT_ASSERT(!filter.fell_back());
    }

    void fast_convolution_leaves_it_for_the_host()
    {
        auto asked = options<one_thread_options>();
        asked.algorithm = "fast_convolution";
        asked.accuracy = 0.1;
        check_filter(asked);
    }

    void a_bank_leaves_it_for_the_host()
    {
        auto asked = options<freq_xlating_filter_bank_options>();
        asked.algorithm = "direct";
        freq_xlating_filter_bank_problem problem;
        problem.decimation = 4;
        problem.center_freqs = { 0.1, 0.2, -0.3 };
        problem.taps = { random_taps(30, true, 1),
                         random_taps(20, false, 2),
                         random_taps(40, true, 3) };
        const freq_xlating_filter_bank bank(problem, asked, *d_registry);
        check_left(bank);
    }

    void products_leave_it_for_the_host()
    {
        for (const auto type : { gemm_type::f32, gemm_type::c32, gemm_type::f16 }) {
            d_log.clear();
            const gemm engine(type, { 40, 50, 60 }, options<gemm_options>(), *d_registry);
            check_left(engine);
        }
    }

    void correlations_leave_it_for_the_host()
    {
        const auto codes = std::vector<std::vector<std::uint8_t>>{ random_bytes(8, 1),
                                                                   random_bytes(8, 2) };
        const gemm_1bit engine(codes, 64, 100, options<gemm_options>(), *d_registry);
        check_left(engine);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_nonsense_device, "qa_nonsense_device");

} // namespace
