/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "freq_xlating_fir_filter_impl.h"
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>

namespace gr {
namespace cldsp {

template <class IN_T, class TAP_T>
typename freq_xlating_fir_filter_volk<IN_T, TAP_T>::sptr
freq_xlating_fir_filter_volk<IN_T, TAP_T>::make(int decimation,
                                                const std::vector<TAP_T>& taps,
                                                double center_freq,
                                                double sampling_freq)
{
    using block = freq_xlating_fir_filter_impl<freq_xlating_fir_filter_volk, IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_fir_filter_volk_" + type_suffix<IN_T, TAP_T>(),
        decimation,
        taps,
        center_freq,
        sampling_freq,
        engine_choice{ "host", "volk", "auto", "direct", 0 });
}

template class freq_xlating_fir_filter_volk<gr_complex, gr_complex>;
template class freq_xlating_fir_filter_volk<gr_complex, float>;
template class freq_xlating_fir_filter_volk<float, gr_complex>;
template class freq_xlating_fir_filter_volk<float, float>;
template class freq_xlating_fir_filter_volk<std::int16_t, gr_complex>;
template class freq_xlating_fir_filter_volk<std::int16_t, float>;

} // namespace cldsp
} // namespace gr
