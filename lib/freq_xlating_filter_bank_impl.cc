// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes banks from their arguments, and sets the taps of channels.

#include "block_support.h"
#include "channel_rates.h"
#include "freq_xlating_filter_bank_impl.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <optional>

namespace gr {
namespace cldsp {

namespace {

template <class TAP_T>
std::vector<::cldsp::shared_taps>
complex_lists(const std::vector<std::vector<TAP_T>>& taps)
{
    std::vector<::cldsp::shared_taps> lists;
    lists.reserve(taps.size());
    for (const auto& list : taps)
        lists.push_back(complex_taps(list));
    return lists;
}

//! The problem of a bank, without its rates.
template <class TAP_T>
::cldsp::freq_xlating_filter_bank_problem
problem_without_rates(::cldsp::sample_type input,
                      const std::vector<std::vector<TAP_T>>& taps,
                      const std::vector<double>& center_freqs,
                      double sampling_freq,
                      int max_channels)
{
    if (max_channels < 0)
        ::cldsp::throw_invalid("max_channels", std::to_string(max_channels), "0 or more");
    ::cldsp::freq_xlating_filter_bank_problem problem;
    problem.input = input;
    problem.taps = complex_lists(taps);
    problem.center_freqs = center_freqs;
    problem.sampling_freq = sampling_freq;
    problem.max_channels = static_cast<std::size_t>(max_channels);
    problem.check();
    return problem;
}

template <class IN_T, class TAP_T>
typename freq_xlating_filter_bank<IN_T, TAP_T>::sptr
make_bank(const ::cldsp::freq_xlating_filter_bank_problem& problem,
          const engine_choice& choice,
          bool rewrite_tags)
{
    using block = freq_xlating_filter_bank_impl<IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>("freq_xlating_filter_bank_" +
                                                type_suffix<IN_T, TAP_T>(),
                                            problem,
                                            choice,
                                            rewrite_tags);
}

// The outputs. Only the first one has to be connected, because GNU Radio takes a block
// without outputs for a sink; an output that is not connected is an idle channel.
gr::io_signature::sptr
outputs_of(const ::cldsp::freq_xlating_filter_bank_problem& problem)
{
    return gr::io_signature::make(
        1, static_cast<int>(problem.slots()), sizeof(gr_complex));
}

} // namespace

template <class TAP_T>
bank_block<TAP_T>::bank_block(const filter_stream::problem_type& problem,
                              const engine_choice& choice,
                              bool rewrite_tags)
    : filter_bank_block(problem, choice, rewrite_tags, std::is_same_v<TAP_T, float>)
{
}

template <class TAP_T>
int bank_block<TAP_T>::add_channel(const std::vector<TAP_T>& taps,
                                   double center_freq,
                                   int decimation,
                                   double output_rate)
{
    return d_stream.add_channel(complex_taps(taps),
                                center_freq,
                                std::nullopt,
                                rate_to_add(decimation, output_rate));
}

template <class TAP_T>
void bank_block<TAP_T>::set_taps(const taps_lists& taps)
{
    d_stream.set_taps(complex_lists(taps));
}

template <class TAP_T>
void bank_block<TAP_T>::update_taps(const taps_lists& taps)
{
    d_stream.update_taps(complex_lists(taps));
}

template <class TAP_T>
typename bank_block<TAP_T>::taps_lists bank_block<TAP_T>::taps() const
{
    taps_lists lists;
    for (const auto& list : d_stream.wanted(&filter_stream::problem_type::taps))
        lists.push_back(taps_as<TAP_T>(list));
    return lists;
}

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
                                            double accuracy,
                                            int max_channels,
                                            double latency,
                                            bool rewrite_tags,
                                            const std::string& plan)
{
    const unsigned checked = checked_decimation(decimation, sizeof(IN_T));
    auto problem = problem_without_rates(
        item_traits<IN_T>::type, taps, center_freqs, sampling_freq, max_channels);
    problem.decimation = checked;
    return make_bank<IN_T, TAP_T>(
        problem,
        { device, variant, transfer, algorithm, accuracy, latency, plan },
        rewrite_tags);
}

template <class IN_T, class TAP_T>
typename freq_xlating_filter_bank<IN_T, TAP_T>::sptr
freq_xlating_filter_bank<IN_T, TAP_T>::make_with_rates(
    const std::vector<int>& decimations,
    const std::vector<std::vector<TAP_T>>& taps,
    const std::vector<double>& center_freqs,
    double sampling_freq,
    const std::vector<double>& output_rates,
    const std::string& device,
    const std::string& variant,
    const std::string& transfer,
    const std::string& algorithm,
    double accuracy,
    int max_channels,
    double latency,
    bool rewrite_tags,
    const std::string& plan)
{
    auto problem = problem_without_rates(
        item_traits<IN_T>::type, taps, center_freqs, sampling_freq, max_channels);
    problem.rates =
        channel_rates(decimations, output_rates, sampling_freq, problem.slots());
    const auto others = other_rates(output_rates, sampling_freq, problem.rates);
    problem.decimation = decimation_of(problem.rates);
    if (problem.has_one_decimation()) {
        problem.rates.clear();
        checked_decimation(static_cast<int>(problem.decimation), sizeof(IN_T));
    }
    problem.check();
    const auto bank = make_bank<IN_T, TAP_T>(
        problem,
        { device, variant, transfer, algorithm, accuracy, latency, plan },
        rewrite_tags);
    const auto log = engine_logger({ bank->d_logger, bank->d_debug_logger });
    for (const auto& text : others)
        log(::cldsp::log_level::info, "the rate of an output is " + text);
    return bank;
}

template <class IN_T, class TAP_T>
freq_xlating_filter_bank_impl<IN_T, TAP_T>::freq_xlating_filter_bank_impl(
    const std::string& name,
    const filter_stream::problem_type& problem,
    const engine_choice& choice,
    bool rewrite_tags)
    : gr::sync_decimator(
          name,
          gr::io_signature::make(1, 1, sizeof(IN_T)),
          outputs_of(problem),
          checked_decimation(static_cast<int>(problem.decimation), sizeof(IN_T))),
      bank_block<TAP_T>(problem, choice, rewrite_tags)
{
}

#define INSTANTIATE(NAME, ...)                            \
    template class freq_xlating_filter_bank<NAME, float>; \
    template class freq_xlating_filter_bank<NAME, gr_complex>;

CLDSP_SAMPLE_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace cldsp
} // namespace gr
