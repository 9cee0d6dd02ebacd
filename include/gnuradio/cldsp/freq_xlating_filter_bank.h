// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that takes many narrow channels out of a wide stream.

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_H
#define INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/filter_bank_control.h>
#include <gnuradio/cldsp/iq_types.h>
#include <gnuradio/gr_complex.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief Takes many narrow channels out of a wide stream, each as freq_xlating_fir_filter
 * does, for little more than the cost of one.
 *
 * The block has one input and one output per channel, up to thousands of them, at
 * arbitrary centre frequencies. The output of channel c is that of a
 * freq_xlating_fir_filter with its taps and centre frequency, phase included. \p IN_T and
 * \p TAP_T are those of that filter.
 *
 * All channels have one decimation, or each slot for a channel has a rate of its own,
 * which never changes: a decimation, or any rational part of the input's rate, such as
 * 48 kHz out of 2.048 MHz. Output m of a channel with P outputs for Q input items belongs
 * to the time of input item m Q / P, and K items give floor(K P / Q) outputs of each
 * channel, however GNU Radio cuts the stream. Where that time lies between two items, the
 * output of the filter is interpolated by a windowed sinc. Its delay, of 5 items at low
 * rates to 46 at the highest, adds to that of the filter; it is 0 for a decimation. The
 * first output of each channel of such a bank has the tag "rx_rate" (see below), since no
 * block behind it can know the rate from that of the input. decimation() is then the
 * largest one that gives every channel as many outputs as its own rate.
 *
 * Changes take effect together between two calls of work(). On the outputs of the
 * channels that were set a tag "freq" marks the place; its value is the centre frequency
 * in Hz. The other channels' outputs do not change. No sample is skipped or repeated,
 * also when the number of taps changes. Tags of the input pass to every output; the tags
 * "rx_rate" and "rx_freq" get its rate, and the frequency of its 0 Hz.
 *
 * Channels come and go while the flowgraph runs. An idle channel produces nothing and
 * costs nothing. When it is active again, it has the samples that it would have had
 * without the pause. A channel that is added has the samples of a filter that has run
 * since the stream began. The first output of a channel that starts has three tags:
 * - freq: the centre frequency in Hz (double)
 * - rx_rate: the rate of the output in Hz (double)
 * - sample_start: the index of the input item that the output belongs to, or the last one
 *   before its time (uint64); the first item of the stream has the index 0
 *
 * The outputs of a channel that never stops are numbered in proportion to the input, so
 * the channels that are there at construction start without tags. A tag of the input that
 * would belong to an output of an idle channel does not pass to it.
 *
 * All outputs but the first one may be left unconnected: their channels are idle. GNU
 * Radio demands that the connected outputs are the first ones, without a gap.
 *
 * GNU Radio ends a block when an output is full and its reader, such as a head, is done.
 * An idle output is never full. So a head behind an idle output does not end the
 * flowgraph while another channel is active, or another reader is not done. The bank ends
 * when all channels are idle and the readers of all connected outputs are done.
 *
 * Message port:
 * - freq (input): a pair (channel . frequency in Hz), or a dict with the keys "chan" (or
 *   "channel") and "freq", tunes one channel. Other messages, unknown channels and
 *   frequencies that are not finite are logged and dropped.
 * - channels (input): a pair (channel . bool), or a dict with the keys "chan" (or
 *   "channel") and "active" (bool), makes a channel active or idle. A dict with the keys
 *   "add" (the taps: a uniform vector of real or complex numbers, or a vector of numbers)
 *   and "freq" adds a channel, in the first free slot or in that of the key "chan"; with
 *   the key "decimation" or "output_rate" (a number), the slot has that rate. A dict with
 *   the key "remove" (the channel) removes a channel. A dict with the keys "schedule"
 *   (the channel) and "points" (a vector, list or tuple of sample, Hz and perhaps Hz per
 *   second) calls schedule(). Messages that do not fit are logged and dropped.
 *
 * A tag "freq" on the input with a pair (channel . frequency in Hz), or a dict with the
 * keys "chan", "freq" and perhaps "rate" (Hz per second), is a schedule of one point at
 * its item. Tags with another value, such as the number in the tags of an output, have no
 * effect.
 *
 * The preferences are those of freq_xlating_fir_filter.
 */
template <class IN_T, class TAP_T>
class CLDSP_API freq_xlating_filter_bank : virtual public bank_with_taps<TAP_T>
{
public:
    using sptr = std::shared_ptr<freq_xlating_filter_bank<IN_T, TAP_T>>;

    /*!
     * \param decimation input items per output, of every channel, from 1 to what GNU
     *        Radio's buffer before the block holds: decimation + history() items take
     *        less than 2^30 bytes
     * \param taps low-pass prototypes at 0 Hz: one for all channels, or one per channel,
     *        of any lengths; one or more finite values each
     * \param center_freqs frequencies in Hz that are shifted to 0 Hz, one per channel,
     *        finite
     * \param sampling_freq rate of the input in Hz, finite and above 0
     * \param device "auto" (measured, the host included), "gpu", "cpu" (an OpenCL CPU
     *        device), "host", "P:D" (platform and device index) or part of a device's
     *        name. "gpus", or a list such as "1:0,1:1" or "1:0,host", shares the channels
     *        over these devices by their measured rates; "gpus" includes the host where
     *        that helps
     * \param variant "auto" or a name from list_variants(); a name implies its
     *        algorithm
     * \param transfer "auto", "copy", "mapped" or "zero_copy"
     * \param algorithm "auto", "direct" or "fast_convolution"
     * \param accuracy how much fast convolution may change the frequency response,
     *        relative to the largest gain: 0 (only rounding) to 0.1
     * \param max_channels the number of slots for channels, and of outputs: from the
     *        number of center_freqs to 65536. The slots beyond the given channels are
     *        free for add_channel(). 0: as many as there are center_freqs
     * \param latency seconds of input that a call may bring, 0 to 10: the block asks for
     *        calls as long as its device needs within this bound, and for buffers of two
     *        such calls. It never waits for a call to fill
     * \param rewrite_tags whether the tags "rx_rate" and "rx_freq" of the input get the
     *        values of the output; if false, they pass as they are, as in gr::filter
     * \param plan "auto" or "wait", see freq_xlating_fir_filter::make()
     * \throws std::invalid_argument naming the parameter, its value and the range; also
     *         for a named device that cannot be used
     */
    static sptr make(int decimation,
                     const std::vector<std::vector<TAP_T>>& taps,
                     const std::vector<double>& center_freqs,
                     double sampling_freq,
                     const std::string& device = "auto",
                     const std::string& variant = "auto",
                     const std::string& transfer = "auto",
                     const std::string& algorithm = "auto",
                     double accuracy = 1e-5,
                     int max_channels = 0,
                     double latency = 0.025,
                     bool rewrite_tags = true,
                     const std::string& plan = "auto");

    /*!
     * Makes a bank whose slots have rates of their own. Where they turn out to be one
     * decimation, the bank is that of make().
     *
     * \param decimations input items per output: one value for all slots, or one for
     * each, free ones included; 1 to 16777216, or 0 where output_rates has the rate
     * \param output_rates rates of the outputs in Hz: one value for all slots, or one for
     *        each; at most 0.9 of sampling_freq, or all of it, and sampling_freq P / Q
     *        with a P of at most 4096 and a Q of at most 16777216; or 0 where decimations
     *        has the rate. If a slot has both values, they have to agree, but a
     *        decimation of 1, the default, gives way to the rate. A rate that is no such
     *        part becomes the simplest one within 1 ppm, which output_rates() and a line
     *        of the log tell.
     * \param taps,center_freqs,sampling_freq as for make()
     * \param device,variant,transfer,algorithm,accuracy,max_channels,latency as for
     * make() \param rewrite_tags,plan as for make()
     */
    static sptr make_with_rates(const std::vector<int>& decimations,
                                const std::vector<std::vector<TAP_T>>& taps,
                                const std::vector<double>& center_freqs,
                                double sampling_freq,
                                const std::vector<double>& output_rates = { 0 },
                                const std::string& device = "auto",
                                const std::string& variant = "auto",
                                const std::string& transfer = "auto",
                                const std::string& algorithm = "auto",
                                double accuracy = 1e-5,
                                int max_channels = 0,
                                double latency = 0.025,
                                bool rewrite_tags = true,
                                const std::string& plan = "auto");
};

//! For each row of CLDSP_SAMPLE_TYPES two names, for complex and for real taps:
//! freq_xlating_filter_bank_ccc, freq_xlating_filter_bank_ccf and so on.
#define CLDSP_NAMES(NAME, CAPITALS, LETTERS, ...)   \
    using freq_xlating_filter_bank_##LETTERS##c =   \
        freq_xlating_filter_bank<NAME, gr_complex>; \
    using freq_xlating_filter_bank_##LETTERS##f = freq_xlating_filter_bank<NAME, float>;
CLDSP_SAMPLE_TYPES(CLDSP_NAMES)
#undef CLDSP_NAMES

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_H */
