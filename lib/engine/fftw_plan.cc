/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fftw_plan.h"

#include <cldsp/errors.h>

#include <fftw3.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

// FFTW's planner is one for the process, so that what guards it must be too.
struct planner {
    planner() { fftwf_make_planner_thread_safe(); }

    std::mutex mutex;
    std::map<std::pair<std::size_t, fftw_direction>, std::weak_ptr<const fftw_plan>>
        plans;
};

planner& the_planner()
{
    static planner instance;
    return instance;
}

fftwf_complex* as_fftw(std::complex<float>* values)
{
    return reinterpret_cast<fftwf_complex*>(values);
}

} // namespace

std::shared_ptr<const fftw_plan> fftw_plan::get(std::size_t size,
                                                fftw_direction direction)
{
    if (size < 1 || size > std::numeric_limits<int>::max())
        throw_invalid("size", std::to_string(size), "from 1 to INT_MAX");
    planner& all = the_planner();
    const std::lock_guard<std::mutex> lock(all.mutex);
    auto& entry = all.plans[{ size, direction }];
    auto plan = entry.lock();
    if (!plan) {
        plan.reset(new fftw_plan(size, direction));
        entry = plan;
    }
    return plan;
}

fftw_plan::fftw_plan(std::size_t size, fftw_direction direction)
{
    // Measuring overwrites its arrays.
    fftw_vector<std::complex<float>> in(size);
    fftw_vector<std::complex<float>> out(size);
    fftwf_set_timelimit(fftw_planning_seconds);
    d_plan = fftwf_plan_dft_1d(static_cast<int>(size),
                               as_fftw(in.data()),
                               as_fftw(out.data()),
                               direction == fftw_direction::forward ? FFTW_FORWARD
                                                                    : FFTW_BACKWARD,
                               FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
    if (!d_plan)
        throw std::runtime_error("FFTW has no plan for a transform of " +
                                 std::to_string(size));
}

fftw_plan::~fftw_plan() { fftwf_destroy_plan(d_plan); }

void fftw_plan::execute(const std::complex<float>* in, std::complex<float>* out) const
{
    // The plan keeps its input; FFTW's interface just does not say so.
    fftwf_execute_dft(
        d_plan, as_fftw(const_cast<std::complex<float>*>(in)), as_fftw(out));
}

bool fftw_plan::is_aligned(const std::complex<float>* values)
{
    auto* parts = const_cast<std::complex<float>*>(values);
    return fftwf_alignment_of(reinterpret_cast<float*>(parts)) == 0;
}

std::string export_fftw_wisdom()
{
    const std::lock_guard<std::mutex> lock(the_planner().mutex);
    const std::unique_ptr<char, decltype(&std::free)> text(
        fftwf_export_wisdom_to_string(), &std::free);
    if (!text)
        throw std::bad_alloc();
    return text.get();
}

bool import_fftw_wisdom(const std::string& text)
{
    const std::lock_guard<std::mutex> lock(the_planner().mutex);
    return fftwf_import_wisdom_from_string(text.c_str()) != 0;
}

} // namespace cldsp
