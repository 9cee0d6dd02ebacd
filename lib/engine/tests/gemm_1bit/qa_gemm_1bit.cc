// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of 1-bit products against a model that counts bit by bit.

#include "gemm_1bit/gemm_1bit_executor.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "gemm_1bit/popcount.h"
#include "opencl/matrix_units.h"
#include "tests/support/qa_gemm_1bit_support.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! A way of computing correlations that is no executor of the engine. It computes nothing
//! but what the tests ask for.
class executor_of_test : public gemm_1bit_executor
{
public:
    executor_of_test() : gemm_1bit_executor({ "the test", "" }) {}
};

//! A kernel, in buffers made for each call.
class kernel_of_device final : public executor_of_test
{
public:
    kernel_of_device(std::shared_ptr<context> device,
                     decltype(&make_gemm_1bit_kernel_tensor) make,
                     const gemm_1bit_codes& codes)
        : d_device(std::move(device)),
          d_queue(d_device->make_queue()),
          d_kernel(make({ d_device, d_queue, codes.bits, {} }, tensor_mode::emulated)),
          d_item(codes.bytes_each()),
          d_codes(codes.count)
    {
        set_codes(codes);
    }
    void set_codes(const gemm_1bit_codes& codes) override { d_kernel->set_codes(codes); }
    void
    run(const std::uint8_t* items, std::size_t count, std::int32_t* correlations) override
    {
        const std::size_t bytes = count * d_codes * sizeof(std::int32_t);
        const cl::Buffer in(d_device->cl_context(),
                            CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                            count * d_item,
                            const_cast<std::uint8_t*>(items));
        const cl::Buffer out(d_device->cl_context(), CL_MEM_READ_WRITE, bytes);
        std::vector<cl::Event> events;
        d_kernel->enqueue({ { in, 0 }, count, { out, 0 }, d_codes }, events);
        d_queue.enqueueReadBuffer(out, CL_TRUE, 0, bytes, correlations);
    }

private:
    std::shared_ptr<context> d_device;
    const device_queue d_queue;
    std::unique_ptr<gemm_1bit_kernel> d_kernel;
    std::size_t d_item, d_codes;
};

//! The host's kernels of one instruction set, for whole panels.
class kernels_of_host final : public executor_of_test
{
public:
    kernels_of_host(const popcount_kernels& kernels, const gemm_1bit_codes& codes)
        : d_kernels(kernels)
    {
        set_codes(codes);
    }
    void set_codes(const gemm_1bit_codes& codes) override
    {
        d_codes = codes;
        d_words = codes.words(8);
        d_panels = (codes.count + d_kernels.panel - 1) / d_kernels.panel;
        d_packed.resize(d_panels * d_kernels.panel * d_words);
        pack_panels(codes, 0, d_panels, d_kernels.panel, d_words, d_packed.data());
    }
    void
    run(const std::uint8_t* items, std::size_t count, std::int32_t* correlations) override
    {
        constexpr auto most = popcount_kernels::max_words;
        for (std::size_t p = 0; p < d_panels; p++)
            for (std::size_t w = 0; w < d_words; w += most) {
                const std::size_t code = p * d_kernels.panel;
                d_kernels.correlate(
                    { items,
                      d_codes.bytes_each(),
                      count,
                      d_packed.data() + (p * d_words + w) * d_kernels.panel,
                      w,
                      std::min(most, d_words - w),
                      w > 0,
                      static_cast<std::int32_t>(d_codes.bits),
                      correlations + code,
                      d_codes.count,
                      std::min(d_kernels.panel, d_codes.count - code) });
            }
    }

private:
    const popcount_kernels& d_kernels;
    gemm_1bit_codes d_codes;
    std::size_t d_words = 0, d_panels = 0;
    std::vector<std::uint64_t> d_packed;
};

//! One way of computing correlations, by name.
struct gemm_1bit_product {
    std::string name;
    std::function<std::unique_ptr<gemm_1bit_executor>(const gemm_1bit_codes&)> make;
    bool is_emulated = false;
};

//! Tests of the correlations of every variant against a bit by bit model: exact integers.
//! qa_profile_gemm_1bit has calls and codes that are divided, by every transfer.
class qa_gemm_1bit : public gemm_1bit_fixture
{
    CPPUNIT_TEST_SUITE(qa_gemm_1bit);
    CPPUNIT_TEST(every_size);
    CPPUNIT_TEST(bits_are_taken_from_the_most_significant_on);
    CPPUNIT_TEST(extreme_correlations);
    CPPUNIT_TEST(items_may_lie_anywhere);
    CPPUNIT_TEST(other_codes);
    CPPUNIT_TEST(device_without_matrix_units);
    CPPUNIT_TEST(stream_memory);
    CPPUNIT_TEST(calls_of_many_sizes);
    CPPUNIT_TEST(pieces_of_a_call_overlap);
    CPPUNIT_TEST(failures_while_pieces_overlap);
    CPPUNIT_TEST_SUITE_END();

    //! The variants for the device with the limits of the profile under test.
    std::vector<std::string> device_variants()
    {
        std::vector<std::string> names;
        for (const auto& variant : gemm_1bit_variants())
            if (variant.ladder != "host" && variant.fits(device()->device()))
                names.push_back(variant.name);
        return names;
    }

    static constexpr struct {
        const char* name;
        decltype(&make_gemm_1bit_kernel_tensor) make;
        std::size_t items;
    } emulated[] = { { "tensor", &make_gemm_1bit_kernel_tensor, 128 },
                     { "warpgroup", &make_gemm_1bit_kernel_warpgroup, 160 } };
    bool can_emulate(std::size_t items)
    {
        const auto& limits = device()->limits();
        return limits.max_work_group_size >= items && limits.local_memory >= 16384;
    }

    //! Everything that computes correlations: the host and its instruction sets, the
    //! device's variants, and what replaces matrix units.
    std::vector<gemm_1bit_product> products()
    {
        std::vector<gemm_1bit_product> all;
        all.push_back({ "the host", make_host_gemm_1bit });
        for (const auto* kernels : available_popcount_kernels())
            all.push_back({ kernels->name, [=](const auto& codes) {
                               return std::make_unique<kernels_of_host>(*kernels, codes);
                           } });
        const auto where = device();
        for (const auto& variant : device_variants())
            all.push_back({ variant, [=](const auto& codes) {
                               return make_opencl_gemm_1bit(
                                   where, variant, "zero_copy", codes);
                           } });
        for (const auto& units : emulated)
            if (can_emulate(units.items))
                all.push_back({ std::string(units.name) + ", emulated",
                                [=](const auto& codes) {
                                    return std::make_unique<kernel_of_device>(
                                        where, units.make, codes);
                                },
                                true });
        return all;
    }

public:
    void every_size()
    {
        CPPUNIT_ASSERT(device_variants().size() >= 4);
        const auto all = products();
        for (const auto& problem : gemm_1bit_cases()) {
            const auto expected = problem.expected();
            for (const auto& product : all) {
                // Only the kernel for CPUs divides long codes, into several calls. A
                // simulator takes long for emulated units, of which one case has each
                // step.
                if (small_tests() &&
                    ((problem.bits > 4096 && product.name != "cpu_tile") ||
                     (product.is_emulated && problem.bits != 1048)))
                    continue;
                const auto executor = product.make(problem.joined());
                CPPUNIT_ASSERT_MESSAGE(product.name + ", " + problem.describe(),
                                       problem.run(*executor) == expected);
            }
        }
    }

    void bits_are_taken_from_the_most_significant_on()
    {
        // 0x80 is one +1 and seven -1: its sum with itself is 8, and with 0x00 it differs
        // in one bit.
        gemm_1bit_case problem(8, 1, 1);
        problem.codes = { { 0x80 }, { 0x00 }, { 0xff }, { 0x40 } };
        problem.items = { 0x80 };
        const std::vector<std::int32_t> expected = { 8, 6, -6, 4 };
        CPPUNIT_ASSERT(problem.expected() == expected);
        for (const auto& product : products())
            problem.check(*product.make(problem.joined()), product.name);
    }

    // Counters in bytes must hold the result of 31 rounds in which all bits are set.
    void extreme_correlations()
    {
        const std::size_t bits = small_tests() ? 2104 : 100088;
        gemm_1bit_case problem(bits, 2, 2);
        problem.codes[1] = problem.codes[0];
        for (auto& byte : problem.codes[1])
            byte = static_cast<std::uint8_t>(~byte);
        std::copy(
            problem.codes[0].begin(), problem.codes[0].end(), problem.items.begin());
        std::copy(problem.codes[1].begin(),
                  problem.codes[1].end(),
                  problem.items.begin() + static_cast<std::ptrdiff_t>(bits / 8));
        const auto k = static_cast<std::int32_t>(bits);
        const std::vector<std::int32_t> expected = { k, -k, -k, k };
        for (const auto& product : products())
            if (!small_tests() || !product.is_emulated)
                CPPUNIT_ASSERT_MESSAGE(product.name,
                                       problem.run(*product.make(problem.joined())) ==
                                           expected);
    }

    void items_may_lie_anywhere()
    {
        const std::size_t bits = small_tests() ? 128 : 1024;
        const gemm_1bit_case even(bits, 18, 5), odd(bits + 24, 18, 5);
        for (const auto* problem : { &even, &odd })
            for (const auto& product : products()) {
                if (small_tests() && product.is_emulated)
                    continue;
                const auto executor = product.make(problem->joined());
                for (const std::size_t offset : { 1, 4, 8, 2, 3, 7, 129 }) {
                    problem->check(*executor, product.name, offset);
                    if (small_tests() && offset == 8)
                        break;
                }
            }
    }

    void other_codes()
    {
        const std::size_t bits = small_tests() ? 104 : 712;
        const gemm_1bit_case first(bits, 18, 9, 1), second(bits, 18, 9, 2);
        for (const auto& product : products()) {
            if (small_tests() && product.is_emulated)
                continue;
            const auto executor = product.make(first.joined());
            for (const auto* problem : { &first, &second, &first }) {
                executor->set_codes(problem->joined());
                problem->check(*executor, product.name);
            }
        }
    }

    void device_without_matrix_units()
    {
        const auto reason = missing_tensor_reason(device()->device());
        if (reason.empty())
            return; // the tests of all variants then run it
        try {
            on_device(gemm_1bit_case(64, 3, 2), "tensor");
            CPPUNIT_FAIL("no error");
        } catch (const std::invalid_argument& e) {
            const std::string text = e.what();
            CPPUNIT_ASSERT_MESSAGE(text, text.find(reason) != std::string::npos);
        }
    }

    // Memory as a block brings it: wrapped once, with calls anywhere in it.
    void stream_memory()
    {
        const gemm_1bit_case problem(264, 7, small_tests() ? 6 : 40);
        const auto expected = problem.expected();
        constexpr std::size_t page = 4096, items_bytes = page, out_bytes = page;
        std::unique_ptr<std::uint8_t, void (*)(void*)> memory(
            static_cast<std::uint8_t*>(std::aligned_alloc(page, items_bytes + out_bytes)),
            std::free);
        auto* out = reinterpret_cast<std::int32_t*>(memory.get() + items_bytes);
        std::copy(problem.items.begin(), problem.items.end(), memory.get());
        for (const auto& device_text : { std::string("host"), test_device().id() }) {
            auto engine = make(problem, device_text);
            engine.set_stream_memory({ memory.get(), items_bytes }, { out, out_bytes });
            std::fill_n(out, out_bytes / sizeof(*out), 0);
            for (std::size_t done = 0; done < problem.count;) {
                const std::size_t count = std::min(1 + done, problem.count - done);
                engine.correlate({ memory.get() + done * 33, count * 33 },
                                 { out + done * 7, count * 7 });
                done += count;
            }
            CPPUNIT_ASSERT(std::equal(expected.begin(), expected.end(), out));
            engine.set_stream_memory({}, {});
            problem.check(engine);
        }
    }

    void calls_of_many_sizes()
    {
        const gemm_1bit_case first(200, 21, 1);
        for (const auto& device_text : { std::string("host"), test_device().id() }) {
            auto engine = make(first, device_text);
            engine.correlate({}, {});
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), engine.statistics().calls);
            std::uint64_t outputs = 0;
            for (const std::size_t count : std::initializer_list<std::size_t>{
                     1, small_tests() ? 9U : 70U, 2, 33, 1 }) {
                gemm_1bit_case problem(200, 21, count, 1);
                problem.check(engine);
                outputs += 21 * count;
            }
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(5), engine.statistics().calls);
            CPPUNIT_ASSERT_EQUAL(outputs, engine.statistics().outputs);
            CPPUNIT_ASSERT(engine.statistics().kernel_time > 0);
            CPPUNIT_ASSERT_EQUAL(std::size_t(200), engine.bits());
            CPPUNIT_ASSERT_EQUAL(std::size_t(21), engine.codes());
        }
    }

    //! The device under test, as if it had memory of its own.
    static std::shared_ptr<context> device_with_bus()
    {
        auto info = test_device();
        info.kind = device_kind::gpu;
        info.limits.host_unified_memory = false;
        return std::make_shared<context>(info, test_options());
    }

    //! A call whose correlations are several pieces of 8 MiB.
    static gemm_1bit_case long_call(unsigned seed)
    {
        return gemm_1bit_case(8, 4096, 2300, seed);
    }
    static constexpr std::uint64_t pieces = 5, commands_of_a_piece = 3;

    //! Tests the method for GPUs with memory of their own, on any device.
    void pieces_of_a_call_overlap()
    {
        if (small_tests())
            return;
        const auto device = device_with_bus();
        const auto problem = long_call(1), other = long_call(2);
        const auto expected = problem.expected();
        std::vector<std::uint8_t> stream = problem.items;
        for (const char* transfer : { "copy", "mapped", "zero_copy" }) {
            const auto executor =
                make_opencl_gemm_1bit(device, "private_sum", transfer, problem.joined());
            const auto before = device->commands();
            CPPUNIT_ASSERT_MESSAGE(transfer, problem.run(*executor) == expected);
            CPPUNIT_ASSERT(device->commands() - before >= pieces * commands_of_a_piece);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), executor->statistics().calls);
            CPPUNIT_ASSERT(executor->statistics().kernel_time > 0);

            // Later calls find the codes that are set now, and the memory of a stream.
            executor->set_codes(other.joined());
            executor->set_stream_memory({ stream.data(), stream.size() }, {});
            std::vector<std::int32_t> out(problem.count * 4096);
            executor->run(stream.data(), problem.count, out.data());
            gemm_1bit_case mixed = problem;
            mixed.codes = other.codes;
            CPPUNIT_ASSERT_MESSAGE(transfer, out == mixed.expected());
            executor->set_stream_memory({}, {});

            // A call of one piece.
            const gemm_1bit_case brief(8, 4096, 3, 2);
            brief.check(*executor, transfer);
        }
    }

    //! Lets calls of the driver fail in turn, while pieces of a call overlap.
    void failures_while_pieces_overlap()
    {
        if (small_tests())
            return;
        const auto device = device_with_bus();
        const auto problem = long_call(3);
        const auto expected = problem.expected();
        constexpr int step = 4;
        int failures = 0;
        for (bool failed = true; failed; failures += failed ? step : 0) {
            const auto executor = make_opencl_gemm_1bit(
                device, "private_sum", "zero_copy", problem.joined());
            device->inject_failure(injected_call::enqueue, failures);
            failed = false;
            try {
                problem.run(*executor);
            } catch (const opencl_error&) {
                failed = true;
            }
            device->inject_failure(injected_call::none);
            // The executor continues after a failure of the driver.
            CPPUNIT_ASSERT(problem.run(*executor) == expected);
        }
        CPPUNIT_ASSERT(failures >= static_cast<int>(pieces * commands_of_a_piece));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_1bit, "qa_gemm_1bit");

} // namespace
