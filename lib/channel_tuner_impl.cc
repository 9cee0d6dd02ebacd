// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Turns messages for a filter into messages for a channel of a bank.

#include "block_support.h"
#include <gnuradio/cldsp/channel_tuner.h>
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <pmt/pmt.h>
#include <string>

namespace gr {
namespace cldsp {

namespace {

constexpr int max_tuned_channel = 65535;

//! \brief The block behind channel_tuner.
class channel_tuner_impl : public channel_tuner
{
public:
    explicit channel_tuner_impl(int channel)
        : gr::block("channel_tuner",
                    gr::io_signature::make(0, 0, 0),
                    gr::io_signature::make(0, 0, 0)),
          d_channel(channel),
          d_port(pmt::intern("freq"))
    {
        if (channel < 0 || channel > max_tuned_channel)
            ::cldsp::throw_invalid("channel",
                                   std::to_string(channel),
                                   "a whole number, 0 to " +
                                       std::to_string(max_tuned_channel));
        message_port_register_in(d_port);
        message_port_register_out(d_port);
        set_msg_handler(d_port, [this](const pmt::pmt_t& message) { tune(message); });
    }

    int channel() const override { return d_channel; }

private:
    void tune(const pmt::pmt_t& message)
    {
        if (!is_complete(message))
            return;
        if (const auto hz = message_frequency(message))
            message_port_pub(d_port,
                             pmt::cons(pmt::from_long(d_channel), pmt::from_double(*hz)));
    }

    const int d_channel;
    const pmt::pmt_t d_port;
};

} // namespace

channel_tuner::sptr channel_tuner::make(int channel)
{
    return gnuradio::make_block_sptr<channel_tuner_impl>(channel);
}

} // namespace cldsp
} // namespace gr
