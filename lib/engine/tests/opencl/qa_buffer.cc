// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of buffers that grow, wrap host memory, and are refused.

#include "opencl/buffer.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp;

class qa_buffer : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_buffer);
    CPPUNIT_TEST(device_buffer_grows_and_keeps);
    CPPUNIT_TEST(largest_buffer_is_respected);
    CPPUNIT_TEST(refused_allocation_leaves_an_empty_buffer);
    CPPUNIT_TEST(mapped_buffer_carries_data);
    CPPUNIT_TEST(mapping_with_events);
    CPPUNIT_TEST(mapping_twice_is_an_error);
    CPPUNIT_TEST(destroyed_while_mapped);
    CPPUNIT_TEST(failed_calls_are_errors);
    CPPUNIT_TEST(wrapped_buffer_is_the_hosts_memory);
    CPPUNIT_TEST(same_region_is_wrapped_once);
    CPPUNIT_TEST(unfit_regions_are_refused);
    CPPUNIT_TEST(addresses_in_a_region);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t bytes = 8192;

    struct free_memory {
        void operator()(void* p) const { std::free(p); }
    };

    std::shared_ptr<context> d_context;
    cl::CommandQueue d_queue;
    std::unique_ptr<void, free_memory> d_memory; // page-aligned, as stream buffers are

public:
    void setUp() override
    {
        auto registry = make_test_registry();
        d_context = registry.get(test_device());
        d_queue = d_context->make_queue();
        d_memory.reset(std::aligned_alloc(4096, 2 * bytes));
        std::memset(d_memory.get(), 0, 2 * bytes);
    }

private:
    memory_region region() const { return { d_memory.get(), bytes }; }

    void device_buffer_grows_and_keeps()
    {
        device_buffer buffer(d_context);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), buffer.capacity());
        buffer.reserve(1000);
        const auto first = buffer.buffer()();
        CPPUNIT_ASSERT(first && buffer.capacity() >= 1000);
        buffer.reserve(10);
        buffer.reserve(1000);
        CPPUNIT_ASSERT(first == buffer.buffer()());
        const auto capacity = buffer.capacity();
        buffer.reserve(capacity + 1);
        CPPUNIT_ASSERT(buffer.capacity() >= capacity + capacity / 2);
        CPPUNIT_ASSERT(buffer.buffer().getInfo<CL_MEM_SIZE>() >= buffer.capacity());
    }

    void largest_buffer_is_respected()
    {
        auto options = test_options();
        options.profile = "cl12-min";
        const auto small = std::make_shared<context>(test_device(), options);
        const std::size_t limit = small->limits().max_buffer;
        device_buffer buffer(small);
        buffer.reserve(limit - limit / 8);
        buffer.reserve(limit);
        CPPUNIT_ASSERT_EQUAL(limit, buffer.capacity());
        mapped_buffer mapped(small);
        for (const auto& reserve :
             { std::function<void()>([&] { buffer.reserve(limit + 1); }),
               std::function<void()>([&] { mapped.reserve(limit + 1); }) }) {
            try {
                reserve();
                CPPUNIT_FAIL("a larger buffer was made");
            } catch (const opencl_error& e) {
                CPPUNIT_ASSERT_EQUAL(CL_INVALID_BUFFER_SIZE, e.code());
            }
        }
        CPPUNIT_ASSERT(
            !wrapped_buffer::can_wrap(small->limits(), { d_memory.get(), limit + 1 }));
    }

    void refused_allocation_leaves_an_empty_buffer()
    {
        device_buffer buffer(d_context);
        buffer.reserve(100);
        d_context->inject_failure(injected_call::allocate);
        CPPUNIT_ASSERT_THROW(buffer.reserve(100000), opencl_error);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), buffer.capacity());
        buffer.reserve(100);
        CPPUNIT_ASSERT(buffer.capacity() >= 100);
    }

    void mapped_buffer_carries_data()
    {
        mapped_buffer in(d_context), out(d_context);
        in.reserve(bytes);
        out.reserve(bytes);
        std::memset(in.map(d_queue, CL_MAP_WRITE, 0, bytes), 0x5a, bytes);
        CPPUNIT_ASSERT(in.is_mapped());
        in.unmap();
        CPPUNIT_ASSERT(!in.is_mapped());
        in.unmap(); // has no effect
        d_queue.enqueueCopyBuffer(in.buffer(), out.buffer(), 0, 0, bytes);
        const auto data =
            static_cast<const char*>(out.map(d_queue, CL_MAP_READ, 16, bytes - 16));
        for (std::size_t i = 0; i < bytes - 16; i++)
            CPPUNIT_ASSERT_EQUAL(char(0x5a), data[i]);
        out.unmap();
    }

    void mapping_with_events()
    {
        mapped_buffer buffer(d_context);
        buffer.reserve(bytes);
        cl::Event mapped, unmapped;
        auto data = static_cast<char*>(
            buffer.map(d_queue, CL_MAP_WRITE, 0, bytes, nullptr, &mapped));
        d_context->wait(mapped);
        data[5] = 7;
        buffer.unmap(&unmapped);
        const std::vector<cl::Event> after{ unmapped };
        const auto queue = d_context->make_queue();
        data = static_cast<char*>(buffer.map(queue, CL_MAP_READ, 5, 1, &after));
        CPPUNIT_ASSERT_EQUAL(char(7), data[0]);
    }

    void mapping_twice_is_an_error()
    {
        mapped_buffer buffer(d_context);
        buffer.reserve(bytes);
        buffer.map(d_queue, CL_MAP_READ, 0, 10);
        CPPUNIT_ASSERT_THROW(buffer.map(d_queue, CL_MAP_READ, 0, 10), opencl_error);
        buffer.reserve(2 * bytes); // unmaps the buffer first
        CPPUNIT_ASSERT(!buffer.is_mapped());
    }

    void destroyed_while_mapped()
    {
        {
            mapped_buffer mapped(d_context);
            mapped.reserve(bytes);
            mapped.map(d_queue, CL_MAP_WRITE, 0, bytes);
            wrapped_buffer wrapped(d_context);
            wrapped.wrap(region());
            wrapped.map(d_queue, CL_MAP_WRITE, 0, bytes);
            d_context->inject_failure(injected_call::enqueue);
        }
        // The calls of the destructors must not count as calls that a test makes fail.
        CPPUNIT_ASSERT_THROW(d_context->check_injected(injected_call::enqueue),
                             opencl_error);
    }

    void failed_calls_are_errors()
    {
        mapped_buffer buffer(d_context);
        buffer.reserve(bytes);
        CPPUNIT_ASSERT_THROW(buffer.map(d_queue, CL_MAP_READ, 0, 100 * bytes),
                             opencl_error);
        CPPUNIT_ASSERT(!buffer.is_mapped());
        d_context->inject_failure(injected_call::enqueue);
        CPPUNIT_ASSERT_THROW(buffer.map(d_queue, CL_MAP_READ, 0, bytes), opencl_error);
        CPPUNIT_ASSERT(!buffer.is_mapped());
        buffer.map(d_queue, CL_MAP_READ, 0, bytes);
        d_context->inject_failure(injected_call::enqueue);
        CPPUNIT_ASSERT_THROW(buffer.unmap(), opencl_error);
        CPPUNIT_ASSERT(buffer.is_mapped());
    }

    void wrapped_buffer_is_the_hosts_memory()
    {
        wrapped_buffer buffer(d_context);
        buffer.wrap(region());
        auto data = static_cast<char*>(d_memory.get());
        CPPUNIT_ASSERT(buffer.map(d_queue, CL_MAP_WRITE, 64, 100) == data + 64);
        data[64] = 9;
        buffer.unmap();
        char value = 0;
        d_queue.enqueueReadBuffer(buffer.buffer(), CL_TRUE, 64, 1, &value);
        CPPUNIT_ASSERT_EQUAL(char(9), value);
        const char other = 11;
        d_queue.enqueueWriteBuffer(buffer.buffer(), CL_TRUE, 70, 1, &other);
        CPPUNIT_ASSERT(buffer.map(d_queue, CL_MAP_READ, 70, 1) == data + 70);
        CPPUNIT_ASSERT_EQUAL(other, data[70]);
        buffer.unmap();
    }

    void same_region_is_wrapped_once()
    {
        wrapped_buffer buffer(d_context);
        buffer.wrap(region());
        const auto first = buffer.buffer()();
        d_context->inject_failure(injected_call::allocate);
        buffer.wrap(region());
        CPPUNIT_ASSERT(first == buffer.buffer()());
        // A different length is a different region, whose allocation is made to fail.
        CPPUNIT_ASSERT_THROW(buffer.wrap({ d_memory.get(), 2 * bytes }), opencl_error);
        CPPUNIT_ASSERT(!buffer.region().base && !buffer.buffer()());
        buffer.wrap(region());
        buffer.forget();
        CPPUNIT_ASSERT(!buffer.region().base && !buffer.buffer()());
    }

    void unfit_regions_are_refused()
    {
        const auto& limits = d_context->limits();
        const auto base = static_cast<const char*>(d_memory.get());
        CPPUNIT_ASSERT(wrapped_buffer::can_wrap(limits, region()));
        wrapped_buffer buffer(d_context);
        for (const memory_region& unfit : { memory_region{},
                                            memory_region{ base, 0 },
                                            memory_region{ base + 4, 100 } }) {
            CPPUNIT_ASSERT(!wrapped_buffer::can_wrap(limits, unfit));
            CPPUNIT_ASSERT_THROW(buffer.wrap(unfit), std::invalid_argument);
        }
    }

    void addresses_in_a_region()
    {
        wrapped_buffer buffer(d_context);
        const auto base = static_cast<const char*>(d_memory.get());
        CPPUNIT_ASSERT(!buffer.contains(base, 1));
        buffer.wrap(region());
        CPPUNIT_ASSERT(buffer.contains(base, bytes));
        CPPUNIT_ASSERT(buffer.contains(base + 8, bytes - 8));
        CPPUNIT_ASSERT(!buffer.contains(base + 8, bytes));
        CPPUNIT_ASSERT(!buffer.contains(base + bytes, 1));
        CPPUNIT_ASSERT(!buffer.contains(base + bytes + 1, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(8), buffer.offset_of(base + 8));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_buffer, "qa_buffer");
