/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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

// Tags for the next output of a channel.
constexpr unsigned char due_freq = 1, due_rate = 2, due_start = 4;

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
                           unsigned threads)
    : d_call_outputs(chosen_batch(problem, choice, threads)),
      d_stream(problem,
               filter_options(choice,
                              threads,
                              items_of_batch(problem, d_call_outputs),
                              { d_logger, d_debug_logger }),
               registry()),
      d_out(d_stream.channels()),
      d_outputs(d_stream.channels()),
      d_produced(d_stream.channels()),
      d_due(d_stream.channels())
{
    // The channels at construction start with the stream, which needs no tags.
    std::fill_n(d_produced.begin(), problem.channels(), true);
    // The history is set only once: a change while running would shift the stream.
    set_history(d_stream.past_items() + 1);
    take_large_calls(d_call_outputs);
    check_decimation();
    renew_report(true);
    d_decimation = decimation();
    d_history = history();
}

/*!
 * The outputs of the calls to ask for. A device with memory of its own needs longer
 * calls than the host. The host may be slower in long calls, because they do not fit
 * its cache, or faster, because it has many threads to wake. So the block asks for
 * long calls if such a device is the fastest in them, or if the host is, and they are
 * clearly faster than usual ones.
 */
int filter_block::chosen_batch(const problem_type& problem,
                               const engine_choice& choice,
                               unsigned threads) const
{
    check_latency(choice.latency);
    const std::size_t taps = filter_stream::longest_taps(problem.taps);
    const int usual = batch_of(problem, choice.latency, usual_batch(taps));
    const int longer = batch_of(
        problem,
        choice.latency,
        batch_with_bus(taps, ::cldsp::sample_size(problem.input), choice.latency));
    auto options = filter_options(choice,
                                  threads,
                                  items_of_batch(problem, longer),
                                  { d_debug_logger, d_debug_logger });
    const auto plan_for = [&](int batch) {
        options.typical_items = items_of_batch(problem, batch);
        return filter_stream::engine_type(problem, options, registry()).chosen();
    };
    if (longer <= usual)
        return usual;
    const auto devices = devices_with_bus(options.device, options.variant);
    if (devices != with_bus::some)
        return devices == with_bus::all ? longer : usual;
    const auto in_long_calls = plan_for(longer);
    if (uses_bus(in_long_calls))
        return longer;
    return is_clearly_faster(in_long_calls, plan_for(usual)) ? longer : usual;
}

bool filter_block::start()
{
    const auto detail = this->detail();
    d_stream.set_connected(static_cast<std::size_t>(detail->noutputs()));
    d_stream.start(region_of(*detail->input(0)->buffer()), region_of(*detail->output(0)));
    std::fill(d_due.begin(), d_due.end(), d_stream.has_one_decimation() ? 0 : due_rate);
    return base::start();
}

bool filter_block::stop()
{
    const bool stopped = base::stop();
    d_stream.stop();
    return stopped;
}

int filter_block::work(int noutput_items,
                       gr_vector_const_void_star& input_items,
                       gr_vector_void_star& output_items)
{
    return work_with_engine(noutput_items, [&] {
        const bool changed = apply_changes(output_items);
        const auto begin = d_stream.position();
        d_stream.process(input_items[0], noutput_items, d_out.data());
        tag_outputs(begin, nullptr);
        return changed;
    });
}

int filter_block::work_items(std::size_t items,
                             std::size_t room,
                             gr_vector_const_void_star& input_items,
                             gr_vector_void_star& output_items)
{
    return work_with_engine(1, [&] {
        const bool changed = apply_changes(output_items);
        const auto begin = d_stream.position();
        d_stream.process_items(
            input_items[0], items, d_out.data(), room, d_outputs.data());
        tag_outputs(begin, d_outputs.data());
        return changed;
    });
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
    for (std::size_t channel = 0; channel < d_out.size(); channel++) {
        const bool produces =
            channel < output_items.size() && d_stream.engine().channel_active(channel);
        d_out[channel] =
            produces ? static_cast<gr_complex*>(output_items[channel]) : nullptr;
        if (!produces)
            d_due[channel] = 0;
        else if (!d_produced[channel] || (changes.any && changes.placed[channel]))
            d_due[channel] = due_freq | due_rate | due_start;
        else if (changes.any && changes.set[channel])
            d_due[channel] |= due_freq;
        d_produced[channel] = produces;
    }
    return changes.any;
}

void filter_block::tag_outputs(std::uint64_t begin, const std::size_t* outputs)
{
    for (std::size_t channel = 0; channel < d_out.size(); channel++) {
        if (!d_due[channel] || (outputs && !outputs[channel]))
            continue;
        const auto& rate = d_stream.rate(channel);
        if (d_due[channel] & due_freq)
            tag_output(
                channel, 0, "freq", pmt::from_double(frequency_of(channel, begin)));
        if (d_due[channel] & due_rate)
            tag_output(channel,
                       0,
                       "rx_rate",
                       pmt::from_double(rate.rate(d_stream.sampling_freq())));
        if (d_due[channel] & due_start)
            tag_output(channel,
                       0,
                       "sample_start",
                       pmt::from_uint64(nitems_read(0) - begin +
                                        rate.newest_item(rate.outputs(begin))));
        d_due[channel] = 0;
    }
    for (const auto& point : d_stream.taken_points()) {
        const std::uint64_t next = d_stream.rate(point.channel).outputs(begin);
        if (d_out[point.channel])
            tag_output(
                point.channel, point.output - next, "freq", pmt::from_double(point.hz));
    }
}

double filter_block::frequency_of(std::size_t channel, std::uint64_t begin) const
{
    if (!d_stream.engine().has_schedule(channel))
        return d_stream.center_freq(channel);
    const auto& rate = d_stream.rate(channel);
    return d_stream.engine()
        .schedule_at(channel,
                     static_cast<std::int64_t>(rate.newest_item(rate.outputs(begin))))
        .hz;
}

void filter_block::check_decimation() const
{
    checked_decimation(static_cast<int>(decimation()),
                       input_signature()->sizeof_stream_item(0),
                       output_multiple(),
                       history());
}

void filter_block::tag_output(std::size_t channel,
                              std::uint64_t index,
                              const char* key,
                              const pmt::pmt_t& value)
{
    const int output = static_cast<int>(channel);
    add_item_tag(
        output, nitems_written(output) + index, pmt::intern(key), value, alias_pmt());
}

} // namespace cldsp
} // namespace gr
