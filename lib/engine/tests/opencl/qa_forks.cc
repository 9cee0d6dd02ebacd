// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that a forked child leaves the devices of its parent alone.

#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_support.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/freq_xlating_filter_bank.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace cldsp;

namespace {

/*!
 * A child of fork() has none of the threads that run a device's commands. It uses the
 * host, at once.
 */
class qa_forks : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_forks);
    CPPUNIT_TEST(devices_of_a_child);
    CPPUNIT_TEST(filter_of_the_parent);
    CPPUNIT_TEST_SUITE_END();

    // A wait for a device that does not answer takes a minute or more.
    static constexpr unsigned seconds = 40;

    //! Runs \p work in a child. \return whether it returned true in time
    static bool child(const std::function<bool()>& work)
    {
        // A lock of a driver's that one of its threads held just now would stay locked in
        // the child, so these threads get the time to go to sleep.
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        const pid_t process = fork();
        CPPUNIT_ASSERT(process >= 0);
        if (process == 0) {
            alarm(seconds);
            bool good = false;
            try {
                good = work();
            } catch (...) {
            }
            _exit(good ? 0 : 1);
        }
        int status = -1;
        CPPUNIT_ASSERT_EQUAL(process, waitpid(process, &status, 0));
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

public:
    void devices_of_a_child()
    {
        const auto devices = list_devices();
        CPPUNIT_ASSERT(child([] {
            const auto found = list_devices();
            return found.size() == 1 && found.front().is_host();
        }));
        // The parent keeps its devices.
        CPPUNIT_ASSERT_EQUAL(devices.size(), list_devices().size());
    }

    void filter_of_the_parent()
    {
        freq_xlating_fir_problem problem;
        problem.decimation = 4;
        problem.taps = random_taps(31, false, 1);
        problem.sampling_freq = 1;
        problem.center_freq = 0.1;
        context_registry registry(test_options());
        one_thread_options options;
        options.device = test_device().id();
        const std::size_t outputs = 1000, items = 30 + 4 * outputs;
        const std::vector<std::complex<float>> in(items, 1.0f);

        const auto run = [&](freq_xlating_filter_bank& filter) {
            std::vector<std::complex<float>> out(outputs);
            const auto result =
                process(filter, in.data(), items, { out.data(), outputs });
            CPPUNIT_ASSERT_EQUAL(outputs, result.produced);
            return out;
        };
        freq_xlating_filter_bank filter(bank_of_one(problem), options, registry);
        freq_xlating_filter_bank other(bank_of_one(problem), options, registry);
        run(filter);
        run(other);
        const auto expected = run(other);
        CPPUNIT_ASSERT(child([&] {
            const auto got = run(filter);
            double largest = 0;
            for (std::size_t i = 0; i < outputs; i++)
                largest = std::max<double>(largest, std::abs(got[i] - expected[i]));
            return largest < 1e-4 && filter.fell_back();
        }));
        CPPUNIT_ASSERT(run(filter) == expected);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_forks, "qa_forks");

} // namespace
