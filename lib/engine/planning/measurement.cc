// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// First looks, then rounds of short slices from which slow candidates drop out.

#include "planning/measurement.h"

#include "base/engine_threads.h"
#include "planning/interruptions.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace cldsp {

namespace {

// A candidate that is predicted, or first measured, to be this many times slower than the
// best one is not measured further.
constexpr double hopeless_factor = 8;

// A first look: a few calls, or as many as fit into look_seconds.
constexpr int look_calls = 3;
constexpr int max_look_calls = 10;
constexpr double look_seconds = 1e-3;
// Fractions of the time for measuring: for all first looks together, and for a single
// first look.
constexpr double looks_share = 0.5;
constexpr double look_share = 0.08;

// A first call that takes this many times as long as predicted may have been a cold one.
constexpr double cold_factor = 2;

// The rounds: in each round, every remaining candidate runs for a slice of time. In
// certain rounds, candidates that are slower than the best by a factor drop out.
constexpr double slice_seconds = 1e-3;
constexpr int max_slice_calls = 64;
constexpr std::size_t max_in_rounds = 8;
constexpr double first_cut = 2;
constexpr std::pair<int, double> cuts[] = { { 3, 1.5 }, { 6, 1.25 }, { 12, 1.1 } };
constexpr int min_rounds = 3;
constexpr int max_rounds = 24;

//! A candidate that takes part in the measurement.
struct contestant {
    std::size_t index;
    std::unique_ptr<plan_trial> trial{}; //!< null: dropped out
    double seconds = std::numeric_limits<double>::infinity();
    std::vector<double> slices{}; //!< mean seconds of a call

    //! Adds a slice. The result of the first look is then no longer used. Interruptions
    //! only make a call longer, so the lower quartile of the slices counts.
    void add(double slice)
    {
        slices.push_back(slice);
        auto sorted = slices;
        const auto quarter = sorted.begin() + (sorted.size() - 1) / 4;
        std::nth_element(sorted.begin(), quarter, sorted.end());
        seconds = *quarter;
    }
};

class contest
{
public:
    contest(const plan_request& request,
            const std::vector<plan_candidate>& candidates,
            std::set<std::size_t>& excluded,
            const std::function<void(std::size_t, std::exception_ptr)>& failed,
            const std::function<void(std::size_t, plan_trial&)>& verify)
        : d_request(request),
          d_candidates(candidates),
          d_excluded(excluded),
          d_failed(failed),
          d_verify(verify),
          d_now(request.now ? request.now : planning_clock),
          d_start(d_now()),
          d_seconds(request.seconds)
    {
    }

    void run()
    {
        if (!look_at_all() || !run_rounds())
            at_normal_priority([this] { go_on_by_turns(); });
    }

    std::vector<plan_measurement> result()
    {
        std::vector<plan_measurement> measured;
        for (auto& one : d_all)
            if (one.seconds < std::numeric_limits<double>::infinity())
                measured.push_back({ one.index, one.seconds, std::move(one.trial) });
        std::stable_sort(
            measured.begin(), measured.end(), [&](const auto& a, const auto& b) {
                return handicapped(d_candidates[a.index], a.seconds) <
                       handicapped(d_candidates[b.index], b.seconds);
            });
        return measured;
    }

private:
    /*!
     * Goes on in a normal thread, which leaves several times the time of each step to
     * others. Nothing that was measured so far is lost. The time begins anew, because
     * most of it was spent waiting.
     */
    void go_on_by_turns()
    {
        d_takes_turns = true;
        d_start = d_now();
        d_making = 0;
        look_at_all();
        run_rounds();
    }

    /*!
     * To be called before each step.
     *
     * \return false if this thread is idle, and other threads leave it almost nothing of
     *         the processor
     */
    bool may_go_on()
    {
        throw_if_stopped(d_request);
        return !d_starvation.is_there();
    }

    //! To be called after each step, which took \p seconds.
    void give_turn(double seconds)
    {
        constexpr double turns_of_others = 4, max_pause = 0.5;
        if (!d_takes_turns)
            return;
        const double start = d_now();
        std::this_thread::sleep_for(std::chrono::duration<double>(
            std::min(max_pause, turns_of_others * seconds)));
        d_start += d_now() - start;
    }

    //! \return false if the thread has to stop before the last look
    bool look_at_all()
    {
        // If a candidate fails, another one may become the best of its kind.
        for (auto failures = d_excluded.size() + 1; failures != d_excluded.size();) {
            failures = d_excluded.size();
            for (const auto index : measurement_order(d_candidates, d_excluded)) {
                // Each device that has a candidate here gets one look in any case: the
                // answer is remembered, so that a device that was slow to open would be
                // left out for good.
                const auto device = d_candidates[index].device.id();
                if (d_seen.count(index) > 0)
                    continue;
                if (!may_go_on())
                    return false;
                if (best() && d_devices.count(device) &&
                    (elapsed() > looks_share * d_seconds ||
                     d_making > making_share * d_seconds))
                    continue;
                d_seen.insert(index);
                const double start = d_now();
                if (look_at(index))
                    d_devices.insert(device);
                give_turn(d_now() - start);
            }
        }
        if (d_round == 0) {
            drop_slower(first_cut);
            drop_all_but(max_in_rounds);
            d_round = 1;
        }
        return true;
    }

    //! \return false if the thread has to stop before the last round
    bool run_rounds()
    {
        for (; d_round <= max_rounds; d_round++) {
            for (auto& one : d_all) {
                if (!one.trial)
                    continue;
                if (!may_go_on())
                    return false;
                if (elapsed() > d_seconds)
                    return true;
                const double start = d_now();
                guarded(one, [&] { one.add(slice(one)); });
                give_turn(d_now() - start);
            }
            for (const auto& [after, factor] : cuts)
                if (d_round == after)
                    drop_slower(factor);
            if (d_round >= min_rounds && left() < 2)
                return true;
        }
        return true;
    }

    double elapsed() const { return d_now() - d_start - d_making; }

    double compared(const contestant& one) const
    {
        return handicapped(d_candidates[one.index], one.seconds);
    }

    const contestant* best() const
    {
        const contestant* found = nullptr;
        for (const auto& one : d_all)
            if (!found || compared(one) < compared(*found))
                found = &one;
        return found;
    }

    std::ptrdiff_t left() const
    {
        return std::count_if(d_all.begin(), d_all.end(), [](const auto& one) {
            return one.trial != nullptr;
        });
    }

    //! \return whether the candidate did not fail
    bool look_at(std::size_t index)
    {
        contestant one{ index };
        if (!guarded(one, [&] {
                make(one);
                look(one);
            }))
            return false;
        // A candidate that has dropped out already need not keep its memory.
        if (best() && compared(one) > first_cut * compared(*best()))
            one.trial.reset();
        d_all.push_back(std::move(one));
        return true;
    }

    void make(contestant& one)
    {
        const double start = d_now();
        const auto count = [&] { d_making += d_now() - start; };
        try {
            one.trial = d_candidates[one.index].make();
            one.trial->prepare(trial_call::typical);
            if (!d_candidates[one.index].device.is_host())
                d_verify(one.index, *one.trial);
        } catch (...) {
            count();
            throw;
        }
        count();
    }

    /*!
     * Runs a few calls. The first call warms up, and counts only if it is the only one.
     * On the host it wakes the threads and touches new memory for the first time, which
     * may take a hundred times as long as the rest of a short call; many drivers compile
     * during it. So a second call follows at once. Only a host's call that is slow as
     * predicted, or that would use up the time for all looks, is not repeated. The first
     * of two calls counts as making: on a device what it takes longer, and on the host
     * all of it, so that a repeated call takes no other candidate's time.
     */
    void look(contestant& one)
    {
        const auto& candidate = d_candidates[one.index];
        double start = d_now();
        one.seconds = one.trial->run();
        const double first = one.seconds;
        const bool is_cold = first <= look_share * d_seconds ||
                             (first > cold_factor * candidate.predicted &&
                              first <= looks_share * d_seconds);
        if (is_cold || !candidate.device.is_host()) {
            start = d_now();
            one.seconds = one.trial->run();
            d_making +=
                candidate.device.is_host() ? first : std::max(0.0, first - one.seconds);
        }
        if (best() && compared(one) > hopeless_factor * compared(*best()) &&
            one.seconds > look_seconds)
            return;
        double fastest = std::numeric_limits<double>::infinity();
        for (int calls = 1; calls < max_look_calls; calls++) {
            const double spent = d_now() - start;
            if (spent > look_share * d_seconds ||
                (calls >= look_calls && spent > look_seconds))
                break;
            fastest = std::min(fastest, one.trial->run());
            one.seconds = fastest;
        }
    }

    //! The mean time of the calls that fit into a slice. Beside a stream, an idle thread
    //! is interrupted all the time, and then repeats the slice; so is one that takes
    //! turns.
    double slice(contestant& one) const
    {
        constexpr int max_repeated = 8;
        double fastest = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= max_repeated; i++) {
            const interruptions seen;
            const double mean = slice_once(one);
            if (!(d_takes_turns || is_idle_thread()) || !seen.any())
                return mean;
            fastest = std::min(fastest, mean);
        }
        return fastest;
    }

    double slice_once(contestant& one) const
    {
        double sum = 0;
        int calls = 0;
        const double start = d_now();
        do {
            sum += one.trial->run();
            calls++;
        } while (calls < max_slice_calls && d_now() - start < slice_seconds);
        return sum / calls;
    }

    //! Runs \p action. If it throws, the candidate drops out for good.
    //! \return whether it did not throw
    template <class Action>
    bool guarded(contestant& one, const Action& action)
    {
        try {
            action();
            return true;
        } catch (const std::exception&) {
            d_excluded.insert(one.index);
            d_failed(one.index, std::current_exception());
            one.trial.reset();
            one.seconds = std::numeric_limits<double>::infinity();
            return false;
        }
    }

    void drop_slower(double factor)
    {
        const auto* fastest = best();
        if (!fastest)
            return;
        const double limit = factor * compared(*fastest);
        for (auto& one : d_all)
            if (compared(one) > limit)
                one.trial.reset();
    }

    void drop_all_but(std::size_t most)
    {
        std::vector<double> times;
        for (const auto& one : d_all)
            if (one.trial)
                times.push_back(compared(one));
        if (times.size() <= most)
            return;
        std::nth_element(times.begin(), times.begin() + (most - 1), times.end());
        for (auto& one : d_all)
            if (compared(one) > times[most - 1])
                one.trial.reset();
    }

    const plan_request& d_request;
    const std::vector<plan_candidate>& d_candidates;
    std::set<std::size_t>& d_excluded;
    const std::function<void(std::size_t, std::exception_ptr)>& d_failed;
    const std::function<void(std::size_t, plan_trial&)>& d_verify;
    std::function<double()> d_now;
    double d_start, d_seconds;
    double d_making = 0; //!< seconds
    int d_round = 0;     // 0: there were not all looks
    bool d_takes_turns = false;
    starvation d_starvation;
    std::set<std::size_t> d_seen;    // candidates that were looked at
    std::set<std::string> d_devices; // with a candidate that was looked at
    std::vector<contestant> d_all;
};

// The factor by which a device has to be faster: small differences are noise, and the
// host needs no driver.
constexpr double device_must_win_by = 1.05;

// Candidates whose predictions are within this factor of the best are measured.
constexpr double close_factor = 2.5;
// The best candidate of each kind of device and algorithm is measured up to
// hopeless_factor, because the model does not know single devices well.

} // namespace

void throw_if_stopped(const plan_request& request)
{
    if (request.stopped && request.stopped())
        throw planning_stopped();
}

std::vector<plan_measurement>
measure_candidates(const plan_request& request,
                   const std::vector<plan_candidate>& candidates,
                   std::set<std::size_t>& excluded,
                   const std::function<void(std::size_t, std::exception_ptr)>& failed,
                   const std::function<void(std::size_t, plan_trial&)>& verify)
{
    contest all(request, candidates, excluded, failed, verify);
    all.run();
    return all.result();
}

double handicapped(const plan_candidate& candidate, double seconds)
{
    return candidate.device.is_host() ? seconds : seconds * device_must_win_by;
}

std::vector<std::size_t> measurement_order(const std::vector<plan_candidate>& candidates,
                                           const std::set<std::size_t>& excluded)
{
    std::vector<std::size_t> sorted;
    for (std::size_t i = 0; i < candidates.size(); i++)
        if (!excluded.count(i))
            sorted.push_back(i);
    const auto predicted = [&](std::size_t i) {
        return handicapped(candidates[i], candidates[i].predicted);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
        return predicted(a) < predicted(b);
    });

    std::vector<std::size_t> order;
    std::set<std::pair<device_kind, std::string>> kinds;
    for (const auto i : sorted) {
        const double ratio = predicted(i) / predicted(sorted[0]);
        const bool first =
            kinds.emplace(candidates[i].device.kind, candidates[i].algorithm).second;
        if (ratio <= (first ? hopeless_factor : close_factor))
            order.push_back(i);
    }
    // The best of each variant comes before other block sizes of the same variant: making
    // candidates may use up the time before all of them were looked at.
    std::set<std::tuple<std::string, std::string, std::string>> variants;
    std::vector<std::size_t> others;
    std::vector<std::size_t> best_first;
    for (const auto i : order) {
        const auto& one = candidates[i];
        const bool is_best =
            variants.emplace(one.device.id(), one.algorithm, one.variant).second;
        (is_best ? best_first : others).push_back(i);
    }
    best_first.insert(best_first.end(), others.begin(), others.end());
    order = std::move(best_first);
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
        return candidates[i].device.is_host();
    });
    return order;
}

} // namespace cldsp
