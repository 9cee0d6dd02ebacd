/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_INFO_H
#define INCLUDED_CLDSP_ENGINE_INFO_H

#include <gnuradio/cldsp/api.h>
#include <cstddef>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * \brief What computes for a block, and why. Rates are of input items a second for filters,
 * of operations for products of matrices; 0 where nothing was predicted or measured.
 */
struct engine_plan {
    std::string device;      //!< as the parameter takes it: "host" or e.g. "0:1"
    std::string device_name; //!< "host", or OpenCL's name of the device
    std::string algorithm, variant, transfer;
    std::size_t block = 0; //!< rows of fast convolution's block; 0: it has none
    double predicted = 0, measured = 0;
    bool remembered = false; //!< an earlier measurement chose it
    std::string runner_up;   //!< in words
    std::string tuned;       //!< values that a tuner has found
    std::string reason;      //!< why the host computes in place of a device; else empty
};

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
    //! The same as data.
    virtual engine_plan plan_details() const = 0;
    //! True once the device was lost and the host goes on in its place.
    virtual bool fell_back() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_INFO_H */
