// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of outputs on their way back, and of pieces that overlap.

#include "opencl/commands.h"
#include "opencl/piece_overlap.h"
#include "opencl/transfer.h"
#include "tests/support/qa_support.h"

#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

using namespace cldsp;

namespace {

//! Tests of the outputs of many channels on their way back, and of pieces that overlap.
class qa_transfer : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_transfer);
    CPPUNIT_TEST(outputs_come_in_slices);
    CPPUNIT_TEST(large_results_come_whole);
    CPPUNIT_TEST(a_failed_round_is_repeated);
    CPPUNIT_TEST(pieces_take_turns);
    CPPUNIT_TEST(errors_of_either_side_end_a_call);
    CPPUNIT_TEST_SUITE_END();

    using values = std::vector<std::complex<float>>;

    //! The device under test, with memory of its own or as it is.
    static std::shared_ptr<context> make_device(bool bus)
    {
        auto info = test_device();
        if (bus) {
            info.kind = device_kind::gpu;
            info.limits.host_unified_memory = false;
        }
        return std::make_shared<context>(info, test_options());
    }

    //! Brings outputs of several channels back: numbers that count from \p begin.
    static void bring(channel_outputs& results,
                      const cl::CommandQueue& queue,
                      std::size_t channels,
                      std::size_t outputs,
                      float begin)
    {
        values on_device(channels * outputs);
        for (std::size_t i = 0; i < on_device.size(); ++i)
            on_device[i] = { begin + static_cast<float>(i), -begin };
        std::vector<values> out(channels, values(outputs + 1, 7));
        std::vector<std::complex<float>*> places;
        for (auto& channel : out)
            places.push_back(channel.data());
        const auto& buffer = results.reserve(channels, outputs);
        queue.enqueueWriteBuffer(buffer,
                                 CL_TRUE,
                                 0,
                                 on_device.size() * sizeof(on_device[0]),
                                 on_device.data());
        results.enqueue();
        queue.flush();
        results.finish(places.data());
        CPPUNIT_ASSERT_EQUAL(channels, results.channels());
        CPPUNIT_ASSERT(results.time() > 0);
        for (std::size_t c = 0; c < channels; ++c) {
            const auto begins = on_device.begin() + static_cast<long>(c * outputs);
            CPPUNIT_ASSERT(
                std::equal(begins, begins + static_cast<long>(outputs), out[c].begin()));
            CPPUNIT_ASSERT(out[c].back() == std::complex<float>(7));
        }
    }

    //! Slices begin and end anywhere in a channel, and take one, two or more commands.
    void outputs_come_in_slices()
    {
        for (const bool bus : { true, false }) {
            const auto device = make_device(bus);
            const auto queue = device->make_queue();
            constexpr std::size_t slice = 1000 * sizeof(std::complex<float>);
            channel_outputs results(device, queue, slice);
            for (const auto& [channels, outputs, commands] :
                 { std::array<std::size_t, 3>{ 1, 1, 1 },
                   { 3, 333, 1 },
                   { 4, 250, 1 },
                   { 7, 143, 2 },
                   { 5, 700, 4 },
                   { 2, 3001, 7 },
                   { 1, 999, 1 } }) {
                bring(results, queue, channels, outputs, 3); // makes room
                const auto before = device->commands();
                bring(results, queue, channels, outputs, 4);
                if (bus)
                    CPPUNIT_ASSERT_EQUAL(std::uint64_t(commands),
                                         device->commands() - before);
            }
        }
    }

    //! Parts of a large result are copied while later ones are still on the bus.
    void large_results_come_whole()
    {
        const auto device = make_device(true);
        const auto queue = device->make_queue();
        const auto transfer = make_device_transfer("copy", device, queue);
        values in((std::size_t(5) << 19) + 3); // 20 MiB and three values
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = { static_cast<float>(i), -1 };
        values out(in.size() + 1, 7);
        const std::size_t bytes = in.size() * sizeof(in[0]);
        const auto from = transfer->input(in.data(), bytes);
        const auto to = transfer->output(out.data(), bytes);
        cl::Event copied;
        queue.enqueueCopyBuffer(
            from.buffer, to.buffer, from.offset, to.offset, bytes, nullptr, &copied);
        transfer->start_result();
        transfer->finish(copied);
        CPPUNIT_ASSERT(std::equal(in.begin(), in.end(), out.begin()));
        CPPUNIT_ASSERT(out.back() == std::complex<float>(7));
    }

    void a_failed_round_is_repeated()
    {
        const auto device = make_device(true);
        const auto queue = device->make_queue();
        constexpr std::size_t slice = 64 * sizeof(std::complex<float>);
        channel_outputs results(device, queue, slice);
        constexpr int slices = 5;
        for (int good = 0; good < slices; ++good) {
            device->inject_failure(injected_call::enqueue, good);
            CPPUNIT_ASSERT_THROW(bring(results, queue, 4, 80, 1), opencl_error);
            device->inject_failure(injected_call::none);
            device->drain(queue);
            bring(results, queue, 4, 80, 2);
        }
    }

    //! Each piece is enqueued once and finished once, in order, and at most three are on
    //! their way.
    void pieces_take_turns()
    {
        piece_overlap overlap;
        CPPUNIT_ASSERT(overlap.has_threads());
        for (const std::size_t pieces : { 0, 1, 2, 3, 4, 50 }) {
            std::mutex mutex;
            std::vector<std::size_t> enqueued, finished;
            std::size_t taken = 0, noted = 0;
            overlap.run({ [&] { return taken < pieces && ++taken; },
                          [&](std::size_t pipeline) {
                              const std::lock_guard<std::mutex> guard(mutex);
                              enqueued.push_back(pipeline);
                              CPPUNIT_ASSERT(enqueued.size() - finished.size() <=
                                             piece_overlap::pipelines);
                          },
                          [&](std::size_t pipeline) {
                              const std::lock_guard<std::mutex> guard(mutex);
                              finished.push_back(pipeline);
                              CPPUNIT_ASSERT(finished.size() <= enqueued.size());
                          },
                          [&](std::size_t) { ++noted; } });
            CPPUNIT_ASSERT_EQUAL(pieces, taken);
            CPPUNIT_ASSERT_EQUAL(pieces, noted);
            CPPUNIT_ASSERT(enqueued == finished);
            CPPUNIT_ASSERT_EQUAL(pieces, enqueued.size());
            for (std::size_t i = 0; i < pieces; ++i)
                CPPUNIT_ASSERT_EQUAL(i % piece_overlap::pipelines, enqueued[i]);
        }
    }

    void errors_of_either_side_end_a_call()
    {
        piece_overlap overlap;
        CPPUNIT_ASSERT(overlap.has_threads());
        constexpr int pieces = 9;
        for (int bad = 0; bad < pieces; ++bad)
            for (const bool while_enqueued : { true, false }) {
                int taken = 0, enqueued = 0, finished = 0;
                const auto fail_at = [&](int& count, bool fails) {
                    if (fails && count == bad)
                        throw std::runtime_error("a test");
                    ++count;
                };
                CPPUNIT_ASSERT_THROW(
                    overlap.run(
                        { [&] { return taken++ < pieces; },
                          [&](std::size_t) { fail_at(enqueued, while_enqueued); },
                          [&](std::size_t) { fail_at(finished, !while_enqueued); },
                          [](std::size_t) {} }),
                    std::runtime_error);
                CPPUNIT_ASSERT_EQUAL(bad, while_enqueued ? enqueued : finished);
            }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_transfer, "qa_transfer");

} // namespace
