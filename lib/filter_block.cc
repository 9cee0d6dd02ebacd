// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the size of calls, runs them, and passes tags to each output.

#include "block_support.h"
#include "filter_block.h"
#include "message_text.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <limits>

namespace gr {
namespace cldsp {

namespace {

int batch_of(const filter_stream::problem_type& problem,
             double latency,
             const batch_limits& limits)
{
    return batch_outputs(problem.sampling_freq,
                         problem.decimation,
                         problem.slots(),
                         room_items(::cldsp::sample_size(problem.input),
                                    filter_stream::past_items_of(problem)),
                         latency,
                         limits);
}

std::size_t items_of_batch(const filter_stream::problem_type& problem, int batch)
{
    return typical_items(::cldsp::sample_size(problem.input), problem.decimation, batch);
}

//! Checks what GNU Radio lets a program set, and what cannot change.
void check_kept(const char* parameter, unsigned value, unsigned kept)
{
    if (value != kept)
        ::cldsp::throw_invalid(parameter,
                               std::to_string(value),
                               std::to_string(kept) +
                                   ", as the block set it when it was made");
}

} // namespace

filter_block::filter_block(const problem_type& problem,
                           const engine_choice& choice,
                           unsigned threads,
                           tags_by passes_tags)
    : d_stream(make_stream(problem, choice, threads)),
      d_out(d_stream.channels()),
      d_outputs(d_stream.channels()),
      d_tags_by(passes_tags)
{
    for (const auto& rate : d_stream.rates())
        // The channels at construction start with the stream, which needs no tags.
        d_ports.push_back(
            { d_ports.size() < problem.channels(),
              { rate, problem.sampling_freq, passes_tags == tags_by::block_rewrites } });
    // The history is set only once: a change while running would shift the stream.
    set_history(d_stream.past_items() + 1);
    take_large_calls(call_outputs());
    check_decimation();
    renew_report(true);
    d_decimation = decimation();
    d_history = history();
}

//! Makes the stream, for calls of the usual size or, where a device with memory of its
//! own may be worth it, for longer ones.
filter_stream filter_block::make_stream(const problem_type& problem,
                                        const engine_choice& choice,
                                        unsigned threads)
{
    check_latency(choice.latency);
    const std::size_t taps = ::cldsp::stream_bank::longest_taps(problem.taps);
    const int usual = batch_of(problem, choice.latency, usual_batch(taps));
    const int longer = batch_of(
        problem,
        choice.latency,
        batch_with_bus(taps, ::cldsp::sample_size(problem.input), choice.latency));
    auto options = filter_options(
        choice, threads, items_of_batch(problem, usual), { d_logger, d_debug_logger });
    if (longer > usual)
        options.longer_items = items_of_batch(problem, longer);
    if (options.at_once && !may_take_longer_calls(options, registry()))
        options.longer_items = 0;
    d_usual_calls = { usual, options.typical_items };
    d_longer_calls = { longer, options.longer_items };
    return filter_stream(problem, options, registry());
}

int filter_block::call_outputs() const
{
    const auto& plan = d_stream.engine().chosen();
    return d_longer_calls.items &&
                   (plan.provisional || plan.call_items == d_longer_calls.items)
               ? d_longer_calls.outputs
               : d_usual_calls.outputs;
}

bool filter_block::start()
{
    const auto detail = this->detail();
    d_stream.set_connected(static_cast<std::size_t>(detail->noutputs()));
    d_stream.start(region_of(*detail->input(0)->buffer()), region_of(*detail->output(0)));
    for (auto& port : d_ports) {
        port.tags.clear();
        if (!d_stream.has_one_decimation())
            port.tags.order(0, channel_tags::rx_rate);
    }
    d_starts = true;
    take_tag_policy();
    return base::start();
}

bool filter_block::stop()
{
    if (d_passes_tags)
        set_tag_propagation_policy(d_tag_policy);
    d_passes_tags = false;
    const bool stopped = base::stop();
    d_stream.stop();
    return stopped;
}

int filter_block::general_work(int noutput_items,
                               gr_vector_int&,
                               gr_vector_const_void_star& input_items,
                               gr_vector_void_star& output_items)
{
    const std::size_t items = static_cast<std::size_t>(noutput_items) * decimation();
    if (d_tags_by != tags_by::gnuradio)
        get_tags(items);
    const int done = work(noutput_items, input_items, output_items);
    if (done > 0)
        consume_each(static_cast<int>(items));
    return done;
}

int filter_block::work(int noutput_items,
                       gr_vector_const_void_star& input_items,
                       gr_vector_void_star& output_items)
{
    const auto outputs = static_cast<std::size_t>(noutput_items);
    const int done =
        work_items(outputs * decimation(), outputs, input_items, output_items);
    return done > 0 ? noutput_items : done;
}

int filter_block::work_items(std::size_t items,
                             std::size_t room,
                             gr_vector_const_void_star& input_items,
                             gr_vector_void_star& output_items)
{
    return work_with_engine(1, [&] {
        const bool changed = apply_changes(output_items);
        const auto passed = d_stream.process_items(
            input_items[0], items, d_out.data(), room, d_outputs.data());
        if (d_any_tags || passed.points || !d_tags.empty())
            tag_outputs(d_stream.position() - items);
        return changed || passed.renewed;
    });
}

void filter_block::get_tags(std::size_t items)
{
    take_tag_policy();
    get_tags_in_range(d_tags, 0, nitems_read(0), nitems_read(0) + items);
}

bool filter_block::check_topology(int ninputs, int noutputs)
{
    const bool fits = base::check_topology(ninputs, noutputs);
    // The input of a call is what these two say.
    check_kept("decimation", decimation(), d_decimation);
    check_kept("history", history(), d_history);
    check_decimation();
    return fits;
}

// GNU Radio's own version multiplies in 32 bits. If the product overflows, GNU Radio
// takes the input for available, and calls work() without it.
int filter_block::fixed_rate_noutput_to_ninput(int noutput_items)
{
    const auto items =
        static_cast<std::int64_t>(noutput_items) * decimation() + history() - 1;
    return static_cast<int>(
        std::min<std::int64_t>(items, std::numeric_limits<int>::max()));
}

std::vector<kernel_to_tune> filter_block::kernels_to_tune() const
{
    return kernels_to_tune_of(load());
}

::cldsp::kernel_work filter_block::average_work() const
{
    return average_work_of(load(), variant_name(), plan_details().block);
}

void filter_block::take_frequencies(std::optional<int> (*channel_of)(const pmt::pmt_t&))
{
    take_messages("freq", [this, channel_of](const pmt::pmt_t& message) {
        const auto channel = channel_of(message);
        const auto frequency = message_frequency(message);
        if (channel && frequency)
            d_stream.set_center_freq(*channel, *frequency);
        else
            log_warning(d_logger,
                        "message on port freq dropped: " + message_text(message));
    });
}

bool filter_block::apply_changes(gr_vector_void_star& output_items)
{
    const auto& changes = d_stream.apply_changes();
    if (changes.any || d_starts)
        find_producers(output_items.size(), changes);
    for (const std::size_t channel : d_producing)
        d_out[channel] = static_cast<gr_complex*>(output_items[channel]);
    return changes.any;
}

//! Finds the channels that have outputs from this call on, and orders the tags that tell
//! of changes.
void filter_block::find_producers(std::size_t connected,
                                  const filter_stream::changes& changes)
{
    const std::uint64_t begin = d_stream.position();
    d_producing.clear();
    for (std::size_t channel = 0; channel < d_out.size(); channel++) {
        const bool produces =
            channel < connected && d_stream.engine().channel_active(channel);
        d_out[channel] = nullptr;
        if (produces)
            d_producing.push_back(channel);
        auto& [produced, tags] = d_ports[channel];
        const auto next = [&] { return d_stream.rate(channel).outputs(begin); };
        if (!produces)
            tags.cancel_orders();
        else if (!produced || (changes.any && changes.channels[channel].placed))
            tags.order(next(),
                       channel_tags::freq | channel_tags::rx_rate |
                           channel_tags::sample_start);
        else if (changes.any && changes.channels[channel].set)
            tags.order(next(), channel_tags::freq);
        produced = produces;
    }
    d_starts = false;
    d_any_tags = true;
}

// Under two policies the tags of the input pass to every output, and the block may pass
// them itself: all-to-all, and one-to-one, which GNU Radio takes only for as many outputs
// as inputs. GNU Radio reads the policy after each call, and must not pass the tags
// again.
void filter_block::take_tag_policy()
{
    const auto policy = tag_propagation_policy();
    if (d_tags_by == tags_by::gnuradio ||
        (policy == gr::block::TPP_CUSTOM && d_passes_tags))
        return;
    d_passes_tags = policy == gr::block::TPP_ALL_TO_ALL ||
                    (policy == gr::block::TPP_ONE_TO_ONE && detail()->noutputs() == 1);
    if (d_passes_tags) {
        d_tag_policy = policy;
        set_tag_propagation_policy(gr::block::TPP_CUSTOM);
    }
}

void filter_block::tag_outputs(std::uint64_t begin)
{
    for (const auto& point : d_stream.taken_points())
        if (d_out[point.channel])
            d_ports[point.channel].tags.order(point.output, channel_tags::freq);
    const auto connected = static_cast<std::size_t>(detail()->noutputs());
    d_any_tags = false;
    for (std::size_t channel = 0; channel < connected; channel++) {
        auto& tags = d_ports[channel].tags;
        if (d_passes_tags && !d_tags.empty())
            tags.take(d_tags, nitems_read(0) - begin);
        if (tags.any())
            tag_output(channel, begin);
        d_any_tags = d_any_tags || tags.any();
    }
}

// A tag of the input may go to an output of a later call. An idle channel has no outputs
// for tags.
void filter_block::tag_output(std::size_t channel, std::uint64_t begin)
{
    const auto& rate = d_stream.rate(channel);
    const std::uint64_t next = rate.outputs(begin);
    const int port = static_cast<int>(channel);
    auto& tags = d_ports[channel].tags.move_to(
        rate.outputs(d_stream.position()),
        nitems_read(0) - begin,
        [&](std::uint64_t output) { return frequency_at(channel, output); },
        alias_pmt());
    for (auto& tag : tags) {
        if (!d_out[channel])
            return;
        tag.offset += nitems_written(port) - next;
        add_item_tag(port, tag);
    }
}

double filter_block::frequency_at(std::size_t channel, std::uint64_t output) const
{
    if (!d_stream.engine().has_schedule(channel))
        return d_stream.center_freq(channel);
    const auto item = d_stream.rate(channel).newest_item(output);
    return d_stream.engine().schedule_at(channel, static_cast<std::int64_t>(item)).hz;
}

void filter_block::check_decimation() const
{
    checked_decimation(static_cast<int>(decimation()),
                       input_signature()->sizeof_stream_item(0),
                       output_multiple(),
                       history());
}

} // namespace cldsp
} // namespace gr
