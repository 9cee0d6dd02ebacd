/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H
#define INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H

#include "filter_block.h"
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/tags.h>
#include <pmt/pmt.h>
#include <cstdint>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind freq_xlating_filter_bank.
template <class IN_T, class TAP_T>
class freq_xlating_filter_bank_impl
    : public filter_block<freq_xlating_filter_bank<IN_T, TAP_T>>
{
public:
    using taps_lists = std::vector<std::vector<TAP_T>>;

    freq_xlating_filter_bank_impl(const std::string& name,
                                  int decimation,
                                  const taps_lists& taps,
                                  const std::vector<double>& center_freqs,
                                  double sampling_freq,
                                  int max_channels,
                                  const engine_choice& choice);

    int channels() const override { return static_cast<int>(d_stream.channels()); }
    void set_center_freq(int channel, double center_freq) override;
    void set_center_freqs(const std::vector<double>& center_freqs) override;
    std::vector<double> center_freqs() const override;
    void set_taps(const taps_lists& taps) override;
    taps_lists taps() const override;
    void set_channel_active(int channel, bool active) override;
    bool channel_active(int channel) const override;
    int add_channel(const std::vector<TAP_T>& taps, double center_freq) override;
    void remove_channel(int channel) override;

    bool start() override;
    bool stop() override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

private:
    using base = filter_block<freq_xlating_filter_bank<IN_T, TAP_T>>;
    using base::d_out;
    using base::d_stream;

    void change_channels(const pmt::pmt_t& message);
    void take_tag_policy();
    void pass_tags(int noutput_items);
    bool readers_are_done() const;

    // GNU Radio passes tags at offsets in proportion to those of the input, which do not
    // fit an output that has been idle. The block then passes them itself.
    bool d_passes_tags = false;
    gr::block::tag_propagation_policy_t d_tag_policy = gr::block::TPP_ALL_TO_ALL;
    std::vector<gr::tag_t> d_tags;      // those of a call
    std::vector<gr::tag_t> d_next_tags; // those for the first output of the next call
    std::uint64_t d_next_item = 0;      // the first new input item of the next call
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H */
