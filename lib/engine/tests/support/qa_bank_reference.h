// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One channel of a bank in double precision, with all that can happen to it.

#pragma once

#include "filter/frequency_schedule.h"
#include <cldsp/interpolated_taps.h>

#include <cldsp/filter_problem.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cldsp {

/*!
 * One channel of a bank in double precision, with all that can happen to it: retunes, new
 * taps, and frequencies that are functions of time. It keeps the items of the stream
 * itself; before the stream there are zeros.
 */
class bank_reference
{
public:
    explicit bank_reference(const freq_xlating_fir_problem& problem)
        : d_problem(problem), d_rate{ problem.interpolation, problem.decimation }
    {
        d_phase = phase_change(problem.center_freq);
    }

    //! Takes \p items further items, and returns the outputs that they complete.
    std::vector<std::complex<double>> process(const void* in, std::size_t items)
    {
        for (std::size_t i = 0; i < items; i++)
            d_items.push_back(sample_at(in, d_problem.input, i));
        std::vector<std::complex<double>> out;
        for (; d_rate.items(d_next + 1) <= d_items.size(); d_next++)
            out.push_back(next_output());
        return out;
    }

    void set_center_freq(double center_freq)
    {
        end_schedule();
        d_rotated.clear();
        d_phase += phase_change(center_freq - d_problem.center_freq);
        d_problem.center_freq = center_freq;
    }
    void set_taps(const std::vector<std::complex<float>>& taps)
    {
        d_problem.taps = taps;
        d_rotated.clear();
    }
    void schedule(const std::vector<frequency_point>& points)
    {
        d_rotated.clear();
        if (!d_schedule)
            d_schedule.emplace(
                d_problem.sampling_freq, d_problem.center_freq, newest(), -d_phase);
        d_schedule->set_points(points, newest());
    }

private:
    std::int64_t newest() const
    {
        return static_cast<std::int64_t>(d_rate.newest_item(d_next));
    }
    phase64 phase_change(double hertz) const
    {
        if (d_problem.phase == phase_reference::input)
            return {};
        const auto taps =
            static_cast<double>(d_problem.taps.size() + d_rate.further_taps());
        return phase64::from_turns(-hertz / d_problem.sampling_freq * ((taps - 1) / 2));
    }
    void end_schedule()
    {
        if (!d_schedule)
            return;
        d_phase = -d_schedule->phase_at(newest());
        d_problem.center_freq = d_schedule->frequency_at(newest());
        d_schedule.reset();
    }
    //! The taps of an output, which are those of every interpolation-th one, rotated by
    //! the steps of the phase unless there is a schedule. They are computed once, because
    //! the reference would otherwise take most of a test's time.
    const std::vector<std::complex<double>>& rotated_taps(std::size_t branch)
    {
        d_rotated.resize(d_problem.interpolation);
        auto& rotated = d_rotated[branch];
        if (rotated.empty()) {
            for (const auto& tap : interpolated_taps(d_problem.taps, d_rate, branch))
                rotated.push_back(
                    std::complex<double>(tap) *
                    (d_schedule ? 1.0 : (d_problem.step() * rotated.size()).phasor()));
        }
        return rotated;
    }
    std::complex<double> next_output()
    {
        const auto& taps = rotated_taps(d_next % d_problem.interpolation);
        const std::int64_t item = newest();
        const phase64 step = d_problem.step();
        std::complex<double> sum = 0;
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(taps.size()) && k <= item;
             k++) {
            auto product = taps[static_cast<std::size_t>(k)] *
                           d_items[static_cast<std::size_t>(item - k)];
            if (d_schedule)
                product *= (-d_schedule->phase_at(item - k)).phasor();
            sum += product;
        }
        if (!d_schedule)
            sum *= d_phase.phasor();
        d_phase += -step * (d_rate.newest_item(d_next + 1) - d_rate.newest_item(d_next));
        return sum;
    }

    freq_xlating_fir_problem d_problem;
    rate_ratio d_rate;
    std::vector<std::complex<double>> d_items; // since the stream began
    std::uint64_t d_next = 0;                  // index of the next output
    phase64 d_phase;                           // at its newest item, without a schedule
    std::optional<frequency_schedule> d_schedule;
    std::vector<std::vector<std::complex<double>>> d_rotated; // see rotated_taps()
};

} // namespace cldsp
