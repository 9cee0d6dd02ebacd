/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating_fir_filter_impl.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/cldsp/freq_xlating_fft_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>
#include <gnuradio/io_signature.h>

namespace gr {
namespace cldsp {

namespace {

template <class TAP_T>
::cldsp::freq_xlating_fir_problem problem_of(::cldsp::sample_type input,
                                             int decimation,
                                             const std::vector<TAP_T>& taps,
                                             double center_freq,
                                             double sampling_freq,
                                             ::cldsp::phase_reference phase)
{
    ::cldsp::freq_xlating_fir_problem problem;
    problem.input = input;
    problem.decimation = decimation;
    problem.taps = complex_taps(taps);
    problem.center_freq = center_freq;
    problem.sampling_freq = sampling_freq;
    problem.phase = phase;
    problem.check();
    return problem;
}

} // namespace

template <class INTERFACE, class IN_T, class TAP_T>
freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::freq_xlating_fir_filter_impl(
    const std::string& name,
    int decimation,
    const std::vector<TAP_T>& taps,
    double center_freq,
    double sampling_freq,
    const engine_choice& choice,
    ::cldsp::phase_reference phase)
    : gr::sync_decimator(name,
                         gr::io_signature::make(1, 1, sizeof(IN_T)),
                         gr::io_signature::make(1, 1, sizeof(gr_complex)),
                         checked_decimation(decimation, sizeof(IN_T))),
      base(batch_outputs(sampling_freq, decimation),
           problem_of(item_traits<IN_T>::type,
                      decimation,
                      taps,
                      center_freq,
                      sampling_freq,
                      phase),
           engine_options<::cldsp::freq_xlating_fir_options>(
               choice,
               typical_items(
                   sizeof(IN_T), decimation, batch_outputs(sampling_freq, decimation)),
               { this->d_logger, this->d_debug_logger }),
           registry()),
      d_sampling_freq(sampling_freq)
{
}

template <class INTERFACE, class IN_T, class TAP_T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::set_center_freq(
    double center_freq)
{
    d_stream.set_center_freq(center_freq);
}

template <class INTERFACE, class IN_T, class TAP_T>
double freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::center_freq() const
{
    return d_stream.center_freq();
}

template <class INTERFACE, class IN_T, class TAP_T>
void freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::set_taps(
    const std::vector<TAP_T>& taps)
{
    d_stream.set_taps(complex_taps(taps));
}

template <class INTERFACE, class IN_T, class TAP_T>
std::vector<TAP_T> freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::taps() const
{
    return taps_as<TAP_T>(d_stream.taps());
}

template <class INTERFACE, class IN_T, class TAP_T>
bool freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::tune(const pmt::pmt_t& message)
{
    const auto frequency = message_frequency(message);
    if (frequency)
        set_center_freq(*frequency);
    return frequency.has_value();
}

template <class INTERFACE, class IN_T, class TAP_T>
bool freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::start()
{
    const auto detail = this->detail();
    d_stream.start(region_of(*detail->input(0)->buffer()), region_of(*detail->output(0)));
    return base::start();
}

template <class INTERFACE, class IN_T, class TAP_T>
int freq_xlating_fir_filter_impl<INTERFACE, IN_T, TAP_T>::work(
    int noutput_items,
    gr_vector_const_void_star& input_items,
    gr_vector_void_star& output_items)
{
    return this->work_with_engine(noutput_items, [&] {
        const bool changed = d_stream.apply_changes();
        if (changed)
            this->tag_change(0, d_stream.engine().problem().center_freq);
        d_stream.process(
            input_items[0], noutput_items, static_cast<gr_complex*>(output_items[0]));
        return changed;
    });
}

#define INSTANTIATE(BLOCK, IN_T)                                                  \
    template class freq_xlating_fir_filter_impl<BLOCK<IN_T, float>, IN_T, float>; \
    template class freq_xlating_fir_filter_impl<BLOCK<IN_T, gr_complex>,          \
                                                IN_T,                             \
                                                gr_complex>;

INSTANTIATE(freq_xlating_fir_filter, gr_complex)
INSTANTIATE(freq_xlating_fir_filter, float)
INSTANTIATE(freq_xlating_fir_filter, std::int16_t)
INSTANTIATE(freq_xlating_fir_filter, cu8)
INSTANTIATE(freq_xlating_fir_filter, cs8)
INSTANTIATE(freq_xlating_fir_filter, cs16)
INSTANTIATE(freq_xlating_fft_filter, gr_complex)
INSTANTIATE(freq_xlating_fft_filter, float)
INSTANTIATE(freq_xlating_fft_filter, std::int16_t)
INSTANTIATE(freq_xlating_fft_filter, cu8)
INSTANTIATE(freq_xlating_fft_filter, cs8)
INSTANTIATE(freq_xlating_fft_filter, cs16)
INSTANTIATE(freq_xlating_fir_filter_volk, gr_complex)
INSTANTIATE(freq_xlating_fir_filter_volk, float)
INSTANTIATE(freq_xlating_fir_filter_volk, std::int16_t)

} // namespace cldsp
} // namespace gr
