/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_STREAM_H
#define INCLUDED_CLDSP_FILTER_STREAM_H

#include "fresh_engine.h"
#include "probe/filter_load.h"
#include <gnuradio/gr_complex.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The input of a filter_stream: it gives the engine as much history as the taps need,
 * whatever GNU Radio keeps.
 *
 * GNU Radio brings a fixed number of past items with each call, and cannot change that
 * number while a flowgraph runs without shifting the stream. It is large enough for many
 * more taps than there were at construction; taps that reach further back read from a
 * copy of the stream, which is kept from then on. Items from before the oldest one that
 * was still there when the copy began are zeros. Not thread-safe.
 */
class filter_input
{
public:
    //! \param taps how many taps reach furthest back at construction
    filter_input(::cldsp::sample_type type, std::size_t decimation, std::size_t taps);

    //! Items that next() gets before the first new one: the history of 8192 taps, or of
    //! four times as many taps as at construction, whichever is more.
    std::size_t past_items() const { return d_past_items; }
    //! More of them would take a filter gigabytes of memory.
    static constexpr std::size_t max_taps() { return std::size_t(1) << 24; }
    //! \throws std::invalid_argument unless \p taps is at most max_taps()
    static void check_max_taps(std::size_t taps);

    //! A new stream begins.
    void start();

    //! Items that a call of the engine reads.
    struct window {
        const void* items;   //!< taps - 1 past ones first
        std::size_t count;   //!< items, past ones included
        std::uint64_t known; //!< past and still older ones that are not filling
    };

    /*!
     * The items that \p taps taps read for the next \p outputs outputs.
     *
     * \param in past_items() and \p outputs * decimation items
     */
    window next(const void* in, std::size_t outputs, std::size_t taps);

    /*!
     * GNU Radio fills the past of a new stream with zero bytes, as this class does that
     * of its copy. In offset binary, such as cu8, a zero byte is full scale and not
     * silence. This subtracts exactly what those bytes have added to the first outputs.
     *
     * \param problem the filter that made \p outputs outputs at \p out of \p read
     * \param phase of the first of them
     */
    void remove_filling(const window& read,
                        const ::cldsp::freq_xlating_fir_problem& problem,
                        ::cldsp::phase64 phase,
                        gr_complex* out,
                        std::size_t outputs) const;
    //! True if that many taps reach into the zero bytes.
    bool needs_removal(const window& read, std::size_t taps) const
    {
        return d_zero_value != 0.0 && read.known + 1 < taps;
    }

private:
    void begin(const void* in);
    void begin_copy(const unsigned char* in, std::size_t past);
    const unsigned char* copy(const unsigned char* fresh, std::size_t count);

    std::size_t d_decimation;
    std::size_t d_past_items;
    std::size_t d_item_size;
    std::complex<double> d_zero_value; // of an item whose bytes are zero

    bool d_begun = false;
    std::uint64_t d_known = 0; // before the first new item, in GNU Radio's buffer

    // The copy: while it is kept, the d_copy_past items before the next new one end at
    // d_copy_end.
    std::vector<unsigned char> d_copy;
    std::size_t d_copy_past = 0;    // 0: none is kept
    std::size_t d_copy_end = 0;     // bytes
    std::uint64_t d_copy_known = 0; // as d_known
};

/*!
 * The engine's bank in a stream of calls that bring a fixed number of past items. It
 * serves the blocks of every type, a filter's as a bank of one channel, and collects
 * changes until they are applied together.
 *
 * One thread at a time may use it, except for the wanted taps and frequencies: any thread
 * may set and read them while another one processes, and neither waits for the other's
 * work.
 */
class filter_stream
{
public:
    using engine_type = ::cldsp::freq_xlating_filter_bank;
    using problem_type = ::cldsp::freq_xlating_filter_bank_problem;
    using options_type = ::cldsp::freq_xlating_filter_bank_options;
    //! One list for all channels, or one a channel.
    using taps_type = decltype(problem_type::taps);

    //! \throws as the engine does
    filter_stream(const problem_type& problem,
                  const options_type& options,
                  ::cldsp::context_registry& registry);

    std::size_t channels() const { return d_channels; }
    //! Items that process() gets before the first new one.
    std::size_t past_items() const { return d_input.past_items(); }
    static constexpr std::size_t max_taps() { return filter_input::max_taps(); }

    //! A new stream begins; process() finds its data in these regions, the outputs of
    //! several channels elsewhere too.
    void start(::cldsp::memory_region in, ::cldsp::memory_region out);
    //! The regions are about to go.
    void stop();

    //! These take effect at the next apply_changes(). Taps of another number or kind may
    //! have another engine planned in the background, which the stream goes over to when
    //! it is there. \throws std::invalid_argument
    void set_center_freq(int channel, double center_freq);
    void set_center_freqs(const std::vector<double>& center_freqs);
    void set_taps(const taps_type& taps);

    //! The value that was set last, applied or not, of a member of the problem.
    template <class VALUE>
    VALUE wanted(VALUE problem_type::*member) const
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        return d_wanted.*member;
    }

    /*!
     * Chooses again what computes, by what is known now; the stream goes over to it at
     * the next process(). Any thread; it takes as long as making the stream did.
     * \throws as the constructor does
     */
    void choose_again();

    //! With the taps and frequencies that are wanted. \param statistics of the calls so
    //! far
    filter_load load(const ::cldsp::run_statistics& statistics) const;
    //! As the options name it.
    const std::string& wanted_device() const { return d_options.device; }
    //! How often another engine has taken over.
    std::size_t renewals() const { return d_fresh.taken() + d_replanner.taken(); }

    //! Applies what was set; it takes effect at the next output.
    //! \return the channels that were set since the last time
    std::vector<std::size_t> apply_changes();

    /*!
     * Makes \p outputs outputs of every channel from past_items() and
     * outputs * decimation items at \p in.
     */
    void process(const void* in, std::size_t outputs, gr_complex* const* out);

    const engine_type& engine() const { return d_engine; }
    //! That the engine has now.
    double center_freq(std::size_t channel) const;

private:
    using replanner_type = replanner<engine_type, problem_type, options_type>;

    problem_type wanted_problem() const;
    void plan_again();
    void take(engine_type&& fresh);
    void take_fresh();

    const options_type d_options;
    ::cldsp::context_registry& d_registry;
    const std::size_t d_channels;
    engine_type d_engine;
    fresh_engine<engine_type> d_fresh; // of choose_again()
    replanner_type d_replanner;

    mutable std::mutex d_wanted_mutex; // of the five that follow
    ::cldsp::chosen_plan d_plan;       // the engine's
    problem_type d_wanted;
    std::vector<bool> d_channel_changed;
    bool d_taps_changed = false;
    bool d_changed = false;

    filter_input d_input;
    ::cldsp::memory_region d_in_memory, d_out_memory;
    std::vector<::cldsp::phase64> d_phases; // of the first outputs of a call
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_STREAM_H */
