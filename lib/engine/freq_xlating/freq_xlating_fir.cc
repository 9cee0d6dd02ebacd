/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/freq_xlating_fir.h>

#include <cldsp/freq_xlating_filter_bank.h>

#include <utility>

namespace cldsp {

namespace {

freq_xlating_filter_bank_problem bank_of(const freq_xlating_fir_problem& one)
{
    freq_xlating_filter_bank_problem bank;
    bank.input = one.input;
    bank.decimation = one.decimation;
    bank.taps = { one.taps };
    bank.center_freqs = { one.center_freq };
    bank.sampling_freq = one.sampling_freq;
    bank.phase = one.phase;
    if (one.interpolation != 1)
        bank.rates = { { one.interpolation, one.decimation } };
    return bank;
}

freq_xlating_filter_bank_options bank_of(const freq_xlating_fir_options& one)
{
    freq_xlating_filter_bank_options bank;
    bank.device = one.device;
    bank.algorithm = one.algorithm;
    bank.accuracy = one.accuracy;
    bank.variant = one.variant;
    bank.transfer = one.transfer;
    bank.threads = 1;
    bank.typical_items = one.typical_items;
    bank.stopped = one.stopped;
    bank.log = one.log;
    return bank;
}

} // namespace

struct freq_xlating_fir::implementation {
    freq_xlating_fir_problem problem;
    freq_xlating_filter_bank bank; // a bank of one channel
};

freq_xlating_fir::freq_xlating_fir(const freq_xlating_fir_problem& problem,
                                   const freq_xlating_fir_options& options,
                                   context_registry& registry)
{
    problem.check(); // errors here name this class's parameters, not the bank's
    d_impl = std::make_unique<implementation>(implementation{
        problem,
        freq_xlating_filter_bank(bank_of(problem), bank_of(options), registry) });
}

freq_xlating_fir::~freq_xlating_fir() = default;
freq_xlating_fir::freq_xlating_fir(freq_xlating_fir&&) noexcept = default;
freq_xlating_fir& freq_xlating_fir::operator=(freq_xlating_fir&&) noexcept = default;

process_result freq_xlating_fir::process(const void* in,
                                         std::size_t in_items,
                                         span<std::complex<float>> out)
{
    std::complex<float>* const only = out.data();
    return d_impl->bank.process(in, in_items, &only, out.size());
}

void freq_xlating_fir::set_center_freq(double center_freq)
{
    d_impl->bank.set_center_freq(0, center_freq);
    d_impl->problem.center_freq = center_freq;
}

void freq_xlating_fir::set_taps(const std::vector<std::complex<float>>& taps)
{
    d_impl->bank.set_taps({ taps });
    d_impl->problem.taps = taps;
}

void freq_xlating_fir::take_engine(freq_xlating_fir&& fresh)
{
    d_impl->bank.take_engine(std::move(fresh.d_impl->bank));
}

void freq_xlating_fir::reset() { d_impl->bank.reset(); }
void freq_xlating_fir::skip(std::uint64_t outputs) { d_impl->bank.skip(outputs); }
void freq_xlating_fir::set_stream_memory(memory_region in, memory_region out)
{
    d_impl->bank.set_stream_memory(in, out);
}

const freq_xlating_fir_problem& freq_xlating_fir::problem() const
{
    return d_impl->problem;
}
phase64 freq_xlating_fir::phase() const { return d_impl->bank.phase(0); }
std::string freq_xlating_fir::device_name() const { return d_impl->bank.device_name(); }
std::string freq_xlating_fir::algorithm_name() const
{
    return d_impl->bank.algorithm_name();
}
std::string freq_xlating_fir::variant_name() const { return d_impl->bank.variant_name(); }
std::string freq_xlating_fir::transfer_name() const
{
    return d_impl->bank.transfer_name();
}
std::string freq_xlating_fir::plan() const { return d_impl->bank.plan(); }
const chosen_plan& freq_xlating_fir::chosen() const { return d_impl->bank.chosen(); }
run_statistics freq_xlating_fir::statistics() const { return d_impl->bank.statistics(); }
bool freq_xlating_fir::fell_back() const { return d_impl->bank.fell_back(); }

bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_fir_problem& problem,
                 const freq_xlating_fir_options& options,
                 context_registry& registry)
{
    problem.check();
    return is_outdated(plan, bank_of(problem), bank_of(options), registry);
}

} // namespace cldsp
