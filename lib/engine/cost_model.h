/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace cldsp {

//! What the cost of a typical call depends on.
struct plan_shape {
    sample_type input = sample_type::fc32;
    std::size_t taps = 1; //!< of the longest channel
    std::size_t decimation = 1;
    std::size_t channels = 1;
    std::size_t items = 8192; //!< input items of a typical call
    //! Part of the bins that fast convolution has to keep, see kept_bins(); 0 to 1.
    double kept = 1;
    unsigned threads = 1; //!< that a call on the host may use
};

/*!
 * How fast the host computes, in seconds. The values are those measured on one core of a
 * 2.6 GHz server with AVX-512; calibrated_rates() scales them to another machine.
 */
struct host_rates {
    double call = 2e-6;            //!< of a call, whatever it computes
    double simd_tap = 3.7e-11;     //!< a tap of an output, own kernels
    double simd_output = 2e-9;     //!< an output of a channel
    double simd_item = 8e-11;      //!< an input item of a channel, to prepare it
    double volk_tap = 1.3e-10;     //!< a tap of an output, VOLK's kernels
    double volk_output = 2e-8;     //!< an output of a channel
    double rows_item = 6e-10;      //!< a block's item, transform by rows
    double rows_fold = 1e-10;      //!< a block's item and channel, kept or not
    double bins_item = 1.4e-9;     //!< a block's item, transform of the whole block
    double bins_fold = 4e-11;      //!< a kept bin of a channel
    double inverse_flop = 2.5e-11; //!< of 5 M log2 M that an inverse transform counts
};

//! How fast an OpenCL device computes and is reached.
struct device_rates {
    double call;        //!< seconds of an enqueue and the wait for it
    double flop;        //!< seconds of a floating-point operation, all units at work
    double transferred; //!< seconds of a byte to or from the device
    double map;         //!< seconds of a map and unmap
};

//! Rates of a device from what OpenCL tells of it.
device_rates estimated_rates(const device_info& device);

/*!
 * This machine's rates: measured within a few milliseconds at the first call, then
 * remembered by the registry.
 */
host_rates calibrated_rates(context_registry& registry);

//! Seconds of a typical call of the direct algorithm on the host.
double predict_host_direct(const plan_shape& shape,
                           const std::string& variant,
                           const host_rates& rates);

//! Seconds of a typical call of fast convolution on the host.
double predict_host_fast_convolution(const plan_shape& shape,
                                     const std::string& variant,
                                     std::size_t rows,
                                     const host_rates& rates);

//! Seconds of a typical call on an OpenCL device; \p rows 0 for the direct algorithm.
double predict_device(const plan_shape& shape,
                      const device_info& device,
                      const std::string& transfer,
                      std::size_t rows);

//! Outputs of a block of \p rows rows: those that the overlap leaves; 0: too short.
std::size_t block_outputs(const plan_shape& shape, std::size_t rows);

/*!
 * Block sizes worth a look for a variant ("rows", "bins", "vkfft"), the best predicted
 * first: at least about twice the overlap, dividing a typical call well.
 *
 * \param most how many at most; never fewer than one
 */
std::vector<std::size_t> candidate_rows(const plan_shape& shape,
                                        const std::string& variant,
                                        const host_rates& rates,
                                        std::size_t most);

/*!
 * The part of all frequencies at which a filter's response exceeds \p accuracy, relative
 * to its largest: what fast convolution has to keep. Estimated at some hundred points.
 */
double kept_bins(const std::vector<std::complex<float>>& taps, double accuracy);

} // namespace cldsp
