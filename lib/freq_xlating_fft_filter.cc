/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "freq_xlating_fir_filter_impl.h"
#include <gnuradio/cldsp/freq_xlating_fft_filter.h>
#include <cldsp/errors.h>
#include <cmath>

namespace gr {
namespace cldsp {

namespace {

// What the user calls them is not what the engine's own checks would.
void check_arguments(int decim, std::size_t item_size, double samp_rate)
{
    checked_decimation(decim, item_size, 1, 1, "decim");
    if (!std::isfinite(samp_rate) || samp_rate <= 0)
        ::cldsp::throw_invalid(
            "samp_rate", std::to_string(samp_rate), "finite and above 0");
}

} // namespace

template <class IN_T, class TAP_T>
typename freq_xlating_fft_filter<IN_T, TAP_T>::sptr
freq_xlating_fft_filter<IN_T, TAP_T>::make(int decim,
                                           const std::vector<TAP_T>& taps,
                                           double center_freq,
                                           double samp_rate,
                                           const std::string& device,
                                           const std::string& variant,
                                           const std::string& transfer,
                                           const std::string& algorithm,
                                           double accuracy)
{
    check_arguments(decim, sizeof(IN_T), samp_rate);
    using block = freq_xlating_fir_filter_impl<freq_xlating_fft_filter, IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_fft_filter_" + type_suffix<IN_T, TAP_T>(),
        decim,
        taps,
        center_freq,
        samp_rate,
        engine_choice{ device, variant, transfer, algorithm, accuracy },
        ::cldsp::phase_reference::input);
}

template <class IN_T, class TAP_T>
void freq_xlating_fft_filter<IN_T, TAP_T>::set_nthreads(int nthreads)
{
    if (nthreads < 1)
        ::cldsp::throw_invalid("nthreads", std::to_string(nthreads), "1 or more");
}

template class freq_xlating_fft_filter<gr_complex, gr_complex>;
template class freq_xlating_fft_filter<gr_complex, float>;
template class freq_xlating_fft_filter<float, gr_complex>;
template class freq_xlating_fft_filter<float, float>;
template class freq_xlating_fft_filter<std::int16_t, gr_complex>;
template class freq_xlating_fft_filter<std::int16_t, float>;
template class freq_xlating_fft_filter<cu8, gr_complex>;
template class freq_xlating_fft_filter<cu8, float>;
template class freq_xlating_fft_filter<cs8, gr_complex>;
template class freq_xlating_fft_filter<cs8, float>;
template class freq_xlating_fft_filter<cs16, gr_complex>;
template class freq_xlating_fft_filter<cs16, float>;

} // namespace cldsp
} // namespace gr
