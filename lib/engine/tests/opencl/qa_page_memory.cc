// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that memory which a lost device may still use is never freed.

#include "tests/support/qa_bank_support.h"
#include "tests/support/qa_each_command.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_opencl_layer.h"
#include "tests/support/qa_support.h"

#include "base/page_memory.h"

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>
#include <cldsp/stream_matrix.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

//! The host memory that each buffer was given, for the buffers that still exist.
//! They are never destroyed: a driver's thread may release its last buffers while the
//! program ends.
auto& given_mutex = *new std::mutex;
auto& given = *new std::map<cl_mem, cldsp::memory_region>;

void CL_CALLBACK forget(cl_mem buffer, void*)
{
    const std::lock_guard<std::mutex> guard(given_mutex);
    given.erase(buffer);
}

} // namespace

//! Notes the host memory that buffers are given.
cl_int cldsp::treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    const cl_int result = run();
    const auto* const arguments = call.of(&clCreateBuffer);
    if (!arguments || !call.made)
        return result;
    const auto& [context, flags, bytes, host, error] = *arguments;
    const auto buffer = static_cast<cl_mem>(call.made);
    if (flags & CL_MEM_USE_HOST_PTR) {
        {
            const std::lock_guard<std::mutex> guard(given_mutex);
            given[buffer] = { host, bytes };
        }
        clSetMemObjectDestructorCallback(buffer, forget, nullptr);
    }
    return result;
}

namespace cldsp {

namespace {

//! Whether the whole region is memory of the process.
bool is_there(const memory_region& region)
{
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(region.base) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(region.base) + region.bytes;
    return msync(reinterpret_cast<void*>(first), last - first, MS_ASYNC) == 0;
}

std::vector<memory_region> given_now()
{
    const std::lock_guard<std::mutex> guard(given_mutex);
    std::vector<memory_region> regions;
    for (const auto& [buffer, region] : given)
        regions.push_back(region);
    return regions;
}

} // namespace

class qa_page_memory : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_page_memory);
    CPPUNIT_TEST(whole_pages_of_zeros);
    CPPUNIT_TEST(trial_inputs_are_random_to_their_ends);
    CPPUNIT_TEST(stays_when_kept);
    CPPUNIT_TEST(first_looks);
    CPPUNIT_TEST(held_matrices);
    CPPUNIT_TEST(streams_of_a_matrix);
    CPPUNIT_TEST_SUITE_END();

    /*!
     * Runs \p action once for each of its commands, lets that command hang, and destroys
     * the returned object. Checks that the memory given to the device still exists, so
     * that the commands that run late do not touch freed memory.
     */
    static void
    hang_each_command(const std::string& what,
                      const std::function<std::shared_ptr<void>(
                          context_registry&, const std::function<void()>& hang)>& action)
    {
        {
            // The driver has enough time to compile the kernels here.
            context_registry registry(test_options());
            action(registry, [] {});
        }
        bool was_given = false;
        fail_each_command([&](int at) {
            auto options = test_options();
            options.device_timeout = 0.05;
            context_registry registry(options);
            const auto device = registry.get(test_device());
            action(registry, [&] { device->inject_failure(injected_call::hang, at); });
            device->inject_failure(injected_call::none);
            if (!device->is_lost()) {
                CPPUNIT_ASSERT_MESSAGE(what, at > 0);
                return false;
            }
            for (const auto& region : given_now()) {
                was_given = true;
                CPPUNIT_ASSERT_MESSAGE(what + ", command " + std::to_string(at),
                                       is_there(region));
            }
            device->end_injected_hang();
            await_late_commands(*device);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                what, std::size_t(0), device->commands_in_flight());
            // The buffers of this device stay allocated; their memory is checked now.
            const std::lock_guard<std::mutex> guard(given_mutex);
            given.clear();
            return true;
        });
        // On other devices than processors the matrices may be copied.
        CPPUNIT_ASSERT_MESSAGE(what, was_given || test_device().kind != device_kind::cpu);
    }

public:
    void whole_pages_of_zeros()
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        for (const std::size_t bytes :
             { std::size_t(0), std::size_t(1), page, page + 1 }) {
            const page_memory memory(bytes);
            const auto region = memory.region();
            CPPUNIT_ASSERT(region.bytes >= bytes && region.bytes > 0);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), region.bytes % page);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                                 reinterpret_cast<std::uintptr_t>(region.base) % page);
            for (std::size_t i = 0; i < region.bytes; ++i)
                CPPUNIT_ASSERT(memory.as<unsigned char>()[i] == 0);
        }
        CPPUNIT_ASSERT_THROW(page_memory(~std::size_t(0)), std::bad_alloc);
    }

    void trial_inputs_are_random_to_their_ends()
    {
        for (const auto type : all_sample_types()) {
            const std::size_t items = 1000, bytes = items * sample_size(type);
            const auto memory = trial_input(type, items);
            const auto* const all = memory.as<unsigned char>();
            CPPUNIT_ASSERT_MESSAGE(sample_type_name(type),
                                   std::any_of(all + bytes - bytes / 10,
                                               all + bytes,
                                               [](auto byte) { return byte != 0; }));
        }
    }

    void stays_when_kept()
    {
        memory_region region;
        {
            page_memory first(10000);
            CPPUNIT_ASSERT(!first.is_kept());
            first.keep();
            const page_memory memory = std::move(first);
            CPPUNIT_ASSERT(memory.is_kept());
            memory.as<char>()[9999] = 7;
            region = memory.region();
        }
        CPPUNIT_ASSERT(is_there(region));
        CPPUNIT_ASSERT_EQUAL('\7', static_cast<const char*>(region.base)[9999]);
    }

    //! An engine that the options name computes one call before it is used, and that call
    //! hangs here.
    void first_looks()
    {
        hang_each_command("filter", [](context_registry& registry, const auto& hang) {
            one_thread_options options;
            options.device = test_device().id();
            options.algorithm = "direct";
            options.transfer = "zero_copy";
            hang();
            return std::make_shared<freq_xlating_filter_bank>(
                bank_of_one(make_fir_problem(sample_type::fc32, 7, 33, true)),
                options,
                registry);
        });
        hang_each_command("bank", [](context_registry& registry, const auto& hang) {
            freq_xlating_filter_bank_options options;
            options.device = test_device().id();
            options.algorithm = "direct";
            options.transfer = "zero_copy";
            hang();
            return std::make_shared<freq_xlating_filter_bank>(
                make_bank_problem(sample_type::fc32, 4, 33, true, 2), options, registry);
        });
        for (const bool held : { false, true })
            hang_each_command(
                "product", [held](context_registry& registry, const auto& hang) {
                    gemm_options options;
                    options.device = test_device().id();
                    options.variant = "naive";
                    options.held_b = held;
                    hang();
                    return std::make_shared<gemm>(
                        gemm_type::f32, gemm_shape{ 5, 6, 7 }, options, registry);
                });
        hang_each_command("codes", [](context_registry& registry, const auto& hang) {
            gemm_options options;
            options.device = test_device().id();
            options.variant = "naive";
            hang();
            const std::vector<std::vector<std::uint8_t>> codes(
                3, std::vector<std::uint8_t>(8, 5));
            return std::make_shared<gemm_1bit>(codes, 64, 10, options, registry);
        });
    }

    //! Tests the copies of B that the engine holds, the old one as well as the new one.
    void held_matrices()
    {
        constexpr gemm_shape shape{ 5, 6, 7 };
        // They are never freed: late commands of a lost device may access A and C.
        const auto& a = *new std::vector<float>(shape.m * shape.k, 2);
        auto& c = *new std::vector<float>(shape.m * shape.n);
        const std::vector<float> b(shape.k * shape.n, 3);
        const auto multiply = [&](gemm& engine) {
            engine.multiply_held(
                shape.m, 1, { a.data(), shape.k }, 0, { c.data(), shape.n });
        };
        hang_each_command("held", [&](context_registry& registry, const auto& hang) {
            gemm_options options;
            options.device = test_device().id();
            options.variant = "naive";
            const auto engine =
                std::make_shared<gemm>(gemm_type::f32, shape, options, registry);
            engine->hold_b(shape.k, shape.n, { b.data(), shape.n });
            multiply(*engine);
            hang();
            multiply(*engine);
            engine->hold_b(shape.k, shape.n, { b.data(), shape.n });
            multiply(*engine);
            for (const float value : c)
                CPPUNIT_ASSERT_EQUAL(42.0f, value);
            const bool lost = registry.contexts().front()->is_lost();
            CPPUNIT_ASSERT_EQUAL(lost, engine->fell_back());
            CPPUNIT_ASSERT_EQUAL(lost, engine->device_is_lost());
            return engine;
        });
    }

    //! The outputs come from memory that no late command accesses.
    void streams_of_a_matrix()
    {
        constexpr std::size_t rows = 2, columns = 3, items = 1500;
        const std::vector<float> a(rows * columns, 2), x(items, 3);
        const std::vector<const void*> in(columns, x.data());
        hang_each_command("streams", [&](context_registry& registry, const auto& hang) {
            gemm_options options;
            options.device = test_device().id();
            options.variant = "naive";
            const auto engine = std::make_shared<stream_matrix>(
                gemm_type::f32, rows, columns, items, options, registry);
            engine->set_matrix(a.data());
            std::vector<std::vector<float>> y(rows, std::vector<float>(items));
            const std::vector<void*> out{ y[0].data(), y[1].data() };
            const auto multiply = [&] {
                engine->multiply(in.data(), out.data(), items);
                for (auto& row : y)
                    for (auto& value : row) {
                        CPPUNIT_ASSERT_EQUAL(18.0f, value);
                        value = 0;
                    }
            };
            multiply();
            hang();
            multiply();
            // The host continues while the late commands end.
            registry.contexts().front()->end_injected_hang();
            multiply();
            return engine;
        });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_page_memory, "qa_page_memory");

} // namespace cldsp
