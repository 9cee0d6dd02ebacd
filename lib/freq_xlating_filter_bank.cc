/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "freq_xlating_filter_bank_impl.h"
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>

namespace gr {
namespace cldsp {

template <class IN_T, class TAP_T>
typename freq_xlating_filter_bank<IN_T, TAP_T>::sptr
freq_xlating_filter_bank<IN_T, TAP_T>::make(int decimation,
                                            const std::vector<std::vector<TAP_T>>& taps,
                                            const std::vector<double>& center_freqs,
                                            double sampling_freq,
                                            const std::string& device,
                                            const std::string& variant,
                                            const std::string& transfer,
                                            const std::string& algorithm,
                                            double accuracy)
{
    using block = freq_xlating_filter_bank_impl<IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_filter_bank_" + type_suffix<IN_T, TAP_T>(),
        decimation,
        taps,
        center_freqs,
        sampling_freq,
        engine_choice{ device, variant, transfer, algorithm, accuracy });
}

template class freq_xlating_filter_bank<gr_complex, gr_complex>;
template class freq_xlating_filter_bank<gr_complex, float>;
template class freq_xlating_filter_bank<cu8, gr_complex>;
template class freq_xlating_filter_bank<cu8, float>;
template class freq_xlating_filter_bank<cs8, gr_complex>;
template class freq_xlating_filter_bank<cs8, float>;
template class freq_xlating_filter_bank<cs16, gr_complex>;
template class freq_xlating_filter_bank<cs16, float>;

} // namespace cldsp
} // namespace gr
