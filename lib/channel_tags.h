// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The tags of one output of a filter or bank.

#ifndef INCLUDED_CLDSP_CHANNEL_TAGS_H
#define INCLUDED_CLDSP_CHANNEL_TAGS_H

#include <gnuradio/tags.h>
#include <cldsp/rate_ratio.h>
#include <pmt/pmt.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace gr {
namespace cldsp {

//! The number of a tag "rx_rate" or "rx_freq": its value, or the second element of a pair
//! or of a tuple of two, such as (channel . Hz). Empty: the value has another form.
std::optional<double> tag_number(const pmt::pmt_t& value);
//! A value of the same form with another number, a double.
pmt::pmt_t with_tag_number(const pmt::pmt_t& value, double number);

/*!
 * The tags of one output of a filter or bank: those of the input, and the block's own.
 * Outputs are counted since the stream began.
 *
 * A tag of the input goes where GNU Radio's decimators pass it: one of item i to output
 * floor(i P / Q + 1/2), for P outputs of Q items. If the values are rewritten, the tags
 * "rx_rate" and "rx_freq" of the input become those of the output. An output never has
 * two tags of such a key: of several that go there the last one counts, and the block's
 * own "rx_rate" follows the rate that the input's last tag gave.
 */
class channel_tags
{
public:
    //! The block's own tags.
    static constexpr unsigned char freq = 1, rx_rate = 2, sample_start = 4;

    //! \param rate the rate of the output
    //! \param sampling_freq the rate of the input, unless a tag gives another one
    //! \param rewrites whether "rx_rate" and "rx_freq" get the values of the output
    channel_tags(const ::cldsp::rate_ratio& rate, double sampling_freq, bool rewrites);

    //! Forgets everything, for a new stream.
    void clear();
    //! Orders own tags for an output, which is not before one with earlier orders.
    void order(std::uint64_t output, unsigned char own);
    //! Takes back the orders.
    void cancel_orders() { d_orders.clear(); }
    //! Takes the tags of the input, in the order of their items.
    //! \param origin what GNU Radio has for the offset of the stream's first item
    void take(const std::vector<gr::tag_t>& tags, std::uint64_t origin);
    //! Whether an output may have tags.
    bool any() const { return !d_waiting.empty() || !d_orders.empty(); }

    /*!
     * Moves on to an output, and returns the tags of those before it.
     *
     * \param end the output
     * \param origin as for take()
     * \param hz_at gives the channel's frequency at an output
     * \param source the source of the block's own tags
     * \return the tags, each with the number of its output as the offset; valid until the
     *         next call
     */
    std::vector<gr::tag_t>& move_to(std::uint64_t end,
                                    std::uint64_t origin,
                                    const std::function<double(std::uint64_t)>& hz_at,
                                    const pmt::pmt_t& source);

private:
    struct own_tags {
        std::uint64_t output;
        unsigned char own;
    };
    bool remember(const gr::tag_t& tag, unsigned char& came);
    double input_rate() const;

    ::cldsp::rate_ratio d_rate;
    double d_sampling_freq;
    bool d_rewrites;
    // The input's tags whose output is still to come, with its number as their offsets.
    std::vector<gr::tag_t> d_waiting;
    std::vector<own_tags> d_orders;
    // The last ones of the input, with the input's values.
    std::optional<gr::tag_t> d_rx_rate, d_rx_freq;
    std::vector<gr::tag_t> d_result;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CHANNEL_TAGS_H */
