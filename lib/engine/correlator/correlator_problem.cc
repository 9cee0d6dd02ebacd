// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The table of a correlator's variants, and the calls by which they are measured.

#include "correlator/correlator_problem.h"

#include "base/text_stream.h"

#include <algorithm>

namespace cldsp {

namespace {

// The most operations of a measured call, and of the brief call in which a device's sums
// are compared. With many antennas even the shortest trial takes more.
constexpr double max_measured_operations = 5e8, max_compared_operations = 2e7;
constexpr std::size_t min_trial_samples = 16;

std::size_t trial_samples(const correlator_problem& problem, double operations)
{
    const double samples = std::min(operations / operations_per_sample(problem.antennas),
                                    static_cast<double>(problem.samples));
    return std::max(static_cast<std::size_t>(samples),
                    std::min(min_trial_samples, problem.samples));
}

} // namespace

const variant_table<correlator_problem>& correlator_problem::variants()
{
    static const auto& all = *new variant_table<correlator_problem>{
        &correlator_simd_variant(),      &correlator_cpu_tile_variant(),
        &correlator_gpu_tile_variant(),  &correlator_tensor_variant(),
        &correlator_warpgroup_variant(),
    };
    return all;
}

trial_correlation::trial_correlation(sample_type type,
                                     std::size_t antennas,
                                     std::size_t samples)
    : d_type(type),
      d_antennas(antennas),
      d_samples(samples),
      d_in(trial_input(type, antennas * samples)),
      d_sums(visibilities_of(antennas))
{
    for (std::size_t a = 0; a < antennas; a++)
        d_first.push_back(d_in.as<unsigned char>() + a * samples * sample_size(type));
}

void trial_correlation::spoil() const { std::fill(d_sums.begin(), d_sums.end(), 0.0); }

output_error trial_correlation::error(const correlator_executor&) const
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

void trial_correlation::add(correlator_executor& executor,
                            std::vector<std::complex<double>>& sums) const
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
            antenna =
                static_cast<const unsigned char*>(antenna) + length * sample_size(d_type);
    }
}

std::string correlator_problem::what_variants_take() const
{
    return std::string(" for samples of ") + sample_type_name(type);
}

bool correlator_problem::is_small() const
{
    return operations_per_sample(antennas) * static_cast<double>(samples) <
           min_device_operations;
}

operation_work correlator_problem::work() const
{
    const std::size_t measured = trial_samples(*this, max_measured_operations);
    const double in = static_cast<double>(antennas * measured * sample_size(type));
    const double out = static_cast<double>(visibilities_of(antennas)) * 2 * sizeof(float);
    return { operations_per_sample(antennas) * static_cast<double>(measured),
             in + out,
             2 };
}

std::string correlator_problem::key() const
{
    text_stream key;
    key << "correlator " << sample_type_name(type) << " antennas=" << antennas
        << " samples=" << samples;
    return key.str();
}

std::shared_ptr<const trial_correlation>
correlator_problem::make_trial(trial_call which) const
{
    return std::make_shared<const trial_correlation>(
        type,
        antennas,
        trial_samples(*this,
                      which == trial_call::brief ? max_compared_operations
                                                 : max_measured_operations));
}

std::string correlator_problem::rate_name() const
{
    return std::string("correlator ") + sample_type_name(type);
}

} // namespace cldsp
