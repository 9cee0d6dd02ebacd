// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What a filter or bank keeps between its calls: its engine and the changes it waits for.

#ifndef INCLUDED_CLDSP_FILTER_STREAM_H
#define INCLUDED_CLDSP_FILTER_STREAM_H

#include "probe/kernels_to_tune.h"
#include <gnuradio/gr_complex.h>
#include <cldsp/stream_bank.h>
#include <atomic>
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
 * The engine's bank in a stream of calls that bring a fixed number of past items. All
 * filter blocks use it; a filter is a bank of one channel. Changes of taps and
 * frequencies are collected, and then applied together.
 *
 * The number of past items cannot change while a flowgraph runs, because a change would
 * shift the stream. It is large enough for many more taps than there were at
 * construction. For taps that reach further back the stream is copied from then on.
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

    //! \param registry is never destroyed
    //! \throws std::invalid_argument as the constructor of the engine does
    filter_stream(const problem_type& problem,
                  const options_type& options,
                  ::cldsp::context_registry& registry);

    //! The number of slots for channels.
    std::size_t channels() const { return d_channels; }
    //! The rates of the slots, which never change.
    const std::vector<::cldsp::rate_ratio>& rates() const { return d_rates; }
    const ::cldsp::rate_ratio& rate(std::size_t channel) const
    {
        return d_rates[channel];
    }
    //! Whether all slots have one rate, which is that of a decimation. Any
    //! stream runs by process_items(), such a one by process(), too.
    bool has_one_decimation() const { return d_one_decimation; }
    //! The rate of the input in Hz.
    double sampling_freq() const { return d_sampling_freq; }
    //! The number of items that were processed since the stream began.
    std::uint64_t position() const { return d_stream.position(); }
    //! The number of past items that process() gets before the first new one.
    std::size_t past_items() const { return d_past_items; }
    //! The number of past items of a stream that is made for this problem: the history of
    //! 8192 taps, or of four times as many taps as these, whichever is more.
    static std::size_t past_items_of(const problem_type& problem);
    static constexpr std::size_t max_taps()
    {
        return ::cldsp::stream_bank::max_possible_taps;
    }

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
    std::size_t renewals() const { return d_stream.renewals(); }

    //! The changes that were applied.
    struct changes {
        struct channel {
            bool set = false;    //!< its frequency or taps were set
            bool placed = false; //!< it is new in its slot
        };
        bool any = false;
        std::vector<channel> channels;
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
    //! What has happened in a call besides outputs.
    struct passed_events {
        bool renewed; //!< another engine has taken over
        bool points;  //!< points of schedules have taken effect, see taken_points()
    };
    /*!
     * The same for channels of different rates, and for \p items new items.
     *
     * \param items at most items_of_call() of the same \p room; whole decimations if
     * has_one_decimation()
     * \param room the largest number of outputs of a channel
     * \param outputs becomes the number of outputs of each channel
     */
    passed_events process_items(const void* in,
                                std::size_t items,
                                gr_complex* const* out,
                                std::size_t room,
                                std::size_t* outputs);
    //! How many of \p items new items the next call can take, if no channel may have more
    //! than \p room outputs.
    std::size_t items_of_call(std::size_t items, std::size_t room) const
    {
        return d_stream.items_of_call(items, room);
    }

    const engine_type& engine() const { return d_stream.bank(); }
    //! The centre frequency that the engine uses now.
    double center_freq(std::size_t channel) const;

private:
    using point_lists = std::vector<std::vector<frequency_point>>;

    //! What was wanted of a channel since the last apply_changes().
    struct slot_changes {
        bool set = false;      // its frequency or taps
        bool freq_set = false; // its frequency
        bool replaced = false; // the channel was added or removed
        // The schedule that was set after the frequency: one list of points, perhaps
        // after an empty one.
        point_lists schedule;
    };
    struct slot {
        bool in_use = false;               // it has a channel
        bool active = false;               // which is wanted to be active
        std::optional<double> listed_freq; // that update_center_freqs() got last
        slot_changes changes;

        void set_freq();
        void replace(bool by_channel);
    };

    enum class set_channels { all, different };
    void set_listed_freqs(const std::vector<double>& center_freqs, set_channels which);
    void set_listed_taps(const taps_type& taps, set_channels which);
    void check_slot(int channel) const;
    void check_channel(int channel) const;
    std::vector<bool> slots_in_use() const;
    problem_type wanted_problem() const;
    void want_plan(const taps_type& before);
    void start_schedule(std::size_t channel, const std::vector<frequency_point>& points);
    void follow_schedules(std::uint64_t begin);
    engine_type& bank() { return d_stream.bank(); }
    void note_renewal();
    void apply_wanted();

    const options_type d_options;
    ::cldsp::context_registry& d_registry;
    const std::size_t d_channels;                   // slots
    const std::size_t d_given;                      // channels at construction
    const std::vector<::cldsp::rate_ratio> d_rates; // of each slot
    const bool d_one_decimation;
    const double d_sampling_freq;
    const std::size_t d_past_items;
    const std::size_t d_past_bytes;
    ::cldsp::stream_bank d_stream;
    std::size_t d_noted_renewals = 0;

    mutable std::mutex d_wanted_mutex; // guards the members up to d_changed
    ::cldsp::chosen_plan d_plan;       // the plan of engine()
    problem_type d_wanted;             // with a channel in every slot
    std::vector<slot> d_slots;
    std::size_t d_connected; // connected outputs
    bool d_taps_changed = false;
    std::atomic<bool> d_changed{ false }; // any thread may look at it

    changes d_applied;
    // For each channel that follows a schedule, its points that have not taken effect
    // yet.
    std::map<std::size_t, std::deque<frequency_point>> d_coming_points;
    std::vector<taken_point> d_taken_points;

    std::vector<std::size_t> d_outputs; // of each channel in a call of process()
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_STREAM_H */
