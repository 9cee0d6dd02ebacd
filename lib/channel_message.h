/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_CHANNEL_MESSAGE_H
#define INCLUDED_CLDSP_CHANNEL_MESSAGE_H

#include <gnuradio/gr_complex.h>
#include <pmt/pmt.h>
#include <optional>
#include <vector>

namespace gr {
namespace cldsp {

//! A message on the port "channels" of a bank; the header of the bank describes its form.
struct channel_message {
    enum { add, remove, activate } action;
    std::optional<int> channel; //!< may be empty for `add` only
    bool active = false;        //!< for `activate`
    std::vector<gr_complex> taps;
    double center_freq = 0; //!< in Hz; this, the taps and the next two are for `add`
    int decimation = 0;     //!< 0: the message has none
    double output_rate = 0; //!< in Hz; 0: the message has none

    //! \throws std::invalid_argument if the message has another form
    static channel_message of(const pmt::pmt_t& message);
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CHANNEL_MESSAGE_H */
