// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The functions of banks that do not depend on the types of input and taps.

#ifndef INCLUDED_CLDSP_FILTER_BANK_CONTROL_H
#define INCLUDED_CLDSP_FILTER_BANK_CONTROL_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/sync_decimator.h>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * One point of a frequency that changes with time: from item \p sample on, the frequency
 * at item n is hz + hz_per_second (n - sample) / sampling_freq, until the next point.
 */
struct frequency_point {
    std::int64_t sample;      //!< counted since the stream began, 0 to 2^62
    double hz;                //!< any finite value
    double hz_per_second = 0; //!< any finite value
};

/*!
 * \brief The functions of freq_xlating_filter_bank that do not depend on the types of
 * input and taps.
 *
 * Any thread may call these functions while the flowgraph runs.
 */
class CLDSP_API filter_bank_control
{
public:
    virtual ~filter_bank_control() = default;

    //! The number of slots for channels, which is the largest number of outputs.
    virtual int channels() const = 0;
    //! The rates of the outputs in Hz, one per slot.
    virtual std::vector<double> output_rates() const = 0;

    //! Tunes one channel, 0 to channels() - 1, to a frequency in Hz.
    //! \throws std::invalid_argument for another channel or a free slot, or unless finite
    virtual void set_center_freq(int channel, double center_freq) = 0;
    //! Tunes all channels, or those that were given at construction; values for free
    //! slots have no effect. \throws std::invalid_argument unless there is one finite
    //! value per slot, or per channel at construction
    virtual void set_center_freqs(const std::vector<double>& center_freqs) = 0;
    //! Tunes only the channels whose values differ from the previous list: the list of
    //! the last call of this function, or of the construction. So a list of variables,
    //! one of which has changed, tunes one channel and leaves the others at what they
    //! were set to in between. \throws std::invalid_argument as set_center_freqs() does
    virtual void update_center_freqs(const std::vector<double>& center_freqs) = 0;
    //! The frequencies that were set last, in Hz, one per slot. A free slot has 0, and a
    //! channel with a schedule the frequency that it has reached.
    virtual std::vector<double> center_freqs() const = 0;

    //! Makes a channel idle or active between two calls of work(). \throws
    //! std::invalid_argument for another channel or a free slot
    virtual void set_channel_active(int channel, bool active) = 0;
    //! Whether the channel was last set to be active; false for a free slot.
    //! \throws std::invalid_argument unless 0 to channels() - 1
    virtual bool channel_active(int channel) const = 0;
    //! Removes a channel between two calls of work(); its slot is then free.
    //! \throws std::invalid_argument for another channel or a free slot
    virtual void remove_channel(int channel) = 0;

    /*!
     * Makes the channel's frequency a function of time, exact to the input item. From
     * each point's sample on it is hz + hz_per_second t, where t is the time since then;
     * the phase is its integral, and never jumps. The channel mixes first and filters
     * then; docs/doppler.md has the formula. A call replaces earlier schedules from its
     * first point on. Samples are counted since the stream began; points of the past take
     * effect at once. Without points, the frequency stays at its present value.
     * set_center_freq() ends a schedule.
     *
     * \param channel the slot of the channel
     * \param points with rising samples
     * \throws std::invalid_argument for another channel, a free slot, or naming the value
     * of a point that is negative, not finite or not later than the one before
     */
    virtual void schedule(int channel, const std::vector<frequency_point>& points) = 0;

    //! The largest number of taps of a channel, 16777216.
    virtual std::size_t max_taps() const = 0;
};

/*!
 * \brief A bank with taps of the type \p TAP_T, gr_complex or float, whatever its input.
 *
 * Any thread may call these functions while the flowgraph runs.
 */
template <class TAP_T>
class CLDSP_API bank_with_taps : virtual public gr::sync_decimator,
                                 virtual public engine_info,
                                 virtual public filter_bank_control
{
public:
    /*!
     * Sets the prototypes: one for all channels, one per slot, or one per channel that
     * was given at construction. For another number of taps see
     * filter_with_taps::set_taps().
     *
     * \throws std::invalid_argument for another number of prototypes, or if one is empty,
     * has values that are not finite, or has more than max_taps() values
     */
    virtual void set_taps(const std::vector<std::vector<TAP_T>>& taps) = 0;
    //! Sets only the prototypes that differ from those that the channels have.
    //! \throws std::invalid_argument as set_taps() does
    virtual void update_taps(const std::vector<std::vector<TAP_T>>& taps) = 0;
    //! The prototypes that were set last: one for all channels, or one per slot. Those of
    //! free slots have no meaning.
    virtual std::vector<std::vector<TAP_T>> taps() const = 0;

    /*!
     * Adds an active channel between two calls of work(). Longer taps than any before
     * work as with set_taps(). Any thread may call this.
     *
     * \param taps, center_freq as for freq_xlating_filter_bank::make()
     * \param decimation, output_rate the rate of a slot, by one of the two; 0 and 0: of
     *        any slot
     * \return its slot, the first free one of that rate, which is the index of its output
     * \throws std::invalid_argument if no such slot is free, if the taps are empty, not
     * finite or more than max_taps(), or if the frequency is not finite
     */
    virtual int add_channel(const std::vector<TAP_T>& taps,
                            double center_freq,
                            int decimation = 0,
                            double output_rate = 0) = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_BANK_CONTROL_H */
