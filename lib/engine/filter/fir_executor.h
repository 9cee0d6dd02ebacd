/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/filter_problem.h>
#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace cldsp {

//! A problem prepared for computing: what changes only with the taps or the frequency.
struct fir_setup {
    explicit fir_setup(const freq_xlating_fir_problem& problem);

    freq_xlating_fir_problem problem; //!< to be changed through the setters alone
    bool real_taps;                   //!< the prototype's, not the rotated ones
    phase64 step;                     //!< turns of one input item

    void set_center_freq(double center_freq);
    void set_taps(const std::vector<std::complex<float>>& taps);

    std::size_t taps() const { return problem.taps.size(); }
    //! Whether \p other is the very same prototype.
    bool has_taps(const std::vector<std::complex<float>>& other) const;
    //! Input items, history included, that \p outputs outputs read.
    std::size_t window(std::size_t outputs) const
    {
        return outputs ? (outputs - 1) * problem.decimation + taps() : 0;
    }

    /*!
     * h[k] exp(j w k), computed when first asked for: who moves the items to 0 Hz instead
     * never reads them. Not to be called by two threads at a time.
     */
    const std::vector<std::complex<double>>& rotated() const;

private:
    mutable std::vector<std::complex<double>> d_rotated; // empty: to be computed
};

/*!
 * What a change of frequency by \p hertz adds to the rotator of a filter with \p taps
 * taps. A new stream's rotator has it from 0 Hz on.
 */
phase64 phase_correction(double hertz, double sampling_freq, std::size_t taps);

//! One call: outputs from items.
struct fir_call {
    const void* in; //!< the oldest item of the first output's window
    std::complex<float>* out;
    std::size_t outputs;
    phase64 phase; //!< of the first output; each next one is -step * D further
};

/*!
 * One way of computing the filter. Stateless between calls but for buffers and
 * statistics: a failed call changes nothing that another executor could not take over.
 */
class fir_executor
{
public:
    virtual ~fir_executor() = default;
    //! Taps or frequency changed (never the input type or the decimation).
    virtual void configure(const fir_setup& setup) = 0;
    //! \throws opencl_error if the device failed; the outputs are then undefined
    virtual void run(const fir_call& call) = 0;
    virtual void set_stream_memory(memory_region in, memory_region out) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    //! Whether commands of a lost device may still come to the memory of the calls.
    virtual bool device_is_lost() const { return false; }
};

} // namespace cldsp
