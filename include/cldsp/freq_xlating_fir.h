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

//! What a call took and gave.
struct process_result {
    std::size_t consumed = 0; //!< input items, a multiple of the decimation
    std::size_t produced = 0; //!< outputs
};

/*!
 * The frequency-xlating decimating FIR filter on a device or the host.
 *
 * It holds the output rotator's phase and nothing else of the stream: each call brings
 * its own history. A device that fails while running is left for the host at the same
 * sample, with the reason logged. One thread at a time.
 */
class freq_xlating_fir
{
public:
    /*!
     * What the options leave open is chosen by a cost model and, where that is close, a
     * measurement of less than a second; the registry remembers the answer. Fewer than 8
     * taps are not worth one.
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
     * Filters as much as fits.
     *
     * \param in input items, the first taps - 1 of which are the history: the items just
     *        before the first new one
     * \param in_items number of items, history included
     * \param out room for outputs
     */
    process_result
    process(const void* in, std::size_t in_items, span<std::complex<float>> out);

    /*!
     * Takes effect at the next output. The phase of the rotator moves as the problem's
     * phase_reference says. \throws std::invalid_argument
     */
    void set_center_freq(double center_freq);
    //! Takes effect at the next output; the phase stays. What computes was chosen for the
    //! first taps and stays as well: see is_outdated(). \throws std::invalid_argument
    void set_taps(const std::vector<std::complex<float>>& taps);
    /*!
     * Goes on with what \p fresh has chosen to compute with, at the next output:
     * frequency, taps and phase stay. Another thread can make \p fresh, of the same
     * problem, while this filter runs. The stream memory has to be told again.
     */
    void take_engine(freq_xlating_fir&& fresh);
    //! Back to the phase of a new stream.
    void reset();
    //! Steps the rotator over \p outputs outputs without computing them.
    void skip(std::uint64_t outputs);

    /*!
     * Tells where later calls' data lie, so that zero-copy transfers can wrap the memory
     * once. Regions stay valid until replaced or the filter ends; an empty one forgets
     * it.
     */
    void set_stream_memory(memory_region in, memory_region out);

    const freq_xlating_fir_problem& problem() const;
    phase64 phase() const; //!< of the next output

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< what really runs, never "auto"
    std::string
    transfer_name() const; //!< "copy", "mapped", "zero_copy", or "none" (host)
    /*!
     * One line: what was chosen, its rates as predicted and measured, the runner-up; e.g.
     * "fast_convolution/polyphase on host, block size 512: predicted 1200 MS/s, measured
     * 1150 MS/s; next: direct/simd on host 690 MS/s". After a device was lost it says so.
     */
    std::string plan() const;
    //! The same as data.
    const chosen_plan& chosen() const;
    run_statistics statistics() const;
    bool fell_back() const; //!< the device was lost and the host goes on

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

/*!
 * Whether a new filter of a problem would probably compute it clearly faster than one
 * that was made for other taps does: by the cost model, or because its plan was never
 * measured. It takes no longer than a prediction, so the new filter is made where this is
 * true, and freq_xlating_fir::take_engine() goes over to it. Any thread.
 *
 * \param plan the older filter's chosen()
 * \throws as the constructor of freq_xlating_fir
 */
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_fir_problem& problem,
                 const freq_xlating_fir_options& options,
                 context_registry& registry);

} // namespace cldsp
