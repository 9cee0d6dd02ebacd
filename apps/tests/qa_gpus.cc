// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the search for graphics processors, on a system made of files.

#include "doctor/doctor.h"
#include "tests/support/qa_process.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

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
    CPPUNIT_TEST(render_nodes);
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
        // It says what to type, which depends on what is there.
        CPPUNIT_ASSERT(has(board->advice, "dtoverlay=vc4-kms-v3d"));
        put_node(root, "renderD128", "v3d");
        CPPUNIT_ASSERT(has(advice_for_board(root), "apt install mesa-opencl-icd"));
        std::filesystem::create_directories(root.path("etc/OpenCL/vendors"));
        root.write("etc/OpenCL/vendors/rusticl.icd", "libRusticlOpenCL.so.1\n");
        const auto typed = advice_for_board(root);
        CPPUNIT_ASSERT(has(typed, "RUSTICL_ENABLE=v3d") && !has(typed, "apt install"));
        CPPUNIT_ASSERT(is_well(check_gpus(0, root.path())));

        const temporary_folder old;
        std::filesystem::create_directories(old.path("proc/device-tree"));
        old.write("proc/device-tree/model", "Raspberry Pi 3 Model B Plus Rev 1.3");
        CPPUNIT_ASSERT(has(advice_for_board(old), "VC4CL"));
    }

    static bool has(const std::string& text, const std::string& part)
    {
        return text.find(part) != std::string::npos;
    }

    static std::string advice_for_board(const temporary_folder& root)
    {
        const auto found = check_gpus(0, root.path());
        const auto* const board = find(found, "raspberry_pi");
        CPPUNIT_ASSERT(board);
        return board->advice;
    }

    //! A render node in sysfs, with the kernel's driver.
    static void put_node(const temporary_folder& root,
                         const std::string& name,
                         const std::string& driver)
    {
        const std::string device = "sys/class/drm/" + name + "/device";
        std::filesystem::create_directories(root.path(device));
        std::filesystem::create_symlink("../../../../bus/platform/drivers/" + driver,
                                        root.path(device + "/driver"));
    }

    void render_nodes()
    {
        const temporary_folder root;
        CPPUNIT_ASSERT(rusticl_drivers(root.path()).empty());
        put_node(root, "renderD128", "amdgpu");
        put_node(root, "renderD129", "v3d");
        put_node(root, "renderD130", "amdgpu");
        put_node(root, "renderD131", "nvidia");
        put_node(root, "card0", "i915");
        CPPUNIT_ASSERT((rusticl_drivers(root.path()) ==
                        std::vector<std::string>{ "radeonsi", "v3d" }));
        // None of them is in /dev, as in a container.
        const auto inside = check_gpus(0, root.path());
        const auto* const node = find(inside, "no_render_node");
        CPPUNIT_ASSERT(node && has(node->text, "/dev/dri/renderD128"));
        CPPUNIT_ASSERT(is_well(inside));
        std::filesystem::create_directories(root.path("dev/dri"));
        for (const char* name : { "renderD128", "renderD129", "renderD130" })
            root.write(std::string("dev/dri/") + name, "");
        CPPUNIT_ASSERT(!find(check_gpus(0, root.path()), "no_render_node"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_gpus);
