// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A bank of filters that keeps the past of its stream.

#pragma once

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/replanner.h>

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cldsp {

struct stream_filling;

/*!
 * A bank that keeps the past of its stream, so that a call takes any number of new items,
 * and all of them. The outputs do not depend on how the stream is cut into calls. Before
 * its first item there is silence, in every type of items.
 *
 * No item is copied that can be read where it lies. A call finds the past in front of its
 * items (process() with in_front), or lets it be written there (process_after_room()), or
 * its items, the first ones if there are many, are copied behind the past (process()).
 *
 * Channels, frequencies and schedules change between calls, by bank(), and take effect at
 * the next output. Only one thread may use it at a time.
 *
 * A bank that was made at once (see the options) runs while a better one is made in the
 * background. The stream changes over to that one at the next output, see renewals().
 */
class stream_bank
{
public:
    using problem_type = freq_xlating_filter_bank_problem;

    //! The largest number of taps. With more taps a filter would take gigabytes of
    //! memory.
    static constexpr std::size_t max_possible_taps = std::size_t(1) << 24;
    //! The number of taps of the longest of several filters.
    static std::size_t longest_taps(const std::vector<shared_taps>& taps);

    //! What lies in front of the items of calls, and what is kept for later taps.
    struct past_of_calls {
        //! The number of items before those of each call that are the stream's past, in
        //! the caller's memory. Before the first item of the stream their bytes are zero.
        std::size_t in_front = 0;
        //! The past is kept for taps of this number even while all taps are shorter. If
        //! taps become longer, they take the items that are gone for silence.
        std::size_t max_taps = 0;
    };

    //! \throws std::invalid_argument as the bank's constructor does
    stream_bank(const problem_type& problem,
                const freq_xlating_filter_bank_options& options,
                std::shared_ptr<context_registry> registry,
                const past_of_calls& past);
    //! \param bank a bank that has filtered nothing yet
    //! \param input the type of its items
    //! \param past see past_of_calls
    stream_bank(freq_xlating_filter_bank&& bank,
                sample_type input,
                const past_of_calls& past);

    //! The bank, for changes between calls; it is this class that filters and resets.
    freq_xlating_filter_bank& bank() { return d_bank; }
    const freq_xlating_filter_bank& bank() const { return d_bank; }

    //! The number of times that another bank has taken over.
    std::size_t renewals() const { return d_renewals; }
    //! Where other banks come from, for requests and offers of any thread. Null if this
    //! stream was given its bank.
    replanner* planning() { return d_replanner.get(); }
    //! See freq_xlating_filter_bank::set_stream_memory(); it holds for later banks, too.
    void set_stream_memory(memory_region in, memory_region out);

    //! Begins a new stream. If the first call has other bytes than zeros in front, the
    //! stream has run before, and these are items of it.
    void reset();

    //! The number of items that the outputs so far have taken. Up to a decimation of
    //! further ones may wait for the next output.
    std::uint64_t position() const { return d_position; }
    //! The largest number of past items that any taps can read now.
    std::size_t kept_items() const;
    //! The largest number of outputs that a call of so many items can give, of one
    //! channel or of any.
    std::size_t max_outputs(std::size_t channel, std::size_t items) const;
    std::size_t max_outputs(std::size_t items) const;
    //! How many of \p items new items the next call can take, if no channel may have more
    //! than \p room outputs.
    std::size_t items_of_call(std::size_t items, std::size_t room) const;
    //! The number of items that process_after_room() needs room for.
    std::size_t room_in_front() const;

    /*!
     * Filters the next items. After an exception they are not consumed.
     *
     * \param in the new items, behind as many past ones as in_front says
     * \param items their number
     * \param out a pointer for each slot; null: no outputs. The outputs of idle channels
     *        are zeros
     * \param room the number of outputs that each has memory for: max_outputs() suffices,
     *        and less where items_of_call() says so
     * \param outputs becomes the number of outputs of each slot
     */
    void process(const void* in,
                 std::size_t items,
                 std::complex<float>* const* out,
                 std::size_t room,
                 std::size_t* outputs);
    //! As process(), without copying the items, for a caller with memory for
    //! room_in_front() items before those at \p in, where the past is written. It is for
    //! streams without in_front.
    void process_after_room(void* in,
                            std::size_t items,
                            std::complex<float>* const* out,
                            std::size_t room,
                            std::size_t* outputs);

private:
    stream_bank(freq_xlating_filter_bank&& bank,
                sample_type input,
                const past_of_calls& past,
                std::unique_ptr<replanner> replanner,
                std::size_t longer_items);

    //! Where the outputs of a call go.
    struct outputs_of_call {
        std::complex<float>* const* out;
        std::size_t room;
        std::size_t* counts;
    };

    void take_plan();
    template <class PROCESS>
    std::size_t timed(const PROCESS& process);
    std::size_t piece() const;
    void
    process_part(const unsigned char* in, std::size_t items, const outputs_of_call& to);
    template <class ACTION>
    void guarded(std::size_t items, std::size_t room, ACTION&& action);
    std::size_t filter(const void* in, std::size_t items, const outputs_of_call& to);
    void filter_in_front(const unsigned char* in,
                         std::size_t items,
                         const outputs_of_call& to);
    void
    filter_copied(const unsigned char* in, std::size_t items, const outputs_of_call& to);
    void go_back(std::uint64_t position);
    void look_in_front(const unsigned char* in);

    std::size_t needed() const;
    std::size_t held_bytes() const { return (d_kept + d_waiting) * d_item_size; }
    void correct_outputs(const outputs_of_call& to, const stream_filling& filling) const;
    void begin_past();
    void drop_past();
    void lengthen_past(const unsigned char* end, std::size_t there);
    const unsigned char* append(const unsigned char* items, std::size_t count);
    void keep_last(const unsigned char* end, std::size_t waiting);

    const std::size_t d_item_size;
    const past_of_calls d_wanted;
    freq_xlating_filter_bank d_bank;
    std::unique_ptr<replanner> d_replanner;
    const std::atomic<bool>* d_plan_waits = nullptr; // the replanner's
    std::size_t d_renewals = 0;
    bool d_is_provisional = false;        // the plan of the bank
    const std::size_t d_longer_items = 0; // see the options
    memory_region d_in_memory, d_out_memory;
    const std::vector<rate_ratio> d_rates; // of all slots, each of them once
    const bool d_one_decimation;
    std::size_t d_longest_period = 1; // the largest decimation
    // The bank takes all items of channels with different rates, and otherwise whole
    // decimations.
    std::size_t d_max_waiting = 0;
    std::size_t d_reserve = 0; // items that taps of max_taps may read again

    // A byte of the items that fill the past before the stream, and the value of these.
    const unsigned char d_filling_byte;
    const std::complex<double> d_filling;

    std::uint64_t d_position = 0; // items that the bank has consumed
    std::size_t d_waiting = 0;    // items after these, which complete no output yet
    std::int64_t d_oldest = 0;    // index of the oldest item that is not filling

    // The own copy of the past, unless the calls bring it: from byte d_begin on, d_kept
    // items before the waiting ones, and these. No copy is kept if d_kept is 0.
    std::vector<unsigned char> d_past;
    std::size_t d_begin = 0;
    std::size_t d_kept = 0;

    std::vector<std::complex<float>*> d_out;       // where the outputs of a part go
    std::vector<std::complex<float>*> d_piece_out; // and those of a piece
    std::vector<std::size_t> d_piece_outputs;
    std::vector<std::size_t> d_outputs; // of a part of a call
    std::vector<phase64> d_phases;      // at the first output of a part
};

} // namespace cldsp
