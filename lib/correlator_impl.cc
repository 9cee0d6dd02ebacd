// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Feeds streams or vectors of antennas to the engine, one integration after the other.

#include "block_support.h"
#include "channel_tags.h"
#include "correlator_impl.h"
#include "message_text.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <type_traits>
#include <algorithm>
#include <cmath>
#include <optional>

namespace gr {
namespace cldsp {

namespace {

template <class T>
constexpr ::cldsp::sample_type correlator_type =
    std::is_same_v<T, cs8> ? ::cldsp::sample_type::cs8 : ::cldsp::sample_type::fc32;

//! \throws std::invalid_argument for a number of antennas out of its range
std::size_t checked_antennas(int antennas)
{
    if (antennas < 1)
        ::cldsp::throw_invalid("antennas",
                               std::to_string(antennas),
                               "1 to " + std::to_string(::cldsp::max_antennas));
    ::cldsp::check_antennas(static_cast<std::uint64_t>(antennas));
    return static_cast<std::size_t>(antennas);
}

//! \throws std::invalid_argument for an integration out of its range
std::uint64_t checked_integration(std::int64_t integration)
{
    if (integration < 1)
        ::cldsp::throw_invalid("integration",
                               std::to_string(integration),
                               "1 to " + std::to_string(::cldsp::max_integration));
    ::cldsp::check_integration(static_cast<std::uint64_t>(integration));
    return static_cast<std::uint64_t>(integration);
}

template <class T>
std::size_t input_bytes(int antennas, bool vectors)
{
    return sizeof(T) * (vectors ? checked_antennas(antennas) : 1);
}

template <class T>
gr::io_signature::sptr inputs_of(int antennas, bool vectors)
{
    const auto streams = vectors ? 1 : static_cast<int>(checked_antennas(antennas));
    return gr::io_signature::make(
        streams, streams, static_cast<int>(input_bytes<T>(antennas, vectors)));
}

gr::io_signature::sptr outputs_of(int antennas)
{
    const std::size_t count = ::cldsp::visibilities_of(checked_antennas(antennas));
    return gr::io_signature::make(1, 1, static_cast<int>(count * sizeof(gr_complex)));
}

//! The input items that the block has room for: enough for a device or several threads,
//! but so few that the buffers stay small.
std::size_t items_of_batch(std::size_t item_bytes)
{
    constexpr std::size_t bytes = 512 * 1024, most = 16384;
    return std::clamp<std::size_t>(bytes / item_bytes, 1, most);
}

::cldsp::correlator_options correlator_options_of(const std::string& device,
                                                  const std::string& plan,
                                                  const block_logs& logs)
{
    ::cldsp::correlator_options options;
    options.device = with_preferences({ device, "auto", "auto", "auto", 0 }).device;
    options.at_once = plans_later(plan);
    options.log = engine_logger(logs);
    return options;
}

//! The number in a message, or in the second element of a pair.
std::int64_t integration_of(const pmt::pmt_t& message)
{
    const pmt::pmt_t value = pmt::is_pair(message) ? pmt::cdr(message) : message;
    if (pmt::is_integer(value))
        return pmt::to_long(value);
    const double number = pmt::is_uint64(value)
                              ? static_cast<double>(pmt::to_uint64(value))
                          : pmt::is_real(value) ? pmt::to_double(value)
                                                : 0.5;
    if (number != std::floor(number) || std::abs(number) > 1e18)
        ::cldsp::throw_invalid(
            "integration", message_text(message), "a whole number, or a pair with one");
    return static_cast<std::int64_t>(number);
}

} // namespace

template <class T>
typename correlator<T>::sptr correlator<T>::make(int antennas,
                                                 std::int64_t integration,
                                                 bool vectors,
                                                 const std::string& device,
                                                 const std::string& plan)
{
    return gnuradio::make_block_sptr<correlator_impl<T>>(
        antennas, integration, vectors, device, plan);
}

template <class T>
correlator_impl<T>::correlator_impl(int antennas,
                                    std::int64_t integration,
                                    bool vectors,
                                    const std::string& device,
                                    const std::string& plan)
    : gr::block(std::is_same_v<T, cs8> ? "correlator_cs8" : "correlator_cc",
                inputs_of<T>(antennas, vectors),
                outputs_of(antennas)),
      base(correlator_options_of(device, plan, { d_logger, d_debug_logger }),
           [count = checked_antennas(antennas),
            length = checked_integration(integration),
            items = items_of_batch(input_bytes<T>(antennas, vectors))](
               const ::cldsp::correlator_options& options) {
               return ::cldsp::correlator(
                   correlator_type<T>, count, length, items, options, registry());
           }),
      d_antennas(checked_antennas(antennas)),
      d_vectors(vectors),
      d_wanted(checked_integration(integration)),
      d_first(d_antennas)
{
    renew_report(true);
    // GNU Radio makes the buffers of the inputs twice as large as this rate demands. A
    // buffer for a long integration could not be allocated.
    const std::size_t batch = items_of_batch(input_bytes<T>(antennas, vectors));
    set_relative_rate(1, std::min<std::uint64_t>(d_wanted, batch));
    set_tag_propagation_policy(gr::block::TPP_DONT); // add_tags() does it
    take_messages("integration", [this](const pmt::pmt_t& message) {
        set_integration(integration_of(message));
    });
}

template <class T>
::cldsp::kernel_work correlator_impl<T>::average_work() const
{
    const double products = outputs_of_a_call(statistics());
    const double samples = products / static_cast<double>(visibilities());
    ::cldsp::kernel_work work;
    work.operations = 8 * products;
    work.bytes = samples * static_cast<double>(d_antennas * sizeof(T));
    return work;
}

template <class T>
void correlator_impl<T>::set_integration(std::int64_t integration)
{
    d_wanted = checked_integration(integration);
}

template <class T>
std::int64_t correlator_impl<T>::integration() const
{
    return static_cast<std::int64_t>(d_wanted);
}

//! Changes that have to wait for the end of an integration.
template <class T>
bool correlator_impl<T>::apply_changes()
{
    if (d_engine->position() != 0)
        return false;
    const bool renewed = d_engine.renew();
    const std::uint64_t wanted = d_wanted;
    if (wanted != d_engine->integration())
        d_engine->set_integration(wanted);
    return renewed;
}

//! The samples that a call may take: as many as its outputs have room for, and up to the
//! end of the integration if a change waits for that.
template <class T>
std::size_t correlator_impl<T>::samples_of_call(int noutput_items,
                                                const gr_vector_int& ninput_items) const
{
    const bool waits = d_engine.waits() || d_wanted != d_engine->integration();
    const auto outputs = waits ? 1 : static_cast<std::uint64_t>(noutput_items);
    const auto items = static_cast<std::uint64_t>(
        *std::min_element(ninput_items.begin(), ninput_items.end()));
    return static_cast<std::size_t>(std::min(items, d_engine->samples_for(outputs)));
}

// GNU Radio counts the items anew in a flowgraph that starts or is reconfigured, and may
// have dropped some: an integration never reaches across that.
template <class T>
bool correlator_impl<T>::start()
{
    d_engine->reset();
    d_rx_rate.reset();
    return base::start();
}

// A larger demand would be left unmet at the end of a stream, and samples that complete
// an integration would be lost.
template <class T>
void correlator_impl<T>::forecast(int, gr_vector_int& ninput_items_required)
{
    std::fill(ninput_items_required.begin(), ninput_items_required.end(), 1);
}

/*!
 * Adds the tags for the next call of the engine. An output vector that a later call
 * completes can have its tags already now. The tag "rx_rate" of the input gets the rate
 * of the output vectors, and a new one comes with another integration.
 */
template <class T>
void correlator_impl<T>::add_tags(std::size_t samples, std::size_t outputs)
{
    static const pmt::pmt_t key = pmt::intern("first_sample"),
                            rate_key = pmt::intern("rx_rate");
    const std::uint64_t read = nitems_read(0), written = nitems_written(0);
    const std::uint64_t begin = read - d_engine->position();
    const std::uint64_t length = d_engine->integration();
    for (std::size_t i = 0; i < outputs; i++)
        add_item_tag(
            0, written + i, key, pmt::from_uint64(begin + i * length), alias_pmt());
    // A vector never has two rates: of several in its integration the last one counts.
    std::optional<gr::tag_t> rate;
    if (d_rx_rate && d_tagged_integration != length) {
        rate.emplace();
        rate->offset = written;
        rate->key = rate_key;
        rate->srcid = alias_pmt();
    }
    const auto send_rate = [&] {
        if (!rate)
            return;
        d_tagged_integration = length;
        rate->value = rate_of_vectors();
        add_item_tag(0, *rate);
        rate.reset();
    };
    get_tags_in_range(d_tags, 0, read, read + samples);
    for (auto& tag : d_tags) {
        tag.offset = written + (tag.offset - begin) / length;
        if (!pmt::eq(tag.key, rate_key) || !tag_number(tag.value)) {
            add_item_tag(0, tag);
            continue;
        }
        if (rate && rate->offset != tag.offset)
            send_rate();
        d_rx_rate = tag.value;
        rate = tag;
    }
    send_rate();
}

//! The value of the tag "rx_rate" of the outputs, by the input's last one.
template <class T>
pmt::pmt_t correlator_impl<T>::rate_of_vectors() const
{
    return with_tag_number(
        d_rx_rate, *tag_number(d_rx_rate) / static_cast<double>(d_engine->integration()));
}

template <class T>
int correlator_impl<T>::general_work(int noutput_items,
                                     gr_vector_int& ninput_items,
                                     gr_vector_const_void_star& input_items,
                                     gr_vector_void_star& output_items)
{
    std::size_t samples = 0, outputs = 0;
    const int failed = work_with_engine(0, [&] {
        const bool changed = apply_changes();
        samples = samples_of_call(noutput_items, ninput_items);
        for (std::size_t a = 0; a < d_antennas; a++)
            d_first[a] =
                d_vectors ? static_cast<const T*>(input_items[0]) + a : input_items[a];
        outputs = static_cast<std::size_t>(d_engine->outputs_for(samples));
        add_tags(samples, outputs);
        d_engine->process({ d_first.data(), d_vectors ? d_antennas : 1 },
                          samples,
                          static_cast<gr_complex*>(output_items[0]));
        return changed;
    });
    if (failed != 0)
        return failed;
    consume_each(static_cast<int>(samples));
    return static_cast<int>(outputs);
}

template class correlator<gr_complex>;
template class correlator<cs8>;

} // namespace cldsp
} // namespace gr
