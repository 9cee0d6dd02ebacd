// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the preferences, and computes how many items a block asks for.

#include "block_support.h"
#include "gnuradio_fftw.h"
#include <gnuradio/prefs.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

namespace gr {
namespace cldsp {

namespace {

// The default size of GNU Radio's stream buffers, in bytes.
constexpr std::size_t default_buffer_bytes = 64 * 1024;

std::string preference(const std::string& key)
{
    return gr::prefs::singleton()->get_string("cldsp", key, "");
}

//! A preference that is a number; \p otherwise if it is not set.
double
number_preference(const std::string& key, double most, bool whole, double otherwise = 0)
{
    const std::string text = preference(key);
    if (text.empty())
        return otherwise;
    std::istringstream words(text);
    words.imbue(std::locale::classic());
    double value = 0;
    std::string rest;
    const bool is_number = (words >> value) && !(words >> rest);
    if (!is_number || !(value >= 0 && value <= most) ||
        (whole && std::trunc(value) != value))
        ::cldsp::throw_invalid("[cldsp] " + key,
                               "'" + text + "'",
                               (whole ? "a whole number, 0 to " : "a number, 0 to ") +
                                   std::to_string(static_cast<long>(most)));
    return value;
}

::cldsp::context_options options_from_preferences()
{
    ::cldsp::context_options options;
    options.profile = preference("profile");
    options.kernel_path = preference("kernel_path");
    options.cache_folder = preference("cache_folder");
    options.drivers =
        ::cldsp::driver_policy_of("[cldsp] drivers", preference("drivers"));
    options.queue_window =
        static_cast<std::size_t>(number_preference("queue_window", 1e6, true));
    options.longest_kernel = number_preference("longest_kernel_ms", 1e6, false) * 1e-3;
    options.device_timeout =
        number_preference("device_timeout", 1e6, false, options.device_timeout);
    block_logs logs;
    gr::configure_default_loggers(logs.log, logs.debug_log, "cldsp");
    options.log = engine_logger(logs);
    // This call only checks the profile: an unknown one must be reported before any
    // device is opened or passed over.
    ::cldsp::device_limits{}.lowered(options.profile);
    return options;
}

void check_not_empty(const std::string& parameter, const std::string& text)
{
    if (text.empty())
        ::cldsp::throw_invalid(parameter, "empty", "\"auto\" or a name");
    // The parts of the engine that take C strings would see another name.
    if (text.find('\0') != std::string::npos)
        ::cldsp::throw_invalid(
            parameter, "a text with a zero byte", "\"auto\" or a name");
}

} // namespace

::cldsp::context_registry& registry()
{
    // The registry is never destroyed, because at exit the OpenCL driver may be gone
    // before the static objects of this library. FFTW's planner is shared here, because
    // all code that plans with FFTW needs a registry first.
    static auto* const instance = [] {
        share_fftw_with_gnuradio();
        return new ::cldsp::context_registry(options_from_preferences());
    }();
    return *instance;
}

void log_info(const gr::logger_ptr& log, const std::string& text)
{
    log->info("{}", text);
}

void log_warning(const gr::logger_ptr& log, const std::string& text)
{
    log->warn("{}", text);
}

void log_error(const gr::logger_ptr& log, const std::string& text)
{
    log->error("{}", text);
}

::cldsp::logger engine_logger(const block_logs& logs)
{
    return [logs](::cldsp::log_level level, const std::string& text) {
        switch (level) {
        case ::cldsp::log_level::debug:
            logs.debug_log->debug("{}", text);
            break;
        case ::cldsp::log_level::info:
            log_info(logs.log, text);
            break;
        case ::cldsp::log_level::warning:
            log_warning(logs.log, text);
            break;
        case ::cldsp::log_level::error:
            log_error(logs.log, text);
            break;
        }
    };
}

::cldsp::logger function_logger(const std::string& name)
{
    block_logs logs;
    gr::configure_default_loggers(logs.log, logs.debug_log, name);
    return
        [log = engine_logger(logs)](::cldsp::log_level level, const std::string& text) {
            if (level >= ::cldsp::log_level::warning)
                log(level, text);
        };
}

engine_choice with_preferences(const engine_choice& choice)
{
    check_not_empty("device", choice.device);
    check_not_empty("variant", choice.variant);
    check_not_empty("transfer", choice.transfer);
    check_not_empty("algorithm", choice.algorithm);

    engine_choice chosen = choice;
    if (choice.device == "auto" && !preference("device").empty())
        chosen.device = preference("device");
    if (!plans_later(choice.plan))
        chosen.plan = "wait";
    return chosen;
}

bool plans_later(const std::string& plan)
{
    const auto is_auto = [](const std::string& parameter, const std::string& text) {
        if (text != "auto" && text != "wait")
            ::cldsp::throw_invalid(parameter, "'" + text + "'", "\"auto\" or \"wait\"");
        return text == "auto";
    };
    // A preference with a wrong value is reported whatever the argument is.
    const std::string preferred = preference("plan");
    const bool prefers_later = preferred.empty() || is_auto("[cldsp] plan", preferred);
    return is_auto("plan", plan) && prefers_later;
}

bool first_calls::have(const std::string& device, double operations)
{
    // The host takes a second or a few, on a small computer as long as planning does.
    constexpr double most = 5e10;
    if (device != "auto" || !plans_later("auto"))
        return false;
    const std::lock_guard<std::mutex> guard(d_mutex);
    if (d_operations + operations > most)
        return false;
    d_operations += operations;
    return true;
}

::cldsp::freq_xlating_filter_bank_options filter_options(const engine_choice& choice,
                                                         unsigned threads,
                                                         std::size_t items,
                                                         const block_logs& logs)
{
    const engine_choice chosen = with_preferences(choice);
    ::cldsp::freq_xlating_filter_bank_options options;
    options.device = chosen.device;
    options.algorithm = chosen.algorithm;
    options.accuracy = chosen.accuracy;
    options.variant = chosen.variant;
    options.transfer = chosen.transfer;
    options.threads = threads;
    options.typical_items = items;
    options.at_once = plans_later(chosen.plan);
    options.log = engine_logger(logs);
    return options;
}

void check_latency(double latency)
{
    constexpr int most = 10;
    if (!(latency >= 0 && latency <= most))
        ::cldsp::throw_invalid("latency",
                               ::cldsp::number_text(latency),
                               "0 to " + std::to_string(most) + " seconds");
}

int batch_outputs(double sampling_freq,
                  std::size_t decimation,
                  std::size_t channels,
                  std::size_t min_items,
                  double latency,
                  const batch_limits& limits)
{
    const std::size_t buffer_bytes =
        std::max(default_buffer_bytes, limits.bytes / std::max<std::size_t>(1, channels));
    const double max_outputs = buffer_bytes / sizeof(gr_complex) / 2;
    const double outputs =
        std::fmin(latency * sampling_freq, static_cast<double>(limits.items)) /
        static_cast<double>(decimation);

    // A call is limited to half of the output buffer. A power of two divides the half of
    // the default buffer, and more than that half would only make the buffer larger.
    constexpr std::size_t half_buffer = default_buffer_bytes / sizeof(gr_complex) / 2;
    std::size_t min_outputs = 1;
    while (min_outputs < half_buffer && min_outputs * decimation < min_items)
        min_outputs *= 2;
    return static_cast<int>(std::fmax(min_outputs, std::fmin(outputs, max_outputs)));
}

batch_limits usual_batch(std::size_t max_taps)
{
    constexpr std::size_t usual = 65536;
    constexpr std::size_t longest = std::size_t{ 1 } << 21;
    return { std::clamp(8 * max_taps, usual, longest), std::size_t{ 64 } << 20 };
}

batch_limits batch_with_bus(std::size_t max_taps, std::size_t item_size, double latency)
{
    constexpr std::size_t usual = std::size_t{ 1 } << 20,
                          bytes = std::size_t{ 256 } << 20;
    constexpr std::size_t max_input_bytes = std::size_t{ 64 } << 20, max_growth = 4;
    const double growth = std::fmax(1, latency / usual_latency);
    const double items =
        std::fmin(growth * usual, static_cast<double>(max_input_bytes / item_size));
    return { std::max(static_cast<std::size_t>(std::fmax(items, usual)),
                      usual_batch(max_taps).items),
             static_cast<std::size_t>(std::fmin(growth, max_growth) * bytes) };
}

std::size_t room_items(std::size_t item_size, std::size_t past_items)
{
    const std::size_t room = default_buffer_bytes / item_size;
    return room > past_items ? (room - past_items) / 2 : 0;
}

int limited_batch(gr::block& block, int batch, int noutputs)
{
    for (int i = 0; i < noutputs; i++) {
        const long most = block.max_output_buffer(i);
        if (most > 0)
            batch = std::min<long>(batch, most / 2);
    }
    if (block.is_set_max_noutput_items())
        batch = std::min(batch, block.max_noutput_items());
    return std::max(1, batch);
}

void asked_buffers::forget_made(gr::block& block, int noutputs)
{
    d_sizes.resize(noutputs, { 0, 0, -1, 0 });
    for (int i = 0; i < noutputs; i++) {
        auto& size = d_sizes[i];
        const long most = block.max_output_buffer(i);
        if (size.made && most == size.made)
            block.set_max_output_buffer(i, size.most);
        else
            size.most = most;
        size.made = 0;
    }
}

void asked_buffers::round_up(gr::block& block)
{
    const long multiple = block.output_multiple();
    for (int i = 0; i < static_cast<int>(d_sizes.size()); i++) {
        auto& size = d_sizes[i];
        const long least = block.min_output_buffer(i);
        // A flowgraph that has failed to start may be checked again.
        if (least <= 0 || least != size.rounded)
            size.least = least;
        size.rounded = 0;
        if (size.least <= 0)
            continue;
        size.rounded = (size.least + multiple - 1) / multiple * multiple;
        block.set_min_output_buffer(i, size.rounded);
        const long usual = static_cast<long>(
            default_buffer_bytes / block.output_signature()->sizeof_stream_item(i));
        if (size.most >= size.rounded && std::max(usual, 2 * multiple) < size.rounded)
            block.set_max_output_buffer(i, -1);
    }
}

void asked_buffers::note_made(gr::block& block)
{
    for (int i = 0; i < static_cast<int>(d_sizes.size()); i++) {
        d_sizes[i].made = block.max_output_buffer(i);
        if (d_sizes[i].rounded)
            block.set_min_output_buffer(i, d_sizes[i].least);
    }
}

::cldsp::memory_region region_of(gr::buffer& buffer)
{
    if (buffer.get_mapping_type() != gr::buffer_mapping_type::double_mapped)
        return {};
    return { buffer.base(), 2 * buffer.bufsize() * buffer.get_sizeof_item() };
}

std::size_t typical_items(std::size_t item_size, std::size_t decimation, int batch)
{
    const std::size_t batched = static_cast<std::size_t>(batch) * decimation;
    const std::size_t input = default_buffer_bytes / item_size * 3 / 4;
    const std::size_t outputs = default_buffer_bytes / sizeof(gr_complex) / 2;
    return std::max({ std::min(input, outputs * decimation), decimation, batched });
}

unsigned checked_decimation(int decimation,
                            std::size_t item_size,
                            int multiple,
                            std::size_t history,
                            const char* parameter)
{
    constexpr std::size_t max_bytes = std::numeric_limits<std::int32_t>::max();
    const std::size_t items = max_bytes / item_size / 2;
    if (history >= items)
        ::cldsp::throw_invalid(
            "taps",
            "so long that the history has " + std::to_string(history) + " items",
            "of a history of less than " + std::to_string(items) + " items");
    const std::size_t most = (items - history) / static_cast<std::size_t>(multiple);
    if (most == 0)
        ::cldsp::throw_invalid("output_multiple",
                               std::to_string(multiple),
                               "1 to " + std::to_string(items - history) +
                                   " with a history of " + std::to_string(history) +
                                   " items");
    if (decimation < 1 || static_cast<std::size_t>(decimation) > most) {
        std::string range = "1 to " + std::to_string(most);
        if (multiple > 1)
            range += " with an output multiple of " + std::to_string(multiple);
        ::cldsp::throw_invalid(parameter,
                               std::to_string(decimation),
                               range + ", for which GNU Radio's buffer before the block "
                                       "has less than 2 GiB");
    }
    return static_cast<unsigned>(decimation);
}

bool is_complete(const pmt::pmt_t& message)
{
    std::vector<pmt::pmt_t> values{ message };
    while (!values.empty()) {
        const pmt::pmt_t value = values.back();
        values.pop_back();
        if (!value)
            return false;
        if (pmt::is_pair(value)) {
            values.push_back(pmt::car(value));
            values.push_back(pmt::cdr(value));
        } else if (pmt::is_vector(value)) {
            for (std::size_t i = 0; i < pmt::length(value); i++)
                values.push_back(pmt::vector_ref(value, i));
        } else if (pmt::is_tuple(value)) {
            for (std::size_t i = 0; i < pmt::length(value); i++)
                values.push_back(pmt::tuple_ref(value, i));
        }
    }
    return true;
}

std::optional<double> real_number(const pmt::pmt_t& value)
{
    if (pmt::is_real(value) || pmt::is_integer(value))
        return pmt::to_double(value);
    if (pmt::is_uint64(value))
        return static_cast<double>(pmt::to_uint64(value));
    return std::nullopt;
}

std::optional<double> message_frequency(const pmt::pmt_t& message)
{
    static const pmt::pmt_t freq_key = pmt::intern("freq");

    if (pmt::is_dict(message) && pmt::dict_has_key(message, freq_key))
        return real_number(pmt::dict_ref(message, freq_key, pmt::PMT_NIL));
    if (pmt::is_pair(message))
        return real_number(pmt::cdr(message));
    return std::nullopt;
}

std::optional<int> message_channel(const pmt::pmt_t& message)
{
    static const pmt::pmt_t keys[] = { pmt::intern("chan"), pmt::intern("channel") };

    std::optional<double> channel;
    if (pmt::is_dict(message)) {
        for (const auto& key : keys)
            if (!channel && pmt::dict_has_key(message, key))
                channel = real_number(pmt::dict_ref(message, key, pmt::PMT_NIL));
    } else if (pmt::is_pair(message)) {
        channel = real_number(pmt::car(message));
    }
    // A widget may send whole numbers as real ones, so these are accepted.
    if (!channel || std::trunc(*channel) != *channel ||
        std::abs(*channel) > std::numeric_limits<int>::max())
        return std::nullopt;
    return static_cast<int>(*channel);
}

} // namespace cldsp
} // namespace gr
