/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

/*
 * A SoapySDR module for tests: a radio that plays a file of unsigned 8-bit IQ again and
 * again. The radio exists if the variable CLDSP_FAKE_RADIO_FILE names the file. Like an
 * RTL-SDR it offers CS8, CS16 and CF32, of which CS8 is its own format. Unlike a real
 * radio it never loses a sample: it waits for its reader, so that a test on a busy
 * machine gives the same frames each time. If the variable CLDSP_FAKE_RADIO_SILENT is
 * set, the radio hangs: every read times out.
 */

#include <SoapySDR/Device.hpp>
#include <SoapySDR/Errors.hpp>
#include <SoapySDR/Formats.hpp>
#include <SoapySDR/Registry.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr char driver_key[] = "cldsp-fake";
constexpr char file_variable[] = "CLDSP_FAKE_RADIO_FILE";
constexpr char silent_variable[] = "CLDSP_FAKE_RADIO_SILENT";

class fake_radio : public SoapySDR::Device
{
public:
    explicit fake_radio(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        d_bytes.assign(std::istreambuf_iterator<char>(file), {});
        if (d_bytes.size() < 2 || d_bytes.size() % 2 != 0)
            throw std::runtime_error("no IQ pairs in " + path);
    }

    std::string getDriverKey() const override { return driver_key; }
    std::string getHardwareKey() const override { return "a file that plays radio"; }
    size_t getNumChannels(const int direction) const override
    {
        return direction == SOAPY_SDR_RX ? 1 : 0;
    }

    std::vector<std::string> getStreamFormats(const int, const size_t) const override
    {
        return { SOAPY_SDR_CS8, SOAPY_SDR_CS16, SOAPY_SDR_CF32 };
    }

    std::string
    getNativeStreamFormat(const int, const size_t, double& full_scale) const override
    {
        full_scale = 128;
        return SOAPY_SDR_CS8;
    }

    SoapySDR::Stream* setupStream(const int direction,
                                  const std::string& format,
                                  const std::vector<size_t>&,
                                  const SoapySDR::Kwargs&) override
    {
        if (direction != SOAPY_SDR_RX)
            throw std::runtime_error("this radio only receives");
        if (format != SOAPY_SDR_CS8)
            throw std::runtime_error("this test plays CS8, not " + format);
        return reinterpret_cast<SoapySDR::Stream*>(this);
    }

    void closeStream(SoapySDR::Stream*) override {}

    int
    activateStream(SoapySDR::Stream*, const int, const long long, const size_t) override
    {
        if (d_sample_rate == 0 || d_frequency == 0)
            throw std::runtime_error("sample rate and frequency have to be set first");
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
                   long long&,
                   const long timeout_us) override
    {
        if (std::getenv(silent_variable) != nullptr) {
            std::this_thread::sleep_for(std::chrono::microseconds(timeout_us));
            return SOAPY_SDR_TIMEOUT;
        }
        auto* out = static_cast<int8_t*>(buffers[0]);
        for (size_t i = 0; i < 2 * elements; i++) {
            out[i] = static_cast<int8_t>(static_cast<uint8_t>(d_bytes[d_position]) - 128);
            d_position = (d_position + 1) % d_bytes.size();
        }
        flags = 0;
        return static_cast<int>(elements);
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

    void setSampleRate(const int, const size_t, const double rate) override
    {
        d_sample_rate = rate;
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

    std::vector<std::string> listGains(const int, const size_t) const override
    {
        return { "TUNER" };
    }
    bool hasGainMode(const int, const size_t) const override { return true; }
    SoapySDR::Range
    getGainRange(const int, const size_t, const std::string&) const override
    {
        return SoapySDR::Range(0, 50);
    }
    using SoapySDR::Device::getGainRange;

private:
    std::vector<char> d_bytes;
    size_t d_position = 0;
    double d_sample_rate = 0;
    double d_frequency = 0;
};

SoapySDR::KwargsList find(const SoapySDR::Kwargs& wanted)
{
    const auto driver = wanted.find("driver");
    if (driver != wanted.end() && driver->second != driver_key)
        return {};
    const char* path = std::getenv(file_variable);
    if (path == nullptr)
        return {};
    return { { { "label", "a file that plays radio" }, { "file", path } } };
}

SoapySDR::Device* make(const SoapySDR::Kwargs& args)
{
    return new fake_radio(args.at("file"));
}

SoapySDR::Registry registration(driver_key, &find, &make, SOAPY_SDR_ABI_VERSION);

} // namespace
