// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The filters and rates from a source to a recorder's channel.

#ifndef INCLUDED_TRUNK_RECORDER_CHANNEL_PLAN_H
#define INCLUDED_TRUNK_RECORDER_CHANNEL_PLAN_H

#include <vector>

namespace trunk_recorder {

/*!
 * The filters and rates from a source to a channel. trunk-recorder filters in two stages:
 * a short filter of 24 kHz takes the source to 96 kHz or a little more, and the channel's
 * own filter takes the result to the channel's rate or a little more. A resampler follows
 * where the two rates differ.
 */
class channel_plan
{
public:
    //! The arguments, and the errors, are those of bank_channelizer::make().
    channel_plan(double input_rate,
                 int samples_per_symbol,
                 double symbol_rate,
                 double bandwidth);

    int samples_per_symbol() const { return d_samples_per_symbol; }

    //! Input items per item between the stages.
    int first_decimation() const { return d_first_decimation; }
    //! Items between the stages per item of the channel.
    int second_decimation() const { return d_second_decimation; }
    int decimation() const { return d_first_decimation * d_second_decimation; }

    //! Rate between the stages, in Hz.
    double first_rate() const { return d_input_rate / d_first_decimation; }
    //! Rate of the channel in Hz. filtered_rate() is the rate before the resampler.
    double channel_rate() const { return d_channel_rate; }
    double filtered_rate() const { return d_input_rate / decimation(); }
    bool resamples() const { return filtered_rate() != channel_rate(); }

    std::vector<float> first_taps() const;
    std::vector<float> second_taps() const;
    //! Taps of the second filter with another cutoff, max_dev in Hz, and a transition of
    //! half the bandwidth.
    //! \throws std::invalid_argument unless the cutoff, max_dev, is above 0 to
    //! first_rate() / 2
    std::vector<float> second_taps(double max_dev) const;
    //! Taps of the resampler's 32 filters.
    std::vector<float> resampler_taps() const;

    /*!
     * One filter at the rate of the input that does what the two stages do. A filter
     * behind a decimation by D equals a filter before it whose taps are D items apart,
     * and two filters in a row equal one filter with the convolution of their taps. A
     * signal that aliases in the first decimation also aliases in the decimation behind
     * both filters.
     */
    std::vector<float> joint_taps(const std::vector<float>& second) const;

private:
    const double d_input_rate;
    const int d_samples_per_symbol;
    const double d_bandwidth;
    const int d_first_decimation;
    const double d_channel_rate;
    const int d_second_decimation;
};

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_CHANNEL_PLAN_H */
