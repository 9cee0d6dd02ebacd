// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of listing devices, of naming them, and of binding PoCL's threads.

#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"

#include <cldsp/context.h>
#include <cldsp/device.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <pthread.h>
#include <sched.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_device : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_device);
    CPPUNIT_TEST(host_is_last);
    CPPUNIT_TEST(auto_is_everything_with_the_host_last);
    CPPUNIT_TEST(index_names_one_device);
    CPPUNIT_TEST(part_of_a_name_in_any_case);
    CPPUNIT_TEST(kinds);
    CPPUNIT_TEST(unknown_lists_what_there_is);
    CPPUNIT_TEST(limits_are_plausible);
    CPPUNIT_TEST(no_platform_leaves_the_host);
    CPPUNIT_TEST(broken_driver_leaves_the_host);
    CPPUNIT_TEST(workers_get_a_processor_each);
    CPPUNIT_TEST(fewer_processors_than_workers_bind_none);
    CPPUNIT_TEST(affinity_of_the_user_stays);
    CPPUNIT_TEST(first_listing_from_many_threads);
    CPPUNIT_TEST(first_contexts_from_many_threads);
    CPPUNIT_TEST_SUITE_END();

    static constexpr int processes = 12;
    static constexpr int threads = 8;

    static std::string ids_of(const std::vector<device_info>& devices)
    {
        std::string ids;
        for (const auto& device : devices)
            ids += device.id() + " " + device.name + "\n";
        return ids;
    }

    //! Calls \p action in threads that begin at the same time.
    template <class ACTION>
    static void in_threads_at_once(const ACTION& action)
    {
        std::atomic<int> waiting{ threads };
        in_threads(threads, [&](int i) {
            waiting--;
            while (waiting > 0)
                std::this_thread::yield();
            action(i);
        });
    }

    static std::vector<device_info> opencl_devices()
    {
        auto devices = list_devices();
        devices.pop_back();
        return devices;
    }

    static std::string upper_case(std::string text)
    {
        for (auto& c : text)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        return text;
    }

    static bool has(const std::vector<device_info>& devices, const device_info& device)
    {
        return std::any_of(devices.begin(), devices.end(), [&](const device_info& d) {
            return d.id() == device.id();
        });
    }

    void host_is_last()
    {
        const auto devices = list_devices();
        CPPUNIT_ASSERT(!devices.empty());
        CPPUNIT_ASSERT(devices.back().is_host());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), devices.back().id());
        for (const auto& device : opencl_devices())
            CPPUNIT_ASSERT(!device.is_host());
    }

    void auto_is_everything_with_the_host_last()
    {
        const auto found = find_devices("auto");
        CPPUNIT_ASSERT_EQUAL(list_devices().size(), found.size());
        CPPUNIT_ASSERT(found.back().is_host());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), find_devices(" HOST ").size());
    }

    void index_names_one_device()
    {
        for (const auto& device : opencl_devices()) {
            const auto found = find_devices(device.id());
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), found.size());
            CPPUNIT_ASSERT_EQUAL(device.describe(), found[0].describe());
        }
        CPPUNIT_ASSERT_THROW(find_devices("99:0"), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(find_devices("0:99"), std::invalid_argument);
    }

    void part_of_a_name_in_any_case()
    {
        for (const auto& device : opencl_devices()) {
            CPPUNIT_ASSERT(has(find_devices(upper_case(device.name)), device));
            CPPUNIT_ASSERT(has(find_devices(device.name.substr(1)), device));
            CPPUNIT_ASSERT(has(find_devices(device.platform_name), device));
            if (device.is_pocl)
                CPPUNIT_ASSERT(has(find_devices("pocl"), device));
        }
    }

    void kinds()
    {
        for (const auto& device : opencl_devices()) {
            if (device.kind == device_kind::cpu)
                CPPUNIT_ASSERT(has(find_devices("cpu"), device));
            if (device.kind == device_kind::gpu)
                CPPUNIT_ASSERT(has(find_devices("GPU"), device));
        }
        try {
            for (const auto& device : find_devices("gpu"))
                CPPUNIT_ASSERT(device.kind == device_kind::gpu);
        } catch (const std::invalid_argument&) { // there is no such device
            for (const auto& device : opencl_devices())
                CPPUNIT_ASSERT(device.kind != device_kind::gpu);
        }
    }

    void unknown_lists_what_there_is()
    {
        for (const std::string text : { "no such device", "", " ", "0:", ":", "0:0:0" }) {
            std::vector<std::string> words = { "'" + text + "'" };
            for (const auto& device : list_devices())
                words.push_back(device.is_host()
                                    ? device.id()
                                    : device.id() + " (" + device.name + ")");
            assert_refused(words, [&] { find_devices(text); });
        }
    }

    void limits_are_plausible()
    {
        for (const auto& device : opencl_devices()) {
            const auto& limits = device.limits;
            CPPUNIT_ASSERT(limits.max_work_group_size >= 1);
            CPPUNIT_ASSERT(limits.max_work_item_sizes[0] >= 1);
            CPPUNIT_ASSERT(limits.local_memory >= 1024);
            CPPUNIT_ASSERT(limits.max_buffer >= 1024 * 1024);
            CPPUNIT_ASSERT(limits.max_parameter_size >= 256);
            CPPUNIT_ASSERT(limits.compute_units >= 1);
            // The largest type of OpenCL C, long16, has 128 bytes, and no device of a
            // full profile may ask for less.
            const auto alignment = limits.base_address_alignment;
            CPPUNIT_ASSERT(alignment >= 128 && (alignment & (alignment - 1)) == 0);
        }
    }

    // Runs a test in a process that sees only the drivers of one folder.
    static void with_vendors(const std::string& test, const temporary_folder& vendors)
    {
        CPPUNIT_ASSERT(succeeded(start_again(
            "qa_device::" + test,
            { { "OCL_ICD_VENDORS", vendors.path() }, { "OCL_ICD_FILENAMES", "" } })));
    }

    static void expect_the_host_alone()
    {
        std::string told;
        const auto log = [&](log_level, const std::string& text) { told += text; };
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), list_devices(log).size());
        CPPUNIT_ASSERT(list_devices()[0].is_host());
        CPPUNIT_ASSERT(told.find("no OpenCL platform") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), find_devices("auto").size());
        CPPUNIT_ASSERT_THROW(find_devices("cpu"), std::invalid_argument);
    }

    void no_platform_leaves_the_host()
    {
        if (is_child())
            return expect_the_host_alone();
        with_vendors("no_platform_leaves_the_host", temporary_folder());
    }

    void broken_driver_leaves_the_host()
    {
        if (is_child())
            return expect_the_host_alone();
        temporary_folder vendors;
        vendors.write("missing.icd", "/nonexistent/libdriver.so\n");
        vendors.write("empty.icd", "");
        with_vendors("broken_driver_leaves_the_host", vendors);
    }

    // The processors of each of PoCL's workers, found by the name that they get.
    static std::vector<cpu_set_t> processors_of_workers()
    {
        std::vector<cpu_set_t> found;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
            std::string name;
            std::getline(std::ifstream(entry.path() / "comm"), name);
            cpu_set_t set;
            CPU_ZERO(&set);
            if (name == "pocl-worker" &&
                ::sched_getaffinity(
                    std::stoi(entry.path().filename().string()), sizeof(set), &set) == 0)
                found.push_back(set);
        }
        return found;
    }

    static std::size_t usable_processors()
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof(set), &set);
        return static_cast<std::size_t>(CPU_COUNT(&set));
    }

    static std::optional<device_info> pocl()
    {
        for (const auto& device : list_devices())
            if (device.is_pocl)
                return device;
        return std::nullopt;
    }

    static void expect_bound_workers(std::size_t workers)
    {
        const auto sets = processors_of_workers();
        // PoCL 7 has one thread more, which calls back.
        CPPUNIT_ASSERT(sets.size() == workers || sets.size() == workers + 1);
        cpu_set_t all;
        CPU_ZERO(&all);
        for (const auto& set : sets) {
            CPPUNIT_ASSERT_EQUAL(1, CPU_COUNT(&set));
            CPU_OR(&all, &all, &set);
        }
        CPPUNIT_ASSERT(CPU_COUNT(&all) >= static_cast<int>(workers));
    }

    void workers_get_a_processor_each()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(succeeded(start_again(
                "qa_device::workers_get_a_processor_each", { { "POCL_AFFINITY", "" } })));
            return;
        }
        const std::size_t usable = usable_processors();
        const auto device = pocl();
        // A child process would inherit the variable, and may have other processors.
        CPPUNIT_ASSERT(!std::getenv("POCL_AFFINITY"));
        char name[16] = {};
        ::pthread_getname_np(::pthread_self(), name, sizeof(name));
        CPPUNIT_ASSERT(std::string(name) != "new-pocl-worker");
        if (!device || usable < 2 || device->limits.compute_units > usable)
            return;
        expect_bound_workers(device->limits.compute_units);
        // PoCL ends its workers with the last context, and starts others with the next.
        for (int i = 0; i < 2; i++) {
            const context opened(*device, context_options());
            expect_bound_workers(device->limits.compute_units);
        }
    }

    void affinity_of_the_user_stays()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(succeeded(start_again("qa_device::affinity_of_the_user_stays",
                                                 { { "POCL_AFFINITY", "0" } })));
            return;
        }
        list_devices();
        CPPUNIT_ASSERT_EQUAL(std::string("0"), std::string(std::getenv("POCL_AFFINITY")));
        CPPUNIT_ASSERT(processors_of_workers().empty());
    }

    void fewer_processors_than_workers_bind_none()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(succeeded(
                start_again("qa_device::fewer_processors_than_workers_bind_none",
                            { { "POCL_AFFINITY", "" } })));
            return;
        }
        cpu_set_t set, last;
        CPU_ZERO(&set);
        CPU_ZERO(&last);
        ::sched_getaffinity(0, sizeof(set), &set);
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &set)) {
                CPU_ZERO(&last);
                CPU_SET(i, &last);
            }
        ::sched_setaffinity(0, sizeof(last), &last);
        list_devices();
        for (const auto& of_worker : processors_of_workers())
            CPPUNIT_ASSERT(CPU_EQUAL(&last, &of_worker));
    }

    void first_listing_from_many_threads()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(
                in_processes(processes,
                             "qa_device::first_listing_from_many_threads",
                             { { "CLDSP_TEST_IDS", ids_of(list_devices()) } }));
            return;
        }
        std::vector<std::string> found(threads);
        in_threads_at_once(
            [&](int i) { found[static_cast<std::size_t>(i)] = ids_of(list_devices()); });
        for (const auto& ids : found)
            CPPUNIT_ASSERT_EQUAL(std::string(std::getenv("CLDSP_TEST_IDS")), ids);
    }

    // A driver may also finish its initialisation in its first contexts and programs.
    void first_contexts_from_many_threads()
    {
        if (!is_child()) {
            CPPUNIT_ASSERT(in_processes(
                processes, "qa_device::first_contexts_from_many_threads", {}));
            return;
        }
        std::atomic<int> good{ 0 };
        in_threads_at_once([&](int i) {
            const auto devices = list_devices();
            const auto& device = devices[static_cast<std::size_t>(i) % devices.size()];
            if (!device.is_host()) {
                context_options options;
                options.disk_cache = false;
                const context opened(device, options);
                opened.make_queue();
                opened.build_source("kernel void f" + std::to_string(i) +
                                        "(global int* a) { a[0] = 1; }",
                                    "");
            }
            good++;
        });
        CPPUNIT_ASSERT_EQUAL(threads, good.load());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_device, "qa_device");
