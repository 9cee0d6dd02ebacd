// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What every block tells of its engine: device, plan and times.

#ifndef INCLUDED_CLDSP_ENGINE_INFO_H
#define INCLUDED_CLDSP_ENGINE_INFO_H

#include <gnuradio/cldsp/api.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief The part of a bank's channels that one of several devices computes.
 */
struct engine_share {
    std::string device; //!< "host" or e.g. "0:1"
    std::string device_name;
    std::size_t channels;
    std::string algorithm, variant, transfer;
};

/*!
 * \brief The plan of a block: device, algorithm, variant and reason. Rates are in input
 * items per second for filters, in operations per second for products; 0 if not
 * predicted or not measured.
 */
struct engine_plan {
    std::string device;      //!< "host" or e.g. "0:1"; several have commas between them
    std::string device_name; //!< "host", or OpenCL's name of the device
    std::string algorithm, variant, transfer;
    std::size_t block = 0;       //!< block size of fast convolution; 0: no blocks
    std::size_t block_items = 0; //!< items of a block that different rates share, or 0
    double predicted = 0, measured = 0;
    bool remembered = false; //!< the plan comes from an earlier measurement
    //! The stream runs at once, and a better plan may follow; see the argument plan of
    //! freq_xlating_fir_filter::make().
    bool provisional = false;
    std::string runner_up;   //!< as text
    std::string tuned;       //!< values found by a tuner
    std::string reason; //!< why the host or other devices replace a device; else empty
    std::vector<engine_share> shares; //!< empty where one device has all channels
};

/*!
 * \brief The information of a block on the engine that computes for it.
 *
 * The same values are ControlPort variables of the block. They may be read at any time,
 * and a reader never waits: while a call of work() computes, or waits for its device,
 * they are the values at the end of the call before.
 */
class CLDSP_API engine_info
{
public:
    virtual ~engine_info() = default;

    //! "host" if the host computes, else OpenCL's name of the device.
    virtual std::string device_name() const = 0;
    //! "direct" or "fast_convolution" for filters, "gemm" for matrices, "popcount" for
    //! 1-bit correlations, "correlator" for correlators.
    virtual std::string algorithm_name() const = 0;
    //! The variant that runs, never "auto"; see list_variants() and
    //! list_gemm_variants().
    virtual std::string variant_name() const = 0;
    //! "copy", "mapped" or "zero_copy"; "none" if the host computes.
    virtual std::string transfer_name() const = 0;
    //! Average computing time of a call in seconds; 0 before the first call.
    virtual double kernel_time_avg() const = 0;
    //! Average time of a call's copies and maps in seconds; 0 if the host computes.
    virtual double transfer_time_avg() const = 0;
    //! One line: the choice, its predicted and measured rates, the runner-up.
    virtual std::string plan() const = 0;
    //! The same as data.
    virtual engine_plan plan_details() const = 0;
    //! Whether a device was lost, so that the host or the other devices of several
    //! compute in its place.
    virtual bool fell_back() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_INFO_H */
