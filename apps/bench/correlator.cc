// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The workload of `cldsp bench` that correlates antennas.

#include "bench/products.h"

#include "filters/workloads.h"

#include <cldsp/correlator.h>
#include <cldsp/errors.h>

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

namespace cldsp::app {

using namespace cldsp::bench;

namespace {

//! The sizes of a call: integrations of as many samples, of each antenna.
struct call_size {
    std::size_t antennas, integrations, length;

    std::size_t samples() const { return integrations * length; }
    std::size_t visibilities() const { return integrations * visibilities_of(antennas); }
    //! The operations of a call.
    double operations() const
    {
        return operations_per_sample(antennas) * static_cast<double>(samples());
    }
};

//! White noise of some antennas, each of which has its samples one after the other.
class samples_of_antennas
{
public:
    samples_of_antennas(sample_type type, const call_size& size)
        : d_type(type),
          d_size(size),
          d_data(size.antennas * size.samples() * sample_size(type))
    {
        fill_with_noise(type, d_data.data(), d_data.size());
        for (std::size_t a = 0; a < size.antennas; a++)
            d_first.push_back(d_data.data() + a * size.samples() * sample_size(type));
    }
    sample_type type() const { return d_type; }
    const call_size& size() const { return d_size; }
    antenna_samples all() const { return { d_first.data(), 1 }; }
    std::size_t bytes() const { return d_data.size(); }

    //! The largest difference of some visibilities from the right ones, relative to the
    //! largest of these.
    double error(const std::vector<std::complex<float>>& got) const
    {
        std::mt19937 random(2);
        double largest = 0, difference = 0;
        for (int i = 0; i < 200; i++) {
            const std::size_t integration = random() % d_size.integrations;
            const std::size_t row = random() % d_size.antennas;
            const std::size_t column = i % 10 ? random() % (row + 1) : row;
            std::complex<double> sum = 0;
            for (std::size_t t = 0; t < d_size.length; t++)
                sum += at(row, integration, t) * std::conj(at(column, integration, t));
            const std::size_t place = integration * visibilities_of(d_size.antennas) +
                                      visibilities_of(row) + column;
            difference =
                std::max(difference, std::abs(std::complex<double>(got[place]) - sum));
            largest = std::max(largest, std::abs(sum));
        }
        return difference / largest;
    }

private:
    std::complex<double>
    at(std::size_t antenna, std::size_t integration, std::size_t t) const
    {
        return sample_at(d_first[antenna], d_type, integration * d_size.length + t);
    }

    sample_type d_type;
    call_size d_size;
    std::vector<unsigned char> d_data;
    std::vector<const void*> d_first;
};

class correlation final : public product
{
public:
    correlation(const std::string& device,
                const std::string& variant,
                const samples_of_antennas& samples,
                context_registry& registry)
        : product(device, variant, samples.size().visibilities()),
          d_samples(samples),
          d_explicit(device != "auto"),
          d_engine(samples.type(),
                   samples.size().antennas,
                   samples.size().length,
                   samples.size().samples(),
                   options_of(device, variant),
                   registry),
          d_out(samples.size().visibilities())
    {
    }
    // Sums of bytes are exact, those of floats nearly so; both are rounded once.
    double bound_db() const override { return -120; }
    void call() override
    {
        d_engine.process(d_samples.all(), d_samples.size().samples(), d_out.data());
        if (d_explicit && d_engine.fell_back())
            throw std::runtime_error(d_engine.plan());
    }
    double kernel_seconds() const override
    {
        const auto s = d_engine.statistics();
        return s.kernel_time * static_cast<double>(s.calls);
    }
    std::string note() const override { return d_engine.plan(); }
    std::optional<chosen_plan> plan() const override { return d_engine.chosen(); }
    double error() override
    {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        std::fill(d_out.begin(), d_out.end(), std::complex<float>(nan, nan));
        call();
        return 20 * std::log10(d_samples.error(d_out));
    }

private:
    static correlator_options options_of(const std::string& device,
                                         const std::string& variant)
    {
        correlator_options options;
        options.device = device;
        options.variant = variant;
        return options;
    }

    const samples_of_antennas& d_samples;
    bool d_explicit; // the device was named
    correlator d_engine;
    std::vector<std::complex<float>> d_out;
};

bench_table measure_correlator(bench_session& session)
{
    const auto& wish = session.wish();
    const auto [antennas, integrations, length] =
        wish.sizes_of({ 256, 4, 2048 }, { 32, 2, 256 });
    const call_size size{ antennas, integrations, length };
    const auto type = wish.input.value_or(sample_type::cs8);
    auto table = product_table("correlator",
                               std::to_string(antennas) + " antennas, " +
                                   std::to_string(integrations) + " integrations of " +
                                   std::to_string(length) + " samples of " +
                                   sample_type_name(type),
                               "op",
                               size.operations(),
                               size.visibilities());
    const samples_of_antennas samples(type, size);
    product_rows rows(session, table);
    const auto add = [&](const std::string& device, const std::string& variant) {
        rows.add(device, variant, [&] {
            return std::make_unique<correlation>(
                device, variant, samples, session.registry());
        });
    };
    for (const auto& device : wish.devices) {
        if (device.is_host())
            add(device.id(), "simd");
        else
            for (const char* variant : { "cpu_tile", "gpu_tile", "tensor", "warpgroup" })
                add(device.id(), variant);
    }
    if (wish.automatic)
        add("auto", "auto");

    kernel_work once;
    once.operations = size.operations();
    once.bytes = static_cast<double>(samples.bytes() +
                                     size.visibilities() * sizeof(std::complex<float>));
    rows.measure_all(once, [](const roofline& roof) { return roof; });
    return table;
}

} // namespace

std::vector<bench_workload> correlator_workloads()
{
    return { { "correlator",
               "products of all pairs of 256 antennas, 4 integrations of 2048 samples",
               false,
               measure_correlator } };
}

} // namespace cldsp::app
