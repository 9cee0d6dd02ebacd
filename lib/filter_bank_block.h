// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of all banks: channels of different rates that come and go.

#ifndef INCLUDED_CLDSP_FILTER_BANK_BLOCK_H
#define INCLUDED_CLDSP_FILTER_BANK_BLOCK_H

#include "filter_block.h"
#include <gnuradio/cldsp/filter_bank_control.h>
#include <pmt/pmt.h>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief The base of banks: a filter_block whose channels may have different rates, come
 * and go, and take their frequencies from tags. It has the port "channels".
 */
class filter_bank_block : public filter_block, virtual public filter_bank_control
{
public:
    int channels() const override { return static_cast<int>(d_stream.channels()); }
    std::vector<double> output_rates() const override;
    void set_center_freq(int channel, double center_freq) override;
    void set_center_freqs(const std::vector<double>& center_freqs) override;
    void update_center_freqs(const std::vector<double>& center_freqs) override;
    std::vector<double> center_freqs() const override;
    void set_channel_active(int channel, bool active) override;
    bool channel_active(int channel) const override;
    void remove_channel(int channel) override;
    void schedule(int channel, const std::vector<frequency_point>& points) override;
    std::size_t max_taps() const override { return d_stream.max_taps(); }

    void forecast(int noutput_items, gr_vector_int& ninput_items_required) override;
    int fixed_rate_ninput_to_noutput(int ninput_items) override;
    int general_work(int noutput_items,
                     gr_vector_int& ninput_items,
                     gr_vector_const_void_star& input_items,
                     gr_vector_void_star& output_items) override;

protected:
    //! \param real_taps whether messages may only bring taps that are real
    filter_bank_block(const problem_type& problem,
                      const engine_choice& choice,
                      bool rewrite_tags,
                      bool real_taps);

    //! The rate of a new channel; empty: that of any free slot. See added_rate().
    std::optional<::cldsp::rate_ratio> rate_to_add(int decimation,
                                                   double output_rate) const;

private:
    void change_channels(const pmt::pmt_t& message);
    void take_orders();
    bool readers_are_done() const;

    const bool d_real_taps;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_BANK_BLOCK_H */
