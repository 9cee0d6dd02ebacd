// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The filter bank: many channels out of one stream, on a device or the host.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/filter_problem.h>
#include <cldsp/frequency_point.h>
#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! The numbers of items that a call consumed and produced.
struct process_result {
    std::size_t consumed = 0; //!< input items, a multiple of the decimation
    std::size_t produced = 0; //!< outputs of each channel
};

/*!
 * A bank of frequency-xlating decimating FIR filters on one input, at arbitrary centre
 * frequencies.
 *
 * Each channel has the output that its freq_xlating_fir_problem defines; a filter is a
 * bank of one channel. Between calls the bank keeps nothing of the stream but the phases
 * of the rotators: each call brings its own history. If a device fails while running, the
 * host continues at the same sample, and the reason is logged. Only one thread may use a
 * bank at a time.
 *
 * Where the options name several devices (see names_several_devices()), they compute at
 * the same time, each a part of the channels that suits its measured rate. If one of them
 * fails, the others go on with its channels at the same sample, and the host only after
 * all of them have failed.
 *
 * Channels come and go while the bank runs. An idle channel has no outputs and costs
 * nothing, but its rotator goes on: a channel that is active again has the samples that
 * it would have had without the pause. A bank may have free slots (see max_channels of
 * the problem), which add_channel() uses and remove_channel() frees.
 */
class freq_xlating_filter_bank
{
public:
    /*!
     * A cost model chooses whatever the options leave open. Where its predictions are
     * close, a measurement of less than a second decides, and the registry remembers the
     * answer. Filters of one tap are not measured, and filters of fewer than 8 taps only
     * briefly, because they are probably placeholders.
     *
     * \param problem the channels
     * \param options where and how they are computed
     * \param registry its devices; has to outlive the bank if the options name several
     * \throws std::invalid_argument for a bad problem, an accuracy out of range, an
     *         unknown or unsuitable device, algorithm, variant or transfer, or a device
     *         that was named and cannot be used
     */
    freq_xlating_filter_bank(const freq_xlating_filter_bank_problem& problem,
                             const freq_xlating_filter_bank_options& options,
                             context_registry& registry);
    ~freq_xlating_filter_bank();
    freq_xlating_filter_bank(freq_xlating_filter_bank&&) noexcept;
    freq_xlating_filter_bank& operator=(freq_xlating_filter_bank&&) noexcept;

    //! The number of slots. Each has a channel, unless it is free.
    std::size_t channels() const;
    //! The number of items before the first new one that process() needs: the taps of the
    //! longest channel, less 1. Channels of different rates need up to a decimation's
    //! items more. Idle channels count, free slots do not.
    std::size_t history() const;

    /*!
     * Filters as many items as are available and as many outputs as there is room for.
     *
     * \param in input items, the first history() of which are the items just before the
     *        first new one
     * \param in_items number of items, history included
     * \param out channels() pointers, each to memory for \p room outputs. A null pointer
     *        makes the channel idle for this call. The pointers of channels that are
     *        idle, and of free slots, are not used
     * \param room the largest number of outputs of a channel
     */
    process_result process(const void* in,
                           std::size_t in_items,
                           std::complex<float>* const* out,
                           std::size_t room);

    /*!
     * The same for channels of different rates: filters as many items as are available,
     * so that no channel has more than \p room outputs. The number of items need not be
     * a multiple of any decimation.
     *
     * \param in,in_items,out,room as for process()
     * \param outputs becomes the number of outputs of each of the channels() channels,
     *        idle ones included
     * \return the number of items that were consumed
     */
    std::size_t process_items(const void* in,
                              std::size_t in_items,
                              std::complex<float>* const* out,
                              std::size_t room,
                              std::size_t* outputs);
    //! The rate of one slot's outputs. \throws std::invalid_argument if there is no such
    //! slot
    rate_ratio rate(std::size_t channel) const;
    //! Whether all channels have one rate, which is that of a decimation. If not, only
    //! process_items() filters.
    bool has_one_decimation() const;
    //! The number of items that process_items() has to get, beyond history(), before one
    //! of the active channels gives an output.
    std::size_t items_to_next_output() const;

    //! Sets the centre frequency of one channel from its next output on, and ends its
    //! schedule. The phase_reference of the problem determines how the phase of the
    //! rotator changes. The outputs of the other channels do not change.
    //! \throws std::invalid_argument if there is no such channel, or if the frequency is
    //! not finite
    void set_center_freq(std::size_t channel, double center_freq);
    //! Sets the centre frequencies of all channels. Those for free slots have no effect.
    //! \throws std::invalid_argument unless there is one frequency for each slot, and
    //! all are finite
    void set_center_freqs(const std::vector<double>& center_freqs);
    /*!
     * Makes the channel's frequency a function of time, exact to the item:
     *
     *     y[m] = exp(j p) sum_k h[k] x[i - k] exp(-j 2 pi phase(i - k))
     *
     * where i is the newest item of output m, and the phase is the integral of the
     * frequency. The phase never jumps, neither where the schedule begins nor where the
     * frequency jumps. The host mixes and filters such a channel separately, so that it
     * costs more than a channel of constant frequency. When the frequency no longer
     * changes, the channel is computed together with the others again.
     *
     * \param channel the slot of the channel
     * \param points replace the schedule of earlier calls from the first point on; that
     *        schedule still holds before it. A point before the newest item of the next
     *        output takes effect at that item, with the frequency that it gives for it.
     *        Without points the frequency stays constant from now on
     * \throws std::invalid_argument if there is no such channel, or naming the value of
     *         a point, which has to be finite and later than the one before
     */
    void schedule(std::size_t channel, const std::vector<frequency_point>& points);
    //! Whether the channel follows a schedule. Its frequency in problem() is then that of
    //! the next output. \throws std::invalid_argument if there is no such slot
    bool has_schedule(std::size_t channel) const;
    //! The frequency of a channel that follows a schedule at an item, and its phase
    //! there.
    struct scheduled_item {
        double hz;
        phase64 phase; //!< the integral of the frequency
    };
    //! \throws std::invalid_argument if the channel follows no schedule
    scheduled_item schedule_at(std::size_t channel, std::int64_t item) const;
    //! Discards what schedules say of the items before \p item: neither schedule_at() nor
    //! a later call may need these items. Without it, a bank keeps the 16777216 items
    //! before its history.
    void forget_schedules_before(std::int64_t item);
    //! The number of stretches of time that a channel's schedule remembers, each with a
    //! frequency or a ramp of its own; 0: the channel follows no schedule.
    //! \throws std::invalid_argument if there is no such slot
    std::size_t stretches(std::size_t channel) const;
    //! Sets one prototype for all channels, or one per slot, from the next output on. The
    //! phases do not change, and neither does the plan, which was made for the first
    //! taps: see is_outdated(). Channels that have these taps already take no time.
    //! \throws std::invalid_argument for another number of prototypes, or taps that are
    //! empty or not finite
    void set_taps(const std::vector<shared_taps>& taps);

    //! Makes a channel idle or active. \throws std::invalid_argument if there is no such
    //! channel
    void set_channel_active(std::size_t channel, bool active);
    //! Whether the channel is active; false for a free slot.
    //! \throws std::invalid_argument if there is no such slot
    bool channel_active(std::size_t channel) const;
    //! Whether a channel is not active, or a slot is free.
    bool has_idle_channels() const;
    //! Whether the slot has a channel. \throws std::invalid_argument if there is no such
    //! slot
    bool has_channel(std::size_t channel) const;
    /*!
     * Adds an active channel in the first free slot. Its outputs are those of a filter
     * with these taps and this frequency that has run since the stream began. Taps that
     * are longer than those of all channels so far change history().
     *
     * \param taps the prototype at 0 Hz
     * \param center_freq the centre frequency in Hz
     * \param rate the rate of its outputs, for the first free slot of that rate
     * \return the slot, which is the index of the channel
     * \throws std::invalid_argument if no such slot is free, or for bad taps or a
     *         frequency that is not finite
     */
    std::size_t add_channel(const shared_taps& taps,
                            double center_freq,
                            std::optional<rate_ratio> rate = std::nullopt);
    //! As add_channel(), in the slot \p channel, whose channel is replaced if it has one.
    //! \throws std::invalid_argument also if there is no such slot
    void place_channel(std::size_t channel, const shared_taps& taps, double center_freq);
    //! Removes a channel, whose slot is then free. Its taps are forgotten; see
    //! free_slots() of the problem. \throws std::invalid_argument if there is no such
    //! channel
    void remove_channel(std::size_t channel);

    /*!
     * Takes over the plan and the engine of \p fresh at the next output. The channels,
     * their phases, and whether they are active, do not change. Another thread can make
     * \p fresh, with the same problem and as many slots, while this bank runs.
     * Afterwards set_stream_memory() has to be called again.
     */
    void take_engine(freq_xlating_filter_bank&& fresh);
    //! Resets the phases to those of a new stream.
    void reset();
    //! Advances the rotators by \p outputs outputs without computing them; by as many
    //! items if the channels have different rates.
    void skip(std::uint64_t outputs);

    /*!
     * Names the memory in which the data of later calls will lie, so that zero-copy
     * transfers can wrap it once. A region must stay valid until it is replaced or the
     * bank is destroyed; an empty region removes it.
     *
     * \param in the memory of the input
     * \param out the memory of the output of a bank of one channel. With several channels
     * it is not used: each call names the memory of their outputs
     */
    void set_stream_memory(memory_region in, memory_region out = {});

    //! The problem, with a channel in every slot: see with_all_slots() and free_slots()
    //! of the problem.
    const freq_xlating_filter_bank_problem& problem() const;
    //! The rotator's phase at the channel's next output.
    phase64 phase(std::size_t channel) const;

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< the variant that runs, never "auto"
    //! "copy", "mapped", "zero_copy", or "none" on the host
    std::string transfer_name() const;
    /*!
     * One line: the choice, its predicted and measured rates, the runner-up; e.g.
     * "fast_convolution/polyphase on host, block size 512: predicted 1200 MS/s, measured
     * 1150 MS/s; next: direct/simd on host 690 MS/s". After a device has failed, the line
     * gives the reason.
     */
    std::string plan() const;
    const chosen_plan& chosen() const; //!< the plan as data
    run_statistics statistics() const;
    //! Whether a device failed, so that the host or the other devices compute instead.
    bool fell_back() const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

//! Whether a bank may have a plan for the longer calls of its options, so that its owner
//! has to be able to bring them.
//! \throws std::invalid_argument for an unknown device
bool may_take_longer_calls(const freq_xlating_filter_bank_options& options,
                           const context_registry& registry);

//! Whether a plan's measured rate is at least 1.25 times another one's. False if one of
//! them was not measured.
bool is_clearly_faster(const chosen_plan& plan, const chosen_plan& other);

/*!
 * Whether a new bank for \p problem would probably be clearly faster than an older one
 * that was made for other taps: because the cost model predicts it, or because the older
 * plan was never measured. Nothing is measured, so the call is short. If it returns true,
 * make the new bank and pass it to freq_xlating_filter_bank::take_engine(). Any thread
 * may call this function.
 *
 * \param plan chosen() of the older bank
 * \param problem,options,registry as for the constructor of freq_xlating_filter_bank
 * \throws std::invalid_argument as that constructor does
 */
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry);

} // namespace cldsp
