// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes filters from their arguments, and sets their taps and frequency.

#include "block_support.h"
#include "freq_xlating_fir_filter_impl.h"
#include <gnuradio/cldsp/freq_xlating_fft_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <cmath>
#include <optional>

namespace gr {
namespace cldsp {

namespace {

std::optional<int> only_channel(const pmt::pmt_t&) { return 0; }

// Checks the arguments of freq_xlating_fft_filter, whose names differ from those in the
// checks of the engine.
void check_fft_filter_arguments(int decim, std::size_t item_size, double samp_rate)
{
    checked_decimation(decim, item_size, 1, 1, "decim");
    if (!std::isfinite(samp_rate) || samp_rate <= 0)
        ::cldsp::throw_invalid(
            "samp_rate", ::cldsp::number_text(samp_rate), "finite and above 0");
}

} // namespace

template <class TAP_T>
fir_filter_block<TAP_T>::fir_filter_block(::cldsp::sample_type input,
                                          int decimation,
                                          const std::vector<TAP_T>& taps,
                                          double center_freq,
                                          double sampling_freq,
                                          const engine_choice& choice,
                                          bool rewrite_tags,
                                          ::cldsp::phase_reference phase)
    : filter_block(::cldsp::bank_of_one({ input,
                                          static_cast<std::size_t>(decimation),
                                          complex_taps(taps),
                                          center_freq,
                                          sampling_freq,
                                          phase }),
                   choice,
                   1, // thread
                   rewrite_tags ? tags_by::block_rewrites : tags_by::gnuradio)
{
    take_frequencies(only_channel);
}

template <class TAP_T>
void fir_filter_block<TAP_T>::set_center_freq(double center_freq)
{
    d_stream.set_center_freq(0, center_freq);
}

template <class TAP_T>
double fir_filter_block<TAP_T>::center_freq() const
{
    return d_stream.wanted(&problem_type::center_freqs).front();
}

template <class TAP_T>
void fir_filter_block<TAP_T>::set_taps(const std::vector<TAP_T>& taps)
{
    d_stream.set_taps({ complex_taps(taps) });
}

template <class TAP_T>
std::vector<TAP_T> fir_filter_block<TAP_T>::taps() const
{
    return taps_as<TAP_T>(d_stream.wanted(&problem_type::taps).front());
}

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
                                           double accuracy,
                                           double latency,
                                           bool rewrite_tags,
                                           const std::string& plan)
{
    using block = freq_xlating_fir_filter_impl<freq_xlating_fir_filter, IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_fir_filter_" + type_suffix<IN_T, TAP_T>(),
        decimation,
        taps,
        center_freq,
        sampling_freq,
        engine_choice{ device, variant, transfer, algorithm, accuracy, latency, plan },
        rewrite_tags);
}

template <class IN_T, class TAP_T>
typename freq_xlating_fir_filter_volk<IN_T, TAP_T>::sptr
freq_xlating_fir_filter_volk<IN_T, TAP_T>::make(int decimation,
                                                const std::vector<TAP_T>& taps,
                                                double center_freq,
                                                double sampling_freq,
                                                bool rewrite_tags)
{
    using block = freq_xlating_fir_filter_impl<freq_xlating_fir_filter_volk, IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_fir_filter_volk_" + type_suffix<IN_T, TAP_T>(),
        decimation,
        taps,
        center_freq,
        sampling_freq,
        engine_choice{ "host", "volk", "auto", "direct", 0 },
        rewrite_tags);
}

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
                                           double accuracy,
                                           double latency,
                                           bool rewrite_tags,
                                           const std::string& plan)
{
    check_fft_filter_arguments(decim, sizeof(IN_T), samp_rate);
    using block = freq_xlating_fir_filter_impl<freq_xlating_fft_filter, IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_fft_filter_" + type_suffix<IN_T, TAP_T>(),
        decim,
        taps,
        center_freq,
        samp_rate,
        engine_choice{ device, variant, transfer, algorithm, accuracy, latency, plan },
        rewrite_tags,
        ::cldsp::phase_reference::input);
}

template <class TAP_T>
void fft_filter_with_taps<TAP_T>::set_nthreads(int nthreads)
{
    if (nthreads < 1)
        ::cldsp::throw_invalid("nthreads", std::to_string(nthreads), "1 or more");
}

template <class INTERFACE, class IN_T, class TAP_T>
freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::freq_xlating_fir_filter_impl(
    const std::string& name,
    int decimation,
    const std::vector<TAP_T>& taps,
    double center_freq,
    double sampling_freq,
    const engine_choice& choice,
    bool rewrite_tags,
    ::cldsp::phase_reference phase)
    : gr::sync_decimator(name,
                         gr::io_signature::make(1, 1, sizeof(IN_T)),
                         gr::io_signature::make(1, 1, sizeof(gr_complex)),
                         checked_decimation(decimation, sizeof(IN_T))),
      fir_filter_block<TAP_T>(item_traits<IN_T>::type,
                              decimation,
                              taps,
                              center_freq,
                              sampling_freq,
                              choice,
                              rewrite_tags,
                              phase)
{
}

#define INSTANTIATE(BLOCK, IN_T)       \
    template class BLOCK<IN_T, float>; \
    template class BLOCK<IN_T, gr_complex>;
#define INSTANTIATE_FILTERS(NAME, ...)         \
    INSTANTIATE(freq_xlating_fir_filter, NAME) \
    INSTANTIATE(freq_xlating_fft_filter, NAME)

template class fft_filter_with_taps<float>;
template class fft_filter_with_taps<gr_complex>;
CLDSP_SAMPLE_TYPES(INSTANTIATE_FILTERS)
INSTANTIATE(freq_xlating_fir_filter_volk, gr_complex)
INSTANTIATE(freq_xlating_fir_filter_volk, float)
INSTANTIATE(freq_xlating_fir_filter_volk, std::int16_t)
#undef INSTANTIATE_FILTERS
#undef INSTANTIATE

} // namespace cldsp
} // namespace gr
