// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of devices that hang, refuse or lose their commands.

#include "fast_convolution/fast_convolution_shape.h"
#include "fft/vkfft_plan.h"
#include "gemm/gemm_executor.h"
#include "gemm/ladder/gemm_kernel_ladder.h"
#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/device_watch.h"
#include "opencl/memory_alias.h"
#include "opencl/queue_window.h"
#include "opencl/staging.h"
#include "opencl/transfer.h"
#include "tests/support/qa_each_command.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_known_programs.h"
#include "tests/support/qa_opencl_layer.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/reference.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace {

//! Simulates failures of the driver, also for the calls of the C++ bindings and of VkFFT.
struct failing_driver {
    std::atomic<bool> releases_refused{ false };
    std::atomic<bool> finish_refused{ false };
    std::atomic<bool> statuses_refused{ false };
    std::atomic<int> released{ 0 }; // number of memory objects whose last reference was
                                    // released
    std::atomic<int> contexts_retained{ 0 };
    std::atomic<int> commands_to_fail{ -1 }; // number of commands before the one that
                                             // fails
    std::atomic<cl_event> failed_command{ nullptr };
    std::atomic<bool> profiling_refused{ false };
    std::atomic<bool> times_are_zero{ false };
    std::atomic<int> times_to_refuse{ 0 }; // number of queries for a command's times that
                                           // fail
    cldsp::known_programs programs;

    //! Whether an action has so many commands, and one more, which fails.
    template <class Action>
    bool fails(int at, const Action& action)
    {
        commands_to_fail = at;
        action();
        failed_command = nullptr;
        return commands_to_fail.exchange(-1) < 0;
    }

    void end()
    {
        releases_refused = finish_refused = statuses_refused = false;
        profiling_refused = times_are_zero = false;
        commands_to_fail = -1;
        failed_command = nullptr;
        programs.forget();
    }

    bool refuses(const cldsp::opencl_call& call)
    {
        if (call.is(&clGetEventProfilingInfo))
            return times_to_refuse > 0 && times_to_refuse-- > 0;
        return (call.kind == cldsp::opencl_kind::releases && releases_refused) ||
               (call.is(&clFinish) && finish_refused) ||
               (asks_status(call) && statuses_refused);
    }

    void count(const cldsp::opencl_call& call)
    {
        contexts_retained += call.is(&clRetainContext);
        if (call.is(&clReleaseMemObject))
            released += is_last_reference(static_cast<cl_mem>(call.object));
    }

    //! Changes the status of the command that fails; marks a new command, if that one
    //! shall fail.
    void change(const cldsp::opencl_call& call)
    {
        if (asks_status(call) && call.value && call.object == failed_command) {
            auto& status = *static_cast<cl_int*>(call.value);
            status = status == CL_COMPLETE ? CL_OUT_OF_RESOURCES : status;
        }
        if (can_fail(call) && commands_to_fail >= 0 && commands_to_fail-- == 0) {
            clRetainEvent(*call.event); // keeps the address, so that no other event gets
                                        // it
            failed_command = *call.event;
        }
    }

    static bool asks_status(const cldsp::opencl_call& call)
    {
        return call.is(&clGetEventInfo) && call.what == CL_EVENT_COMMAND_EXECUTION_STATUS;
    }

private:
    // A failure to map fails the call, and that to unmap may come after the results.
    static bool can_fail(const cldsp::opencl_call& call)
    {
        return is_command(call.kind) && call.event &&
               call.kind != cldsp::opencl_kind::maps &&
               !call.is(&clEnqueueUnmapMemObject);
    }

    static bool is_last_reference(cl_mem memory)
    {
        cl_uint count = 0;
        clGetMemObjectInfo(
            memory, CL_MEM_REFERENCE_COUNT, sizeof(count), &count, nullptr);
        return count == 1;
    }
};
// It is never destroyed, because drivers call OpenCL until the process has ended.
auto& driver = *new failing_driver;

//! Called before a status is returned. It is cleared first, so that it may query a
//! status.
thread_local std::function<void(cl_event)> before_status;

thread_local bool memory_is_short = false; // allocations for objects fail
thread_local bool pages_are_short = false; // allocations of memory that a device shall
                                           // use fail

void* short_memory(std::size_t bytes)
{
    return memory_is_short ? nullptr : std::malloc(std::max(bytes, std::size_t(1)));
}

} // namespace

// If these were inlined, the compiler would warn that new and delete do not match.
[[gnu::noinline]] void* operator new(std::size_t bytes)
{
    if (void* const memory = short_memory(bytes))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept
{
    return short_memory(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    operator delete(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept
{
    operator delete(memory);
}

extern "C" {

void* aligned_alloc(size_t alignment, size_t bytes) noexcept
{
    // The sanitizers replace this function as well, and free only what is theirs.
    void* memory = nullptr;
    const bool has = !pages_are_short && ::posix_memalign(&memory, alignment, bytes) == 0;
    return has ? memory : nullptr;
}

} // extern "C"

cl_int cldsp::treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    if (const auto* const queue = call.of(&clCreateCommandQueue))
        if (driver.profiling_refused && (std::get<2>(*queue) & CL_QUEUE_PROFILING_ENABLE))
            return CL_INVALID_QUEUE_PROPERTIES;
    if (call.is(&clGetEventProfilingInfo) && driver.times_are_zero)
        return call.answer(cl_ulong(0));
    if (driver.refuses(call))
        return call.is(&clGetEventProfilingInfo) ? CL_PROFILING_INFO_NOT_AVAILABLE
                                                 : CL_OUT_OF_RESOURCES;
    driver.count(call);
    if (failing_driver::asks_status(call) && before_status)
        std::exchange(before_status, nullptr)(static_cast<cl_event>(call.object));
    const cl_int error = driver.programs.treat(call, run);
    if (error == CL_SUCCESS)
        driver.change(call);
    return error;
}

using namespace cldsp;

namespace {

//! Shared memory, like that of GNU Radio's stream buffers.
class shared_pages
{
public:
    explicit shared_pages(std::size_t bytes)
        : d_bytes((bytes + 4095) / 4096 * 4096),
          d_data(mmap(nullptr,
                      d_bytes,
                      PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS,
                      -1,
                      0))
    {
        CPPUNIT_ASSERT(d_data != MAP_FAILED);
    }
    ~shared_pages() { munmap(d_data, d_bytes); }
    shared_pages(const shared_pages&) = delete;
    shared_pages& operator=(const shared_pages&) = delete;

    template <class T>
    T* as() const
    {
        return static_cast<T*>(d_data);
    }
    memory_region region() const { return { d_data, d_bytes }; }

private:
    std::size_t d_bytes;
    void* d_data;
};

class qa_device_failures : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_device_failures);
    CPPUNIT_TEST(times_may_come_late_or_never);
    CPPUNIT_TEST(queues_with_profiling_may_be_refused);
    CPPUNIT_TEST(times_may_be_zero);
    CPPUNIT_TEST(refused_releases_cost_nothing);
    CPPUNIT_TEST(refused_finish_is_waited_for);
    CPPUNIT_TEST(untold_commands_lose_the_device);
    CPPUNIT_TEST(every_command_counts);
    CPPUNIT_TEST(every_command_of_a_product_counts);
    CPPUNIT_TEST(hung_device_is_left);
    CPPUNIT_TEST(hung_product_is_left);
    CPPUNIT_TEST(loss_during_a_call_is_noticed);
    CPPUNIT_TEST(commands_of_a_lost_device_are_waited_for);
    CPPUNIT_TEST(refusals_are_bounded_without_a_timeout);
    CPPUNIT_TEST(device_is_lost_without_memory);
    CPPUNIT_TEST(short_memory_is_a_driver_failure);
    CPPUNIT_TEST(untold_commands_keep_no_room);
    CPPUNIT_TEST(room_is_not_awaited_of_a_lost_device);
    CPPUNIT_TEST(lost_device_is_refused_at_once);
    CPPUNIT_TEST(nothing_of_a_lost_device_is_released);
    CPPUNIT_TEST(no_queue_is_released_in_flight);
    CPPUNIT_TEST(expected_work_is_waited_for);
    CPPUNIT_TEST(progress_is_waited_for);
    CPPUNIT_TEST(no_bound_waits_on);
    CPPUNIT_TEST(bad_timeouts_are_refused);
    CPPUNIT_TEST(copies_in_pieces);
    CPPUNIT_TEST(alias_shows_shared_memory);
    CPPUNIT_TEST(alias_of_a_lost_device_is_parted);
    CPPUNIT_TEST(offsets_stay_within_32_bits);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double short_timeout = 0.02;
    // No working device takes longer than this.
    static constexpr double long_timeout = 60;

    static context_options with_timeout(double seconds)
    {
        auto options = test_options();
        options.device_timeout = seconds;
        return options;
    }

    static one_thread_options on_device(const std::string& algorithm,
                                        const std::string& transfer)
    {
        one_thread_options options;
        options.device = test_device().id();
        options.algorithm = algorithm;
        options.transfer = transfer;
        return options;
    }

    static std::vector<std::string> algorithms()
    {
        if (vkfft_plan::missing().empty() && environment("CLDSP_TEST_PROFILE").empty())
            return { "direct", "fast_convolution" };
        return { "direct" };
    }

    static void each_way(const std::function<void(const std::string& algorithm,
                                                  const std::string& transfer)>& action)
    {
        for (const auto& algorithm : algorithms())
            for (const char* transfer : { "copy", "mapped", "zero_copy" })
                action(algorithm, transfer);
    }

    static freq_xlating_fir_problem problem()
    {
        return make_fir_problem(sample_type::fc32, 7, 33, true);
    }
    static std::size_t outputs() { return small_tests() ? 200 : 2000; }

    //! On such a device no late command reaches the caller's memory. Copies of other
    //! devices access that memory directly.
    static bool works_on_host_memory() { return test_device().kind == device_kind::cpu; }
    //! Under qemu's user emulation mremap() makes no second mapping of shared memory, so
    //! that memory_alias protects nothing there.
    static bool makes_no_second_mapping()
    {
        return std::getenv("CLDSP_TEST_EMULATED") != nullptr;
    }

public:
    void tearDown() override
    {
        driver.end();
        before_status = nullptr;
        memory_is_short = pages_are_short = false;
    }

    //! Refused releases end neither the process nor the use of the device, and lose no
    //! sample.
    void refused_releases_cost_nothing()
    {
        const fir_case c(problem(), outputs());
        each_way([&](const std::string& algorithm, const std::string& transfer) {
            context_registry registry(test_options());
            {
                freq_xlating_filter_bank filter(
                    bank_of_one(problem()), on_device(algorithm, transfer), registry);
                driver.releases_refused = true;
                CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -100);
                auto longer = problem().taps;
                longer.resize(3 * longer.size()); // memory grows and is allocated again
                filter.set_taps({ longer });
                filter.set_taps({ problem().taps });
                filter.reset();
                CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -100);
                CPPUNIT_ASSERT_MESSAGE(algorithm + "/" + transfer + ": " + filter.plan(),
                                       !filter.fell_back());
            }
            driver.releases_refused = false;
        });
    }

    /*!
     * A command that cannot be enqueued leaves other commands in flight. clFinish()
     * fails, but the statuses of these commands show when they end.
     */
    void refused_finish_is_waited_for()
    {
        context_registry registry(test_options());
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        host_memory memory(device);
        std::memset(memory.reserve(4096), 1, 4096);
        device_buffer buffer(device);
        buffer.reserve(4096);
        cl::UserEvent gate(device->cl_context());
        const std::vector<cl::Event> after{ gate };
        cl::Event done;
        driver.finish_refused = true;
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            gate.setStatus(CL_COMPLETE);
        });
        CPPUNIT_ASSERT_THROW(
            run_commands(
                *device,
                queue,
                0,
                [&] {
                    auto slot = device->admit_command(queue);
                    queue.enqueueWriteBuffer(
                        buffer.buffer(), CL_FALSE, 0, 4096, memory.data(), &after, &done);
                    slot.enqueued(done);
                    device->inject_failure(injected_call::enqueue);
                    device->admit_command(queue);
                }),
            opencl_error);
        const bool ended = has_ended(done);
        opener.join();
        CPPUNIT_ASSERT(ended);
        CPPUNIT_ASSERT(!device->is_lost());
    }

    //! If a driver reports no status any more, it is not known when its commands end.
    void untold_commands_lose_the_device()
    {
        const fir_case c(problem(), outputs());
        each_way([&](const std::string& algorithm, const std::string& transfer) {
            context_registry registry(with_timeout(0.2));
            freq_xlating_filter_bank filter(
                bank_of_one(problem()), on_device(algorithm, transfer), registry);
            const auto device = registry.get(test_device());
            driver.statuses_refused = driver.finish_refused = true;
            CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -100);
            driver.statuses_refused = driver.finish_refused = false;
            CPPUNIT_ASSERT(filter.fell_back());
            CPPUNIT_ASSERT(device->is_lost());
        });
    }

    //! Each command of a call fails in turn, and the host computes the outputs.
    void every_command_counts()
    {
        const fir_case c(problem(), outputs());
        each_way([&](const std::string& algorithm, const std::string& transfer) {
            context_registry registry(test_options());
            const int failed = fail_each_command([&](int at) {
                freq_xlating_filter_bank filter(
                    bank_of_one(problem()), on_device(algorithm, transfer), registry);
                c.run(filter);
                filter.reset();
                filter.set_center_freq(0, problem().center_freq + 1000);
                filter.set_center_freq(0, problem().center_freq);
                std::vector<std::complex<float>> out;
                const bool fails = driver.fails(at, [&] { out = c.run(filter); });
                const std::string which =
                    algorithm + "/" + transfer + ", command " + std::to_string(at);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(which, fails, filter.fell_back());
                CPPUNIT_ASSERT_MESSAGE(which, error_db(out, c.expected()) < -100);
                return fails;
            });
            // The kernel has failed, and for a fast convolution each of the commands for
            // new responses.
            CPPUNIT_ASSERT(failed > (algorithm == "direct" ? 0 : 4));
        });
    }

    static constexpr gemm_shape shape{ 5, 6, 7 };

    //! The product C = A B + C on a device, with a C of ones; each element of the result
    //! is 43.
    struct product {
        product(const std::shared_ptr<context>& device, const std::string& transfer)
            : executor(make_opencl_gemm(device, "naive", transfer, gemm_type::f32, {}))
        {
        }
        //! Returns whether the device has multiplied.
        bool multiply()
        {
            gemm_call call;
            call.shape = shape;
            call.alpha = call.beta = 1;
            call.a = { a.data(), shape.k };
            call.b = { b.data(), shape.n };
            call.c = { c.data(), shape.n };
            try {
                executor->multiply(call);
            } catch (const opencl_error&) {
                return false;
            }
            return true;
        }
        bool is(float value) const
        {
            return std::all_of(c.begin(), c.end(), [&](float x) { return x == value; });
        }

        std::vector<float> a = std::vector<float>(shape.m * shape.k, 2);
        std::vector<float> b = std::vector<float>(shape.k * shape.n, 3);
        std::vector<float> c = std::vector<float>(shape.m * shape.n, 1);
        std::unique_ptr<gemm_executor> executor;
    };

    void every_command_of_a_product_counts()
    {
        context_registry registry(test_options());
        const auto device = registry.get(test_device());
        for (const char* transfer : { "copy", "zero_copy" }) {
            const int failed = fail_each_command([&](int at) {
                product p(device, transfer);
                bool multiplied = false;
                const bool fails = driver.fails(at, [&] { multiplied = p.multiply(); });
                CPPUNIT_ASSERT_EQUAL(fails, !multiplied);
                CPPUNIT_ASSERT(fails || p.is(43));
                return fails;
            });
            CPPUNIT_ASSERT(failed > 0);
        }
    }

    /*!
     * Every command of a call hangs in turn. The host continues at the same sample. A
     * processor that runs the command later writes to no memory of the caller, not even
     * to freed memory.
     */
    void hung_device_is_left()
    {
        const auto p = problem();
        const std::size_t n = outputs(), items = n * p.decimation + p.taps.size() - 1;
        each_way([&](const std::string& algorithm, const std::string& transfer) {
            fail_each_command([&](int at) {
                context_registry registry(with_timeout(long_timeout));
                const auto device = registry.get(test_device());
                auto in = std::make_unique<shared_pages>(items * 8);
                const shared_pages out(n * 8);
                const auto fresh = noise(sample_type::fc32, items, 42);
                std::memcpy(in->as<void>(), fresh.data(), fresh.size());
                const span<std::complex<float>> results(out.as<std::complex<float>>(), n);
                freq_xlating_filter_bank filter(
                    bank_of_one(p), on_device(algorithm, transfer), registry);
                filter.set_stream_memory(in->region(), out.region());
                process(filter, in->as<void>(), items, results);
                CPPUNIT_ASSERT_MESSAGE(filter.plan(), !filter.fell_back());
                const std::vector<std::complex<float>> expected(results.begin(),
                                                                results.end());
                filter.reset();
                const auto before = device->commands();
                process(filter, in->as<void>(), items, results);
                const auto commands = static_cast<int>(device->commands() - before);
                filter.reset();
                std::fill(results.begin(), results.end(), std::complex<float>(7));
                const std::string which =
                    algorithm + "/" + transfer + ", command " + std::to_string(at);
                const bool hangs = at < commands;
                device->shared_watch()->set_timeout(hangs ? short_timeout : long_timeout);
                device->inject_failure(injected_call::hang, at);
                process(filter, in->as<void>(), items, results);
                device->inject_failure(injected_call::none);
                double error = 0;
                for (std::size_t i = 0; i < n; ++i)
                    error = std::fmax(error, std::abs(results[i] - expected[i]));
                CPPUNIT_ASSERT_MESSAGE(which, error < 1e-3);
                if (!filter.fell_back()) {
                    // The last command may be one that only unmaps memory which the host
                    // has read.
                    CPPUNIT_ASSERT_MESSAGE(which, at > 0 && at + 1 >= commands);
                    CPPUNIT_ASSERT_MESSAGE(which, !device->is_lost());
                    device->end_injected_hang();
                    return false;
                }
                CPPUNIT_ASSERT_MESSAGE(which, device->is_lost());

                if (!works_on_host_memory() || makes_no_second_mapping()) {
                    // Late commands reach no memory that the test still uses, and a GPU's
                    // driver may keep some of each case.
                    device->end_injected_hang();
                    await_late_commands(*device, 50);
                    return true;
                }
                std::fill(results.begin(), results.end(), std::complex<float>(9));
                in.reset();
                device->end_injected_hang();
                await_late_commands(*device);
                for (const auto& value : results)
                    CPPUNIT_ASSERT_MESSAGE(which, value == std::complex<float>(9));
                return true;
            });
        });
    }

    void hung_product_is_left()
    {
        fail_each_command([](int at) {
            context_registry registry(with_timeout(long_timeout));
            const auto device = registry.get(test_device());
            product p(device, "copy");
            const auto before = device->commands();
            CPPUNIT_ASSERT(p.multiply() && p.is(43));
            std::fill(p.c.begin(), p.c.end(), 1.0f);
            const bool hangs = at < static_cast<int>(device->commands() - before);
            device->shared_watch()->set_timeout(hangs ? short_timeout : long_timeout);
            device->inject_failure(injected_call::hang, at);
            CPPUNIT_ASSERT_EQUAL(!hangs, p.multiply());
            device->inject_failure(injected_call::none);
            if (!hangs) {
                CPPUNIT_ASSERT(at > 0 && p.is(43));
                return false;
            }
            CPPUNIT_ASSERT(device->is_lost());
            std::fill(p.c.begin(), p.c.end(), 9.0f);
            device->end_injected_hang();
            await_late_commands(*device);
            CPPUNIT_ASSERT(p.is(9) || !works_on_host_memory());
            return true;
        });
    }

    //! A context with a command that waits for a user event; the event is returned to the
    //! caller.
    static cl::UserEvent lose(const context& device)
    {
        device.shared_watch()->set_timeout(short_timeout);
        cl::UserEvent gate(device.cl_context());
        try {
            device.wait(gate);
            CPPUNIT_FAIL("the wait has an end");
        } catch (const opencl_error& e) {
            CPPUNIT_ASSERT_EQUAL(CL_DEVICE_NOT_AVAILABLE, e.code());
            const std::string text = e.what();
            CPPUNIT_ASSERT(text.find(device.name()) != std::string::npos);
            CPPUNIT_ASSERT(text.find(" s") != std::string::npos);
        }
        CPPUNIT_ASSERT(device.is_lost());
        return gate;
    }

    /*!
     * Another user loses the device between the start and the end of a kernel. The
     * outputs of this kernel are in the private memory that replaced the stream's memory,
     * so the host computes them again.
     */
    void loss_during_a_call_is_noticed()
    {
        const auto p = problem();
        const std::size_t n = outputs(), items = n * p.decimation + p.taps.size() - 1;
        context_registry registry(with_timeout(long_timeout));
        const auto device = registry.get(test_device());
        const shared_pages in(items * 8), out(n * 8);
        const auto fresh = noise(sample_type::fc32, items, 42);
        std::memcpy(in.as<void>(), fresh.data(), fresh.size());
        const span<std::complex<float>> results(out.as<std::complex<float>>(), n);
        freq_xlating_filter_bank filter(
            bank_of_one(p), on_device("direct", "zero_copy"), registry);
        filter.set_stream_memory(in.region(), out.region());
        process(filter, in.as<void>(), items, results);
        CPPUNIT_ASSERT_MESSAGE(filter.plan(), !filter.fell_back());
        const std::vector<std::complex<float>> expected(results.begin(), results.end());
        filter.reset();
        std::fill(results.begin(), results.end(), std::complex<float>(7));

        device->inject_failure(injected_call::hang);
        before_status = [&](cl_event kernel) {
            lose(*device);
            device->end_injected_hang();
            clWaitForEvents(1, &kernel);
        };
        process(filter, in.as<void>(), items, results);
        CPPUNIT_ASSERT(!before_status);
        CPPUNIT_ASSERT(device->is_lost());
        double error = 0;
        for (std::size_t i = 0; i < n; ++i)
            error = std::fmax(error, std::abs(results[i] - expected[i]));
        CPPUNIT_ASSERT(error < 1e-3);
        CPPUNIT_ASSERT(filter.fell_back());
    }

    //! When a device is lost, a command that has not failed itself must end before the
    //! host takes over the memory that the command uses.
    void commands_of_a_lost_device_are_waited_for()
    {
        context_registry registry(with_timeout(long_timeout));
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        std::vector<char> memory(4096, 1);
        device_buffer buffer(device);
        buffer.reserve(memory.size());
        cl::UserEvent gate(device->cl_context());
        const std::vector<cl::Event> after{ gate };
        cl::Event done;
        bool asked = false;
        CPPUNIT_ASSERT_THROW(run_commands(*device,
                                          queue,
                                          0,
                                          [&] {
                                              auto slot = device->admit_command(queue);
                                              queue.enqueueReadBuffer(buffer.buffer(),
                                                                      CL_FALSE,
                                                                      0,
                                                                      memory.size(),
                                                                      memory.data(),
                                                                      &after,
                                                                      &done);
                                              slot.enqueued(done);
                                              lose(*device);
                                              device->shared_watch()->set_timeout(
                                                  long_timeout);
                                              before_status = [&](cl_event) {
                                                  asked = true;
                                                  gate.setStatus(CL_COMPLETE);
                                              };
                                              device->wait(done);
                                          }),
                             opencl_error);
        before_status = nullptr;
        const bool ended = has_ended(done);
        if (!asked)
            gate.setStatus(CL_COMPLETE);
        await_late_commands(*device);
        CPPUNIT_ASSERT(asked);
        CPPUNIT_ASSERT(ended);
    }

    void refusals_are_bounded_without_a_timeout()
    {
        context_registry registry(with_timeout(0));
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        device->finish(queue);
        driver.statuses_refused = true;
        device->drain(queue);
        CPPUNIT_ASSERT(device->is_lost());
    }

    //! If memory is too short to record the loss, the context still stays alive.
    void device_is_lost_without_memory()
    {
        context_registry registry(with_timeout(short_timeout));
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        driver.statuses_refused = true;
        const int before = driver.contexts_retained;
        memory_is_short = true;
        device->drain(queue);
        memory_is_short = false;
        CPPUNIT_ASSERT(device->is_lost());
        CPPUNIT_ASSERT_EQUAL(before + 1, driver.contexts_retained.load());
        CPPUNIT_ASSERT_THROW(device->check_usable(), opencl_error);
    }

    //! The host takes over, because std::bad_alloc would end a flowgraph.
    void short_memory_is_a_driver_failure()
    {
        context_registry registry(test_options());
        const auto device = registry.get(test_device());
        host_memory memory(device);
        pages_are_short = true;
        try {
            memory.reserve(4096);
            CPPUNIT_FAIL("there is no memory");
        } catch (const opencl_error& e) {
            CPPUNIT_ASSERT_EQUAL(CL_OUT_OF_HOST_MEMORY, e.code());
        }
        pages_are_short = false;
        CPPUNIT_ASSERT(memory.reserve(4096));
    }

    //! A command without a status from the driver does not occupy the window for ever.
    void untold_commands_keep_no_room()
    {
        queue_window window(
            1,
            [](const cl::Event&) { throw opencl_error("a test", CL_OUT_OF_RESOURCES); },
            [] {});
        context_registry registry(test_options());
        const auto device = registry.get(test_device());
        cl::UserEvent gate(device->cl_context());
        window.admit();
        window.enqueued(gate);
        driver.statuses_refused = true;
        CPPUNIT_ASSERT_NO_THROW(window.admit());
        window.give_back();
        driver.statuses_refused = false;
        gate.setStatus(CL_COMPLETE);
    }

    //! A call does not wait for room in the window of a lost device: the commands in it
    //! may never end.
    void room_is_not_awaited_of_a_lost_device()
    {
        queue_window window(
            1,
            [](const cl::Event&) {},
            [] { throw opencl_error("a test", CL_DEVICE_NOT_AVAILABLE, "lost"); });
        window.admit();
        CPPUNIT_ASSERT_THROW(window.admit(), opencl_error);
    }

    void lost_device_is_refused_at_once()
    {
        context_registry registry(with_timeout(long_timeout));
        const fir_case c(problem(), outputs());
        freq_xlating_filter_bank other(
            bank_of_one(problem()), on_device("direct", "mapped"), registry);
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        lose(*device);
        CPPUNIT_ASSERT_THROW(device->make_queue(), opencl_error);
        CPPUNIT_ASSERT_THROW(device->admit_command(queue), opencl_error);
        CPPUNIT_ASSERT_THROW(device->check_injected(injected_call::allocate),
                             opencl_error);
        CPPUNIT_ASSERT_THROW(device->build("gemm_transpose", ""), opencl_error);
        CPPUNIT_ASSERT_THROW(device->wait(cl::UserEvent(device->cl_context())),
                             opencl_error);
        // Another filter on that device, which has not failed itself, continues on the
        // host, and so does a new filter.
        CPPUNIT_ASSERT(error_db(c.run(other), c.expected()) < -100);
        CPPUNIT_ASSERT(other.fell_back());
        freq_xlating_filter_bank fresh(
            bank_of_one(problem()), on_device("direct", "mapped"), registry);
        CPPUNIT_ASSERT_MESSAGE(fresh.plan(), fresh.device_name() == "host");
    }

    void nothing_of_a_lost_device_is_released()
    {
        context_registry registry(with_timeout(long_timeout));
        const auto device = registry.get(test_device());
        int before = 0;
        {
            device_buffer buffer(device);
            buffer.reserve(4096);
            mapped_buffer mapped(device);
            mapped.reserve(4096);
            mapped.map(device->make_queue(), CL_MAP_WRITE, 0, 4096);
            host_memory memory(device);
            memory.reserve(4096);
            gemm_work_space space;
            space.grow(*device, 4096, "b");
            gemm_image_space pixels;
            if (device->limits().images)
                pixels.grow(*device,
                            image_rules(*device, gemm_type::f32, "image_buffer"),
                            gemm_type::f32,
                            16,
                            16,
                            "b");
            lose(*device);
            before = driver.released;
        }
        CPPUNIT_ASSERT_EQUAL(before, driver.released.load());
    }

    //! A driver may wait in the release of a queue for a command that never ends.
    void no_queue_is_released_in_flight()
    {
        for (const bool ends : { true, false }) {
            context_registry registry(with_timeout(ends ? long_timeout : short_timeout));
            const auto device = registry.get(test_device());
            cl::UserEvent gate(device->cl_context());
            const std::vector<cl::Event> after{ gate };
            std::thread opener;
            cl::Event done;
            {
                const auto queue = device->make_queue();
                auto slot = device->admit_command(queue);
                queue.enqueueMarkerWithWaitList(&after, &done);
                slot.enqueued(done);
                if (ends)
                    opener = std::thread([&] {
                        std::this_thread::sleep_for(std::chrono::milliseconds(30));
                        gate.setStatus(CL_COMPLETE);
                    });
            }
            const bool ended = has_ended(done);
            if (ends)
                opener.join();
            else
                gate.setStatus(CL_COMPLETE);
            CPPUNIT_ASSERT_EQUAL(ends, ended);
            CPPUNIT_ASSERT_EQUAL(!ends, device->is_lost());
        }
    }

    //! Waits for an event that is complete after \p time; throws if the wait fails.
    static void wait_for_gate(const context& device, std::chrono::milliseconds time)
    {
        cl::UserEvent gate(device.cl_context());
        std::thread opener([&] {
            std::this_thread::sleep_for(time);
            gate.setStatus(CL_COMPLETE);
        });
        try {
            device.wait(gate);
        } catch (...) {
            opener.join();
            throw;
        }
        opener.join();
    }

    void expected_work_is_waited_for()
    {
        context_registry registry(with_timeout(short_timeout));
        const auto device = registry.get(test_device());
        {
            const auto work = device->expect(1e11); // more than a quarter of an hour
            wait_for_gate(*device, std::chrono::milliseconds(400));
        }
        CPPUNIT_ASSERT(!device->is_lost());
        lose(*device);
    }

    //! Commands of a queue that end one by one extend the wait for the last one.
    void progress_is_waited_for()
    {
        // In a new queue the time is six times as long.
        context_registry registry(with_timeout(0.1));
        const auto device = registry.get(test_device());
        const auto queue = device->make_queue();
        std::vector<cl::UserEvent> gates;
        cl::Event last;
        for (int i = 0; i < 8; ++i) {
            gates.emplace_back(device->cl_context());
            const std::vector<cl::Event> after{ gates.back() };
            auto slot = device->admit_command(queue);
            cl::Event done;
            queue.enqueueMarkerWithWaitList(&after, &done);
            slot.enqueued(done);
            replace(last, std::move(done));
        }
        std::thread opener([&] {
            for (auto& gate : gates) {
                std::this_thread::sleep_for(std::chrono::milliseconds(150));
                gate.setStatus(CL_COMPLETE);
            }
        });
        try {
            device->wait(last);
        } catch (const opencl_error&) {
        }
        opener.join();
        CPPUNIT_ASSERT(!device->is_lost());
    }

    void no_bound_waits_on()
    {
        context_registry registry(with_timeout(0));
        const auto device = registry.get(test_device());
        wait_for_gate(*device, std::chrono::milliseconds(300));
        CPPUNIT_ASSERT(!device->is_lost());
    }

    void bad_timeouts_are_refused()
    {
        for (const double seconds : { -1.0, std::nan(""), HUGE_VAL }) {
            context_registry registry(with_timeout(seconds));
            CPPUNIT_ASSERT_THROW(registry.get(test_device()), std::invalid_argument);
        }
    }

    // NVIDIA's driver may report these times late if several threads use the device.
    void times_may_come_late_or_never()
    {
        constexpr int always = 1 << 30;
        for (const auto& algorithm : algorithms())
            for (const int refused : { 3, always }) {
                context_registry registry(test_options());
                freq_xlating_filter_bank filter(
                    bank_of_one(problem()), on_device(algorithm, "copy"), registry);
                const std::vector<std::complex<float>> in(
                    4000 + filter.problem().taps_of(0).size());
                std::vector<std::complex<float>> out(4000);
                driver.times_to_refuse = refused;
                process(filter, in.data(), in.size(), { out.data(), out.size() });
                driver.times_to_refuse = 0;
                CPPUNIT_ASSERT_MESSAGE(filter.plan(), !filter.fell_back());
                CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), filter.statistics().calls);
                // Where the host's clock takes them, none is asked for.
                CPPUNIT_ASSERT_EQUAL(refused != always || !test_device().limits.profiling,
                                     filter.statistics().kernel_time > 0);
            }
    }

    //! V3D's driver refuses such queues: the host's clock takes the times. It is told
    //! once, and nothing is left out.
    void queues_with_profiling_may_be_refused()
    {
        const fir_case c(problem(), outputs());
        for (const auto& algorithm : algorithms()) {
            std::vector<std::string> told;
            auto options = test_options();
            options.log = [&](log_level how, const std::string& text) {
                if (text.find("host's clock") != std::string::npos ||
                    how >= log_level::warning)
                    told.push_back(text);
            };
            context_registry registry(options);
            driver.profiling_refused = true;
            for (int twice = 0; twice < 2; twice++) {
                freq_xlating_filter_bank filter(
                    bank_of_one(problem()), on_device(algorithm, "copy"), registry);
                CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -100);
                CPPUNIT_ASSERT_MESSAGE(filter.plan(), !filter.fell_back());
                CPPUNIT_ASSERT(filter.statistics().kernel_time > 0);
            }
            driver.profiling_refused = false;
            CPPUNIT_ASSERT(!registry.get(test_device())->has_driver_clock());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(told.empty() ? "" : told.back(),
                                         test_device().limits.profiling ? std::size_t(1)
                                                                        : told.size(),
                                         told.size());
        }
    }

    //! So Mesa's rusticl answers for queues that have none.
    void times_may_be_zero()
    {
        const fir_case c(problem(), outputs());
        context_registry registry(test_options());
        freq_xlating_filter_bank filter(
            bank_of_one(problem()), on_device("direct", "copy"), registry);
        driver.times_are_zero = true;
        for (int call = 0; call < 3; call++) {
            CPPUNIT_ASSERT(error_db(c.run(filter), c.expected()) < -100);
            filter.reset();
        }
        driver.times_are_zero = false;
        CPPUNIT_ASSERT(!filter.fell_back());
        CPPUNIT_ASSERT(!registry.get(test_device())->has_driver_clock());
        CPPUNIT_ASSERT(filter.statistics().kernel_time > 0);
    }

    //! Copies rows with gaps, in pieces that end within rows.
    static void check_copies(const std::shared_ptr<context>& device,
                             std::size_t row,
                             std::size_t rows,
                             std::size_t pitch,
                             std::size_t piece)
    {
        const auto queue = device->make_queue();
        std::vector<unsigned char> from(rows * pitch), to(rows * pitch, 0xee);
        for (std::size_t i = 0; i < from.size(); ++i)
            from[i] = static_cast<unsigned char>(i * 7 % 251);
        device_buffer buffer(device);
        buffer.reserve(row * rows);
        staged_copies copies(device, queue, piece);
        for (int again = 0; again < 2; ++again) {
            std::vector<cl::Event> events;
            std::fill(to.begin(), to.end(), 0xee);
            copies.write(buffer.buffer(), { from.data(), row, rows, pitch }, events);
            copies.begin_read(buffer.buffer(), { to.data(), row, rows, pitch });
            copies.finish_read(events);
            CPPUNIT_ASSERT_EQUAL(2 * ((row * rows + piece - 1) / piece), events.size());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < to.size(); ++i)
                wrong += to[i] != (i % pitch < row ? from[i] : 0xee);
            CPPUNIT_ASSERT_EQUAL(std::size_t(0), wrong);
        }
    }
    void copies_in_pieces()
    {
        auto gpu = test_device(); // with memory of its own, for which staging is pinned
        gpu.kind = device_kind::gpu;
        gpu.limits.host_unified_memory = false;
        for (const auto& info : { test_device(), gpu }) {
            const auto device = std::make_shared<context>(info, test_options());
            for (const std::size_t piece : { 64, 1000, 1 << 20 })
                check_copies(device, 100, 37, 113, piece);
            // Several threads share a piece, and pieces alternate between two places.
            check_copies(device, 3000, 340, 3100, 1 << 19);
        }
    }

    void alias_shows_shared_memory()
    {
        context_registry registry(with_timeout(long_timeout));
        const auto device = registry.get(test_device());
        const std::vector<char> own(3 * 4096);
        CPPUNIT_ASSERT(!memory_alias::of(*device, { own.data(), own.size() }));
        CPPUNIT_ASSERT(!memory_alias::of(*device, {}));
        // Like GNU Radio's buffers, the same pages are mapped twice, one after the other.
        const shared_pages pages(4 * 4096);
        char* const data = pages.as<char>();
        CPPUNIT_ASSERT(
            mremap(data, 0, 2 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, data + 2 * 4096) ==
            data + 2 * 4096);
        const auto alias = memory_alias::of(*device, pages.region());
        CPPUNIT_ASSERT(alias);
        auto* const seen = static_cast<char*>(const_cast<void*>(alias->region().base));
        CPPUNIT_ASSERT(seen != data);
        data[5000] = 5;
        CPPUNIT_ASSERT_EQUAL(5, int(seen[5000]));
        CPPUNIT_ASSERT_EQUAL(5, int(seen[5000 + 2 * 4096]));
        seen[4 * 4096 - 1] = 6;
        CPPUNIT_ASSERT_EQUAL(6, int(data[2 * 4096 - 1]));
        lose(*device);
        seen[5000] = 7; // simulates a late command
        CPPUNIT_ASSERT_EQUAL(5, int(data[5000]));
    }

    void alias_of_a_lost_device_is_parted()
    {
        context_registry registry(with_timeout(long_timeout));
        const auto device = registry.get(test_device());
        const shared_pages pages(4096);
        lose(*device);
        const auto alias = memory_alias::of(*device, pages.region());
        CPPUNIT_ASSERT(alias);
        *static_cast<char*>(const_cast<void*>(alias->region().base)) = 7;
        CPPUNIT_ASSERT_EQUAL(0, int(*pages.as<char>()));
    }

    //! The addresses belong to no memory: nothing is accessed.
    void offsets_stay_within_32_bits()
    {
        if (sizeof(std::size_t) < 8)
            return;
        device_limits limits;
        limits.max_buffer = std::size_t(1) << 40;
        limits.base_address_alignment = 128;
        const auto at = [](std::size_t address) {
            return reinterpret_cast<const void*>(address);
        };
        const std::size_t base = std::size_t(1) << 32, small = std::size_t(1) << 31;
        // A stream whose every byte has an offset of 32 bits is wrapped as a whole.
        auto region =
            region_to_wrap(limits, { at(base), small }, at(base + small - 64), 64);
        CPPUNIT_ASSERT(region.base == at(base) && region.bytes == small);
        // Of a longer stream only the data are wrapped, from the boundary before them.
        const std::size_t far = base + 5 * small + 8;
        region = region_to_wrap(limits, { at(base), 8 * small }, at(far), 64);
        CPPUNIT_ASSERT(region.base == at(far - 8));
        CPPUNIT_ASSERT_EQUAL(std::size_t(72), region.bytes);
        // The same applies to data that begin or end outside of the stream.
        region = region_to_wrap(limits, { at(base), 64 }, at(base), 65);
        CPPUNIT_ASSERT_EQUAL(std::size_t(65), region.bytes);

        auto device = test_device();
        device.limits.max_buffer = std::size_t(1) << 40;
        const std::size_t most = (std::size_t(1) << 30) / 4;
        CPPUNIT_ASSERT_EQUAL(
            most, make_fast_convolution_block("vkfft", device, 4, 9, most).ifft_size);
        CPPUNIT_ASSERT_THROW(make_fast_convolution_block("vkfft", device, 4, 9, most + 1),
                             std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_device_failures, "qa_device_failures");

} // namespace
