/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_INFO_H
#define INCLUDED_CLDSP_ENGINE_INFO_H

#include <gnuradio/cldsp/api.h>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * \brief What a block tells about the engine that computes for it.
 *
 * The same values are ControlPort variables of the block. All of them may be asked at any
 * time. While a call of work() computes, or waits for its device, they are what was so
 * before it: who asks does not wait.
 */
class CLDSP_API engine_info
{
public:
    virtual ~engine_info() = default;

    //! "host" where the host computes, else OpenCL's name of the device.
    virtual std::string device_name() const = 0;
    //! "direct" or "fast_convolution" for filters, "gemm" for matrices, "popcount" for
    //! 1-bit correlations.
    virtual std::string algorithm_name() const = 0;
    //! The kernel variant that really runs, never "auto"; see list_variants() and
    //! list_gemm_variants().
    virtual std::string variant_name() const = 0;
    //! "copy", "mapped" or "zero_copy"; "none" where the host computes.
    virtual std::string transfer_name() const = 0;
    //! Average computing time of a call in seconds; 0 before the first call.
    virtual double kernel_time_avg() const = 0;
    //! Average time of a call's copies and maps in seconds; 0 where the host computes.
    virtual double transfer_time_avg() const = 0;
    //! One line: what was chosen, its rates as predicted and measured, the runner-up.
    virtual std::string plan() const = 0;
    //! True once the device was lost and the host goes on in its place.
    virtual bool fell_back() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_INFO_H */
