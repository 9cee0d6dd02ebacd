// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the output of a tag, and rewrites the rate and frequency it tells.

#include "block_support.h"
#include "channel_tags.h"
#include <algorithm>
#include <cmath>

namespace gr {
namespace cldsp {

namespace {

// The keys, interned once.
struct tag_keys {
    const pmt::pmt_t freq = pmt::intern("freq"), rx_rate = pmt::intern("rx_rate"),
                     rx_freq = pmt::intern("rx_freq"),
                     sample_start = pmt::intern("sample_start");
};

const tag_keys& keys()
{
    static const tag_keys all;
    return all;
}

//! The output whose time is nearest to that of an item, floor(i P / Q + 1/2).
std::uint64_t nearest_output(const ::cldsp::rate_ratio& rate, std::uint64_t item)
{
    const std::uint64_t p = rate.interpolation, q = rate.decimation;
    return item / q * p + (2 * (item % q) * p + q) / (2 * q);
}

} // namespace

std::optional<double> tag_number(const pmt::pmt_t& value)
{
    if (!is_complete(value))
        return std::nullopt;
    if (pmt::is_pair(value))
        return real_number(pmt::cdr(value));
    if (pmt::is_tuple(value))
        return pmt::length(value) == 2 ? real_number(pmt::tuple_ref(value, 1))
                                       : std::nullopt;
    return real_number(value);
}

pmt::pmt_t with_tag_number(const pmt::pmt_t& value, double number)
{
    const auto changed = pmt::from_double(number);
    if (pmt::is_pair(value))
        return pmt::cons(pmt::car(value), changed);
    if (pmt::is_tuple(value))
        return pmt::make_tuple(pmt::tuple_ref(value, 0), changed);
    return changed;
}

channel_tags::channel_tags(const ::cldsp::rate_ratio& rate,
                           double sampling_freq,
                           bool rewrites)
    : d_rate(rate), d_sampling_freq(sampling_freq), d_rewrites(rewrites)
{
}

void channel_tags::clear()
{
    d_waiting.clear();
    d_orders.clear();
    d_rx_rate.reset();
    d_rx_freq.reset();
}

void channel_tags::order(std::uint64_t output, unsigned char own)
{
    if (!d_orders.empty() && d_orders.back().output == output)
        d_orders.back().own |= own;
    else
        d_orders.push_back({ output, own });
}

void channel_tags::take(const std::vector<gr::tag_t>& tags, std::uint64_t origin)
{
    for (const auto& tag : tags) {
        d_waiting.push_back(tag);
        d_waiting.back().offset = nearest_output(d_rate, tag.offset - origin);
    }
}

//! Keeps a tag whose value move_to() rewrites, and adds its key to \p came. \return false
//! for any other tag
bool channel_tags::remember(const gr::tag_t& tag, unsigned char& came)
{
    if (!d_rewrites)
        return false;
    const bool is_rate = pmt::eq(tag.key, keys().rx_rate);
    if ((!is_rate && !pmt::eq(tag.key, keys().rx_freq)) || !tag_number(tag.value))
        return false;
    (is_rate ? d_rx_rate : d_rx_freq) = tag;
    came |= is_rate ? rx_rate : freq;
    return true;
}

//! The rate of the input in Hz, by its last tag if that has a rate that can be true.
double channel_tags::input_rate() const
{
    const double rate = d_rx_rate ? *tag_number(d_rx_rate->value) : 0;
    return std::isfinite(rate) && rate > 0 ? rate : d_sampling_freq;
}

std::vector<gr::tag_t>&
channel_tags::move_to(std::uint64_t end,
                      std::uint64_t origin,
                      const std::function<double(std::uint64_t)>& hz_at,
                      const pmt::pmt_t& source)
{
    d_result.clear();
    auto tag = d_waiting.begin();
    auto ordered = d_orders.begin();
    const auto tag_comes = [&] { return tag != d_waiting.end() && tag->offset < end; };
    const auto order_comes = [&] {
        return ordered != d_orders.end() && ordered->output < end;
    };
    while (tag_comes() || order_comes()) {
        const std::uint64_t output =
            !order_comes() ? tag->offset
            : !tag_comes() ? ordered->output
                           : std::min<std::uint64_t>(tag->offset, ordered->output);
        const auto add =
            [&](const pmt::pmt_t& key, const pmt::pmt_t& value, const pmt::pmt_t& from) {
                gr::tag_t added;
                added.offset = output;
                added.key = key;
                added.value = value;
                added.srcid = from;
                d_result.push_back(added);
            };
        unsigned char own = 0, came = 0;
        if (order_comes() && ordered->output == output)
            own = (ordered++)->own;
        const double rate_before = input_rate();
        for (; tag_comes() && tag->offset == output; ++tag)
            if (!remember(*tag, came))
                d_result.push_back(*tag);

        if (own & freq)
            add(keys().freq, pmt::from_double(hz_at(output)), source);
        if (came & rx_rate)
            add(keys().rx_rate,
                with_tag_number(d_rx_rate->value,
                                d_rate.rate(*tag_number(d_rx_rate->value))),
                d_rx_rate->srcid);
        else if (own & rx_rate)
            add(keys().rx_rate, pmt::from_double(d_rate.rate(input_rate())), source);
        // The channel's shift is a part of the sampling rate, so that it changes with the
        // rate that the input says it has.
        const bool moved =
            ((came | own) & freq) || ((came & rx_rate) && input_rate() != rate_before);
        if (d_rx_freq && moved)
            add(keys().rx_freq,
                with_tag_number(d_rx_freq->value,
                                *tag_number(d_rx_freq->value) +
                                    hz_at(output) * (input_rate() / d_sampling_freq)),
                (came & freq) ? d_rx_freq->srcid : source);
        if (own & sample_start)
            add(keys().sample_start,
                pmt::from_uint64(origin + d_rate.newest_item(output)),
                source);
    }
    d_waiting.erase(d_waiting.begin(), tag);
    d_orders.erase(d_orders.begin(), ordered);
    return d_result;
}

} // namespace cldsp
} // namespace gr
