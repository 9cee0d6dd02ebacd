/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "channel_message.h"
#include "freq_xlating_filter_bank_impl.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <stdexcept>

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

template <class TAP_T>
::cldsp::freq_xlating_filter_bank_problem
problem_of(::cldsp::sample_type input,
           int decimation,
           const std::vector<std::vector<TAP_T>>& taps,
           const std::vector<double>& center_freqs,
           double sampling_freq,
           int max_channels)
{
    if (max_channels < 0)
        ::cldsp::throw_invalid("max_channels", std::to_string(max_channels), "0 or more");
    ::cldsp::freq_xlating_filter_bank_problem problem;
    problem.input = input;
    problem.decimation = decimation;
    problem.taps = complex_lists(taps);
    problem.center_freqs = center_freqs;
    problem.sampling_freq = sampling_freq;
    problem.max_channels = static_cast<std::size_t>(max_channels);
    problem.check();
    return problem;
}

// The outputs. Only the first one has to be connected, because GNU Radio takes a block
// without outputs for a sink; an output that is not connected is an idle channel. Bad
// numbers of channels are refused later.
gr::io_signature::sptr outputs_of(std::size_t channels, int max_channels)
{
    constexpr int most = ::cldsp::freq_xlating_filter_bank_problem::max_slots;
    const int count =
        std::max({ 1, static_cast<int>(channels), std::min(max_channels, most) });
    return gr::io_signature::make(1, count, sizeof(gr_complex));
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
                                            double accuracy,
                                            int max_channels)
{
    using block = freq_xlating_filter_bank_impl<IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_filter_bank_" + type_suffix<IN_T, TAP_T>(),
        decimation,
        taps,
        center_freqs,
        sampling_freq,
        max_channels,
        engine_choice{ device, variant, transfer, algorithm, accuracy });
}

template <class IN_T, class TAP_T>
freq_xlating_filter_bank_impl<IN_T, TAP_T>::freq_xlating_filter_bank_impl(
    const std::string& name,
    int decimation,
    const taps_lists& taps,
    const std::vector<double>& center_freqs,
    double sampling_freq,
    int max_channels,
    const engine_choice& choice)
    : gr::sync_decimator(name,
                         gr::io_signature::make(1, 1, sizeof(IN_T)),
                         outputs_of(center_freqs.size(), max_channels),
                         checked_decimation(decimation, sizeof(IN_T))),
      base(problem_of(item_traits<IN_T>::type,
                      decimation,
                      taps,
                      center_freqs,
                      sampling_freq,
                      max_channels),
           choice,
           0) // threads: one for each core
{
    this->take_frequencies(message_channel);
    this->take_messages("channels",
                        [this](const pmt::pmt_t& message) { change_channels(message); });
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::start()
{
    take_tag_policy();
    return base::start();
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::stop()
{
    if (d_passes_tags)
        this->set_tag_propagation_policy(d_tag_policy);
    d_passes_tags = false;
    return base::stop();
}

template <class IN_T, class TAP_T>
int freq_xlating_filter_bank_impl<IN_T, TAP_T>::general_work(
    int noutput_items,
    gr_vector_int&,
    gr_vector_const_void_star& input_items,
    gr_vector_void_star& output_items)
{
    const int done = this->work(noutput_items, input_items, output_items);
    if (done <= 0)
        return done;
    take_tag_policy();
    if (d_passes_tags)
        pass_tags(done);
    this->consume_each(done * static_cast<int>(this->decimation()));

    const auto outputs = d_out.begin() + static_cast<std::ptrdiff_t>(output_items.size());
    if (std::all_of(d_out.begin(), outputs, [](auto* out) { return out; }))
        return done;
    if (std::none_of(d_out.begin(), outputs, [](auto* out) { return out; }) &&
        readers_are_done())
        return gr::block::WORK_DONE;
    for (std::size_t output = 0; output < output_items.size(); output++)
        if (d_out[output])
            this->produce(static_cast<int>(output), done);
    return gr::block::WORK_CALLED_PRODUCE;
}

// Whether no block will read an output any more. GNU Radio ends a block whose reader is
// done when its output is full, which never happens to an idle one.
template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::readers_are_done() const
{
    for (int port = 0; port < this->detail()->noutputs(); port++) {
        const auto buffer = this->detail()->output(port);
        const gr::thread::scoped_lock guard(*buffer->mutex());
        if (!buffer->done())
            return false;
    }
    return true;
}

// The block passes the tags itself under the policies that pass those of the input to
// every output: all-to-all, and one-to-one, which GNU Radio takes only for as many
// outputs as inputs. GNU Radio reads the policy after each call, and then must not pass
// them again.
template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::take_tag_policy()
{
    const auto policy = this->tag_propagation_policy();
    if (policy == gr::block::TPP_CUSTOM && d_passes_tags)
        return;
    d_passes_tags =
        policy == gr::block::TPP_ALL_TO_ALL ||
        (policy == gr::block::TPP_ONE_TO_ONE && this->detail()->noutputs() == 1);
    if (d_passes_tags) {
        d_tag_policy = policy;
        this->set_tag_propagation_policy(gr::block::TPP_CUSTOM);
    }
}

/*!
 * Passes the tags of the input items of a call to the outputs, as GNU Radio does: a tag
 * of item i goes to output floor(i / decimation + 1/2) of the call, which may be the
 * first output of the next call. An idle channel has no output for a tag.
 */
template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::pass_tags(int noutput_items)
{
    const std::uint64_t outputs = static_cast<std::uint64_t>(noutput_items);
    const std::uint64_t decimation = this->decimation();
    const std::uint64_t begin = this->nitems_read(0);
    const auto pass = [this](gr::tag_t tag, std::uint64_t output) {
        for (int port = 0; port < this->detail()->noutputs(); port++)
            if (d_out[port]) {
                tag.offset = this->nitems_written(port) + output;
                this->add_item_tag(port, tag);
            }
    };
    if (begin == d_next_item)
        for (const auto& tag : d_next_tags)
            pass(tag, 0);
    d_next_tags.clear();
    d_next_item = begin + outputs * decimation;
    this->get_tags_in_range(d_tags, 0, begin, d_next_item);
    for (const auto& tag : d_tags) {
        const std::uint64_t output =
            (2 * (tag.offset - begin) + decimation) / (2 * decimation);
        if (output < outputs)
            pass(tag, output);
        else
            d_next_tags.push_back(tag);
    }
}

// Follows a message on the port "channels"; throws if the message is of no use.
template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::change_channels(
    const pmt::pmt_t& message)
{
    const auto wish = channel_message::of(message);
    switch (wish.action) {
    case channel_message::add:
        if constexpr (!std::is_same_v<TAP_T, gr_complex>)
            if (!::cldsp::are_real(wish.taps))
                throw std::invalid_argument("the taps of this block are real");
        d_stream.add_channel(wish.taps, wish.center_freq, wish.channel);
        break;
    case channel_message::remove:
        d_stream.remove_channel(wish.channel.value());
        break;
    case channel_message::activate:
        d_stream.set_channel_active(wish.channel.value(), wish.active);
        break;
    }
}

template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::set_channel_active(int channel,
                                                                    bool active)
{
    d_stream.set_channel_active(channel, active);
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::channel_active(int channel) const
{
    return d_stream.channel_active(channel);
}

template <class IN_T, class TAP_T>
int freq_xlating_filter_bank_impl<IN_T, TAP_T>::add_channel(
    const std::vector<TAP_T>& taps, double center_freq)
{
    return d_stream.add_channel(complex_taps(taps), center_freq);
}

template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::remove_channel(int channel)
{
    d_stream.remove_channel(channel);
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
