/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating_filter_bank_impl.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>
#include <algorithm>

namespace gr {
namespace cldsp {

namespace {

template <class TAP_T>
filter_bank_stream::taps_lists complex_lists(const std::vector<std::vector<TAP_T>>& taps)
{
    filter_bank_stream::taps_lists lists;
    lists.reserve(taps.size());
    for (const auto& list : taps)
        lists.push_back(complex_taps(list));
    return lists;
}

template <class TAP_T>
::cldsp::freq_xlating_filter_bank_problem
problem_of(::cldsp::sample_type input,
           int decimation,
           const std::vector<std::vector<TAP_T>>& taps,
           const std::vector<double>& center_freqs,
           double sampling_freq)
{
    ::cldsp::freq_xlating_filter_bank_problem problem;
    problem.input = input;
    problem.decimation = decimation;
    problem.taps = complex_lists(taps);
    problem.center_freqs = center_freqs;
    problem.sampling_freq = sampling_freq;
    problem.check();
    return problem;
}

// A block of GNU Radio without outputs would be a sink.
gr::io_signature::sptr outputs_of(std::size_t channels)
{
    const int count = static_cast<int>(std::max<std::size_t>(1, channels));
    return gr::io_signature::make(count, count, sizeof(gr_complex));
}

int batch_of(double sampling_freq, int decimation, std::size_t channels)
{
    return batch_outputs(sampling_freq, decimation, channels);
}

} // namespace

template <class IN_T, class TAP_T>
freq_xlating_filter_bank_impl<IN_T, TAP_T>::freq_xlating_filter_bank_impl(
    const std::string& name,
    int decimation,
    const taps_lists& taps,
    const std::vector<double>& center_freqs,
    double sampling_freq,
    const engine_choice& choice)
    : gr::sync_decimator(name,
                         gr::io_signature::make(1, 1, sizeof(IN_T)),
                         outputs_of(center_freqs.size()),
                         checked_decimation(decimation, sizeof(IN_T))),
      base(batch_of(sampling_freq, decimation, center_freqs.size()),
           problem_of(
               item_traits<IN_T>::type, decimation, taps, center_freqs, sampling_freq),
           engine_options<::cldsp::freq_xlating_filter_bank_options>(
               choice,
               typical_items(sizeof(IN_T),
                             decimation,
                             batch_of(sampling_freq, decimation, center_freqs.size())),
               { this->d_logger, this->d_debug_logger }),
           registry()),
      d_out(center_freqs.size())
{
}

template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::set_center_freq(int channel,
                                                                 double center_freq)
{
    d_stream.set_center_freq(channel, center_freq);
}

template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::set_center_freqs(
    const std::vector<double>& center_freqs)
{
    d_stream.set_center_freqs(center_freqs);
}

template <class IN_T, class TAP_T>
std::vector<double> freq_xlating_filter_bank_impl<IN_T, TAP_T>::center_freqs() const
{
    return d_stream.center_freqs();
}

template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::set_taps(const taps_lists& taps)
{
    d_stream.set_taps(complex_lists(taps));
}

template <class IN_T, class TAP_T>
typename freq_xlating_filter_bank_impl<IN_T, TAP_T>::taps_lists
freq_xlating_filter_bank_impl<IN_T, TAP_T>::taps() const
{
    taps_lists lists;
    for (const auto& list : d_stream.taps())
        lists.push_back(taps_as<TAP_T>(list));
    return lists;
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::tune(const pmt::pmt_t& message)
{
    const auto channel = message_channel(message);
    const auto frequency = message_frequency(message);
    if (channel && frequency)
        set_center_freq(*channel, *frequency);
    return channel && frequency;
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::start()
{
    d_stream.start(region_of(*this->detail()->input(0)->buffer()));
    return base::start();
}

template <class IN_T, class TAP_T>
int freq_xlating_filter_bank_impl<IN_T, TAP_T>::work(
    int noutput_items,
    gr_vector_const_void_star& input_items,
    gr_vector_void_star& output_items)
{
    return this->work_with_engine(noutput_items, [&] {
        const auto changed = d_stream.apply_changes();
        for (const std::size_t channel : changed)
            this->tag_change(channel, d_stream.engine().problem().center_freqs[channel]);
        for (std::size_t channel = 0; channel < d_out.size(); channel++)
            d_out[channel] = static_cast<gr_complex*>(output_items[channel]);
        d_stream.process(input_items[0], noutput_items, d_out.data());
        return !changed.empty();
    });
}

#define INSTANTIATE(IN_T)                                      \
    template class freq_xlating_filter_bank_impl<IN_T, float>; \
    template class freq_xlating_filter_bank_impl<IN_T, gr_complex>;

INSTANTIATE(gr_complex)
INSTANTIATE(cu8)
INSTANTIATE(cs8)
INSTANTIATE(cs16)

} // namespace cldsp
} // namespace gr
