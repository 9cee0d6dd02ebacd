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
#include "replanner.h"
#include <gnuradio/gr_complex.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The input of a filter_stream: it gives the engine as much history as the taps need,
 * however little GNU Radio keeps.
 *
 * GNU Radio passes a fixed number of past items with each call. This number cannot change
 * while a flowgraph runs, because a change would shift the stream. It is large enough for
 * many more taps than there were at construction. Taps that reach further back read from
 * a copy of the stream, which is kept from then on. Items that were already gone when the
 * copy began are taken as zeros. Not thread-safe.
 */
class filter_input
{
public:
    //! \param past_items the number of past items that next() gets before the first new
    //! one
    filter_input(::cldsp::sample_type type, std::size_t past_items);

    std::size_t past_items() const { return d_past_items; }
    //! The largest number of past items that any taps can read now.
    std::size_t kept_items() const { return std::max(d_past_items, d_copy_past); }
    //! The number of past items for filters of \p taps taps at construction: the history
    //! of 8192 taps, or of four times as many taps as these, whichever is more.
    static std::size_t past_items_of(std::size_t taps);
    //! The largest number of taps. With more taps a filter would take gigabytes of
    //! memory.
    static constexpr std::size_t max_taps() { return std::size_t(1) << 24; }
    //! \throws std::invalid_argument unless \p taps is at most max_taps()
    static void check_max_taps(std::size_t taps);

    //! Must be called when a new stream begins.
    void start();

    //! The items that a call of the engine reads.
    struct window {
        const void* items;   //!< first taps - 1 past items, then the new ones
        std::size_t count;   //!< number of items, past ones included
        std::uint64_t known; //!< number of past items that came with the stream
    };

    /*!
     * The items that \p taps taps read for the next \p items items.
     *
     * \param in past_items() and \p items items
     */
    window next(const void* in, std::size_t items, std::size_t taps);

    /*!
     * Subtracts from outputs the part that comes from zero bytes before the stream.
     *
     * GNU Radio fills the history of a new stream with zero bytes, and this class fills
     * its copy in the same way. In offset binary, such as cu8, a zero byte means full
     * scale and not silence.
     *
     * \param read the items from which the outputs were computed
     * \param problem the filter that computed them
     * \param rate the rate of the outputs
     * \param position the index of the first new item since the stream began
     * \param phase the rotator's phase at the first output
     * \param out the outputs, which are corrected in place
     * \param outputs the number of outputs
     */
    void remove_filling(const window& read,
                        const ::cldsp::freq_xlating_fir_problem& problem,
                        const ::cldsp::rate_ratio& rate,
                        std::uint64_t position,
                        ::cldsp::phase64 phase,
                        gr_complex* out,
                        std::size_t outputs) const;
    //! The number of items in an output's window that came with the stream. They are the
    //! newest items of the window, at least one.
    //! \param position the index of the first new item of \p read since the stream began
    //! \param newest the index of the output's newest item
    static std::size_t
    known_items(const window& read, std::uint64_t position, std::uint64_t newest)
    {
        return static_cast<std::size_t>(newest + 1 + read.known - position);
    }
    //! The value of items before the stream, whose bytes are zero.
    std::complex<double> zero_value() const { return d_zero_value; }
    //! Whether a filter that reads the items of \p taps taps has read zero bytes that
    //! remove_filling() must undo.
    bool needs_removal(const window& read, std::size_t taps) const
    {
        return d_zero_value != 0.0 && read.known + 1 < taps;
    }

private:
    void begin(const void* in);
    void begin_copy(const unsigned char* in, std::size_t past);
    const unsigned char* copy(const unsigned char* fresh, std::size_t count);

    std::size_t d_past_items;
    std::size_t d_item_size;
    std::complex<double> d_zero_value; // the value of an item whose bytes are zero

    bool d_begun = false;
    std::uint64_t d_known = 0; // items of the stream before the first new item

    // The copy of the stream. Its last d_copy_past items are those before the next new
    // item; they end at byte d_copy_end.
    std::vector<unsigned char> d_copy;
    std::size_t d_copy_past = 0;    // 0: no copy is kept
    std::size_t d_copy_end = 0;     // in bytes
    std::uint64_t d_copy_known = 0; // as d_known, for the copy
};

/*!
 * The engine's bank in a stream of calls that bring a fixed number of past items. All
 * filter blocks use it; a filter is a bank of one channel. Changes of taps and
 * frequencies are collected, and then applied together.
 *
 * Only one thread may use it at a time, except for the wanted taps and frequencies. Any
 * thread may set and read these while another thread processes, and neither waits for the
 * work of the other.
 */
class filter_stream
{
public:
    using engine_type = ::cldsp::freq_xlating_filter_bank;
    using problem_type = ::cldsp::freq_xlating_filter_bank_problem;
    using options_type = ::cldsp::freq_xlating_filter_bank_options;
    using shared_taps = ::cldsp::shared_taps;
    //! One list of taps for all channels, or one list per channel.
    using taps_type = decltype(problem_type::taps);
    using frequency_point = ::cldsp::frequency_point;

    //! \throws std::invalid_argument as the constructor of the engine does
    filter_stream(const problem_type& problem,
                  const options_type& options,
                  ::cldsp::context_registry& registry);
    //! \param engine a new engine of the same problem, options and registry
    filter_stream(const problem_type& problem,
                  const options_type& options,
                  ::cldsp::context_registry& registry,
                  engine_type&& engine);

    //! The number of slots for channels.
    std::size_t channels() const { return d_channels; }
    //! The rates of the slots, which never change.
    const std::vector<::cldsp::rate_ratio>& rates() const { return d_rates; }
    const ::cldsp::rate_ratio& rate(std::size_t channel) const
    {
        return d_rates[channel];
    }
    //! Whether all slots have one rate, which is that of a decimation. Such a stream runs
    //! by process(), any other by process_items().
    bool has_one_decimation() const { return d_one_decimation; }
    //! The rate of the input in Hz.
    double sampling_freq() const { return d_sampling_freq; }
    //! The number of items that were processed since the stream began.
    std::uint64_t position() const { return d_position; }
    //! The number of past items that process() gets before the first new one.
    std::size_t past_items() const { return d_input.past_items(); }
    //! The number of past items of a stream that is made for this problem.
    static std::size_t past_items_of(const problem_type& problem);
    static constexpr std::size_t max_taps() { return filter_input::max_taps(); }
    //! The number of taps of the longest of several filters.
    static std::size_t longest_taps(const taps_type& taps);

    //! Must be called when a new stream begins. process() will find its data in these
    //! regions; outputs of further channels may lie elsewhere.
    void start(::cldsp::memory_region in, ::cldsp::memory_region out);
    //! Must be called before the regions are freed.
    void stop();
    //! Sets the number of outputs that are connected. The channels of unconnected outputs
    //! are not part of the load.
    void set_connected(std::size_t outputs);

    //! The new values take effect at the next apply_changes(). If the number or the kind
    //! (real or complex) of the taps changes, another engine may be planned in the
    //! background. The stream changes to it when it is ready.
    //! \throws std::invalid_argument for a bad channel, frequency or taps
    void set_center_freq(int channel, double center_freq);
    //! \param center_freqs one for each slot, or one for each channel at construction.
    //! Those for free slots have no effect
    void set_center_freqs(const std::vector<double>& center_freqs);
    //! As set_center_freqs(), but sets only the channels whose frequencies differ from
    //! the previous list: the list of the last such call, or of the construction.
    void update_center_freqs(const std::vector<double>& center_freqs);
    /*!
     * Makes a channel's frequency a function of time; see
     * freq_xlating_filter_bank::schedule(). It takes effect after the changes so far, at
     * the next apply_changes(), and ends when the frequency is set.
     *
     * \throws std::invalid_argument for a bad channel, a free slot, or bad points
     */
    void schedule(int channel, const std::vector<frequency_point>& points);
    //! \param taps one list for all channels, one for each slot, or one for each channel
    //! at construction
    void set_taps(const taps_type& taps);
    //! As set_taps(), but sets only the channels whose taps change.
    void update_taps(const taps_type& taps);
    //! \throws std::invalid_argument for a bad channel or a free slot
    void set_channel_active(int channel, bool active);
    /*!
     * Adds an active channel; see freq_xlating_filter_bank::add_channel().
     *
     * \param slot the slot, which has to be free; empty: the first free one
     * \param rate the rate of the slot; empty: any rate
     * \return the slot
     * \throws std::invalid_argument for bad taps or a bad frequency, or if there is no
     * such free slot
     */
    int add_channel(const shared_taps& taps,
                    double center_freq,
                    std::optional<int> slot = std::nullopt,
                    std::optional<::cldsp::rate_ratio> rate = std::nullopt);
    //! \throws std::invalid_argument for a bad channel or a free slot
    void remove_channel(int channel);
    //! Whether the channel is wanted to be active; false for a free slot.
    //! \throws std::invalid_argument for a bad channel
    bool channel_active(int channel) const;

    //! The last value that was set for a member of the problem, whether applied or not.
    template <class VALUE>
    VALUE wanted(VALUE problem_type::*member) const
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        return d_wanted.*member;
    }

    /*!
     * Chooses the engine again, with the measurements and tuned values that exist now.
     * The stream changes to the new engine at the next process(). Any thread may call
     * this; it takes as long as the constructor.
     *
     * \throws std::invalid_argument as the constructor does
     */
    void choose_again();

    //! The load, with the taps and frequencies that are wanted.
    //! \param statistics the statistics of the calls so far
    filter_load load(const ::cldsp::run_statistics& statistics) const;
    //! The device, as the options name it.
    const std::string& wanted_device() const { return d_options.device; }
    //! The number of times that another engine has taken over.
    std::size_t renewals() const { return d_fresh.taken() + d_replanner.taken(); }

    //! The changes that were applied.
    struct changes {
        bool any = false;
        std::vector<bool> set;    //!< channels whose frequency or taps were set
        std::vector<bool> placed; //!< channels that are new in their slot
    };
    //! A point of a schedule that has taken effect in the last call. They are in order of
    //! channels and outputs.
    struct taken_point {
        std::size_t channel;
        std::uint64_t output; //!< index of the first output that it concerns
        double hz;            //!< the frequency at that output
    };
    const std::vector<taken_point>& taken_points() const { return d_taken_points; }

    //! Applies the values that were set; they take effect at the next output.
    //! \return the changes since the last call, valid until the next call
    const changes& apply_changes();

    /*!
     * Computes \p outputs outputs of every channel that is active and has memory for
     * them in \p out. At \p in there are past_items() past items, followed by outputs *
     * decimation new ones.
     */
    void process(const void* in, std::size_t outputs, gr_complex* const* out);
    /*!
     * The same for channels of different rates, and for \p items new items.
     *
     * \param items at most items_of_call() of the same \p room
     * \param room the largest number of outputs of a channel
     * \param outputs becomes the number of outputs of each channel
     */
    void process_items(const void* in,
                       std::size_t items,
                       gr_complex* const* out,
                       std::size_t room,
                       std::size_t* outputs);
    //! How many of \p items new items the next call can take, if no channel may have more
    //! than \p room outputs.
    std::size_t items_of_call(std::size_t items, std::size_t room) const;

    const engine_type& engine() const { return d_engine; }
    //! The centre frequency that the engine uses now.
    double center_freq(std::size_t channel) const;

private:
    enum class set_channels { all, different };
    void set_listed_freqs(const std::vector<double>& center_freqs, set_channels which);
    void set_listed_taps(const taps_type& taps, set_channels which);
    void check_slot(int channel) const;
    void check_channel(int channel) const;
    problem_type wanted_problem() const;
    void want_plan(const taps_type& before);
    void plan_again();
    void start_schedule(std::size_t channel, const std::vector<frequency_point>& points);
    void follow_schedules(std::uint64_t begin);
    void remove_scheduled_filling(const filter_input::window& read,
                                  std::size_t channel,
                                  gr_complex* out,
                                  std::size_t outputs) const;
    void take(engine_type&& fresh);
    void take_fresh();
    template <class COMPUTE>
    void
    compute(const void* in, std::size_t items, gr_complex* const* out, COMPUTE&& filter);

    const options_type d_options;
    ::cldsp::context_registry& d_registry;
    const std::size_t d_channels;                             // slots
    const std::size_t d_given;                                // channels at construction
    const std::vector<::cldsp::rate_ratio> d_rates;           // of each slot
    const std::vector<::cldsp::rate_ratio> d_different_rates; // each of them once
    const bool d_one_decimation;
    const double d_sampling_freq;
    engine_type d_engine;
    fresh_engine<engine_type> d_fresh; // made by choose_again()
    replanner d_replanner;

    mutable std::mutex d_wanted_mutex; // guards the members up to d_changed
    ::cldsp::chosen_plan d_plan;       // the plan of d_engine
    problem_type d_wanted;             // with a channel in every slot
    std::vector<bool> d_in_use;        // slots with a channel
    std::vector<bool> d_active;        // channels that are wanted to be active
    std::size_t d_connected;           // connected outputs
    std::vector<bool> d_channel_changed;
    std::vector<bool> d_freq_set;       // channels whose frequency was set
    std::vector<double> d_listed_freqs; // the list that update_center_freqs() got last
    // For each channel the schedule that was set after its frequency: one list of points,
    // perhaps after an empty one.
    std::map<std::size_t, std::vector<std::vector<frequency_point>>> d_schedules;
    std::vector<bool> d_replaced; // slots whose channel was added or removed
    bool d_taps_changed = false;
    bool d_changed = false;

    changes d_applied;
    // For each channel that follows a schedule, its points that have not taken effect
    // yet.
    std::map<std::size_t, std::deque<frequency_point>> d_coming_points;
    std::vector<taken_point> d_taken_points;

    filter_input d_input;
    ::cldsp::memory_region d_in_memory, d_out_memory;
    std::uint64_t d_position = 0;
    std::vector<::cldsp::phase64> d_phases; // at the first output of a call
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_STREAM_H */
