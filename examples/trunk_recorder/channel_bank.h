// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// All channels that the recorders of one source filter, in one filter bank.

#ifndef INCLUDED_TRUNK_RECORDER_CHANNEL_BANK_H
#define INCLUDED_TRUNK_RECORDER_CHANNEL_BANK_H

#include <gnuradio/basic_block.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/top_block.h>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace trunk_recorder {

/*!
 * \brief All channels that the recorders of one source filter, in one filter bank.
 *
 * Each recorder adds its channel when it is made. connect() then makes a bank with as
 * many outputs as there are channels, and connects it between the source and the
 * recorders. A channel is disabled until its recorder enables it; a disabled channel
 * produces nothing and costs nothing. Frequencies, taps and enabled channels may change
 * at any time and from any thread, before the bank is made and while it runs; the
 * flowgraph is not locked for that.
 */
class channel_bank
{
public:
    using sptr = std::shared_ptr<channel_bank>;
    using bank_type = gr::cldsp::freq_xlating_filter_bank_ccf;

    /*!
     * \param input_rate rate of the source in Hz, finite and above 0
     * \param device where the bank computes, as its argument of that name
     * \throws std::invalid_argument naming the parameter, its value and the range
     */
    static sptr make(double input_rate, const std::string& device = "auto");

    double input_rate() const { return d_input_rate; }

    /*!
     * Adds a channel that is tuned to 0 Hz and disabled.
     *
     * \param taps low-pass prototype at the rate of the input
     * \param decimation input items per output, 1 or more
     * \return its number, counted from 0, which is that of the bank's output
     * \throws std::logic_error after connect()
     */
    int add_channel(const std::vector<float>& taps, int decimation);

    /*!
     * Sets the block that takes the channel which was added last: the channel's handle,
     * or the recorder that holds it and passes its input on.
     *
     * \return the channel's number
     * \throws std::logic_error after connect(), or if that channel has a reader
     */
    int add_reader(const gr::basic_block_sptr& reader);

    /*!
     * Makes the bank, which is measured and planned here, and connects it. Without
     * channels nothing is connected.
     *
     * \throws std::logic_error for the second call, or if a channel has no reader
     * \throws std::invalid_argument if the bank refuses its arguments
     */
    void connect(const gr::top_block_sptr& flowgraph, const gr::basic_block_sptr& source);

    int channels() const;

    //! Enables or disables a channel. \throws std::invalid_argument for another channel
    void set_enabled(int channel, bool enabled);
    //! \throws std::invalid_argument for another channel
    bool enabled(int channel) const;
    //! Tunes a channel to a finite frequency in Hz, relative to the source's centre.
    //! \throws std::invalid_argument for another channel or frequency
    void set_center_freq(int channel, double center_freq);
    //! Sets the prototype of a channel; the other channels do not change.
    //! \throws std::invalid_argument for another channel or taps that the bank refuses
    void set_taps(int channel, const std::vector<float>& taps);

    //! Whether samples have come since the last call of this function. The flowgraph must
    //! not be started or unlocked by another thread meanwhile.
    bool got_samples();

    //! The bank, after connect(): for its plan, device and times. Null without channels.
    bank_type::sptr block() const;

private:
    struct channel {
        std::vector<float> taps;
        int decimation;
        double center_freq = 0;
        bool enabled = false;
        gr::basic_block_sptr reader;
    };

    channel_bank(double input_rate, const std::string& device);

    void check(int channel) const;
    void check_not_connected(const char* call) const;

    const double d_input_rate;
    const std::string d_device;
    //! Guards what follows. It is also held while the bank is set, so that the bank gets
    //! the calls of several threads in the order of the records here.
    mutable std::mutex d_mutex;
    std::vector<channel> d_channels;
    bool d_connected = false;
    bank_type::sptr d_bank;
    std::uint64_t d_seen_items = 0;
};

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_CHANNEL_BANK_H */
