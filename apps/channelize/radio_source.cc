// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tunes a radio, receives in its own format, and fills lost samples with zeros.

#include "channelize/radio_source.h"

#include "channelize/datetime.h"
#include "channelize/stop_signal.h"

#include <cldsp/errors.h>

#include <SoapySDR/Device.hpp>
#include <SoapySDR/Errors.hpp>
#include <SoapySDR/Formats.hpp>
#include <SoapySDR/Logger.hpp>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace cldsp::app {

namespace {

using clock_type = std::chrono::steady_clock;

// A radio that gives no sample for so long has failed, or was pulled out.
constexpr double radio_patience = 5; // seconds
// The driver waits this long for samples at most, so that a signal is noticed in time.
constexpr long wait_us = 100000;
// A jump of the radio's time beyond this is not filled with zeros: its clock was set.
constexpr double most_lost_seconds = 60;
// A radio's real rate may differ this much from the requested one, because its clock
// divider has steps.
constexpr double rate_tolerance = 1e-4;

//! The types that a radio may send. Where it leaves the choice, the first one is taken.
std::vector<sample_type> radio_types()
{
    std::vector<sample_type> types{ sample_type::cs16,
                                    sample_type::fc32,
                                    sample_type::cs8 };
    for (const auto type : all_sample_types())
        if (is_complex(type) && std::count(types.begin(), types.end(), type) == 0)
            types.push_back(type);
    return types;
}

//! The type as SoapySDR calls it, e.g. CF32.
std::string soapy_format(sample_type type)
{
    std::string name = file_ending(type);
    for (auto& letter : name)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return name;
}

std::string one_line(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void quieten(bool verbose)
{
    SoapySDR::setLogLevel(verbose ? SOAPY_SDR_DEBUG : SOAPY_SDR_FATAL);
}

//! The driver and the serial number, which tell radios apart; where there is no serial
//! number, all keys that the driver gives.
std::string text_of(const SoapySDR::Kwargs& found)
{
    const auto driver = found.find("driver"), serial = found.find("serial");
    if (driver != found.end() && serial != found.end() && !serial->second.empty())
        return "driver=" + driver->second + ",serial=" + serial->second;
    std::string text;
    for (const auto& [key, value] : found)
        if (key != "label" && value.find(',') == std::string::npos)
            text += (text.empty() ? "" : ",") + key + "=" + value;
    return text;
}

std::string label_of(const SoapySDR::Kwargs& found)
{
    const auto label = found.find("label");
    return label != found.end() && !label->second.empty() ? label->second
                                                          : text_of(found);
}

//! Finds the radios. Sound cards are left out unless the user names their driver.
std::vector<SoapySDR::Kwargs> find_radios(const std::string& arguments)
{
    const auto wanted = SoapySDR::KwargsFromString(arguments);
    auto found = SoapySDR::Device::enumerate(wanted);
    if (!wanted.count("driver"))
        found.erase(std::remove_if(found.begin(),
                                   found.end(),
                                   [](auto& radio) {
                                       return radio["driver"] == "audio" ||
                                              radio["driver"] == "null";
                                   }),
                    found.end());
    return found;
}

SoapySDR::Kwargs find_radio(const std::string& arguments)
{
    std::vector<SoapySDR::Kwargs> found;
    try {
        found = find_radios(arguments);
    } catch (const std::exception& e) {
        throw std::runtime_error("SoapySDR cannot look for radios: " +
                                 one_line(e.what()));
    }
    const std::string which =
        arguments.empty() ? "" : " that matches '" + arguments + "'";
    if (found.empty())
        throw std::runtime_error(
            "SoapySDR finds no radio" + which +
            ": is it plugged in, and is the module of its driver installed? 'cldsp "
            "channelize --list-radios' shows what is there");
    if (found.size() > 1) {
        std::string all;
        for (const auto& radio : found)
            all += (all.empty() ? "" : ", ") + ("soapy:" + text_of(radio));
        throw_invalid("INPUT", "'soapy:" + arguments + "'", "one of " + one_line(all));
    }
    return found.front();
}

std::string text_of(const std::vector<number_range>& ranges, const std::string& unit)
{
    std::string text;
    for (const auto& range : ranges) {
        text += (text.empty() ? "" : ", ") + number_text(range.from);
        if (range.to != range.from)
            text += " to " + number_text(range.to);
    }
    return text + " " + unit;
}

std::vector<number_range> ranges_of(const SoapySDR::RangeList& from)
{
    std::vector<number_range> ranges;
    for (const auto& range : from)
        ranges.push_back({ range.minimum(), range.maximum() });
    return ranges;
}

//! \throws std::invalid_argument if the value is outside all ranges; an empty list allows
//! every value
void check_range(const std::string& parameter,
                 double value,
                 const std::vector<number_range>& ranges,
                 const std::string& unit,
                 const std::string& radio)
{
    const double rounding = 1e-9 * std::abs(value);
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
        return value >= range.from - rounding && value <= range.to + rounding;
    });
    if (!inside && !ranges.empty())
        throw_invalid(parameter,
                      number_text(value) + " " + unit,
                      text_of(ranges, unit) + " with the radio '" + radio + "'");
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

struct closing {
    void operator()(SoapySDR::Device* device) const
    {
        try {
            SoapySDR::Device::unmake(device);
        } catch (...) {
            // Nothing is left to be done with a radio that cannot be closed.
        }
    }
};
using owned_device = std::unique_ptr<SoapySDR::Device, closing>;

constexpr int rx = SOAPY_SDR_RX;
constexpr std::size_t port = 0; // the first receiver of a radio

class radio_source final : public sample_source
{
public:
    explicit radio_source(const radio_wish& wish)
    {
        const auto found = find_radio(wish.arguments);
        d_name = one_line(label_of(found));
        attempt("cannot be opened",
                [&] { d_device.reset(SoapySDR::Device::make(found)); });
        attempt("cannot be set up", [&] { set_up(wish); });
    }
    ~radio_source() override
    {
        try {
            if (d_active)
                d_device->deactivateStream(d_stream);
            if (d_stream)
                d_device->closeStream(d_stream);
        } catch (...) {
            // The run is over and its samples are written, so the failure does not
            // matter.
        }
    }

    const std::string& name() const override { return d_name; }
    sample_type type() const override { return d_type; }
    double full_scale() const override { return d_full_scale; }
    double rate() const override { return d_rate; }
    std::optional<double> center() const override { return d_center; }
    std::optional<std::uint64_t> items() const override { return std::nullopt; }
    bool is_stream() const override { return true; }
    bool is_live() const override { return true; }
    source_losses losses() const override { return { d_overruns, d_lost }; }
    std::vector<std::string> remarks() const override { return { d_remark }; }
    std::string datetime() const override
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        return d_datetime;
    }

    std::size_t read(void* items, std::size_t room) override;

private:
    //! Turns an exception of the driver into a runtime_error with a text of one line. Our
    //! own invalid_argument for a wrong setting of the user passes unchanged.
    template <class F>
    void attempt(const char* what, const F& action)
    {
        try {
            action();
        } catch (const std::invalid_argument& e) {
            // Drivers throw invalid_argument as well, but with other texts.
            if (std::strncmp(e.what(), "parameter '", 11) == 0)
                throw;
            fail(what, e.what());
        } catch (const std::exception& e) {
            fail(what, e.what());
        }
    }
    [[noreturn]] void fail(const std::string& what, const std::string& why) const
    {
        throw std::runtime_error(failure_text(what, why));
    }
    std::string failure_text(const std::string& what, const std::string& why) const
    {
        return "the radio '" + d_name + "' " + what + ": " + one_line(why);
    }

    void set_up(const radio_wish& wish);
    void set_rate(double rate);
    void set_center(double center);
    void set_gain(const std::optional<gain_wish>& gain);
    void set_antenna(const std::string& antenna);
    void open_stream(const std::string& type);
    //! \param wish the user's type, or empty
    //! \param own the radio's own format, as SoapySDR calls it
    sample_type type_of(const std::string& wish, const std::string& own) const;

    void begin();
    std::size_t read_some(unsigned char* to, std::size_t room);
    std::size_t take(unsigned char* to, std::size_t count, bool has_time, long long time);
    std::size_t give_pending(unsigned char* to, std::size_t room);
    std::uint64_t gap_before(bool has_time, long long time);
    void note_first(std::size_t count, bool has_time, long long time);

    std::string d_name, d_remark;
    owned_device d_device;
    SoapySDR::Stream* d_stream = nullptr;
    bool d_active = false;
    sample_type d_type = sample_type::fc32;
    double d_full_scale = 1, d_rate = 0, d_center = 0;
    std::size_t d_item = 0; // bytes
    std::size_t d_most = 0; // largest number of items to request from the driver at once

    std::string d_failure; // reported after all samples before it were returned
    clock_type::time_point d_last;
    std::uint64_t d_zeros = 0;         // zeros that are still to be returned
    std::vector<unsigned char> d_held; // items that follow these zeros
    bool d_began = false, d_overrun = false;
    std::optional<long long> d_next_time; // of the next sample, in ns
    double d_jitter = 0;                  // of the times, in ns

    std::atomic<std::uint64_t> d_overruns{ 0 }, d_lost{ 0 };
    mutable std::mutex d_mutex; // guards d_datetime
    std::string d_datetime;
};

void radio_source::set_up(const radio_wish& wish)
{
    if (d_device->getNumChannels(rx) == 0)
        throw std::runtime_error("it does not receive");
    set_rate(wish.rate);
    if (wish.ppm) {
        if (!d_device->hasFrequencyCorrection(rx, port))
            throw_invalid("--ppm",
                          number_text(*wish.ppm),
                          "left out with the radio '" + d_name +
                              "', which has no correction");
        d_device->setFrequencyCorrection(rx, port, *wish.ppm);
    }
    set_antenna(wish.antenna);
    set_center(wish.center);
    set_gain(wish.gain);
    open_stream(wish.type);
    d_remark = d_name + ": " + soapy_format(d_type) + ", centre " +
               number_text(d_center) + " Hz, " +
               (d_device->hasGainMode(rx, port) && d_device->getGainMode(rx, port)
                    ? "automatic gain"
                    : "gain " + number_text(d_device->getGain(rx, port)) + " dB");
}

void radio_source::set_rate(double rate)
{
    const auto ranges = ranges_of(d_device->getSampleRateRange(rx, port));
    check_range("--rate", rate, ranges, "Hz", d_name);
    d_device->setSampleRate(rx, port, rate);
    const double made = d_device->getSampleRate(rx, port);
    if (!(std::abs(made - rate) <= rate_tolerance * rate))
        throw_invalid("--rate",
                      number_text(rate) + " Hz",
                      "one that the radio '" + d_name + "' makes; it makes " +
                          number_text(made) + " Hz of this one");
    d_rate = rate;
}

void radio_source::set_center(double center)
{
    const auto ranges = ranges_of(d_device->getFrequencyRange(rx, port));
    check_range("--center", center, ranges, "Hz", d_name);
    d_device->setFrequency(rx, port, center);
    const double tuned = d_device->getFrequency(rx, port);
    if (!(std::abs(tuned - center) < d_rate / 2))
        throw_invalid("--center",
                      number_text(center) + " Hz",
                      "one that the radio '" + d_name + "' tunes to; it goes to " +
                          number_text(tuned) + " Hz");
    d_center = tuned;
}

void radio_source::set_antenna(const std::string& antenna)
{
    if (antenna.empty())
        return;
    const auto there = d_device->listAntennas(rx, port);
    if (std::find(there.begin(), there.end(), antenna) == there.end())
        throw_invalid("--antenna",
                      "'" + antenna + "'",
                      there.empty() ? "left out with the radio '" + d_name + "'"
                                    : "one of " + joined(there));
    d_device->setAntenna(rx, port, antenna);
}

void radio_source::set_gain(const std::optional<gain_wish>& gain)
{
    const bool can_be_automatic = d_device->hasGainMode(rx, port);
    const bool automatic = gain ? gain->automatic : can_be_automatic;
    if (automatic && !can_be_automatic)
        throw_invalid("--gain",
                      "'auto'",
                      "in dB, because the radio '" + d_name + "' has no automatic gain");
    if (can_be_automatic)
        d_device->setGainMode(rx, port, automatic);
    if (!gain || automatic)
        return;
    if (gain->total) {
        const auto range = d_device->getGainRange(rx, port);
        check_range("--gain",
                    *gain->total,
                    { { range.minimum(), range.maximum() } },
                    "dB",
                    d_name);
        d_device->setGain(rx, port, *gain->total);
    }
    const auto there = d_device->listGains(rx, port);
    for (const auto& [name, value] : gain->amplifiers) {
        if (std::find(there.begin(), there.end(), name) == there.end())
            throw_invalid("--gain",
                          "'" + name + "=" + number_text(value) + "'",
                          there.empty() ? "a number of dB"
                                        : "of one of the amplifiers " + joined(there));
        const auto range = d_device->getGainRange(rx, port, name);
        check_range("--gain",
                    value,
                    { { range.minimum(), range.maximum() } },
                    "dB for " + name,
                    d_name);
        d_device->setGain(rx, port, name, value);
    }
}

sample_type radio_source::type_of(const std::string& wish, const std::string& own) const
{
    const auto offered = d_device->getStreamFormats(rx, port);
    const auto offers = [&](const std::string& name) {
        return offered.empty() || own == name ||
               std::find(offered.begin(), offered.end(), name) != offered.end();
    };
    std::string names, needed;
    std::optional<sample_type> best;
    for (const auto type : radio_types()) {
        const std::string name = soapy_format(type);
        needed += (needed.empty() ? "" : ", ") + name;
        if (!offers(name))
            continue;
        names += (names.empty() ? "" : ", ") + file_ending(type);
        if (wish == file_ending(type))
            return type;
        if (!best || own == name)
            best = type;
    }
    if (!wish.empty())
        throw_invalid("--type",
                      "'" + wish + "'",
                      (names.empty() ? "left out" : "one of " + names) +
                          " with the radio '" + d_name + "'");
    if (!best)
        throw std::runtime_error("it offers only the formats " + joined(offered) +
                                 ", but one of " + needed + " is needed");
    return *best;
}

void radio_source::open_stream(const std::string& type)
{
    double largest = 0;
    const std::string own = d_device->getNativeStreamFormat(rx, port, largest);
    d_type = type_of(type, own);
    const std::string format = soapy_format(d_type);
    // A radio of 12 bits uses only the lower bits of 16, and reports a smaller full
    // scale.
    if (own != format || !(largest > 0) || !std::isfinite(largest))
        largest = largest_number(d_type);
    d_full_scale = app::full_scale(d_type) * largest / largest_number(d_type);
    d_item = sample_size(d_type);
    d_stream = d_device->setupStream(rx, format, { port });
    if (!d_stream)
        throw std::runtime_error("it makes no stream");
    d_most = std::max<std::size_t>(d_device->getStreamMTU(d_stream), 1024);
}

void radio_source::begin()
{
    attempt("cannot be started", [&] {
        const int error = d_device->activateStream(d_stream);
        if (error)
            throw std::runtime_error(SoapySDR::errToStr(error));
    });
    d_active = true;
    d_last = clock_type::now();
}

std::size_t radio_source::read(void* items, std::size_t room)
{
    if (!d_active)
        begin();
    auto* const to = static_cast<unsigned char*>(items);
    const auto enough = clock_type::now() + std::chrono::duration<double>(stream_seconds);
    std::size_t count = 0;
    while (count < room && !stop_signal::number()) {
        if (d_failure.empty())
            count += read_some(to + count * d_item, room - count);
        if (!d_failure.empty() || (count > 0 && clock_type::now() >= enough))
            break;
    }
    if (count == 0 && !d_failure.empty() && !stop_signal::number())
        throw std::runtime_error(d_failure);
    return count;
}

//! \return the number of items; 0 if none has come yet, or the radio has failed
std::size_t radio_source::read_some(unsigned char* to, std::size_t room)
{
    if (d_zeros || !d_held.empty())
        return give_pending(to, room);
    int flags = 0, result = 0;
    long long time = 0;
    try {
        void* const buffers[] = { to };
        result = d_device->readStream(
            d_stream, buffers, std::min(room, d_most), flags, time, wait_us);
    } catch (const std::exception& e) {
        d_failure = failure_text("has failed", e.what());
        return 0;
    }
    const auto now = clock_type::now();
    if (result > 0) {
        d_last = now;
        return take(to,
                    std::min(static_cast<std::size_t>(result), room),
                    flags & SOAPY_SDR_HAS_TIME,
                    time);
    }
    if (result == SOAPY_SDR_OVERFLOW) {
        // An overrun does not restart the time limit: a radio that reports nothing else
        // delivers no samples.
        d_overruns++;
        d_overrun = true;
    } else if (result != 0 && result != SOAPY_SDR_TIMEOUT) {
        d_failure = failure_text("has failed", SoapySDR::errToStr(result));
        return 0;
    }
    if (std::chrono::duration<double>(now - d_last).count() > radio_patience)
        d_failure = failure_text("has failed",
                                 "it has given no sample for " +
                                     number_text(radio_patience) + " s");
    return 0;
}

//! Returns the items that the driver has written to \p to, preceded by zeros for lost
//! ones. Items without room are kept for later calls.
std::size_t
radio_source::take(unsigned char* to, std::size_t count, bool has_time, long long time)
{
    note_first(count, has_time, time);
    d_zeros = gap_before(has_time, time);
    d_overrun = false;
    if (has_time)
        d_next_time = time + std::llround(static_cast<double>(count) / d_rate * 1e9);
    else
        d_next_time.reset();
    if (d_zeros == 0)
        return count;
    d_lost += d_zeros;
    d_held.assign(to, to + count * d_item);
    return give_pending(to, count);
}

std::size_t radio_source::give_pending(unsigned char* to, std::size_t room)
{
    const auto zeros = static_cast<std::size_t>(std::min<std::uint64_t>(d_zeros, room));
    std::memset(to, silent_byte(d_type), zeros * d_item);
    d_zeros -= zeros;
    const std::size_t count = std::min(room - zeros, d_held.size() / d_item);
    const auto end = d_held.begin() + static_cast<std::ptrdiff_t>(count * d_item);
    std::copy(d_held.begin(), end, to + zeros * d_item);
    d_held.erase(d_held.begin(), end);
    return zeros + count;
}

//! The number of samples that an overrun has lost, computed from the driver's times; 0 if
//! they do not show it.
std::uint64_t radio_source::gap_before(bool has_time, long long time)
{
    if (!has_time || !d_next_time)
        return 0;
    const double late = static_cast<double>(time - *d_next_time);
    if (!d_overrun) {
        d_jitter = std::max(d_jitter, std::abs(late));
        return 0;
    }
    // Some drivers take the times from the host's clock. Such times have jitter, so that
    // only gaps well above it are certain.
    constexpr double certain = 4;
    if (late <= certain * d_jitter || late > most_lost_seconds * 1e9)
        return 0;
    return static_cast<std::uint64_t>(std::llround(late * 1e-9 * d_rate));
}

void radio_source::note_first(std::size_t count, bool has_time, long long time)
{
    if (d_began)
        return;
    d_began = true;
    using std::chrono::nanoseconds;
    const auto now = std::chrono::duration_cast<nanoseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    constexpr std::int64_t day = std::int64_t(86400) * 1000000000;
    std::int64_t first =
        now.count() - std::llround(static_cast<double>(count) / d_rate * 1e9);
    // Most radios count time from their start. A radio that is set to the time of day is
    // more accurate than the host, which receives the samples later.
    if (has_time && time > first - day && time < first + day)
        first = time;
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_datetime = datetime_text(utc_of(first));
}

} // namespace

std::unique_ptr<sample_source> open_radio(const radio_wish& wish, bool verbose)
{
    quieten(verbose);
    return std::make_unique<radio_source>(wish);
}

namespace {

radio_description describe(const SoapySDR::Kwargs& found)
{
    radio_description radio;
    radio.arguments = text_of(found);
    radio.name = one_line(label_of(found));
    try {
        const owned_device device(SoapySDR::Device::make(found));
        if (device->getNumChannels(rx) == 0)
            throw std::runtime_error("it does not receive");
        radio.rates = ranges_of(device->getSampleRateRange(rx, port));
        radio.frequencies = ranges_of(device->getFrequencyRange(rx, port));
        const auto all = device->getGainRange(rx, port);
        radio.gain = { all.minimum(), all.maximum() };
        for (const auto& name : device->listGains(rx, port)) {
            const auto range = device->getGainRange(rx, port, name);
            radio.amplifiers.push_back({ name, { range.minimum(), range.maximum() } });
        }
        radio.has_automatic_gain = device->hasGainMode(rx, port);
        radio.antennas = device->listAntennas(rx, port);
        double full_scale = 0;
        radio.formats = { device->getNativeStreamFormat(rx, port, full_scale) };
        for (const auto& name : device->getStreamFormats(rx, port))
            if (name != radio.formats.front())
                radio.formats.push_back(name);
    } catch (const std::exception& e) {
        radio.problem = one_line(e.what());
    }
    return radio;
}

} // namespace

std::vector<radio_description> list_radios(const std::string& arguments, bool verbose)
{
    quieten(verbose);
    std::vector<radio_description> radios;
    try {
        for (const auto& found : find_radios(arguments))
            radios.push_back(describe(found));
    } catch (const std::exception& e) {
        throw std::runtime_error("SoapySDR cannot look for radios: " +
                                 one_line(e.what()));
    }
    return radios;
}

} // namespace cldsp::app
