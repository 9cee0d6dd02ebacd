// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts the items and outputs of channels of different rates, and takes their messages.

#include "block_support.h"
#include "channel_message.h"
#include "channel_rates.h"
#include "filter_bank_block.h"
#include "message_text.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer.h>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace gr {
namespace cldsp {

filter_bank_block::filter_bank_block(const problem_type& problem,
                                     const engine_choice& choice,
                                     bool rewrite_tags,
                                     bool real_taps)
    : filter_block(problem,
                   choice,
                   0, // threads: one for each core
                   rewrite_tags ? tags_by::block_rewrites : tags_by::block),
      d_real_taps(real_taps)
{
    take_frequencies(message_channel);
    take_messages("channels",
                  [this](const pmt::pmt_t& message) { change_channels(message); });
}

/*!
 * The smallest call of a bank whose channels have different rates: it gives one output of
 * one channel, or as many items as one output takes on average. A larger demand would be
 * left unmet at the end of a stream, and its items would be lost.
 */
void filter_bank_block::forecast(int noutput_items, gr_vector_int& ninput_items_required)
{
    if (d_stream.has_one_decimation()) {
        gr::sync_decimator::forecast(noutput_items, ninput_items_required);
        return;
    }
    const std::size_t most = decimation();
    const std::size_t items =
        std::clamp<std::size_t>(d_stream.engine().items_to_next_output(), 1, most);
    ninput_items_required[0] = static_cast<int>(items + history() - 1);
}

// With different rates the outputs do not follow from the number of items alone. The call
// may then be as large as the outputs have room for.
int filter_bank_block::fixed_rate_ninput_to_noutput(int ninput_items)
{
    return d_stream.has_one_decimation()
               ? gr::sync_decimator::fixed_rate_ninput_to_noutput(ninput_items)
               : std::numeric_limits<int>::max();
}

int filter_bank_block::general_work(int noutput_items,
                                    gr_vector_int& ninput_items,
                                    gr_vector_const_void_star& input_items,
                                    gr_vector_void_star& output_items)
{
    const bool different = !d_stream.has_one_decimation();
    const auto room = static_cast<std::size_t>(noutput_items);
    const std::size_t items =
        different ? d_stream.items_of_call(ninput_items[0] - (history() - 1), room)
                  : room * decimation();
    get_tags(items);
    if (!d_tags.empty())
        take_orders();
    const int done = different ? work_items(items, room, input_items, output_items)
                               : work(noutput_items, input_items, output_items);
    if (done <= 0)
        return done;
    consume_each(static_cast<int>(items));

    const auto outputs = d_out.begin() + static_cast<std::ptrdiff_t>(output_items.size());
    if (!different && std::all_of(d_out.begin(), outputs, [](auto* out) { return out; }))
        return done;
    if (std::none_of(d_out.begin(), outputs, [](auto* out) { return out; }) &&
        readers_are_done())
        return gr::block::WORK_DONE;
    for (std::size_t output = 0; output < output_items.size(); output++)
        if (d_out[output])
            produce(static_cast<int>(output),
                    different ? static_cast<int>(d_outputs[output]) : done);
    return gr::block::WORK_CALLED_PRODUCE;
}

// Follows the tags "freq" of a call's items. Tags of later items wait for the call that
// brings these items. If they were followed now, a retune before that call would drop
// their schedules.
void filter_bank_block::take_orders()
{
    static const pmt::pmt_t key = pmt::intern("freq");
    const std::uint64_t first = nitems_read(0);
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
            log_warning(d_logger,
                        "dropped the tag freq of item " + std::to_string(tag.offset) +
                            ": " + beginning_of(e.what(), max_error_characters));
        }
    }
}

// Whether no block will read an output any more. GNU Radio ends a block whose reader is
// done when its output is full, which never happens to an idle one.
bool filter_bank_block::readers_are_done() const
{
    for (int port = 0; port < detail()->noutputs(); port++) {
        const auto buffer = detail()->output(port);
        const gr::thread::scoped_lock guard(*buffer->mutex());
        if (!buffer->done())
            return false;
    }
    return true;
}

std::optional<::cldsp::rate_ratio>
filter_bank_block::rate_to_add(int decimation, double output_rate) const
{
    return added_rate(
        decimation, output_rate, d_stream.sampling_freq(), d_stream.rates());
}

// Carries out a message on the port "channels"; throws if the message is not valid.
void filter_bank_block::change_channels(const pmt::pmt_t& message)
{
    const auto wish = channel_message::of(message);
    switch (wish.action) {
    case channel_message::add:
        if (d_real_taps && !::cldsp::are_real(wish.taps))
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

std::vector<double> filter_bank_block::output_rates() const
{
    std::vector<double> rates;
    for (const auto& rate : d_stream.rates())
        rates.push_back(rate.rate(d_stream.sampling_freq()));
    return rates;
}

void filter_bank_block::set_channel_active(int channel, bool active)
{
    d_stream.set_channel_active(channel, active);
}

void filter_bank_block::schedule(int channel, const std::vector<frequency_point>& points)
{
    std::vector<::cldsp::frequency_point> all;
    for (const auto& point : points)
        all.push_back({ point.sample, point.hz, point.hz_per_second });
    d_stream.schedule(channel, all);
}

bool filter_bank_block::channel_active(int channel) const
{
    return d_stream.channel_active(channel);
}

void filter_bank_block::remove_channel(int channel) { d_stream.remove_channel(channel); }

void filter_bank_block::set_center_freq(int channel, double center_freq)
{
    d_stream.set_center_freq(channel, center_freq);
}

void filter_bank_block::set_center_freqs(const std::vector<double>& center_freqs)
{
    d_stream.set_center_freqs(center_freqs);
}

void filter_bank_block::update_center_freqs(const std::vector<double>& center_freqs)
{
    d_stream.update_center_freqs(center_freqs);
}

std::vector<double> filter_bank_block::center_freqs() const
{
    return d_stream.wanted(&problem_type::center_freqs);
}

} // namespace cldsp
} // namespace gr
