/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating_filter_bank_impl.h"
#include <gnuradio/io_signature.h>
#include <algorithm>

namespace gr {
namespace cldsp {

namespace {

template <class TAP_T>
std::vector<std::vector<gr_complex>>
complex_lists(const std::vector<std::vector<TAP_T>>& taps)
{
    std::vector<std::vector<gr_complex>> lists;
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

// The outputs, at least one, because GNU Radio takes a block without outputs for a sink.
gr::io_signature::sptr outputs_of(std::size_t channels)
{
    const int count = static_cast<int>(std::max<std::size_t>(1, channels));
    return gr::io_signature::make(count, count, sizeof(gr_complex));
}

} // namespace

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
      base(problem_of(
               item_traits<IN_T>::type, decimation, taps, center_freqs, sampling_freq),
           choice,
           0) // threads: one for each core
{
    this->take_frequencies(message_channel);
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
    return d_stream.wanted(&filter_stream::problem_type::center_freqs);
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
    for (const auto& list : d_stream.wanted(&filter_stream::problem_type::taps))
        lists.push_back(taps_as<TAP_T>(list));
    return lists;
}

#define INSTANTIATE(ITEM, LETTERS, TYPE)                  \
    template class freq_xlating_filter_bank<ITEM, float>; \
    template class freq_xlating_filter_bank<ITEM, gr_complex>;

CLDSP_FILTER_INPUTS(INSTANTIATE)

} // namespace cldsp
} // namespace gr
