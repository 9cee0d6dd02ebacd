/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/freq_xlating_fir.h>

#include "filter/fir_executor.h"
#include "freq_xlating/fir_selection.h"
#include "planning/lost_device.h"
#include <cldsp/errors.h>

#include <algorithm>
#include <stdexcept>

namespace cldsp {

struct freq_xlating_fir::implementation {
    freq_xlating_fir_options options;
    fir_setup setup;
    phase64 phase;
    fir_selection chosen;

    implementation(const freq_xlating_fir_problem& p, const freq_xlating_fir_options& o)
        : options(o), setup((p.check(), p))
    {
        reset();
    }

    void reset() { phase = phase_change(setup.problem.center_freq); }

    phase64 phase_change(double hertz) const
    {
        if (setup.problem.phase == phase_reference::input)
            return {};
        return phase_correction(hertz, setup.problem.sampling_freq, setup.taps());
    }

    phase64 output_step() const { return -setup.step * setup.problem.decimation; }

    //! Runs \p action; if the device fails, the host takes over.
    template <class F>
    void guarded(F&& action)
    {
        run_or_lose_device(action, [this](const char* why) { lose_device(why); });
    }

    void lose_device(const std::string& why)
    {
        chosen = host_instead(
            setup,
            {},
            tell_lost_device(options.log, chosen.executor->device_name(), why));
    }

    void configure()
    {
        guarded([&] { chosen.executor->configure(setup); });
    }
};

freq_xlating_fir::freq_xlating_fir(const freq_xlating_fir_problem& problem,
                                   const freq_xlating_fir_options& options,
                                   context_registry& registry)
    : d_impl(std::make_unique<implementation>(problem, options))
{
    d_impl->chosen = select_fir(d_impl->setup, options, registry);
}

freq_xlating_fir::~freq_xlating_fir() = default;
freq_xlating_fir::freq_xlating_fir(freq_xlating_fir&&) noexcept = default;
freq_xlating_fir& freq_xlating_fir::operator=(freq_xlating_fir&&) noexcept = default;

process_result freq_xlating_fir::process(const void* in,
                                         std::size_t in_items,
                                         span<std::complex<float>> out)
{
    auto& s = *d_impl;
    const std::size_t history = s.setup.taps() - 1;
    const std::size_t fresh = in_items > history ? in_items - history : 0;
    const std::size_t outputs = std::min(fresh / s.setup.problem.decimation, out.size());
    if (outputs == 0)
        return {};
    const fir_call call{ in, out.data(), outputs, s.phase };
    s.guarded([&] { s.chosen.executor->run(call); });
    s.phase += s.output_step() * outputs;
    return { outputs * s.setup.problem.decimation, outputs };
}

void freq_xlating_fir::set_center_freq(double center_freq)
{
    check_center_freq(center_freq);
    auto& s = *d_impl;
    s.phase += s.phase_change(center_freq - s.setup.problem.center_freq);
    s.setup.set_center_freq(center_freq);
    s.configure();
}

void freq_xlating_fir::set_taps(const std::vector<std::complex<float>>& taps)
{
    check_taps(taps);
    d_impl->setup.set_taps(taps);
    d_impl->configure();
}

void freq_xlating_fir::take_engine(freq_xlating_fir&& fresh)
{
    take_selection(d_impl->chosen, std::move(fresh.d_impl->chosen));
    d_impl->configure();
}

void freq_xlating_fir::reset() { d_impl->reset(); }

void freq_xlating_fir::skip(std::uint64_t outputs)
{
    d_impl->phase += d_impl->output_step() * outputs;
}

void freq_xlating_fir::set_stream_memory(memory_region in, memory_region out)
{
    auto& s = *d_impl;
    s.guarded([&] { s.chosen.executor->set_stream_memory(in, out); });
}

const freq_xlating_fir_problem& freq_xlating_fir::problem() const
{
    return d_impl->setup.problem;
}
phase64 freq_xlating_fir::phase() const { return d_impl->phase; }
std::string freq_xlating_fir::device_name() const
{
    return d_impl->chosen.executor->device_name();
}
std::string freq_xlating_fir::algorithm_name() const { return d_impl->chosen.plan.algorithm; }
std::string freq_xlating_fir::variant_name() const
{
    return d_impl->chosen.executor->variant_name();
}
std::string freq_xlating_fir::transfer_name() const
{
    return d_impl->chosen.executor->transfer_name();
}
run_statistics freq_xlating_fir::statistics() const
{
    return d_impl->chosen.executor->statistics();
}
std::string freq_xlating_fir::plan() const { return d_impl->chosen.plan.text(); }
const chosen_plan& freq_xlating_fir::chosen() const { return d_impl->chosen.plan; }
bool freq_xlating_fir::fell_back() const { return d_impl->chosen.fell_back; }

} // namespace cldsp
