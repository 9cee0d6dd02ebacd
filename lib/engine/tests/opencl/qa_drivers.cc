// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that drivers which fail end another process, and that verdicts are remembered.

#include "opencl/icd_search.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/context.h>
#include <cldsp/drivers.h>
#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>

using namespace cldsp;

namespace {

//! Each test runs in a process of its own, because the loader reads its variables once.
class qa_drivers : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_drivers);
    CPPUNIT_TEST(bad_driver_alone);
    CPPUNIT_TEST(good_driver_beside_a_bad_one);
    CPPUNIT_TEST(verdict_is_remembered);
    CPPUNIT_TEST(verdict_depends_on_the_drivers);
    CPPUNIT_TEST(listing_loads_no_driver);
    CPPUNIT_TEST(at_once_only_what_is_known);
    CPPUNIT_TEST(without_a_child_only_named_devices);
    CPPUNIT_TEST(policy_of_the_context);
    CPPUNIT_TEST(children_of_others);
    CPPUNIT_TEST(stopped_trial_leaves_no_child);
    CPPUNIT_TEST(killed_parent_leaves_no_child);
    CPPUNIT_TEST(verdict_as_text);
    CPPUNIT_TEST_SUITE_END();

    using variables = std::vector<std::pair<const char*, std::string>>;
    // All ways to fail but that of hanging, which takes as long as a driver may.
    static constexpr const char* failures[] = {
        "crash_on_load",     "crash_on_platforms", "crash",
        "exit_on_platforms", "corrupt_heap",       "print",
        "crash_at_exit",
    };

    //! The .icd files of the machine, in which PoCL's may be.
    static std::vector<icd_entry> drivers_of_machine()
    {
        std::vector<icd_entry> all;
        for (const auto& search : search_icds(true))
            for (const auto& entry : search.entries)
                if (entry.error.empty())
                    all.push_back(entry);
        return all;
    }

    static bool is_loaded(const std::string& library)
    {
        return ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD) != nullptr;
    }

    static std::string fake_library() { return environment("CLDSP_FAKE_ICD_LIBRARY"); }

    //! A folder with the drivers of this machine, of which one may be the fake, and with
    //! a cache folder.
    struct machine {
        temporary_folder folder;
        bool has_good;

        machine(bool good, bool bad) : has_good(good)
        {
            std::filesystem::create_directory(folder.path("vendors"));
            if (good)
                for (const auto& driver : drivers_of_machine())
                    folder.write("vendors/" + driver.name(), driver.library + "\n");
            if (bad)
                folder.write("vendors/broken.icd", fake_library() + "\n");
        }

        variables with(variables more) const
        {
            more.insert(more.end(),
                        { { "OCL_ICD_VENDORS", folder.path("vendors") },
                          { "OCL_ICD_FILENAMES", "" },
                          { "XDG_CACHE_HOME", folder.path("cache") } });
            return more;
        }
    };

    static bool again(const std::string& test, const variables& values)
    {
        return succeeded(start_again("qa_drivers::" + test, values));
    }

    static std::size_t opencl_devices() { return list_devices().size() - 1; }

    //! Whether this machine has a device at all, without which some tests show nothing.
    static bool has_device()
    {
        device_listing how = standard_listing();
        how.drivers = driver_policy::prove;
        return list_devices(how).size() > 1;
    }

public:
    void bad_driver_alone()
    {
        if (!is_child()) {
            for (const auto* how : failures) {
                const machine one(false, true);
                CPPUNIT_ASSERT_MESSAGE(
                    how,
                    again("bad_driver_alone", one.with({ { "CLDSP_FAKE_ICD", how } })));
            }
            return;
        }
        int warnings = 0;
        std::string told;
        const auto log = [&](log_level level, const std::string& text) {
            warnings += level == log_level::warning;
            told += text + "\n";
        };
        for (int i = 0; i < 3; i++) {
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), list_devices(log).size());
            CPPUNIT_ASSERT(find_devices("auto", log).front().is_host());
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE(told, 1, warnings);
        CPPUNIT_ASSERT_MESSAGE(
            told,
            told.find("OpenCL is not used: the driver of 'broken.icd'") !=
                std::string::npos);
        CPPUNIT_ASSERT(told.find("cldsp doctor") != std::string::npos);
        assert_refused({ "'gpu'", "broken.icd" }, [] { find_devices("gpu"); });
        CPPUNIT_ASSERT(!is_loaded(fake_library()));
    }

    void good_driver_beside_a_bad_one()
    {
        if (!is_child()) {
            if (!has_device())
                return;
            for (const auto* how : failures) {
                const machine both(true, true);
                CPPUNIT_ASSERT_MESSAGE(how,
                                       again("good_driver_beside_a_bad_one",
                                             both.with({ { "CLDSP_FAKE_ICD", how } })));
            }
            return;
        }
        const std::string vendors = environment("OCL_ICD_VENDORS");
        std::string told;
        const auto devices = list_devices(
            [&](log_level, const std::string& text) { told += text + "\n"; });
        CPPUNIT_ASSERT_MESSAGE(told, devices.size() > 1);
        CPPUNIT_ASSERT_MESSAGE(
            told,
            told.find("an OpenCL driver is not used: the driver of 'broken.icd'") !=
                std::string::npos);
        const context on(devices.front(), context_options());
        CPPUNIT_ASSERT_EQUAL(devices.front().name,
                             std::string(on.cl_device().getInfo<CL_DEVICE_NAME>()));
        CPPUNIT_ASSERT(!is_loaded(fake_library()));
        CPPUNIT_ASSERT_EQUAL(vendors, environment("OCL_ICD_VENDORS"));
    }

    void verdict_is_remembered()
    {
        if (!is_child()) {
            const machine both(true, true);
            const variables how = { { "CLDSP_FAKE_ICD", "crash" } };
            CPPUNIT_ASSERT(again("verdict_is_remembered", both.with(how)));
            auto later = how;
            later.emplace_back("CLDSP_CHECK_DRIVER", "/nonexistent");
            later.emplace_back("CLDSP_TEST_DEVICES", std::to_string(has_device()));
            CPPUNIT_ASSERT(again("verdict_is_remembered", both.with(later)));
            return;
        }
        const bool has = opencl_devices() > 0;
        if (!environment("CLDSP_TEST_DEVICES").empty())
            CPPUNIT_ASSERT_EQUAL(environment("CLDSP_TEST_DEVICES"), std::to_string(has));
    }

    void verdict_depends_on_the_drivers()
    {
        if (!is_child()) {
            const machine one(false, true);
            const std::string test = "verdict_depends_on_the_drivers";
            const auto known = [&](const char* is, variables more) {
                more.emplace_back("CLDSP_CHECK_DRIVER", "/nonexistent");
                more.emplace_back("CLDSP_TEST_KNOWN", is);
                return again(test, one.with(more));
            };
            CPPUNIT_ASSERT(again(test, one.with({ { "CLDSP_TEST_KNOWN", "yes" } })));
            CPPUNIT_ASSERT(known("yes", {}));
            CPPUNIT_ASSERT(known("no", { { "POCL_DEVICES", "basic" } }));
            CPPUNIT_ASSERT(known("no", { { "LD_LIBRARY_PATH", "/somewhere/else" } }));
            one.folder.write("vendors/another.icd", "libnothing.so\n");
            CPPUNIT_ASSERT(known("no", {}));
            return;
        }
        const auto proof = prove_drivers(standard_listing(), driver_trial::if_needed);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(proof.why_not,
                                     environment("CLDSP_TEST_KNOWN") == "yes",
                                     proof.verdict.has_value());
    }

    void listing_loads_no_driver()
    {
        if (!is_child()) {
            const machine good(true, false);
            CPPUNIT_ASSERT(again("listing_loads_no_driver", good.with({})));
            return;
        }
        const auto devices = list_devices();
        for (const auto& driver : drivers_of_machine())
            CPPUNIT_ASSERT_MESSAGE(driver.library, !is_loaded(driver.library));
        if (!devices.front().is_host())
            const context opened(devices.front(), context_options());
        // Now they are loaded, and show the same.
        device_listing how = standard_listing();
        how.drivers = driver_policy::trust;
        const auto loaded = list_devices(how);
        CPPUNIT_ASSERT_EQUAL(loaded.size(), devices.size());
        for (std::size_t i = 0; i < devices.size(); i++) {
            CPPUNIT_ASSERT_EQUAL(loaded[i].describe(), devices[i].describe());
            CPPUNIT_ASSERT_EQUAL(loaded[i].limits.max_buffer,
                                 devices[i].limits.max_buffer);
        }
    }

    void at_once_only_what_is_known()
    {
        if (!is_child()) {
            const machine good(true, false);
            CPPUNIT_ASSERT(again("at_once_only_what_is_known", good.with({})));
            return;
        }
        auto how = standard_listing();
        how.at_once = true;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), find_devices("auto", how).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), list_devices(how).size());
        const auto all = list_devices();
        CPPUNIT_ASSERT_EQUAL(all.size(), list_devices(how).size());
        CPPUNIT_ASSERT_EQUAL(all.size(), find_devices("auto", how).size());
    }

    void without_a_child_only_named_devices()
    {
        if (!is_child()) {
            const machine good(true, false);
            CPPUNIT_ASSERT(
                again("without_a_child_only_named_devices",
                      good.with({ { "CLDSP_CHECK_DRIVER", "/nonexistent" },
                                  { "CLDSP_TEST_DEVICES", has_device() ? "1" : "" } })));
            return;
        }
        int warnings = 0;
        const auto log = [&](log_level level, const std::string&) {
            warnings += level == log_level::warning;
        };
        for (int i = 0; i < 3; i++)
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), find_devices("auto", log).size());
        CPPUNIT_ASSERT_EQUAL(1, warnings);
        assert_refused({ "no other process can try" }, [] { find_devices("nothing"); });
        if (!environment("CLDSP_TEST_DEVICES").empty())
            CPPUNIT_ASSERT_EQUAL(std::string("0:0"), find_devices("0:0").front().id());
    }

    void policy_of_the_context()
    {
        if (!is_child()) {
            const machine bad(false, true);
            CPPUNIT_ASSERT(
                again("policy_of_the_context",
                      bad.with({ { "CLDSP_FAKE_ICD_MARK", bad.folder.path("mark") } })));
            CPPUNIT_ASSERT(!std::filesystem::exists(bad.folder.path("mark")));
            return;
        }
        context_options options;
        options.drivers = driver_policy::named;
        const context_registry registry(options);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), registry.find_devices("auto").size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), list_devices(registry.listing({})).size());
        CPPUNIT_ASSERT(driver_policy_of("drivers", "trust") == driver_policy::trust);
        CPPUNIT_ASSERT(driver_policy_of("drivers", "") == driver_policy::standard);
        assert_refused({ "drivers", "'never'", "prove, named or trust" },
                       [] { driver_policy_of("drivers", "never"); });
    }

    //! The program may ignore SIGCHLD, or have a thread that waits for any child.
    void children_of_others()
    {
        if (!is_child()) {
            for (const auto* how : { "ignored", "waited" }) {
                const machine bad(false, true);
                CPPUNIT_ASSERT(
                    again("children_of_others",
                          bad.with({ { "CLDSP_FAKE_ICD", "crash_on_platforms" },
                                     { "CLDSP_TEST_CHILDREN", how } })));
            }
            return;
        }
        std::atomic<bool> ends{ false };
        std::thread waiting;
        if (environment("CLDSP_TEST_CHILDREN") == "ignored")
            ::signal(SIGCHLD, SIG_IGN);
        else
            waiting = std::thread([&] {
                while (!ends)
                    ::waitpid(-1, nullptr, WNOHANG);
            });
        const auto proof = prove_drivers(standard_listing(), driver_trial::if_needed);
        ends = true;
        if (waiting.joinable())
            waiting.join();
        CPPUNIT_ASSERT_MESSAGE(proof.why_not, proof.verdict.has_value());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), proof.verdict->failed.size());
        CPPUNIT_ASSERT_EQUAL(std::string("aborts"), proof.verdict->failed[0].how);
        CPPUNIT_ASSERT(::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD);
    }

    void stopped_trial_leaves_no_child()
    {
        if (!is_child()) {
            const machine bad(false, true);
            CPPUNIT_ASSERT(
                again("stopped_trial_leaves_no_child",
                      bad.with({ { "CLDSP_FAKE_ICD", "hang_on_platforms" },
                                 { "CLDSP_FAKE_ICD_MARK", bad.folder.path("mark") } })));
            return;
        }
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        auto how = standard_listing();
        how.stopped = [] {
            return std::filesystem::exists(environment("CLDSP_FAKE_ICD_MARK"));
        };
        CPPUNIT_ASSERT_THROW(find_devices("auto", how), planning_stopped);
        wait_for_all_descendants();
    }

    // Returns only when no descendant is left: each becomes a child of this process when
    // its parent ends.
    static void wait_for_all_descendants()
    {
        while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
        }
        CPPUNIT_ASSERT_EQUAL(ECHILD, errno);
    }

    void killed_parent_leaves_no_child()
    {
        if (is_child()) {
            list_devices();
            return;
        }
        const machine bad(false, true);
        const auto mark = bad.folder.path("mark");
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        const pid_t child =
            start_again("qa_drivers::killed_parent_leaves_no_child",
                        bad.with({ { "CLDSP_FAKE_ICD", "hang_on_platforms" },
                                   { "CLDSP_FAKE_ICD_MARK", mark },
                                   { "CLDSP_DRIVER_SECONDS", "100000" } }));
        while (!std::filesystem::exists(mark)) {
            CPPUNIT_ASSERT_EQUAL(pid_t(0), ::waitpid(child, nullptr, WNOHANG));
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        CPPUNIT_ASSERT_EQUAL(0, ::kill(child, SIGKILL));
        wait_for_all_descendants();
    }

    void verdict_as_text()
    {
        driver_verdict one;
        one.devices.resize(1);
        auto& device = one.devices[0];
        device.kind = device_kind::gpu;
        device.platform = 2;
        device.index = 3;
        device.name = "A \"GPU\"";
        device.platform_name = "A platform";
        device.compute_capability = 90;
        device.limits.max_buffer = std::size_t(1) << 40;
        device.limits.fp16 = true;
        one.unusable.push_back({ "'B'", "computes wrongly" });
        one.failed.push_back(
            { { "/a/b.icd", "libb.so", "" }, "aborts", "it is asked", true });
        one.only.push_back({ "/a/c.icd", "libc.so", "" });
        one.files.push_back({ "/lib/a.so", 1u << 31, std::int64_t(1) << 60 });
        one.time = 1700000000;
        const auto text = one.text();
        const auto read = driver_verdict::parse(text);
        CPPUNIT_ASSERT(read.has_value());
        CPPUNIT_ASSERT_EQUAL(text, read->text());
        CPPUNIT_ASSERT_EQUAL(device.describe(), read->devices[0].describe());
        CPPUNIT_ASSERT_EQUAL(std::string("the driver of 'b.icd' aborts"),
                             read->failed[0].text());
        for (const char* damaged : { "", "{", "[]", "{\"devices\": 1}", "cannot: x" })
            CPPUNIT_ASSERT(!driver_verdict::parse(damaged));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_drivers, "qa_drivers");

} // namespace
