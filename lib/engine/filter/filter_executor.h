/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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

//! The part of a call that gives the outputs of one channel, in a bank whose channels
//! have different rates.
struct channel_span {
    std::size_t newest;  //!< index, in the call, of the first output's newest item
    std::size_t outputs; //!< number of outputs
    std::uint64_t first; //!< index of the first output since the stream began
};

//! The data of one call of a bank. All channels share the input items.
struct filter_call {
    const void* in;      //!< `history` items of the past, then the new ones
    std::size_t history; //!< items before the newest item of the first output
    //! The memory for the outputs of each channel. A null pointer means that the channel
    //! is idle: nothing is computed for it.
    std::complex<float>* const* out;
    std::size_t outputs; //!< number of outputs of each channel
    //! The phase of each channel's first output. From each output to the next it changes
    //! by -step * decimation.
    const phase64* phases;
    //! Null for executors of one decimation. Other executors get the part of each channel
    //! here: `outputs` above is then the number of items that are new in this call, and
    //! `phases` are the phases at the newest item of each channel's first output. A phase
    //! changes by -step from item to item.
    const channel_span* spans = nullptr;

    //! The number of items at `in` that may be read.
    std::size_t items(std::size_t decimation) const
    {
        return outputs ? history + (outputs - 1) * decimation + 1 : 0;
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
     * freq_xlating_fir::set_stream_memory().
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
        if (call.out[channel])
            active.push_back(channel);
}

//! The part of a call that belongs to one channel.
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
    const std::size_t later = call.history - (taps - 1);
    return { static_cast<const unsigned char*>(call.in) + later * item_bytes,
             call.out[channel],
             call.outputs,
             call.phases[channel] };
}

//! Runs a bank of one channel, whose filter has \p taps taps.
inline void run_one(filter_executor& bank, const fir_call& call, std::size_t taps)
{
    bank.run({ call.in, taps - 1, &call.out, call.outputs, &call.phase });
}

} // namespace cldsp
