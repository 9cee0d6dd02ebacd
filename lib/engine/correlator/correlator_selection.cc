/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "correlator/correlator_selection.h"

#include "base/page_memory.h"
#include "base/text_stream.h"
#include "planning/device_rates.h"
#include "planning/output_check.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// A call of fewer operations takes less time on the host than it takes to start a device.
constexpr double min_operations_on_devices = 1e6;
// The most operations of a measured call, and of the brief call in which a device's sums
// are compared. With many antennas even the shortest trial takes more.
constexpr double max_measured_operations = 5e8, max_compared_operations = 2e7;
constexpr std::size_t min_trial_samples = 16;

double operations_per_sample(std::size_t antennas)
{
    constexpr double per_product = 8;
    return per_product * static_cast<double>(visibilities_of(antennas));
}

std::size_t trial_samples(const correlator_problem& problem, double operations)
{
    const double samples = std::min(operations / operations_per_sample(problem.antennas),
                                    static_cast<double>(problem.samples));
    return std::max(static_cast<std::size_t>(samples),
                    std::min(min_trial_samples, problem.samples));
}

//! The samples and sums of a trial: one integration.
class trial_correlation
{
public:
    trial_correlation(sample_type type, std::size_t antennas, std::size_t samples)
        : d_type(type),
          d_antennas(antennas),
          d_samples(samples),
          d_in(trial_input(type, antennas * samples)),
          d_sums(visibilities_of(antennas))
    {
        for (std::size_t a = 0; a < antennas; a++)
            d_first.push_back(d_in.as<unsigned char>() + a * samples * sample_size(type));
    }

    void lend_to(correlator_executor&) const {}
    void take_from(correlator_executor&) const {}
    void spoil() const { std::fill(d_sums.begin(), d_sums.end(), 0.0); }
    void run(correlator_executor& executor) const { add(executor, d_sums); }

    //! The difference of the sums from the host's. A sum that a device does not write
    //! stays 0.
    output_error error(const correlator_executor&) const
    {
        const auto host = make_host_correlator(d_type, d_antennas);
        std::vector<std::complex<double>> expected(d_sums.size());
        add(*host, expected);
        output_comparison comparison;
        for (std::size_t i = 0; i < expected.size(); i++) {
            const std::complex<float> got(d_sums[i]), wanted(expected[i]);
            comparison.add(&got, &wanted, 1);
        }
        return { comparison.error(), max_output_error };
    }

    void keep() const noexcept {} // executors copy the samples
    bool is_kept() const noexcept { return false; }

private:
    void add(correlator_executor& executor, std::vector<std::complex<double>>& sums) const
    {
        auto in = d_first;
        for (std::size_t done = 0; done < d_samples;) {
            const std::size_t left = d_samples - done, piece = executor.piece();
            const std::size_t length =
                left < piece ? left
                             : piece * std::min(left / piece, executor.max_rows(piece));
            executor.add({ { in.data(), 1 }, 1, length }, sums.data());
            done += length;
            for (auto& antenna : in)
                antenna = static_cast<const unsigned char*>(antenna) +
                          length * sample_size(d_type);
        }
    }

    sample_type d_type;
    std::size_t d_antennas, d_samples;
    page_memory d_in;
    std::vector<const void*> d_first;
    mutable std::vector<std::complex<double>> d_sums;
};

void check_correlator_variant(const std::string& name, sample_type type)
{
    if ((name == "tensor" || name == "warpgroup") && type != sample_type::cs8)
        throw_invalid("variant",
                      "'" + name + "'",
                      std::string("another one for samples of ") +
                          sample_type_name(type));
    for (const char* known :
         { "auto", "simd", "cpu_tile", "gpu_tile", "tensor", "warpgroup" })
        if (name == known)
            return;
    throw_invalid("variant",
                  "'" + name + "'",
                  "auto, simd, cpu_tile, gpu_tile, tensor or warpgroup");
}

//! The variants that "auto" measures on a device.
std::vector<std::string> automatic_correlator_variants(const device_info& device,
                                                       sample_type type)
{
    if (device.is_host())
        return { "simd" };
    if (device.kind == device_kind::cpu)
        return { "cpu_tile" };
    std::vector<std::string> variants{ "gpu_tile" };
    if (type == sample_type::cs8)
        for (const auto& variant : matrix_unit_variants(device))
            variants.push_back(variant);
    return variants;
}

std::string transfer_for(const device_info& device)
{
    if (device.is_host())
        return "none";
    return shares_memory(device) ? "zero_copy" : "copy";
}

double predicted_correlation_seconds(const correlator_problem& problem,
                                     std::size_t samples,
                                     const plan_candidate& c)
{
    const double operations =
        operations_per_sample(problem.antennas) * static_cast<double>(samples);
    if (c.device.is_host()) {
        // It is assumed that a core multiplies and adds two vectors of 8 floats per
        // cycle, at 2.5 GHz.
        const auto cores =
            static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
        return 1e-6 + operations / (cores * 2 * 2 * 8 * 2.5e9);
    }
    const auto rates = estimated_rates(c.device);
    // Matrix units were faster than gpu_tile by more than this on an H200.
    const double units = c.variant == "tensor" ? 8 : c.variant == "warpgroup" ? 16 : 1;
    const double bytes =
        static_cast<double>(problem.antennas * samples * sample_size(problem.type)) +
        static_cast<double>(visibilities_of(problem.antennas)) * 2 * sizeof(float);
    double seconds =
        rates.call + rates.flop / units * operations + bytes * rates.transfer;
    if (c.transfer != "zero_copy")
        seconds += 2 * rates.map + bytes * rates.copy;
    return seconds;
}

std::string correlator_key(const correlator_problem& problem,
                           const correlator_options& options)
{
    text_stream key;
    key << "correlator " << sample_type_name(problem.type)
        << " antennas=" << problem.antennas << " samples=" << problem.samples
        << " device=" << options.device << " variant=" << options.variant;
    return key.str();
}

} // namespace

double correlator_problem::operations() const
{
    return operations_per_sample(antennas) * static_cast<double>(samples);
}

correlator_selection select_correlator(const correlator_problem& problem,
                                       const correlator_options& options,
                                       context_registry& registry,
                                       bool& takes_devices)
{
    check_correlator_variant(options.variant, problem.type);
    const auto [type, antennas, typical] = problem;
    const std::size_t samples = trial_samples(problem, max_measured_operations);
    trial_calls<trial_correlation> calls([&, type = type, antennas = antennas](
                                             trial_call which) {
        return std::make_shared<const trial_correlation>(
            type,
            antennas,
            which == trial_call::brief ? trial_samples(problem, max_compared_operations)
                                       : samples);
    });
    const auto make = [&, type = type, antennas = antennas](const device_info& device,
                                                            const std::string& variant) {
        return device.is_host() ? make_host_correlator(type, antennas)
                                : make_opencl_correlator(registry.get(device),
                                                         variant,
                                                         transfer_for(device),
                                                         type,
                                                         antennas);
    };

    const bool small = options.device == "auto" && options.variant == "auto" &&
                       problem.operations() < min_operations_on_devices;
    takes_devices = false;
    std::vector<plan_candidate> candidates;
    const bool host_alone = small || options.variant == "simd";
    for (const auto& device : registry.find_devices(
             host_alone ? host_instead_of_auto(options.device) : options.device,
             options.log)) {
        if (options.variant != "auto" && device.is_host() != (options.variant == "simd"))
            continue;
        const auto variants = options.variant == "auto"
                                  ? automatic_correlator_variants(device, type)
                                  : std::vector<std::string>{ options.variant };
        for (const auto& variant : variants) {
            plan_candidate c;
            c.device = device;
            c.algorithm = "correlator";
            c.variant = variant;
            c.transfer = transfer_for(device);
            c.predicted = predicted_correlation_seconds(problem, samples, c);
            c.make = [&, device, variant] {
                return std::make_unique<
                    executor_trial<correlator_executor, trial_correlation>>(
                    make(device, variant), calls);
            };
            candidates.push_back(std::move(c));
        }
        takes_devices = takes_devices || !device.is_host();
    }
    if (candidates.empty()) {
        // There is no device at all. The host then computes instead, as in every
        // flowgraph without OpenCL.
        if (options.device != "auto")
            throw_invalid("variant",
                          "'" + options.variant + "'",
                          "one that device '" + options.device + "' can run");
        const std::string why = "variant '" + options.variant + "' needs OpenCL";
        log_to(options.log, log_level::warning, "the host computes instead: " + why);
        return host_correlator_instead(type, antennas, why);
    }
    plan_request request;
    request.problem = correlator_key(problem, options);
    request.items = static_cast<std::size_t>(operations_per_sample(antennas) *
                                             static_cast<double>(samples));
    request.unit = "GFLOP/s";
    request.unit_items = 1e9;
    request.log = options.log;
    auto selected = select_planned<correlator_executor>(request, candidates, registry);
    if (!selected.executor)
        return host_correlator_instead(type, antennas, selected.plan.reason);
    return selected;
}

correlator_selection
host_correlator_instead(sample_type type, std::size_t antennas, const std::string& why)
{
    correlator_selection selection;
    selection.executor = make_host_correlator(type, antennas);
    selection.plan = host_plan("correlator", "simd", why);
    selection.fell_back = true;
    return selection;
}

} // namespace cldsp
