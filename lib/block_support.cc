/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include <gnuradio/prefs.h>
#include <cldsp/errors.h>
#include <algorithm>

namespace gr {
namespace cldsp {

namespace {

// GNU Radio's default size of a stream buffer in bytes.
constexpr std::size_t default_buffer_bytes = 64 * 1024;

std::string preference(const std::string& key)
{
    return gr::prefs::singleton()->get_string("cldsp", key, "");
}

::cldsp::context_options options_from_preferences()
{
    ::cldsp::context_options options;
    options.profile = preference("profile");
    options.kernel_path = preference("kernel_path");
    options.cache_folder = preference("cache_folder");
    options.log = engine_logger(std::make_shared<gr::logger>("cldsp"));
    // An unknown profile is told here, before any device may be opened or passed over.
    ::cldsp::device_limits{}.lowered(options.profile);
    return options;
}

void check_not_empty(const std::string& parameter, const std::string& text)
{
    if (text.empty())
        ::cldsp::throw_invalid(parameter, "empty", "\"auto\" or a name");
}

} // namespace

::cldsp::context_registry& registry()
{
    // Never destroyed: at exit the OpenCL driver may be gone before this library's
    // statics.
    static auto* const instance =
        new ::cldsp::context_registry(options_from_preferences());
    return *instance;
}

::cldsp::logger engine_logger(const gr::logger_ptr& logger)
{
    return [logger](::cldsp::log_level level, const std::string& text) {
        switch (level) {
        case ::cldsp::log_level::debug:
            logger->debug("{}", text);
            break;
        case ::cldsp::log_level::info:
            logger->info("{}", text);
            break;
        case ::cldsp::log_level::warning:
            logger->warn("{}", text);
            break;
        case ::cldsp::log_level::error:
            logger->error("{}", text);
            break;
        }
    };
}

::cldsp::freq_xlating_fir_options engine_options(const std::string& device,
                                                 const std::string& variant,
                                                 const std::string& transfer,
                                                 const gr::logger_ptr& logger)
{
    check_not_empty("device", device);
    check_not_empty("variant", variant);
    check_not_empty("transfer", transfer);

    ::cldsp::freq_xlating_fir_options options;
    options.device = device;
    options.variant = variant;
    options.transfer = transfer;
    options.log = engine_logger(logger);
    if (device == "auto" && !preference("device").empty())
        options.device = preference("device");
    return options;
}

int batch_outputs(double sampling_freq, std::size_t decimation)
{
    constexpr double seconds = 0.025;
    constexpr double most_items = 32768;
    const double outputs =
        std::min(seconds * sampling_freq, most_items) / static_cast<double>(decimation);
    return std::max(1, static_cast<int>(outputs));
}

std::size_t typical_items(std::size_t item_size, std::size_t decimation, int batch)
{
    const std::size_t batched = static_cast<std::size_t>(batch) * decimation;
    const std::size_t input = default_buffer_bytes / item_size * 3 / 4;
    const std::size_t outputs = default_buffer_bytes / sizeof(gr_complex) / 2;
    return std::max({ std::min(input, outputs * decimation), decimation, batched });
}

unsigned checked_decimation(int decimation)
{
    if (decimation < 1)
        ::cldsp::throw_invalid("decimation", std::to_string(decimation), "1 or more");
    return static_cast<unsigned>(decimation);
}

std::optional<double> message_frequency(const pmt::pmt_t& message)
{
    static const pmt::pmt_t freq_key = pmt::intern("freq");

    pmt::pmt_t value = pmt::PMT_NIL;
    if (pmt::is_dict(message) && pmt::dict_has_key(message, freq_key))
        value = pmt::dict_ref(message, freq_key, pmt::PMT_NIL);
    else if (pmt::is_pair(message))
        value = pmt::cdr(message);

    if (pmt::is_real(value) || pmt::is_integer(value))
        return pmt::to_double(value);
    if (pmt::is_uint64(value))
        return static_cast<double>(pmt::to_uint64(value));
    return std::nullopt;
}

} // namespace cldsp
} // namespace gr
