// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A queue, with the transfers and buffers by which pieces of calls are computed on it.

#pragma once

#include "base/call_statistics.h"
#include "filter/filter_executor.h"
#include "opencl/buffer.h"
#include "opencl/call_pieces.h"
#include "opencl/commands.h"
#include "opencl/pinned_transfer.h"
#include "opencl/staging.h"
#include "opencl/transfer.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/memory_region.h>
#include <cldsp/sample_type.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

/*!
 * A queue, and the transfers and buffers by which pieces of calls are computed on it. A
 * round is what a derived class enqueues for a piece, and the finish() that follows.
 *
 * Several pipelines work on pieces of a call in turns, so that transfers and kernels
 * overlap.
 */
class opencl_pipeline
{
public:
    opencl_pipeline(const opencl_pipeline&) = delete;
    opencl_pipeline& operator=(const opencl_pipeline&) = delete;

    const cl::CommandQueue& queue() const { return d_queue; }
    const std::string& transfer_name() const { return d_transfer->name(); }
    void set_stream_memory(memory_region in, memory_region out)
    {
        d_transfer->set_stream_memory(in, out);
    }

    //! Waits until the outputs are in the memory of the call.
    void finish();
    //! Checks how every command of the rounds so far has ended. \throws opencl_error
    void check() const { d_device->check_commands(d_queue); }
    //! Waits for the commands that an error has left in flight. Does not throw.
    void abandon() noexcept { d_device->drain(d_queue); }
    //! Waits for the commands in flight. \returns whether the device is lost after that
    bool device_is_lost() const noexcept { return d_device->is_lost_after(d_queue); }

    // Of the last round:
    std::size_t blocks() const { return d_blocks; }
    const std::vector<cl::Event>& kernels() const { return d_kernels; }
    double longest_kernel() const { return d_longest_kernel; }
    double transfer_time() const { return d_transfer_time; }

protected:
    //! \param for_one_channel whether there is a single channel, which a transfer serves
    opencl_pipeline(std::shared_ptr<context> device,
                    const std::string& transfer,
                    std::shared_ptr<pinned_stream> stream,
                    bool for_one_channel);
    ~opencl_pipeline() = default;

    const std::shared_ptr<context>& device() const { return d_device; }

    /*!
     * Begins a round of some blocks.
     *
     * \param channels those to compute, of the call's
     * \param values one for each of them, which channel_values() has then
     * \param first the first output
     */
    template <class Channel, class Value>
    void begin(const filter_call& call,
               const std::vector<Channel>& channels,
               const std::vector<Value>& values,
               std::size_t first,
               std::size_t blocks)
    {
        d_blocks = blocks;
        d_parts = 0;
        d_kernels.clear();
        d_writes.clear();
        d_places.clear();
        for (const auto channel : channels)
            d_places.push_back(call.channels[channel].out + first);
        // The values are copied before all else: NVIDIA's driver waits for the queue
        // before it copies from memory that is not pinned, and nothing is in the queue
        // yet.
        const std::size_t bytes = values.size() * sizeof(values[0]);
        d_values.reserve(bytes);
        d_copies.write(d_values.buffer(), { values.data(), bytes, 1, bytes }, d_writes);
    }
    //! Brings items of the call to the device, of which \p first is the first one of the
    //! call's history.
    device_range
    input(const filter_call& call, sample_type type, std::size_t first, std::size_t items)
    {
        const std::size_t size = sample_size(type);
        return d_transfer->input(
            static_cast<const unsigned char*>(call.in) + first * size, items * size);
    }
    const cl::Buffer& channel_values() const { return d_values.buffer(); }
    std::vector<cl::Event>& events() { return d_kernels; }

    /*!
     * Lets kernels compute the outputs of the next channels of the round.
     *
     * \param compute compute(range) enqueues the kernels, which store the outputs of all
     *        these channels in the range, one channel behind the other
     */
    template <class Compute>
    void compute_part(std::size_t channels, std::size_t outputs, const Compute& compute)
    {
        if (d_is_single) {
            compute(
                d_transfer->output(d_places[0], outputs * sizeof(std::complex<float>)));
            d_transfer->start_result();
            return;
        }
        if (d_outputs.size() == d_parts)
            d_outputs.emplace_back(d_device, d_queue);
        auto& results = d_outputs[d_parts++];
        const auto& buffer = results.reserve(channels, outputs);
        compute(device_range{ buffer, 0 });
        results.enqueue();
    }
    //! Sends what the round has enqueued.
    void flush() { d_queue.flush(); }
    //! Frees the outputs of parts that no round has any more.
    void keep_parts(std::size_t parts)
    {
        while (d_outputs.size() > parts)
            d_outputs.pop_back();
    }

private:
    std::shared_ptr<context> d_device;
    device_queue d_queue;
    const bool d_is_single;
    std::unique_ptr<device_transfer> d_transfer;
    //! One object for each part; none for a single channel.
    std::deque<channel_outputs> d_outputs;
    device_buffer d_values;
    staged_copies d_copies; //!< copies the values

    // The state of the round in flight.
    std::size_t d_blocks = 0, d_parts = 0;
    std::vector<cl::Event> d_kernels;
    std::vector<cl::Event> d_writes;
    std::vector<std::complex<float>*> d_places; // of the channels
    double d_longest_kernel = 0, d_transfer_time = 0;
};

//! The pipelines of a filter or bank on a device, the first of which always is there.
template <class Pipeline>
class pipeline_group
{
public:
    using maker = std::function<std::unique_ptr<Pipeline>()>;

    explicit pipeline_group(std::shared_ptr<context> device)
        : d_device(std::move(device)), d_pace(d_device->longest_kernel(), 1)
    {
    }

    //! Replaces the pipelines. \param make makes further ones like \p first
    void set(std::unique_ptr<Pipeline> first, maker make)
    {
        d_pipelines.clear();
        d_make = std::move(make);
        add(std::move(first));
    }
    Pipeline& first() const { return *d_pipelines[0]; }
    //! Whether several pipelines hide transfers.
    bool overlaps() const { return d_overlaps; }
    //! The first kernel of a call must not be longer than the device allows: what is
    //! known of the time of a block holds no more.
    void forget_pace() { d_pace = kernel_pace(d_device->longest_kernel(), 1); }

    void set_stream_memory(memory_region in, memory_region out)
    {
        d_in = in;
        d_out = out;
        for (auto& pipeline : d_pipelines)
            pipeline->set_stream_memory(in, out);
    }
    bool device_is_lost() const
    {
        return std::any_of(
            d_pipelines.begin(), d_pipelines.end(), [](const auto& pipeline) {
                return pipeline->device_is_lost();
            });
    }

    /*!
     * Computes the pieces of a call, and waits for them.
     *
     * \param multiply_adds their rough number
     * \param enqueue enqueue(pipeline, first, outputs) begins a round
     * \throws opencl_error
     */
    template <class Enqueue>
    void run(std::size_t outputs,
             std::size_t piece_outputs,
             std::size_t block_outputs,
             double multiply_adds,
             const Enqueue& enqueue,
             call_statistics& sums)
    {
        const auto work = d_device->expect(multiply_adds);
        try {
            with_opencl_errors(*d_device, [&] {
                run_pieces(
                    *d_device,
                    { outputs, piece_outputs, block_outputs, d_overlaps },
                    [&](std::size_t index) -> Pipeline& { return pipeline(index); },
                    enqueue,
                    d_overlap,
                    d_pace,
                    sums);
            });
            for (const auto& pipeline : d_pipelines)
                pipeline->check();
        } catch (...) {
            for (auto& pipeline : d_pipelines)
                pipeline->abandon();
            throw;
        }
    }

private:
    void add(std::unique_ptr<Pipeline> pipeline)
    {
        d_pipelines.push_back(std::move(pipeline));
        d_pipelines.back()->set_stream_memory(d_in, d_out);
    }
    Pipeline& pipeline(std::size_t index)
    {
        while (d_pipelines.size() <= index)
            add(d_make());
        return *d_pipelines[index];
    }

    std::shared_ptr<context> d_device;
    const bool d_overlaps = !shares_memory(d_device->device());
    maker d_make;
    std::vector<std::unique_ptr<Pipeline>> d_pipelines;
    piece_overlap d_overlap;
    memory_region d_in, d_out;
    kernel_pace d_pace; //!< counts blocks
};

} // namespace cldsp
