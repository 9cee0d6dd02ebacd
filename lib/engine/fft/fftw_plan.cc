/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fft/fftw_plan.h"

#include "fft/fftw_wisdom.h"

#include <cldsp/errors.h>
#include <cldsp/fftw_planner.h>

#include <fftw3.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

// What belongs to the process, as FFTW's planner does. Filters may outlive other static
// objects, so that it is never destroyed.
struct planner {
    std::mutex own_mutex;
    const fftw_planner_lock own{ &own_mutex,
                                 [](void* m) { static_cast<std::mutex*>(m)->lock(); },
                                 [](void* m) noexcept {
                                     static_cast<std::mutex*>(m)->unlock();
                                 } };
    fftw_planner_lock shared{}; // written once, before the pointer to it
    std::atomic<const fftw_planner_lock*> lock{ &own };
    std::mutex sharing;
    // Under the lock.
    std::map<std::pair<std::size_t, fftw_direction>, std::weak_ptr<const fftw_plan>>
        plans;
};

planner& the_planner()
{
    static planner& instance = *new planner;
    return instance;
}

//! Holds the planner's lock.
class planner_hold
{
public:
    planner_hold()
    {
        // The lock may be replaced while this thread waits for the old one.
        const auto& current = the_planner().lock;
        for (;;) {
            d_lock = current;
            d_lock->lock(d_lock->lockable);
            if (d_lock == current)
                return;
            d_lock->unlock(d_lock->lockable);
        }
    }
    ~planner_hold() { d_lock->unlock(d_lock->lockable); }
    planner_hold(const planner_hold&) = delete;
    planner_hold& operator=(const planner_hold&) = delete;

private:
    const fftw_planner_lock* d_lock;
};

fftwf_complex* as_fftw(std::complex<float>* values)
{
    return reinterpret_cast<fftwf_complex*>(values);
}

} // namespace

void share_fftw_planner_lock(const fftw_planner_lock& lock)
{
    planner& all = the_planner();
    const std::lock_guard<std::mutex> one_at_a_time(all.sharing);
    if (all.lock != &all.own) {
        if (all.shared.lockable != lock.lockable)
            throw_invalid("FFTW planner's lock", "a second one", "one per process");
        return;
    }
    const planner_hold hold; // nobody works under the old lock when the new one counts
    all.shared = lock;
    all.lock = &all.shared;
}

std::shared_ptr<const fftw_plan> fftw_plan::get(std::size_t size,
                                                fftw_direction direction)
{
    if (size < 1 || size > std::numeric_limits<int>::max())
        throw_invalid("size", std::to_string(size), "from 1 to INT_MAX");
    // The end of a plan takes the lock, so that this one may only end after the hold.
    const std::shared_ptr<fftw_plan> fresh(new fftw_plan);
    const planner_hold hold;
    auto& entry = the_planner().plans[{ size, direction }];
    if (auto plan = entry.lock())
        return plan;
    fresh->measure(size, direction);
    entry = fresh;
    return fresh;
}

void fftw_plan::measure(std::size_t size, fftw_direction direction)
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

fftw_plan::~fftw_plan()
{
    if (!d_plan)
        return;
    try {
        const planner_hold hold;
        fftwf_destroy_plan(d_plan);
    } catch (...) {
        // Without the lock the plan may not be touched, so that it stays in memory.
    }
}

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
    const planner_hold hold;
    const std::unique_ptr<char, decltype(&std::free)> text(
        fftwf_export_wisdom_to_string(), &std::free);
    if (!text)
        throw std::bad_alloc();
    return text.get();
}

bool import_fftw_wisdom(const std::string& text)
{
    if (!is_fftw_wisdom(text))
        return false;
    const planner_hold hold;
    return fftwf_import_wisdom_from_string(text.c_str()) != 0;
}

} // namespace cldsp
