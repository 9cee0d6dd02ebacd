// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Messages and tags that order changes of a bank's channels.

#ifndef INCLUDED_CLDSP_CHANNEL_MESSAGE_H
#define INCLUDED_CLDSP_CHANNEL_MESSAGE_H

#include <gnuradio/gr_complex.h>
#include <cldsp/frequency_point.h>
#include <pmt/pmt.h>
#include <optional>
#include <vector>

namespace gr {
namespace cldsp {

//! A message on the port "channels" of a bank; the header of the bank describes its form.
struct channel_message {
    enum { add, remove, activate, schedule } action;
    std::optional<int> channel; //!< may be empty for `add` only
    bool active = false;        //!< for `activate`
    std::vector<gr_complex> taps;
    double center_freq = 0; //!< in Hz; this, the taps and the next two are for `add`
    int decimation = 0;     //!< 0: the message has none
    double output_rate = 0; //!< in Hz; 0: the message has none
    std::vector<::cldsp::frequency_point> points; //!< for `schedule`

    //! \throws std::invalid_argument if the message has another form
    static channel_message of(const pmt::pmt_t& message);
};

/*!
 * The order in a tag "freq" of a bank's input: a pair (channel . frequency), or a dict with
 * the keys "chan", "freq" and perhaps "rate" (Hz per second). Empty: the tag is no order,
 * such as the number in a tag that a filter's output carries.
 */
struct frequency_order {
    int channel;
    double hz, hz_per_second;

    static std::optional<frequency_order> of(const pmt::pmt_t& value);
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CHANNEL_MESSAGE_H */
