/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "channel_message.h"
#include "channel_rates.h"
#include "freq_xlating_filter_bank_impl.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <limits>
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

//! The problem of a bank, without its rates.
template <class TAP_T>
::cldsp::freq_xlating_filter_bank_problem
problem_of(::cldsp::sample_type input,
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
          const engine_choice& choice)
{
    using block = freq_xlating_filter_bank_impl<IN_T, TAP_T>;
    return gnuradio::make_block_sptr<block>(
        "freq_xlating_filter_bank_" + type_suffix<IN_T, TAP_T>(), problem, choice);
}

// The outputs. Only the first one has to be connected, because GNU Radio takes a block
// without outputs for a sink; an output that is not connected is an idle channel.
gr::io_signature::sptr
outputs_of(const ::cldsp::freq_xlating_filter_bank_problem& problem)
{
    return gr::io_signature::make(
        1, static_cast<int>(problem.slots()), sizeof(gr_complex));
}

//! The output whose time is nearest to that of an item, floor(i P / Q + 1/2).
std::uint64_t nearest_output(const ::cldsp::rate_ratio& rate, std::uint64_t item)
{
    const std::uint64_t p = rate.interpolation, q = rate.decimation;
    return item / q * p + (2 * (item % q) * p + q) / (2 * q);
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
                                            int max_channels,
                                            double latency)
{
    const unsigned checked = checked_decimation(decimation, sizeof(IN_T));
    auto problem = problem_of(
        item_traits<IN_T>::type, taps, center_freqs, sampling_freq, max_channels);
    problem.decimation = checked;
    return make_bank<IN_T, TAP_T>(
        problem, { device, variant, transfer, algorithm, accuracy, latency });
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
    double latency)
{
    auto problem = problem_of(
        item_traits<IN_T>::type, taps, center_freqs, sampling_freq, max_channels);
    problem.rates =
        channel_rates(decimations, output_rates, sampling_freq, problem.slots());
    problem.decimation = decimation_of(problem.rates);
    if (problem.has_one_decimation()) {
        problem.rates.clear();
        checked_decimation(static_cast<int>(problem.decimation), sizeof(IN_T));
    }
    problem.check();
    return make_bank<IN_T, TAP_T>(
        problem, { device, variant, transfer, algorithm, accuracy, latency });
}

template <class IN_T, class TAP_T>
freq_xlating_filter_bank_impl<IN_T, TAP_T>::freq_xlating_filter_bank_impl(
    const std::string& name,
    const filter_stream::problem_type& problem,
    const engine_choice& choice)
    : gr::sync_decimator(
          name,
          gr::io_signature::make(1, 1, sizeof(IN_T)),
          outputs_of(problem),
          checked_decimation(static_cast<int>(problem.decimation), sizeof(IN_T))),
      base(problem, choice, 0), // threads: one for each core
      d_waiting(d_stream.channels())
{
    this->take_frequencies(message_channel);
    this->take_messages("channels",
                        [this](const pmt::pmt_t& message) { change_channels(message); });
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::start()
{
    take_tag_policy();
    for (auto& tags : d_waiting)
        tags.clear();
    d_waiting_tags = 0;
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

/*!
 * The smallest call of a bank whose channels have different rates: it gives one output of
 * one channel, or as many items as one output takes on average. A larger demand would be
 * left unmet at the end of a stream, and its items would be lost.
 */
template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::forecast(
    int noutput_items, gr_vector_int& ninput_items_required)
{
    if (d_stream.has_one_decimation()) {
        gr::sync_decimator::forecast(noutput_items, ninput_items_required);
        return;
    }
    const std::size_t most = this->decimation();
    const std::size_t items =
        std::clamp<std::size_t>(d_stream.engine().items_to_next_output(), 1, most);
    ninput_items_required[0] = static_cast<int>(items + this->history() - 1);
}

// With different rates the outputs do not follow from the number of items alone. The call
// may then be as large as the outputs have room for.
template <class IN_T, class TAP_T>
int freq_xlating_filter_bank_impl<IN_T, TAP_T>::fixed_rate_ninput_to_noutput(
    int ninput_items)
{
    return d_stream.has_one_decimation()
               ? gr::sync_decimator::fixed_rate_ninput_to_noutput(ninput_items)
               : std::numeric_limits<int>::max();
}

template <class IN_T, class TAP_T>
int freq_xlating_filter_bank_impl<IN_T, TAP_T>::general_work(
    int noutput_items,
    gr_vector_int& ninput_items,
    gr_vector_const_void_star& input_items,
    gr_vector_void_star& output_items)
{
    const bool different = !d_stream.has_one_decimation();
    const std::uint64_t begin = d_stream.position();
    const auto room = static_cast<std::size_t>(noutput_items);
    const std::size_t items =
        different ? d_stream.items_of_call(ninput_items[0] - (this->history() - 1), room)
                  : room * this->decimation();
    this->get_tags_in_range(
        d_tags, 0, this->nitems_read(0), this->nitems_read(0) + items);
    take_orders();
    const int done = different ? this->work_items(items, room, input_items, output_items)
                               : this->work(noutput_items, input_items, output_items);
    if (done <= 0)
        return done;
    take_tag_policy();
    if (d_passes_tags)
        pass_tags(begin, items);
    this->consume_each(static_cast<int>(items));

    const auto outputs = d_out.begin() + static_cast<std::ptrdiff_t>(output_items.size());
    if (!different && std::all_of(d_out.begin(), outputs, [](auto* out) { return out; }))
        return done;
    if (std::none_of(d_out.begin(), outputs, [](auto* out) { return out; }) &&
        readers_are_done())
        return gr::block::WORK_DONE;
    for (std::size_t output = 0; output < output_items.size(); output++)
        if (d_out[output])
            this->produce(static_cast<int>(output),
                          different ? static_cast<int>(d_outputs[output]) : done);
    return gr::block::WORK_CALLED_PRODUCE;
}

// Follows the tags "freq" of a call's items. Tags of later items wait for the call that
// brings these items. If they were followed now, a retune before that call would drop
// their schedules.
template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::take_orders()
{
    static const pmt::pmt_t key = pmt::intern("freq");
    const std::uint64_t first = this->nitems_read(0);
    for (const auto& tag : d_tags) {
        if (!pmt::eq(tag.key, key))
            continue;
        const auto order = frequency_order::of(tag.value);
        if (!order)
            continue;
        try {
            const std::uint64_t sample = d_stream.position() + (tag.offset - first);
            d_stream.schedule(order->channel,
                              { { static_cast<std::int64_t>(sample),
                                  order->hz,
                                  order->hz_per_second } });
        } catch (const std::invalid_argument& e) {
            log_warning(this->d_logger,
                        "dropped the tag freq of item " + std::to_string(tag.offset) +
                            ": " + beginning_of(e.what(), max_error_characters));
        }
    }
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

// Under two policies the tags of the input pass to every output, and the block passes
// them itself: all-to-all, and one-to-one, which GNU Radio takes only for as many outputs
// as inputs. GNU Radio reads the policy after each call, and must not pass the tags
// again.
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
 * of item i goes to output floor(i P / Q + 1/2), where a channel has P outputs for Q
 * items. This may be an output of a later call. An idle channel has no output for a tag.
 *
 * \param begin the index of the call's first item since the stream began
 * \param items the number of items
 */
template <class IN_T, class TAP_T>
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::pass_tags(std::uint64_t begin,
                                                           std::size_t items)
{
    const std::uint64_t first = this->nitems_read(0);
    if (d_tags.empty() && d_waiting_tags == 0)
        return;
    for (int port = 0; port < this->detail()->noutputs(); port++) {
        const auto rate = d_stream.rate(port);
        const std::uint64_t next = rate.outputs(begin);
        const std::uint64_t end = rate.outputs(begin + items);
        const auto pass = [&](gr::tag_t tag, std::uint64_t output) {
            if (!d_out[port] || output < next)
                return;
            tag.offset = this->nitems_written(port) + (output - next);
            this->add_item_tag(port, tag);
        };
        auto& waiting = d_waiting[port];
        while (!waiting.empty() && waiting.front().output < end) {
            pass(waiting.front().tag, waiting.front().output);
            waiting.pop_front();
            d_waiting_tags--;
        }
        for (const auto& tag : d_tags) {
            const auto output = nearest_output(rate, begin + (tag.offset - first));
            if (output < end) {
                pass(tag, output);
            } else {
                waiting.push_back({ output, tag });
                d_waiting_tags++;
            }
        }
    }
}

template <class IN_T, class TAP_T>
std::optional<::cldsp::rate_ratio>
freq_xlating_filter_bank_impl<IN_T, TAP_T>::rate_to_add(int decimation,
                                                        double output_rate) const
{
    return added_rate(
        decimation, output_rate, d_stream.sampling_freq(), d_stream.rates());
}

template <class IN_T, class TAP_T>
std::vector<double> freq_xlating_filter_bank_impl<IN_T, TAP_T>::output_rates() const
{
    std::vector<double> rates;
    for (const auto& rate : d_stream.rates())
        rates.push_back(rate.rate(d_stream.sampling_freq()));
    return rates;
}

// Carries out a message on the port "channels"; throws if the message is not valid.
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
        d_stream.add_channel(wish.taps,
                             wish.center_freq,
                             wish.channel,
                             rate_to_add(wish.decimation, wish.output_rate));
        break;
    case channel_message::remove:
        d_stream.remove_channel(wish.channel.value());
        break;
    case channel_message::schedule:
        d_stream.schedule(wish.channel.value(), wish.points);
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
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::schedule(
    int channel, const std::vector<frequency_point>& points)
{
    std::vector<::cldsp::frequency_point> all;
    for (const auto& point : points)
        all.push_back({ point.sample, point.hz, point.hz_per_second });
    d_stream.schedule(channel, all);
}

template <class IN_T, class TAP_T>
bool freq_xlating_filter_bank_impl<IN_T, TAP_T>::channel_active(int channel) const
{
    return d_stream.channel_active(channel);
}

template <class IN_T, class TAP_T>
int freq_xlating_filter_bank_impl<IN_T, TAP_T>::add_channel(
    const std::vector<TAP_T>& taps,
    double center_freq,
    int decimation,
    double output_rate)
{
    return d_stream.add_channel(complex_taps(taps),
                                center_freq,
                                std::nullopt,
                                rate_to_add(decimation, output_rate));
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
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::update_center_freqs(
    const std::vector<double>& center_freqs)
{
    d_stream.update_center_freqs(center_freqs);
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
void freq_xlating_filter_bank_impl<IN_T, TAP_T>::update_taps(const taps_lists& taps)
{
    d_stream.update_taps(complex_lists(taps));
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
#undef INSTANTIATE

} // namespace cldsp
} // namespace gr
