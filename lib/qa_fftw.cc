// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of FFTW's planner, which this module's filters share with GNU Radio.

#include "engine/tests/support/qa_process.h"

#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/fft/fft.h>
#include <cldsp/fftw_planner.h>
#include <cppunit/extensions/HelperMacros.h>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using gr::cldsp::freq_xlating_fir_filter_ccf;

//! The seconds of the tests in which several threads plan; CLDSP_TEST_SECONDS may set
//! another time.
double test_seconds()
{
    const char* asked = std::getenv("CLDSP_TEST_SECONDS");
    return asked ? std::atof(asked) : 2;
}

} // namespace

// Tests of FFTW's planner, which this module's filters share with gr::fft.
class qa_fftw : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_fftw);
    CPPUNIT_TEST(filters_beside_gnuradio);
    CPPUNIT_TEST(program_has_passed_the_mutex_of_gnuradio);
    CPPUNIT_TEST(program_has_passed_another_lock);
    CPPUNIT_TEST_SUITE_END();

    // Makes a filter whose transforms use FFTW, because their sizes have no faster
    // method.
    static void make_filter(const std::string& variant, int decimation, std::size_t taps)
    {
        freq_xlating_fir_filter_ccf::make(decimation,
                                          std::vector<float>(taps, 0.01f),
                                          0.1,
                                          1,
                                          "host",
                                          variant,
                                          "auto",
                                          "fast_convolution");
    }

    //! Passes \p lock to the engine in a separate process, and makes a filter there.
    //! \param refused whether the filter has to be refused because of the lock
    template <class LOCKABLE>
    static void make_filter_after(const std::string& name, LOCKABLE& lock, bool refused)
    {
        if (!cldsp::is_child()) {
            CPPUNIT_ASSERT(cldsp::succeeded(cldsp::start_again("qa_fftw::" + name, {})));
            return;
        }
        cldsp::share_fftw_planner(lock);
        const auto make = [] { make_filter("selected_bins", 10, 301); };
        if (refused)
            CPPUNIT_ASSERT_THROW(make(), std::invalid_argument);
        else
            make();
    }

    void program_has_passed_the_mutex_of_gnuradio()
    {
        make_filter_after(
            "program_has_passed_the_mutex_of_gnuradio", gr::fft::planner::mutex(), false);
    }

    void program_has_passed_another_lock()
    {
        static std::mutex other;
        make_filter_after("program_has_passed_another_lock", other, true);
    }

    //! Calls \p action with the numbers from 0 on for the time of the test, and at least
    //! once.
    template <class ACTION>
    static void for_the_time(const ACTION& action)
    {
        const auto end = std::chrono::steady_clock::now() +
                         std::chrono::duration<double>(test_seconds());
        std::size_t i = 0;
        do
            action(i++);
        while (std::chrono::steady_clock::now() < end);
    }

    // The test runs in a separate process with its own home folder, because it looks for
    // damage to the heap.
    void filters_beside_gnuradio()
    {
        if (!cldsp::is_child()) {
            const cldsp::temporary_folder home;
            CPPUNIT_ASSERT(cldsp::succeeded(
                cldsp::start_again("qa_fftw::filters_beside_gnuradio",
                                   { { "HOME", home.path() },
                                     { "XDG_CACHE_HOME", home.path() },
                                     { "GR_CACHE_PATH", "" },
                                     { "GR_CONF_CLDSP_CACHE_FOLDER", home.path() } })));
            return;
        }
        std::size_t made[3] = {};
        cldsp::in_threads(3, [&](int thread) {
            for_the_time([&](std::size_t i) {
                if (thread == 0)
                    gr::fft::fft_complex_fwd(static_cast<int>(50 + i % 200));
                else if (thread == 1)
                    make_filter("selected_bins", 10, 301);
                else
                    make_filter("polyphase", 14, 100 + 50 * (i % 4));
                made[thread] = i + 1;
            });
        });
        std::cout << made[0] << " transforms of GNU Radio's, " << made[1] << " and "
                  << made[2] << " filters\n";
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_fftw);
