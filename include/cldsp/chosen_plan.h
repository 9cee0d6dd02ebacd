/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>
#include <string>

namespace cldsp {

/*!
 * What computes, and why: what a planner has chosen, or what took the place of a device
 * that failed. Rates are of input items a second for filters, of operations for products.
 */
struct chosen_plan {
    std::string device;      //!< device_info::id(): "host" or e.g. "0:1"
    std::string device_name; //!< OpenCL's name of it, or "host"
    //! "direct" or "fast_convolution", "gemm", "popcount"; empty: no plan was made
    std::string algorithm;
    std::string variant;       //!< e.g. "simd", "polyphase"
    std::string transfer;      //!< "copy", "mapped", "zero_copy", or "none" on the host
    std::size_t ifft_size = 0; //!< of fast convolution; 0: it has no transform

    double predicted = 0;    //!< rate; 0: nothing was predicted
    double measured = 0;     //!< rate; 0: nothing was measured
    bool remembered = false; //!< an earlier measurement chose it
    std::string runner_up;   //!< e.g. "direct/simd on host 690 MS/s"
    std::string tuned;       //!< values that a tuner has found, e.g. "width=8 rows=4"
    std::string reason;      //!< why the host computes in place of a device; else empty
    bool after_failure = false; //!< chosen when the device before it had failed

    std::string unit = "MS/s"; //!< what text() tells rates in
    double unit_rate = 1e6;    //!< one of them

    //! What computes, e.g. "fast_convolution/polyphase on host, block size 512".
    std::string engine() const;
    //! All of it in one line, for people.
    std::string text() const;
    //! A rate for people, e.g. "690 MS/s".
    std::string rate_text(double rate) const;
};

//! Of a variant on the host that computes in place of a device. \param why in a few words
chosen_plan host_plan(const std::string& algorithm,
                      const std::string& variant,
                      const std::string& why);

} // namespace cldsp
