// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that no OpenCL driver is loaded where only the host computes.

#include "tests/support/qa_bank_of_one.h"
#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_process.h"

#include <cldsp/cldsp.h>
#include <cldsp/context.h>
#include <cldsp/correlator.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>
#include <cldsp/opencl_platforms.h>
#include <cldsp/stream_matrix.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <fstream>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

// A driver may end the process when it is loaded. So where the host computes, the OpenCL
// loader must not even look for drivers. On a machine with PoCL its library shows that.
bool has_pocl_loaded()
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("libpocl") != std::string::npos)
            return true;
    return false;
}

context_options memory_only()
{
    context_options options;
    options.disk_cache = false;
    options.wisdom_file = false;
    return options;
}

struct choice {
    std::string device, variant;
};

} // namespace

class qa_host_alone : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_alone);
    CPPUNIT_TEST(filters_and_banks_load_no_driver);
    CPPUNIT_TEST(products_load_no_driver);
    CPPUNIT_TEST(the_library_loads_no_driver);
    CPPUNIT_TEST(a_listing_loads_the_drivers);
    CPPUNIT_TEST_SUITE_END();

    //! Runs a test in a process that has not listed any device.
    template <class Action>
    static void alone(const std::string& test, const Action& action)
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(succeeded(start_again("qa_host_alone::" + test, {})));
            return;
        }
        action();
    }

    static void assert_no_driver(const std::string& what)
    {
        CPPUNIT_ASSERT_MESSAGE(what + " has loaded a driver", !has_pocl_loaded());
    }

    // The variant of the host also decides where the device is left open.
    static std::vector<choice> choices()
    {
        return { { "host", "auto" }, { " Host ", "simd" }, { "auto", "simd" } };
    }

    void filters_and_banks_load_no_driver()
    {
        alone("filters_and_banks_load_no_driver", [] {
            context_registry registry(memory_only());
            const std::vector<std::complex<float>> in(4000, 1);
            for (const auto& [device, variant] : choices()) {
                freq_xlating_fir_problem problem;
                problem.taps = random_taps(30, false, 1);
                problem.decimation = 3;
                one_thread_options options;
                options.device = device;
                options.variant = variant;
                freq_xlating_filter_bank filter(bank_of_one(problem), options, registry);
                std::vector<std::complex<float>> out(1000);
                CPPUNIT_ASSERT(
                    process(filter, in.data(), in.size(), { out.data(), out.size() })
                        .produced > 0);
                assert_no_driver("a filter");

                freq_xlating_filter_bank_problem bank;
                bank.taps = { random_taps(30, false, 1) };
                bank.center_freqs = { 0, 0.1, -0.2 };
                bank.decimation = 3;
                freq_xlating_filter_bank_options wish;
                wish.device = device;
                wish.variant = variant;
                freq_xlating_filter_bank equal(bank, wish, registry);
                bank.rates = { { 1, 3 }, { 1, 4 }, { 2, 5 } };
                if (variant == "auto")
                    freq_xlating_filter_bank different(bank, wish, registry);
                assert_no_driver("a bank");
            }
        });
    }

    void products_load_no_driver()
    {
        alone("products_load_no_driver", [] {
            context_registry registry(memory_only());
            for (const auto& [device, variant] : choices()) {
                gemm_options options;
                options.device = device;
                options.variant = variant;
                gemm(gemm_type::f32, { 16, 16, 16 }, options, registry);
                assert_no_driver("a product");
                stream_matrix(gemm_type::c32, 64, 64, 4096, options, registry);
                assert_no_driver("a matrix of streams");
                const std::vector<std::vector<std::uint8_t>> codes(
                    4, std::vector<std::uint8_t>(8, 0x5a));
                gemm_1bit(codes, 64, 1000, options, registry);
                assert_no_driver("a 1-bit product");
                correlator_options correlation;
                correlation.device = device;
                correlation.variant = variant;
                correlator(sample_type::fc32, 16, 4096, 4096, correlation, registry);
                assert_no_driver("a correlator");
            }
            // The host computes these, whatever devices there are.
            stream_matrix(gemm_type::f32, 2, 2, 64, gemm_options(), registry);
            correlator(sample_type::fc32, 2, 64, 64, correlator_options(), registry);
            assert_no_driver("small work");
        });
    }

    void the_library_loads_no_driver()
    {
        alone("the_library_loads_no_driver", [] {
            cldsp_context_config settings = cldsp_context_defaults();
            settings.no_files = 1;
            cldsp_context* context = nullptr;
            CPPUNIT_ASSERT_EQUAL(CLDSP_OK, cldsp_context_new(&settings, &context));
            assert_no_driver("a context");

            const float ones[20] = { 1 };
            const double center_freqs[] = { 0, 0.25 };
            cldsp_taps taps = {};
            taps.real_taps = ones;
            taps.count = 20;
            cldsp_filter_bank_config config = cldsp_filter_bank_defaults();
            config.device = "host";
            config.center_freqs = center_freqs;
            config.channels = 2;
            config.taps = &taps;
            config.tap_lists = 1;
            cldsp_filter_bank* bank = nullptr;
            CPPUNIT_ASSERT_EQUAL(CLDSP_OK,
                                 cldsp_filter_bank_new(context, &config, &bank));
            assert_no_driver("a bank");
            cldsp_filter_bank_free(bank);
            cldsp_context_free(context);
        });
    }

    // Otherwise the tests above could not fail.
    void a_listing_loads_the_drivers()
    {
        alone("a_listing_loads_the_drivers", [] {
            bool pocl = false;
            for (const auto& device : list_devices())
                pocl = pocl || device.is_pocl;
            CPPUNIT_ASSERT_EQUAL(pocl, pocl && has_pocl_loaded());
        });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_alone, "qa_host_alone");
