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
                                  const engine_choice& choice);

    int channels() const override { return static_cast<int>(d_stream.channels()); }
    void set_center_freq(int channel, double center_freq) override;
    void set_center_freqs(const std::vector<double>& center_freqs) override;
    std::vector<double> center_freqs() const override;
    void set_taps(const taps_lists& taps) override;
    taps_lists taps() const override;

private:
    using base = filter_block<freq_xlating_filter_bank<IN_T, TAP_T>>;
    using base::d_stream;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FILTER_BANK_IMPL_H */
