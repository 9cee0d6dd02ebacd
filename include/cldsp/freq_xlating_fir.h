/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/filter_problem.h>
#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>
#include <cldsp/span.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The items that a call consumed and produced.
struct process_result {
    std::size_t consumed = 0; //!< input items, a multiple of the decimation
    std::size_t produced = 0; //!< outputs
};

/*!
 * The frequency-xlating decimating FIR filter on a device or the host.
 *
 * The output rotator's phase is its only state of the stream: each call brings its own
 * history. If a device fails while running, the host continues at the same sample, and
 * the reason is logged. One thread at a time.
 */
class freq_xlating_fir
{
public:
    /*!
     * A cost model chooses what the options leave open. Where its predictions are close,
     * a measurement of less than a second decides, and the registry remembers the answer.
     * Filters of fewer than 8 taps are not measured.
     *
     * \throws std::invalid_argument for a bad problem, an accuracy out of range, or an
     *         unknown or unfitting device, algorithm, variant or transfer, or an
     *         explicitly named device that cannot be used
     */
    freq_xlating_fir(const freq_xlating_fir_problem& problem,
                     const freq_xlating_fir_options& options,
                     context_registry& registry);
    ~freq_xlating_fir();
    freq_xlating_fir(freq_xlating_fir&&) noexcept;
    freq_xlating_fir& operator=(freq_xlating_fir&&) noexcept;

    /*!
     * Filters as many items as are available and as many outputs as there is room for.
     *
     * \param in input items, the first taps - 1 of which are the history: the items just
     *        before the first new one
     * \param in_items number of items, history included
     * \param out room for outputs
     */
    process_result
    process(const void* in, std::size_t in_items, span<std::complex<float>> out);

    /*!
     * Takes effect at the next output. The problem's phase_reference determines the
     * change of the rotator's phase. \throws std::invalid_argument
     */
    void set_center_freq(double center_freq);
    //! Takes effect at the next output; the phase stays. The plan, made for the first
    //! taps, stays as well: see is_outdated(). \throws std::invalid_argument
    void set_taps(const std::vector<std::complex<float>>& taps);
    /*!
     * Takes over the plan and the engine of \p fresh at the next output; frequency, taps
     * and phase stay. Another thread can make \p fresh, of the same problem, while this
     * filter runs. set_stream_memory() has to be called again.
     */
    void take_engine(freq_xlating_fir&& fresh);
    //! Resets the phase to that of a new stream.
    void reset();
    //! Steps the rotator over \p outputs outputs without computing them.
    void skip(std::uint64_t outputs);

    /*!
     * Sets the memory that holds later calls' data, so that zero-copy transfers can wrap
     * it once. A region must stay valid until it is replaced or the filter ends; an empty
     * one removes it.
     */
    void set_stream_memory(memory_region in, memory_region out);

    const freq_xlating_fir_problem& problem() const;
    phase64 phase() const; //!< of the next output

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< the variant that runs, never "auto"
    std::string
    transfer_name() const; //!< "copy", "mapped", "zero_copy", or "none" (host)
    /*!
     * One line: the choice, its predicted and measured rates, the runner-up; e.g.
     * "fast_convolution/polyphase on host, block size 512: predicted 1200 MS/s, measured
     * 1150 MS/s; next: direct/simd on host 690 MS/s". After a device was lost the line
     * says so.
     */
    std::string plan() const;
    //! The same as data.
    const chosen_plan& chosen() const;
    run_statistics statistics() const;
    bool fell_back() const; //!< the device was lost and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

/*!
 * Whether a new filter of a problem would probably be clearly faster than a filter that
 * was made for other taps: because the cost model predicts it, or because the older plan
 * was never measured. The call takes no longer than a prediction. If it returns true,
 * make the new filter and pass it to freq_xlating_fir::take_engine(). Any thread.
 *
 * \param plan the older filter's chosen()
 * \throws as the constructor of freq_xlating_fir
 */
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_fir_problem& problem,
                 const freq_xlating_fir_options& options,
                 context_registry& registry);

} // namespace cldsp
