// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Searches for the fastest parameters of a kernel, and checks that it stays right.

#pragma once

#include <cldsp/logger.h>
#include <cldsp/tuning_space.h>
#include <cldsp/work_group.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! The problem that a tuned kernel computes. Problems of the same type differ only in
//! numbers, so that values tuned for one problem can be used for another near it.
struct tuning_problem {
    std::string type;                      //!< e.g. "fc32 real taps"
    std::map<std::string, double> numbers; //!< 0 or more, e.g. taps, decimation, items

    //! One line, e.g. "fc32 real taps decimation=8 taps=1024".
    std::string text() const;
};

//! A kernel built with the values of one point, ready to run.
class tuning_trial
{
public:
    virtual ~tuning_trial() = default;
    //! Computes the problem once.
    //! \return the largest error against the reference, in the unit of
    //! tunable::tolerance()
    virtual double check() = 0;
    //! Computes the problem once more.
    //! \return the time in seconds
    virtual double run() = 0;
};

//! The parameters of a kernel that are work-group sizes.
struct tuned_work_group {
    work_group_problem problem;
    std::vector<std::string> parameters; //!< one name per dimension of the problem
};

//! A kernel family with one problem, as a tuner sees it.
class tunable
{
public:
    virtual ~tunable() = default;
    virtual std::string family() const = 0; //!< e.g. "fir_cpu_tile"
    virtual tuning_problem problem() const = 0;
    virtual const tuning_space& space() const = 0;
    //! The point that is used without tuning; it lies in the space.
    virtual tuning_point default_point() const = 0;
    //! The largest error that counts as correct.
    virtual double tolerance() const = 0;
    //! The parameters that the strategies for work-group sizes choose; empty: there are
    //! none.
    virtual std::optional<tuned_work_group> work_groups() const { return std::nullopt; }
    //! Builds the kernel with the values of a point. The point is skipped if this
    //! function or the trial throws a std::exception.
    virtual std::unique_ptr<tuning_trial> prepare(const tuning_point& point) = 0;
};

/*!
 * The names of the search strategies:
 *
 * - `full`: every point
 * - `random`: every point, in a random order
 * - `annealing`: steps from a good point to others near it, early on also to slower ones
 * - `swarm`: particles that drift towards their own best point and the best of all
 * - `powers`, `candidates`: the work-group sizes of powers_work_groups() and of
 *   candidates_work_groups(), with the default values of the other parameters
 * - `mnn_default`, `mace_default`: the one work-group size that mnn_default_work_group()
 *   or mace_default_work_group() gives
 */
std::vector<std::string> tuning_strategies();

//! One measured point.
struct tuned_point {
    tuning_point point;
    double seconds = std::numeric_limits<double>::infinity(); //!< time of one run
    double error = std::numeric_limits<double>::infinity();   //!< see tolerance()
    //! The reason why the point was skipped; empty: it is correct, and its time counts.
    std::string failure;

    bool good() const { return failure.empty(); }
};

//! The progress of a tuner.
struct tuning_progress {
    std::size_t done = 0;                 //!< points measured so far
    std::size_t of = 0;                   //!< points at most, if the time is sufficient
    double seconds = 0;                   //!< time since the start
    const tuned_point* current = nullptr; //!< the point measured last
    const tuned_point* best = nullptr;    //!< the fastest so far; null: none was correct
};

//! The search strategy and its limits.
struct tuning_options {
    std::string strategy = "annealing"; //!< see tuning_strategies()
    /*!
     * Time limit of the whole tuning, above 0. A preparation or a run that has begun is
     * not interrupted. In the last part of the time the fastest points are measured
     * again.
     */
    double seconds = 60;
    std::size_t evaluations = 500; //!< points measured at most, 1 or more
    std::uint32_t seed = 1;        //!< seed of all random choices
    //! The number of runs of a point, 1 or more. The time of the point is the lower
    //! quartile of these runs, because a disturbance can only make a run longer.
    std::size_t runs = 5;
    std::size_t leaders = 4; //!< points measured again at the end, 1 or more
    //! Called by the tuning thread between any two runs. If it returns true, the tuning
    //! stops. It may read a std::atomic<bool> that another thread sets.
    std::function<bool()> stopped;
    std::function<void(const tuning_progress&)> progress; //!< called after each point
    logger log;
    //! A clock in seconds, which may start at any value; empty: the system's steady
    //! clock.
    std::function<double()> now;
};

//! The reason why a tuning ended.
enum class tuning_ending { finished, evaluations, time, stopped };
//! The reason as a text, e.g. "every point of the strategy was measured".
std::string tuning_ending_text(tuning_ending ending);

//! The result of a tuning.
struct tuning_result {
    std::string strategy;
    std::vector<tuned_point> points; //!< as they were measured, the default first
    //! The index in `points` of the point to use; empty: no point was correct. It is the
    //! default unless another point was faster when both were measured in turns.
    std::optional<std::size_t> best;
    double seconds = 0;         //!< time of the best point
    double default_seconds = 0; //!< time of the default point; infinity: it failed
    //! Whether the best and the default point were measured in turns at the end. If not,
    //! because the tuning was stopped, another point than the default is the best only if
    //! it was clearly faster.
    bool confirmed = false;
    double elapsed = 0; //!< seconds of the whole tuning
    tuning_ending ending = tuning_ending::finished;
    std::size_t failed = 0; //!< number of points that were skipped

    //! The default point's time divided by the best one's; 1 if one of them is missing.
    double speedup() const;
    //! One line for a person.
    std::string text() const;
};

/*!
 * Measures points of the space of a kernel, the default point first, and finds the
 * fastest. A point counts only if its error is within the tolerance. The search measures
 * no point twice.
 *
 * \throws std::invalid_argument for an unknown strategy (the message lists the known
 *         ones), a strategy for which the kernel has no parameters, other options out of
 *         range, or a default point outside of the space
 */
tuning_result tune(tunable& kernel, const tuning_options& options);

} // namespace cldsp
