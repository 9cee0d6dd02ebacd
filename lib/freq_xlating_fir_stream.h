/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_STREAM_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_STREAM_H

#include "filter_input.h"
#include "probe/filter_load.h"
#include "fresh_engine.h"
#include "replanner.h"
#include <gnuradio/gr_complex.h>
#include <cldsp/freq_xlating_fir.h>
#include <complex>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The engine's filter in a stream of calls that bring a fixed number of past items.
 *
 * It collects changes until they are applied together. What the blocks of every type
 * share. One thread at a time may use it, but for the wanted taps and frequency: any
 * thread may set and read them while another one processes, and neither waits for the
 * other's work.
 */
class freq_xlating_fir_stream
{
public:
    using engine_type = ::cldsp::freq_xlating_fir;
    //! \throws as the engine's filter does
    freq_xlating_fir_stream(const ::cldsp::freq_xlating_fir_problem& problem,
                            const ::cldsp::freq_xlating_fir_options& options,
                            ::cldsp::context_registry& registry);

    //! Items that process() gets before the first new one.
    std::size_t past_items() const { return d_input.past_items(); }
    std::size_t max_taps() const { return d_input.max_taps(); }

    //! A new stream begins; the regions are where process() finds its data.
    void start(::cldsp::memory_region in, ::cldsp::memory_region out);
    //! The regions are about to go.
    void stop();

    //! Both take effect at the next apply_changes(). Taps of another number or kind may
    //! have another engine planned in the background, which the stream goes over to when
    //! it is there. \throws std::invalid_argument
    void set_center_freq(double center_freq);
    void set_taps(const std::vector<std::complex<float>>& taps);
    //! What was set last, applied or not.
    double center_freq() const;
    std::vector<std::complex<float>> taps() const;

    /*!
     * Chooses again what computes, by what is known now; the stream goes over to it at
     * the next process(). Any thread; it takes as long as making the stream did.
     * \throws as the constructor does
     */
    void choose_again();

    //! With what is wanted. \param statistics of the calls so far
    filter_load load(const ::cldsp::run_statistics& statistics) const;
    //! As the options name it.
    const std::string& wanted_device() const { return d_options.device; }
    //! How often another engine has taken over.
    std::size_t renewals() const { return d_fresh.taken() + d_replanner.taken(); }

    //! True if there were changes; they take effect at the next output.
    bool apply_changes();

    /*!
     * Makes \p outputs outputs from past_items() and outputs * decimation items at
     * \p in.
     */
    void process(const void* in, std::size_t outputs, gr_complex* out);

    const engine_type& engine() const { return d_engine; }

private:
    using problem_type = ::cldsp::freq_xlating_fir_problem;

    void use_stream_memory();
    problem_type wanted_problem() const; // under the mutex of what is wanted
    void take(engine_type&& fresh);
    void plan_again();
    void take_fresh();

    const ::cldsp::freq_xlating_fir_options d_options;
    ::cldsp::context_registry& d_registry;
    const ::cldsp::freq_xlating_fir_problem d_first_problem;
    ::cldsp::freq_xlating_fir d_engine;
    fresh_engine<engine_type> d_fresh; // of choose_again()
    replanner<engine_type, problem_type, ::cldsp::freq_xlating_fir_options> d_replanner;

    mutable std::mutex d_wanted_mutex; // of the five that follow
    ::cldsp::chosen_plan d_plan;       // the engine's
    double d_wanted_freq;
    std::vector<std::complex<float>> d_wanted_taps;
    bool d_taps_changed = false;
    bool d_changed = false;

    filter_input d_input;
    ::cldsp::memory_region d_in_memory, d_out_memory;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_STREAM_H */
