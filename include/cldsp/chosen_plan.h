// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The plan of a filter, a bank or a product: where and how it is computed, and why.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The device, algorithm and variant that compute, and the reason: the choice of a
 * planner, or the replacement of a device that failed. Rates are in input items per
 * second for filters, in operations per second for products.
 */
struct chosen_plan {
    //! device_info::id(): "host" or e.g. "0:1"; several have commas between them
    std::string device;
    std::string device_name; //!< OpenCL's name of the device, or "host"
    //! "direct" or "fast_convolution", "gemm", "popcount", "correlator"; empty: no plan
    //! was made
    std::string algorithm;
    std::string variant;       //!< e.g. "simd", "polyphase"
    std::string transfer;      //!< "copy", "mapped", "zero_copy", or "none" on the host
    std::size_t ifft_size = 0; //!< block size of fast convolution; 0: no blocks
    //! Items of a block that channels of different rates share, each with an inverse
    //! transform of its own size; 0: no such block.
    std::size_t fft_size = 0;

    double predicted = 0;       //!< rate; 0: no rate was predicted
    double measured = 0;        //!< rate; 0: no rate was measured
    double host_measured = 0;   //!< rate of the host's best in the same measurement, or 0
    bool remembered = false;    //!< the plan comes from an earlier measurement
    //! The host's best by predictions alone, taken at once: a better one may follow.
    bool provisional = false;
    std::size_t call_items = 0; //!< input items of the calls that the plan was made for;
                                //!< 0: of any calls
    bool placeholder = false;   //!< made for so few taps that they are probably
                                //!< placeholders
    std::string runner_up;      //!< the second best, e.g. "direct/simd on host 690 MS/s"
    std::string tuned;          //!< values found by a tuner, e.g. "width=8 rows=4"
    std::string reason;         //!< why the host replaces a device; else empty
    bool after_failure = false; //!< made after the device of an earlier plan failed

    //! The arithmetic of a product that is not exact, "tf32" or "half"; else empty.
    std::string precision;
    //! Why a product is exact although the options permit less, e.g. "no matrix units";
    //! else empty.
    std::string exact_because;

    //! The plan of each device that has a part of a bank's channels; empty if one device
    //! has all of them. A rate of a part is the items per second of its own calls.
    std::vector<chosen_plan> shares;
    std::size_t channels = 0; //!< of a part; 0: the plan is no part of another one

    std::string unit = "MS/s"; //!< unit of the rates in text()
    double unit_rate = 1e6;    //!< value of one such unit

    //! Algorithm, variant and device, e.g. "fast_convolution/polyphase on host, block
    //! size 512".
    std::string engine() const;
    //! The whole plan in one line, for people.
    std::string text() const;
    //! A rate for people, e.g. "690 MS/s".
    std::string rate_text(double rate) const;
};

//! What the engine of a plan achieves in a stream that runs.
struct running_rate {
    chosen_plan plan;
    double items_per_second = 0; //!< of its fastest call so far; 0: not known yet
};

/*!
 * The plan of a variant on the host that replaces a device.
 *
 * \param algorithm,variant the algorithm and the variant that run on the host
 * \param why the reason in a few words
 */
chosen_plan host_plan(const std::string& algorithm,
                      const std::string& variant,
                      const std::string& why);

} // namespace cldsp
