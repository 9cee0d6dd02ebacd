/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "freq_xlating_fir_filter_impl.h"
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>

namespace gr {
namespace cldsp {

template <class IN_T, class TAP_T>
typename freq_xlating_fir_filter<IN_T, TAP_T>::sptr
freq_xlating_fir_filter<IN_T, TAP_T>::make(int decimation,
                                           const std::vector<TAP_T>& taps,
                                           double center_freq,
                                           double sampling_freq,
                                           const std::string& device,
                                           const std::string& variant,
                                           const std::string& transfer,
                                           const std::string& algorithm,
                                           double accuracy)
{
    using block = freq_xlating_fir_filter_impl<freq_xlating_fir_filter, IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_fir_filter_" + type_suffix<IN_T, TAP_T>(),
        decimation,
        taps,
        center_freq,
        sampling_freq,
        engine_choice{ device, variant, transfer, algorithm, accuracy });
}

template class freq_xlating_fir_filter<gr_complex, gr_complex>;
template class freq_xlating_fir_filter<gr_complex, float>;
template class freq_xlating_fir_filter<float, gr_complex>;
template class freq_xlating_fir_filter<float, float>;
template class freq_xlating_fir_filter<std::int16_t, gr_complex>;
template class freq_xlating_fir_filter<std::int16_t, float>;
template class freq_xlating_fir_filter<cu8, gr_complex>;
template class freq_xlating_fir_filter<cu8, float>;
template class freq_xlating_fir_filter<cs8, gr_complex>;
template class freq_xlating_fir_filter<cs8, float>;
template class freq_xlating_fir_filter<cs16, gr_complex>;
template class freq_xlating_fir_filter<cs16, float>;

} // namespace cldsp
} // namespace gr
