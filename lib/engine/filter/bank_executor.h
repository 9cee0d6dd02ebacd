/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/fir_executor.h"

#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! One call of a bank: outputs of every channel from items that all of them share.
struct bank_call {
    const void* in;                  //!< `past` items, then the new ones
    std::size_t past;                //!< items before the newest one of the first output
    std::complex<float>* const* out; //!< one a channel
    std::size_t outputs;             //!< of each channel
    const phase64* phases;           //!< of each channel's first output; see fir_call

    //! Items at `in` that may be read.
    std::size_t items(std::size_t decimation) const
    {
        return outputs ? past + (outputs - 1) * decimation + 1 : 0;
    }
};

//! As fir_executor, for several channels on one input.
class bank_executor
{
public:
    virtual ~bank_executor() = default;
    //! Taps or frequency of one channel changed (never the input type or the decimation).
    virtual void configure(std::size_t channel, const fir_setup& setup) = 0;
    //! \throws opencl_error if the device failed; the outputs are then undefined
    virtual void run(const bank_call& call) = 0;
    virtual void set_stream_memory(memory_region in) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    //! Whether commands of a lost device may still come to the memory of the calls.
    virtual bool device_is_lost() const { return false; }
};

} // namespace cldsp
