// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A SoapySDR module for tests: a radio that plays a file, with losses and failures.

/*
 * A SoapySDR module for tests: a radio that plays a file again and again. Unlike a real
 * radio it waits for its reader, so that a test on a busy machine gives the same samples
 * each time. It loses samples only if a variable asks for it. These environment variables
 * control the radio; without the first one there is no radio.
 *
 * CLDSP_FAKE_RADIO_FILE        the file
 * CLDSP_FAKE_RADIO_FORMAT      the format of the file and of the radio, such as CS16.
 *                              Without it the file has unsigned 8-bit IQ, which the radio
 *                              gives out as CS8, as an RTL-SDR does
 * CLDSP_FAKE_RADIO_FULL_SCALE  the full scale that the radio reports for its format
 * CLDSP_FAKE_RADIO_TIMES       the time of the first sample in ns; without it the radio
 *                              reports no times
 * CLDSP_FAKE_RADIO_OVERRUNS    AT:LOST,AT:LOST ... At the sample AT of the file, LOST
 *                              samples are lost, and an overrun is reported
 * CLDSP_FAKE_RADIO_BUFFER      the radio plays in real time. It keeps so many seconds for
 *                              its reader, and then loses all of them, as an RTL-SDR does
 * CLDSP_FAKE_RADIO_SILENT      after so many samples every read times out
 * CLDSP_FAKE_RADIO_FAIL        make, activate, read:N or error:N: what fails, after N
 *                              samples, by an exception or by an error code
 * CLDSP_FAKE_RADIO_COUNT       the number of radios; 1 if it is not set
 */

#include <SoapySDR/Device.hpp>
#include <SoapySDR/Errors.hpp>
#include <SoapySDR/Formats.hpp>
#include <SoapySDR/Registry.hpp>
#include <SoapySDR/Time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr char driver_key[] = "cldsp-fake";

//! The text of the variable CLDSP_FAKE_RADIO_..., or null.
const char* variable(const char* name)
{
    return std::getenv((std::string("CLDSP_FAKE_RADIO_") + name).c_str());
}

std::string variable_or(const char* name, const char* other)
{
    const char* text = variable(name);
    return text == nullptr ? other : text;
}

class fake_radio : public SoapySDR::Device
{
public:
    explicit fake_radio(const std::string& path)
        : d_own_format(variable_or("FORMAT", SOAPY_SDR_CS8)),
          d_is_unsigned(variable("FORMAT") == nullptr),
          d_silent_at(variable("SILENT") == nullptr ? -1 : std::atoll(variable("SILENT")))
    {
        if (variable_or("FAIL", "") == "make")
            throw std::runtime_error("somebody else\nuses it");
        std::ifstream file(path, std::ios::binary);
        d_bytes.assign(std::istreambuf_iterator<char>(file), {});
        d_item = SoapySDR::formatToSize(d_own_format);
        if (d_bytes.size() < d_item || d_bytes.size() % d_item != 0)
            throw std::runtime_error("no IQ pairs in " + path);
        std::istringstream overruns(variable_or("OVERRUNS", ""));
        char colon = 0, comma = 0;
        for (long long at, lost; overruns >> at >> colon >> lost; overruns >> comma)
            d_overruns[at] = lost;
        const std::string fail = variable_or("FAIL", "");
        if (fail.find(':') != std::string::npos)
            d_fail_at = std::atoll(fail.c_str() + fail.find(':') + 1);
    }

    std::string getDriverKey() const override { return driver_key; }
    std::string getHardwareKey() const override { return "a file that plays radio"; }
    size_t getNumChannels(const int direction) const override
    {
        return direction == SOAPY_SDR_RX ? 1 : 0;
    }

    std::vector<std::string> getStreamFormats(const int, const size_t) const override
    {
        if (d_own_format != SOAPY_SDR_CS8)
            return { d_own_format };
        return { SOAPY_SDR_CS8, SOAPY_SDR_CS16, SOAPY_SDR_CF32 };
    }

    std::string
    getNativeStreamFormat(const int, const size_t, double& full_scale) const override
    {
        full_scale = std::atof(variable_or("FULL_SCALE", "128").c_str());
        return d_own_format;
    }

    SoapySDR::Stream* setupStream(const int direction,
                                  const std::string& format,
                                  const std::vector<size_t>&,
                                  const SoapySDR::Kwargs&) override
    {
        if (direction != SOAPY_SDR_RX)
            throw std::runtime_error("this radio only receives");
        if (format != d_own_format)
            throw std::runtime_error("this test plays " + d_own_format + ", not " +
                                     format);
        return reinterpret_cast<SoapySDR::Stream*>(this);
    }

    void closeStream(SoapySDR::Stream*) override {}

    int
    activateStream(SoapySDR::Stream*, const int, const long long, const size_t) override
    {
        if (d_sample_rate == 0 || d_frequency == 0)
            throw std::runtime_error("sample rate and frequency have to be set first");
        if (variable_or("FAIL", "") == "activate")
            return SOAPY_SDR_STREAM_ERROR;
        d_position = 0;
        return 0;
    }

    int deactivateStream(SoapySDR::Stream*, const int, const long long) override
    {
        return 0;
    }

    int readStream(SoapySDR::Stream*,
                   void* const* buffers,
                   const size_t elements,
                   int& flags,
                   long long& time,
                   const long timeout_us) override
    {
        long long count = static_cast<long long>(elements);
        if (d_fail_at >= 0 && d_position >= d_fail_at) {
            if (variable_or("FAIL", "").front() == 'e')
                return SOAPY_SDR_STREAM_ERROR;
            throw std::runtime_error("the cable was pulled");
        }
        if (d_silent_at >= 0 && d_position >= d_silent_at) {
            std::this_thread::sleep_for(std::chrono::microseconds(timeout_us));
            return SOAPY_SDR_TIMEOUT;
        }
        if (variable("BUFFER") != nullptr) {
            const long long there = wait_for_samples(timeout_us);
            if (there <= 0)
                return there == 0 ? SOAPY_SDR_TIMEOUT : SOAPY_SDR_OVERFLOW;
            count = std::min(count, there);
        }
        const auto overrun = d_overruns.lower_bound(d_position);
        if (overrun != d_overruns.end() && overrun->first == d_position) {
            d_position += overrun->second;
            d_overruns.erase(overrun);
            return SOAPY_SDR_OVERFLOW;
        }
        for (const long long end : { overrun == d_overruns.end() ? -1 : overrun->first,
                                     d_fail_at,
                                     d_silent_at })
            if (end >= 0)
                count = std::min(count, end - d_position);
        play(static_cast<char*>(buffers[0]), static_cast<size_t>(count));
        flags = 0;
        if (variable("TIMES") != nullptr) {
            flags = SOAPY_SDR_HAS_TIME;
            time = std::atoll(variable("TIMES")) +
                   SoapySDR::ticksToTimeNs(d_position, d_sample_rate);
        }
        d_position += count;
        return static_cast<int>(count);
    }

    void setFrequency(const int,
                      const size_t,
                      const double frequency,
                      const SoapySDR::Kwargs&) override
    {
        d_frequency = frequency;
    }
    double getFrequency(const int, const size_t) const override { return d_frequency; }
    SoapySDR::RangeList getFrequencyRange(const int, const size_t) const override
    {
        return { SoapySDR::Range(24e6, 1766e6) };
    }
    bool hasFrequencyCorrection(const int, const size_t) const override { return true; }
    void setFrequencyCorrection(const int, const size_t, const double) override {}

    void setSampleRate(const int, const size_t, const double rate) override
    {
        // The simulated dividers cannot make the rate of 1 MHz.
        d_sample_rate = rate == 1e6 ? 1.2e6 : rate;
    }
    double getSampleRate(const int, const size_t) const override { return d_sample_rate; }
    std::vector<double> listSampleRates(const int, const size_t) const override
    {
        return { 960e3, 2016e3, 2400e3 };
    }
    SoapySDR::RangeList getSampleRateRange(const int, const size_t) const override
    {
        return { SoapySDR::Range(960e3, 2400e3) };
    }

    std::vector<std::string> listAntennas(const int, const size_t) const override
    {
        return { "RX", "HF" };
    }
    std::vector<std::string> listGains(const int, const size_t) const override
    {
        return { "TUNER" };
    }
    bool hasGainMode(const int, const size_t) const override { return true; }
    void setGainMode(const int, const size_t, const bool automatic) override
    {
        d_automatic = automatic;
    }
    bool getGainMode(const int, const size_t) const override { return d_automatic; }
    void setGain(const int, const size_t, const std::string&, const double value) override
    {
        d_gain = value;
    }
    double getGain(const int, const size_t, const std::string&) const override
    {
        return d_gain;
    }
    SoapySDR::Range
    getGainRange(const int, const size_t, const std::string&) const override
    {
        return SoapySDR::Range(0, 50);
    }
    using SoapySDR::Device::getGain;
    using SoapySDR::Device::getGainRange;
    using SoapySDR::Device::setGain;

private:
    //! The number of samples that a reader finds in real time; 0 after the timeout, and
    //! -1 if they were too many.
    long long wait_for_samples(long timeout_us)
    {
        using clock = std::chrono::steady_clock;
        const auto now = clock::now();
        if (d_position == 0)
            d_begin = now;
        const auto there = [&] {
            const std::chrono::duration<double> since = clock::now() - d_begin;
            return static_cast<long long>(since.count() * d_sample_rate) - d_position;
        };
        const double room = std::atof(variable("BUFFER")) * d_sample_rate;
        if (static_cast<double>(there()) > room) {
            d_position += there();
            return -1;
        }
        const auto end = now + std::chrono::microseconds(timeout_us);
        while (there() <= 0 && clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return std::max(there(), 0LL);
    }
    void play(char* out, size_t count) const
    {
        const size_t items = d_bytes.size() / d_item;
        for (size_t i = 0; i < count; i++) {
            const size_t at = (static_cast<size_t>(d_position) + i) % items;
            std::memcpy(out + i * d_item, d_bytes.data() + at * d_item, d_item);
        }
        if (d_is_unsigned)
            std::transform(out, out + count * d_item, out, [](char byte) {
                return static_cast<char>(static_cast<uint8_t>(byte) - 128);
            });
    }

    std::string d_own_format;
    bool d_is_unsigned;
    long long d_silent_at, d_fail_at = -1;
    std::map<long long, long long> d_overruns; // samples that are lost, by their place
    std::vector<char> d_bytes;
    size_t d_item = 1;
    long long d_position = 0;
    std::chrono::steady_clock::time_point d_begin;
    double d_sample_rate = 0, d_frequency = 0, d_gain = 0;
    bool d_automatic = true;
};

SoapySDR::KwargsList find(const SoapySDR::Kwargs& wanted)
{
    const auto driver = wanted.find("driver");
    if (driver != wanted.end() && driver->second != driver_key)
        return {};
    const char* path = variable("FILE");
    if (path == nullptr)
        return {};
    const int count = std::atoi(variable_or("COUNT", "1").c_str());
    if (count == 1)
        return { { { "label", "a file that plays radio" }, { "file", path } } };
    SoapySDR::KwargsList found;
    for (int i = 1; i <= count; i++) {
        const std::string serial = "00" + std::to_string(i);
        const auto asked = wanted.find("serial");
        if (asked == wanted.end() || asked->second == serial)
            found.push_back({ { "label", "a file that plays radio " + serial },
                              { "serial", serial },
                              { "file", path } });
    }
    return found;
}

SoapySDR::Device* make(const SoapySDR::Kwargs& args)
{
    return new fake_radio(args.at("file"));
}

SoapySDR::Registry registration(driver_key, &find, &make, SOAPY_SDR_ABI_VERSION);

} // namespace
