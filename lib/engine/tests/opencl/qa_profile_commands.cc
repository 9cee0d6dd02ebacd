// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that commands, buffers and transfers keep to the limits of small devices.

#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/device_table.h"
#include "opencl/transfer.h"
#include "tests/support/qa_limits.h"

#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Commands, buffers and transfers under each profile: a device refuses what is above its
//! lowered limits as a small device would.
class qa_profile_commands : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_profile_commands);
    CPPUNIT_TEST(groups_above_the_limits);
    CPPUNIT_TEST(groups_above_those_of_a_kernel);
    CPPUNIT_TEST(local_memory_above_the_limits);
    CPPUNIT_TEST(buffers_above_the_limits);
    CPPUNIT_TEST(transfers);
    CPPUNIT_TEST(outputs_in_slices);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t buffer = std::size_t(64) << 10;

    static void refused(int code, const std::function<void()>& action)
    {
        try {
            action();
        } catch (const opencl_error& e) {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(e.what(), code, e.code());
            return;
        }
        CPPUNIT_FAIL("nothing was refused");
    }

    static cl::Kernel kernel(const context& device, const std::string& options = "")
    {
        return cl::Kernel(device.build_source("__kernel void add(__global int* x)\n"
                                              "{\n"
                                              "#ifdef LOCAL\n"
                                              "    __local int copy[LOCAL];\n"
                                              "    copy[x[0] % LOCAL] = 3;\n"
                                              "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                              "    x[0] += copy[x[1] % LOCAL];\n"
                                              "#else\n"
                                              "    x[get_global_id(0)] += 3;\n"
                                              "#endif\n"
                                              "}\n",
                                              options),
                          "add");
    }

    static void run(const context& device, cl::Kernel add, const cl::NDRange& group)
    {
        const auto queue = device.make_queue();
        std::vector<int> numbers(4096, 5);
        const cl::Buffer memory(device.cl_context(),
                                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                numbers.size() * sizeof(int),
                                numbers.data());
        set_args(add, memory);
        const bool is_plane = group.dimensions() == 2;
        enqueue_kernel(device,
                       queue,
                       add,
                       is_plane ? cl::NDRange(group[0], group[1]) : cl::NDRange(group[0]),
                       group);
        queue.enqueueReadBuffer(memory, CL_TRUE, 0, 4, numbers.data());
        CPPUNIT_ASSERT(numbers[0] > 5);
    }

public:
    void groups_above_the_limits()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const std::size_t most = profile == "vc4" ? 12 : profile == "v3d" ? 256 : 1;
            CPPUNIT_ASSERT_EQUAL(most, device->limits().max_work_group_size);
            const auto add = kernel(*device);
            run(*device, add, cl::NDRange(max_group_of(*device, add)));
            refused(CL_INVALID_WORK_ITEM_SIZE,
                    [&] { run(*device, add, cl::NDRange(most + 1)); });
            refused(CL_INVALID_WORK_ITEM_SIZE,
                    [&] { run(*device, add, cl::NDRange(1, most + 1)); });
            if (most > 1)
                refused(CL_INVALID_WORK_GROUP_SIZE,
                        [&] { run(*device, add, cl::NDRange(most, 2)); });
        }
        // Without a profile the driver's own limits are kept.
        context_registry registry(profile_options(""));
        const auto device = registry.get(test_device());
        run(*device, kernel(*device), cl::NDRange(13));
    }

    //! A driver may run smaller groups of a compiled kernel than the device has.
    void groups_above_those_of_a_kernel()
    {
        const auto device = small_device("v3d", buffer);
        const auto add = kernel(*device);
        const std::size_t most = max_group_of(*device, add);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), most);
        CPPUNIT_ASSERT(most < device->limits().max_work_group_size);
        run(*device, add, cl::NDRange(most));
        run(*device, add, cl::NDRange(most / 2, 2));
        refused(CL_INVALID_WORK_GROUP_SIZE,
                [&] { run(*device, add, cl::NDRange(most + 1)); });
        refused(CL_INVALID_WORK_GROUP_SIZE,
                [&] { run(*device, add, cl::NDRange(most, 2)); });
        // Elsewhere the driver's own answer counts.
        const auto whole = std::make_shared<context>(test_device(), profile_options(""));
        const auto same = kernel(*whole);
        CPPUNIT_ASSERT(max_group_of(*whole, same) >= 1 &&
                       max_group_of(*whole, same) <= whole->limits().max_work_group_size);
    }

    void local_memory_above_the_limits()
    {
        const auto device = small_device("cl12-min", buffer);
        // Drivers may need some of it for themselves.
        run(*device, kernel(*device, "-DLOCAL=128"), cl::NDRange(1));
        const auto large = kernel(*device, "-DLOCAL=257");
        // PoCL 6 tells of no kernel what it has.
        if (large.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device->cl_device()) > 0)
            refused(CL_OUT_OF_RESOURCES, [&] { run(*device, large, cl::NDRange(1)); });
    }

    void buffers_above_the_limits()
    {
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const auto queue = device->make_queue();
            device_buffer grown(device);
            grown.reserve(buffer - buffer / 8);
            grown.reserve(buffer);
            CPPUNIT_ASSERT_EQUAL(buffer, grown.capacity());
            mapped_buffer mapped(device);
            mapped.reserve(buffer);
            device_table table;
            const std::vector<unsigned char> bytes(buffer + 1);
            table.set(device, queue, bytes.data(), buffer);
            refused(CL_INVALID_BUFFER_SIZE, [&] { grown.reserve(buffer + 1); });
            refused(CL_INVALID_BUFFER_SIZE, [&] { mapped.reserve(buffer + 1); });
            refused(CL_INVALID_BUFFER_SIZE,
                    [&] { table.set(device, queue, bytes.data(), buffer + 1); });
            const void* const page = reinterpret_cast<const void*>(std::size_t(1) << 20);
            CPPUNIT_ASSERT(wrapped_buffer::can_wrap(device->limits(), { page, buffer }));
            CPPUNIT_ASSERT(
                !wrapped_buffer::can_wrap(device->limits(), { page, buffer + 1 }));
            // The memory of a stream that is larger than a buffer is wrapped call by
            // call.
            const auto region = [&](std::size_t stream) {
                return region_to_wrap(device->limits(), { page, stream }, page, 100)
                    .bytes;
            };
            CPPUNIT_ASSERT_EQUAL(buffer, region(buffer));
            CPPUNIT_ASSERT_EQUAL(std::size_t(100), region(buffer + 1));
        }
    }

    //! Bytes go to a device and back by every transfer.
    void transfers()
    {
        for (const auto& profile : lowering_profiles())
            for (const bool has_bus : { false, true }) {
                auto info = test_device();
                info.limits.max_buffer = buffer;
                if (has_bus) {
                    info.kind = device_kind::gpu;
                    info.limits.host_unified_memory = false;
                }
                const auto device =
                    std::make_shared<context>(info, profile_options(profile));
                const auto queue = device->make_queue();
                auto add = kernel(*device);
                const cl::Buffer numbers(device->cl_context(), CL_MEM_READ_WRITE, 64);
                set_args(add, numbers);
                // Memory that is wrapped begins and ends at multiples of the alignment.
                const std::size_t room = buffer - device->limits().base_address_alignment;
                std::vector<int> in(room / sizeof(int));
                for (std::size_t i = 0; i < in.size(); i++)
                    in[i] = static_cast<int>(i);
                const std::size_t size = in.size() * sizeof(int);
                for (const char* name : { "copy", "mapped", "zero_copy" }) {
                    std::vector<int> out(in.size());
                    const auto transfer = make_device_transfer(name, device, queue);
                    CPPUNIT_ASSERT_EQUAL(std::string(name), transfer->name());
                    const auto from = transfer->input(in.data(), size);
                    const auto to = transfer->output(out.data(), size);
                    queue.enqueueCopyBuffer(
                        from.buffer, to.buffer, from.offset, to.offset, size);
                    // A transfer waits for a kernel.
                    const auto done = enqueue_kernel(
                        *device, queue, add, cl::NDRange(4), cl::NDRange(1));
                    transfer->start_result();
                    transfer->finish(done);
                    CPPUNIT_ASSERT_MESSAGE(name, in == out);
                }
            }
    }

    void outputs_in_slices()
    {
        using values = std::vector<std::complex<float>>;
        for (const auto& profile : lowering_profiles()) {
            const auto device = small_device(profile, buffer);
            const auto queue = device->make_queue();
            channel_outputs results(device, queue, 100 * sizeof(std::complex<float>));
            constexpr std::size_t channels = 5, outputs = 333;
            values on_device(channels * outputs);
            for (std::size_t i = 0; i < on_device.size(); i++)
                on_device[i] = { static_cast<float>(i), 1 };
            std::vector<values> out(channels, values(outputs));
            std::vector<std::complex<float>*> places;
            for (auto& channel : out)
                places.push_back(channel.data());
            queue.enqueueWriteBuffer(results.reserve(channels, outputs),
                                     CL_TRUE,
                                     0,
                                     on_device.size() * sizeof(on_device[0]),
                                     on_device.data());
            results.enqueue();
            queue.flush();
            results.finish(places.data());
            for (std::size_t c = 0; c < channels; c++)
                CPPUNIT_ASSERT(
                    std::equal(out[c].begin(),
                               out[c].end(),
                               on_device.begin() + static_cast<long>(c * outputs)));
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_profile_commands, "qa_profile_commands");

} // namespace
