// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that turns messages for a filter into messages for a channel of a bank.

#ifndef INCLUDED_CLDSP_CHANNEL_TUNER_H
#define INCLUDED_CLDSP_CHANNEL_TUNER_H

#include <gnuradio/block.h>
#include <gnuradio/cldsp/api.h>
#include <memory>

namespace gr {
namespace cldsp {

/*!
 * \brief Connects what tunes a frequency-xlating filter to a channel of a filter bank.
 *
 * Message ports:
 * - freq (input): a pair (any key . frequency in Hz) or a dict with the key freq, as the
 *   filters take them. Other messages are dropped.
 * - freq (output): the pair (channel . frequency in Hz), for the port freq of a bank.
 */
class CLDSP_API channel_tuner : virtual public gr::block
{
public:
    using sptr = std::shared_ptr<channel_tuner>;

    //! \param channel the channel of the bank, 0 to 65535
    //! \throws std::invalid_argument for another channel
    static sptr make(int channel);

    //! The channel of the bank.
    virtual int channel() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CHANNEL_TUNER_H */
