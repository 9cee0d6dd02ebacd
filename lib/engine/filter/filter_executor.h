// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of everything that computes filters and banks, and the data of a call.

#pragma once

#include "filter/filter_channel.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

//! The outputs of a channel in a call. Channels of one rate have the same.
struct channel_span {
    std::size_t newest;  //!< index, in the call, of the first output's newest item
    std::size_t outputs; //!< number of outputs
    std::uint64_t first; //!< index of the first output since the stream began
};

//! The part of a call that belongs to one channel.
struct channel_call {
    //! The memory for the outputs. A null pointer means that the channel is idle: nothing
    //! is computed for it.
    std::complex<float>* out;
    //! The phase at the newest item of the first output. From each item to the next it
    //! changes by -step.
    phase64 phase;
    channel_span span;
};

//! The data of one call of a bank. All channels share the input items.
struct filter_call {
    const void* in;               //!< `history` items of the past, then the new ones
    std::size_t history;          //!< items before the first new one
    std::size_t items;            //!< new items
    const channel_call* channels; //!< one for each channel of the bank

    // For executors of one decimation, whose channels have the same span, idle ones
    // included:
    std::size_t outputs() const { return channels->span.outputs; }
    //! The items before the newest item of the first output.
    std::size_t newest() const { return channels->span.newest; }
    //! The number of items at `in` that the first \p count outputs need.
    std::size_t items_of(std::size_t count, std::size_t decimation) const
    {
        return count ? newest() + (count - 1) * decimation + 1 : 0;
    }
};

/*!
 * One way of computing a bank of filters on one input; a single filter is a bank of one.
 * The implementations are direct and fast convolution, each on the host and on OpenCL,
 * and those for channels of different rates and for several devices.
 *
 * Between two calls an executor keeps only buffers and statistics. Every call brings its
 * own history, so that another executor can repeat a call that has failed.
 */
class filter_executor
{
public:
    virtual ~filter_executor() = default;
    //! Takes new taps or a new frequency of one channel (never another input type or
    //! decimation).
    virtual void configure(std::size_t channel, const filter_channel& setup) = 0;
    //! \throws opencl_error if the device failed; the outputs are then undefined
    virtual void run(const filter_call& call) = 0;
    /*!
     * Sets the memory that holds the data of later calls, see
     * freq_xlating_filter_bank::set_stream_memory().
     *
     * \param in memory of the input items
     * \param out memory of the outputs of a single channel. Executors of several channels
     *        ignore it: each call tells them where its outputs belong
     */
    virtual void set_stream_memory(memory_region in, memory_region out) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    virtual void clear_statistics() = 0;
    //! Whether the device is lost. Its late commands may then still access the memory of
    //! calls, so that this memory must be kept.
    virtual bool device_is_lost() const { return false; }
    /*!
     * For executors of several devices: a call may go on without a device that failed.
     * Returns whether channels have moved to other devices since the last call of this
     * function; \p plan is then replaced by the plan that runs now.
     */
    virtual bool take_new_plan(chosen_plan& /*plan*/) { return false; }
};

//! Sets \p active to those of the \p channels channels that are not idle in \p call.
inline void find_active(const filter_call& call,
                        std::size_t channels,
                        std::vector<std::size_t>& active)
{
    active.clear();
    for (std::size_t channel = 0; channel < channels; channel++)
        if (call.channels[channel].out)
            active.push_back(channel);
}

//! A call of a filter of one decimation.
struct fir_call {
    const void* in; //!< the oldest item in the window of the first output
    std::complex<float>* out;
    std::size_t outputs;
    //! The phase of the first output. From each output to the next it changes by
    //! -step * decimation.
    phase64 phase;
};

//! The part of \p call that belongs to \p channel, which has \p taps taps. The window of
//! a short filter begins later than that of the longest one.
inline fir_call channel_of(const filter_call& call,
                           std::size_t channel,
                           std::size_t taps,
                           std::size_t item_bytes)
{
    const auto& its = call.channels[channel];
    const std::size_t later = its.span.newest - (taps - 1);
    return { static_cast<const unsigned char*>(call.in) + later * item_bytes,
             its.out,
             its.span.outputs,
             its.phase };
}

//! Runs a bank of one channel and one decimation, whose filter has \p taps taps. Such an
//! executor goes by the span alone, so that the number of new items does not matter.
inline void run_one(filter_executor& bank, const fir_call& call, std::size_t taps)
{
    const channel_call only{ call.out, call.phase, { taps - 1, call.outputs, 0 } };
    bank.run({ call.in, taps - 1, call.outputs, &only });
}

} // namespace cldsp
