// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One recorder's channel of a shared bank, with trunk-recorder's interface.

#ifndef INCLUDED_TRUNK_RECORDER_BANK_CHANNELIZER_H
#define INCLUDED_TRUNK_RECORDER_BANK_CHANNELIZER_H

#include "channel_bank.h"
#include "channel_plan.h"
#include "power_squelch.h"
#include <gnuradio/hier_block2.h>
#include <memory>

namespace trunk_recorder {

class locked_fll;

/*!
 * \brief One recorder's channel of a channel_bank, with the interface of
 * trunk-recorder's xlat_channelizer.
 *
 * The input is the output of the bank for this channel: translated, filtered, and at a
 * rate of its own. The remaining steps run at that rate: the resampler where the source's
 * rate is no multiple of the channel's, the squelch, the gain control, and the band-edge
 * FLL. The output has samples_per_symbol * symbol_rate samples per second.
 *
 * Making a handle adds a channel to the bank, disabled. When the handle goes, its channel
 * is disabled. Functions may be called at any time and from any thread.
 */
class bank_channelizer : public gr::hier_block2
{
public:
    using sptr = std::shared_ptr<bank_channelizer>;

    static constexpr float default_excess_bw = 0.2;
    static constexpr float smartnet_excess_bw = 0.35;
    static constexpr int smartnet_samples_per_symbol = 5;
    static constexpr int phase1_samples_per_symbol = 5;
    static constexpr int phase2_samples_per_symbol = 4;
    static constexpr double phase1_symbol_rate = 4800;
    static constexpr double phase2_symbol_rate = 6000;
    static constexpr double smartnet_symbol_rate = 3600;
    static constexpr double channel_bandwidth = 12500;
    //! The value that get_pwr() returns without a squelch.
    static constexpr double unknown_power = 999;

    /*!
     * \param channels the bank of the source
     * \param input_rate that of the bank, in Hz, 96000 or more
     * \param samples_per_symbol 1 or more
     * \param symbol_rate in Hz, above 0; the product with samples_per_symbol is the
     *        channel's rate, from 1 Hz to input_rate / floor(input_rate / 96000), about
     *        96 kHz
     * \param bandwidth of the channel in Hz, 100 to that upper limit
     * \param center_freq of the source in Hz, finite. The signal does not depend on it,
     *        because tune_offset() is relative to it.
     * \param use_squelch whether the output is gated by a power squelch
     * \param excess_bw roll-off of the signal's pulses, for the FLL, 0 to 1
     * \param use_fll whether an FLL follows the carrier
     * \throws std::invalid_argument naming the parameter, its value and the range
     * \throws std::logic_error after channels->connect()
     */
    static sptr make(channel_bank::sptr channels,
                     double input_rate,
                     int samples_per_symbol,
                     double symbol_rate,
                     double bandwidth,
                     double center_freq,
                     bool use_squelch,
                     double excess_bw = default_excess_bw,
                     bool use_fll = true);
    ~bank_channelizer() override;

    //! The channel's number, which is that of the bank's output.
    int channel() const { return d_channel; }
    //! Lets samples of this channel through, or stops them at no cost.
    void set_enabled(bool enabled);
    bool is_enabled() const;

    //! The shift by which the FLL moves the carrier to 0 Hz, in Hz; 0 without an FLL.
    int get_freq_error();
    //! Whether the squelch is closed; true also without a squelch.
    bool is_squelched();
    //! Mean power before the squelch in dB, or unknown_power.
    double get_pwr();

    //! \param f the source's centre less the channel's frequency, in Hz; finite
    void tune_offset(double f);
    //! \param samples_per_symbol the number that the FLL uses, 1 or more; the rate of the
    //! output does not change
    void set_samples_per_symbol(int samples_per_symbol);
    //! \param squelch_db the squelch's threshold in dB, finite; -200 at the start
    void set_squelch_db(double squelch_db);
    //! \param analog_squelch true: a fast squelch that ramps, and gives zeros while it is
    //! closed; false: a slow one that gives nothing while it is closed
    void set_analog_squelch(bool analog_squelch);
    //! Sets the channel filter's cutoff, and its transition to half the bandwidth.
    //! \param max_dev in Hz, above 0 to half of input_rate / floor(input_rate / 96000)
    void set_max_dev(double max_dev);

private:
    bank_channelizer(channel_bank::sptr channels,
                     const channel_plan& plan,
                     bool use_squelch,
                     double excess_bw,
                     bool use_fll);

    const channel_bank::sptr d_channels;
    const channel_plan d_plan;
    const int d_channel;
    power_squelch::sptr d_squelch;
    std::shared_ptr<locked_fll> d_fll;
};

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_BANK_CHANNELIZER_H */
