// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A recorder's channel out of GNU Radio's blocks, to compare the bank with.

#ifndef INCLUDED_TRUNK_RECORDER_IN_TREE_CHANNELIZER_H
#define INCLUDED_TRUNK_RECORDER_IN_TREE_CHANNELIZER_H

#include "../channel_plan.h"
#include <gnuradio/hier_block2.h>
#include <memory>

namespace trunk_recorder {

/*!
 * The same channel with a filter chain of its own out of GNU Radio's blocks, at the rates
 * and with the taps of trunk-recorder's xlat_channelizer: what the bank is compared with.
 * The input is the source's whole band.
 */
class in_tree_channelizer : public gr::hier_block2
{
public:
    using sptr = std::shared_ptr<in_tree_channelizer>;

    //! \param center_freq of the channel in Hz, relative to the source's centre
    //! \param whole false: the filters and the resampler alone, without gain control and
    //! FLL
    static sptr make(const channel_plan& plan,
                     double input_rate,
                     double center_freq,
                     bool whole = true);

private:
    in_tree_channelizer(const channel_plan& plan,
                        double input_rate,
                        double center_freq,
                        bool whole);
};

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_IN_TREE_CHANNELIZER_H */
