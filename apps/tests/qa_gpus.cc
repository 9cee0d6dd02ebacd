// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the search for graphics processors, on a system made of files.

#include "doctor/doctor.h"
#include "tests/support/qa_process.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <filesystem>

using namespace cldsp;
using namespace cldsp::app;

//! Tests of the doctor's search for graphics processors, on a system simulated by files.
class qa_gpus : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_gpus);
    CPPUNIT_TEST(none);
    CPPUNIT_TEST(shown_by_opencl);
    CPPUNIT_TEST(not_shown_by_opencl);
    CPPUNIT_TEST(plain_frame_buffers_do_not_count);
    CPPUNIT_TEST(raspberry_pi);
    CPPUNIT_TEST_SUITE_END();

    static void put_device(const temporary_folder& root,
                           const std::string& name,
                           const std::string& device_class,
                           const std::string& vendor)
    {
        const std::string folder = "sys/bus/pci/devices/" + name;
        std::filesystem::create_directories(root.path(folder));
        root.write(folder + "/class", device_class + "\n");
        root.write(folder + "/vendor", vendor + "\n");
    }

    static const finding* find(const findings& all, const std::string& cause)
    {
        const auto it = std::find_if(
            all.begin(), all.end(), [&](const finding& f) { return f.cause == cause; });
        return it == all.end() ? nullptr : &*it;
    }

    static bool is_well(const findings& all)
    {
        return std::none_of(all.begin(), all.end(), [](const finding& f) {
            return f.how == finding::level::problem;
        });
    }

    void none()
    {
        const temporary_folder root;
        const auto found = check_gpus(0, root.path());
        CPPUNIT_ASSERT(find(found, "no_gpu"));
        CPPUNIT_ASSERT(is_well(found));
    }

    void shown_by_opencl()
    {
        const temporary_folder root;
        put_device(root, "0000:01:00.0", "0x030000", "0x10de");
        CPPUNIT_ASSERT(is_well(check_gpus(1, root.path())));
    }

    void not_shown_by_opencl()
    {
        const std::pair<const char*, const char*> makers[] = { { "0x10de", "NVIDIA" },
                                                               { "0x1002", "AMD" },
                                                               { "0x8086", "Intel" } };
        for (const auto& [vendor, name] : makers) {
            const temporary_folder root;
            put_device(root, "0000:00:1f.0", "0x060100", "0x8086"); // a bridge
            put_device(root, "0000:01:00.0", "0x030200", vendor);
            const auto all = check_gpus(0, root.path());
            const auto* found = find(all, "gpu_without_driver");
            CPPUNIT_ASSERT(found);
            CPPUNIT_ASSERT(found->text.find(name) != std::string::npos);
            CPPUNIT_ASSERT(!found->advice.empty());
        }
    }

    void plain_frame_buffers_do_not_count()
    {
        const temporary_folder root;
        put_device(root, "0000:00:02.0", "0x030000", "0x1234"); // QEMU's
        const auto found = check_gpus(0, root.path());
        CPPUNIT_ASSERT(find(found, "no_gpu"));
    }

    void raspberry_pi()
    {
        const temporary_folder root;
        std::filesystem::create_directories(root.path("proc/device-tree"));
        root.write("proc/device-tree/model",
                   std::string("Raspberry Pi 4 Model B Rev 1.4\0", 31));
        const auto found = check_gpus(0, root.path());
        const auto* board = find(found, "raspberry_pi");
        CPPUNIT_ASSERT(board);
        CPPUNIT_ASSERT(board->text.find("Raspberry Pi 4 Model B") == 0);
        CPPUNIT_ASSERT(is_well(found));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_gpus);
