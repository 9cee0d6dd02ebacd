/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_channel.h"

#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>

#include <complex>
#include <cstddef>
#include <string>

namespace cldsp {

//! One call of a bank: outputs of every channel from items that all of them share.
struct filter_call {
    const void* in;                  //!< `history` items, then the new ones
    std::size_t history;             //!< items before the newest one of the first output
    std::complex<float>* const* out; //!< one per channel
    std::size_t outputs;             //!< of each channel
    //! Of each channel's first output; each next one is -step * decimation further.
    const phase64* phases;

    //! Items at `in` that may be read.
    std::size_t items(std::size_t decimation) const
    {
        return outputs ? history + (outputs - 1) * decimation + 1 : 0;
    }
};

/*!
 * One way of computing a bank of filters on one input; a single filter is a bank of one.
 * The implementations are direct and fast convolution, each on the host and on OpenCL.
 *
 * Stateless between calls but for buffers and statistics: every call brings its history,
 * and a failed call changes nothing that another executor could not take over.
 */
class filter_executor
{
public:
    virtual ~filter_executor() = default;
    //! Taps or frequency of one channel changed (never the input type or the decimation).
    virtual void configure(std::size_t channel, const filter_channel& setup) = 0;
    //! \throws opencl_error if the device failed; the outputs are then undefined
    virtual void run(const filter_call& call) = 0;
    /*!
     * Tells where later calls' data lie, see freq_xlating_fir::set_stream_memory().
     *
     * \param out of the only channel; executors of several find each call's outputs
     */
    virtual void set_stream_memory(memory_region in, memory_region out) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    virtual void clear_statistics() = 0;
    //! Whether commands of a lost device may still come to the memory of the calls.
    virtual bool device_is_lost() const { return false; }
};

//! One channel's part of a call.
struct fir_call {
    const void* in; //!< the oldest item of the first output's window
    std::complex<float>* out;
    std::size_t outputs;
    phase64 phase; //!< of the first output; each next one is -step * decimation further
};

//! The part of a channel with \p taps taps: a short filter's window begins later than the
//! longest one's.
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

//! Runs a bank of one, whose filter has \p taps taps.
inline void run_one(filter_executor& bank, const fir_call& call, std::size_t taps)
{
    bank.run({ call.in, taps - 1, &call.out, call.outputs, &call.phase });
}

} // namespace cldsp
