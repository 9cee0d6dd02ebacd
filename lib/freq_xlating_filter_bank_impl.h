/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H
#define INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H

#include "filter_bank_block.h"
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind freq_xlating_filter_bank.
template <class IN_T, class TAP_T>
class freq_xlating_filter_bank_impl : public freq_xlating_filter_bank<IN_T, TAP_T>,
                                      public filter_bank_block
{
public:
    using taps_lists = std::vector<std::vector<TAP_T>>;

    //! \param problem one that has passed its check()
    freq_xlating_filter_bank_impl(const std::string& name,
                                  const filter_stream::problem_type& problem,
                                  const engine_choice& choice);

    std::size_t max_taps() const override { return d_stream.max_taps(); }
    int channels() const override { return static_cast<int>(d_stream.channels()); }
    std::vector<double> output_rates() const override;
    void set_center_freq(int channel, double center_freq) override;
    void set_center_freqs(const std::vector<double>& center_freqs) override;
    void update_center_freqs(const std::vector<double>& center_freqs) override;
    std::vector<double> center_freqs() const override;
    void set_taps(const taps_lists& taps) override;
    void update_taps(const taps_lists& taps) override;
    taps_lists taps() const override;
    void set_channel_active(int channel, bool active) override;
    bool channel_active(int channel) const override;
    int add_channel(const std::vector<TAP_T>& taps,
                    double center_freq,
                    int decimation,
                    double output_rate) override;
    void remove_channel(int channel) override;
    void schedule(int channel, const std::vector<frequency_point>& points) override;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H */
