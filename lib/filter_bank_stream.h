/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_BANK_STREAM_H
#define INCLUDED_CLDSP_FILTER_BANK_STREAM_H

#include "filter_input.h"
#include "probe/filter_load.h"
#include "fresh_engine.h"
#include "replanner.h"
#include <gnuradio/gr_complex.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <complex>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The engine's bank in a stream of calls that bring a fixed number of past items.
 *
 * It collects changes until they are applied together. What the blocks of every type
 * share. One thread at a time may use it, but for the wanted taps and frequencies: any
 * thread may set and read them while another one processes, and neither waits for the
 * other's work.
 */
class filter_bank_stream
{
public:
    using engine_type = ::cldsp::freq_xlating_filter_bank;
    using taps_lists = std::vector<std::vector<std::complex<float>>>;

    //! \throws as the engine's bank does
    filter_bank_stream(const ::cldsp::freq_xlating_filter_bank_problem& problem,
                       const ::cldsp::freq_xlating_filter_bank_options& options,
                       ::cldsp::context_registry& registry);

    std::size_t channels() const { return d_first_problem.channels(); }
    //! Items that process() gets before the first new one.
    std::size_t past_items() const { return d_input.past_items(); }
    std::size_t max_taps() const { return d_input.max_taps(); }

    //! A new stream begins; the region is where process() finds its input.
    void start(::cldsp::memory_region in);
    //! The region is about to go.
    void stop();

    //! They take effect at the next apply_changes(); for taps of other numbers or kinds
    //! see freq_xlating_fir_stream. \throws std::invalid_argument
    void set_center_freq(int channel, double center_freq);
    void set_center_freqs(const std::vector<double>& center_freqs);
    void set_taps(const taps_lists& taps);
    //! What was set last, applied or not.
    std::vector<double> center_freqs() const;
    taps_lists taps() const;

    //! As freq_xlating_fir_stream's.
    void choose_again();
    filter_load load(const ::cldsp::run_statistics& statistics) const;
    //! As the options name it.
    const std::string& wanted_device() const { return d_options.device; }
    //! How often another engine has taken over.
    std::size_t renewals() const { return d_fresh.taken() + d_replanner.taken(); }

    //! The channels that were set since the last time; what was set takes effect at the
    //! next output.
    std::vector<std::size_t> apply_changes();

    /*!
     * Makes \p outputs outputs of every channel from past_items() and
     * outputs * decimation items at \p in.
     */
    void process(const void* in, std::size_t outputs, gr_complex* const* out);

    const engine_type& engine() const { return d_engine; }

private:
    std::size_t taps_in_use() const { return d_engine.history() + 1; }
    using problem_type = ::cldsp::freq_xlating_filter_bank_problem;

    void use_stream_memory();
    problem_type wanted_problem() const; // under the mutex of what is wanted
    void take(engine_type&& fresh);
    void plan_again();
    void take_fresh();

    const ::cldsp::freq_xlating_filter_bank_options d_options;
    ::cldsp::context_registry& d_registry;
    const ::cldsp::freq_xlating_filter_bank_problem d_first_problem;
    ::cldsp::freq_xlating_filter_bank d_engine;
    fresh_engine<engine_type> d_fresh; // of choose_again()
    replanner<engine_type, problem_type, ::cldsp::freq_xlating_filter_bank_options>
        d_replanner;

    mutable std::mutex d_wanted_mutex; // of the six that follow
    ::cldsp::chosen_plan d_plan;       // the engine's
    std::vector<double> d_wanted_freqs;
    taps_lists d_wanted_taps;
    std::vector<bool> d_channel_changed;
    bool d_taps_changed = false;
    bool d_changed = false;

    filter_input d_input;
    ::cldsp::memory_region d_in_memory;
    std::vector<::cldsp::phase64> d_phases;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_BANK_STREAM_H */
