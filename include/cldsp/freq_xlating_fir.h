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

//! The numbers of items that a call consumed and produced.
struct process_result {
    std::size_t consumed = 0; //!< input items, a multiple of the decimation
    std::size_t produced = 0; //!< outputs
};

/*!
 * The frequency-xlating decimating FIR filter on a device or the host.
 *
 * Between calls the filter keeps nothing of the stream but the phase of the output
 * rotator: each call brings its own history. If a device fails while running, the host
 * continues at the same sample, and the reason is logged. Only one thread may use a
 * filter at a time.
 */
class freq_xlating_fir
{
public:
    /*!
     * A cost model chooses whatever the options leave open. Where its predictions are
     * close, a measurement of less than a second decides, and the registry remembers the
     * answer. Filters of one tap are not measured, and filters of fewer than 8 taps only
     * briefly, because they are probably placeholders.
     *
     * \throws std::invalid_argument for a bad problem, an accuracy out of range, an
     *         unknown or unsuitable device, algorithm, variant or transfer, or a device
     *         that was named and cannot be used
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
     * \param out the memory for the outputs
     */
    process_result
    process(const void* in, std::size_t in_items, span<std::complex<float>> out);

    /*!
     * Takes effect at the next output. The phase_reference of the problem determines how
     * the phase of the rotator changes.
     *
     * \throws std::invalid_argument if the frequency is not finite
     */
    void set_center_freq(double center_freq);
    //! Takes effect at the next output. The phase does not change, and neither does the
    //! plan, which was made for the first taps: see is_outdated().
    //! \throws std::invalid_argument if the taps are empty or not finite
    void set_taps(const std::vector<std::complex<float>>& taps);
    /*!
     * Takes over the plan and the engine of \p fresh at the next output; frequency, taps
     * and phase do not change. Another thread can make \p fresh, with the same problem,
     * while this filter runs. Afterwards set_stream_memory() has to be called again.
     */
    void take_engine(freq_xlating_fir&& fresh);
    //! Resets the phase to that of a new stream.
    void reset();
    //! Advances the rotator by \p outputs outputs without computing them.
    void skip(std::uint64_t outputs);

    /*!
     * Names the memory in which the data of later calls will lie, so that zero-copy
     * transfers can wrap it once. A region must stay valid until it is replaced or the
     * filter is destroyed; an empty region removes it.
     */
    void set_stream_memory(memory_region in, memory_region out);

    const freq_xlating_fir_problem& problem() const;
    phase64 phase() const; //!< the rotator's phase at the next output

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< the variant that runs, never "auto"
    std::string
    transfer_name() const; //!< "copy", "mapped", "zero_copy", or "none" (host)
    /*!
     * One line: the choice, its predicted and measured rates, the runner-up; e.g.
     * "fast_convolution/polyphase on host, block size 512: predicted 1200 MS/s, measured
     * 1150 MS/s; next: direct/simd on host 690 MS/s". After a device has failed, the line
     * gives the reason.
     */
    std::string plan() const;
    //! The plan as data.
    const chosen_plan& chosen() const;
    run_statistics statistics() const;
    bool fell_back() const; //!< the device failed and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

/*!
 * Whether a new filter for \p problem would probably be clearly faster than an older
 * filter that was made for other taps: because the cost model predicts it, or because the
 * older plan was never measured. Nothing is measured, so the call is short. If it returns
 * true, make the new filter and pass it to freq_xlating_fir::take_engine(). Any thread
 * may call this function.
 *
 * \param plan chosen() of the older filter
 * \param problem,options,registry as for the constructor of freq_xlating_fir
 * \throws std::invalid_argument as the constructor of freq_xlating_fir does
 */
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_fir_problem& problem,
                 const freq_xlating_fir_options& options,
                 context_registry& registry);

} // namespace cldsp
