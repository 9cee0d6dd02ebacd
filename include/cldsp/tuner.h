/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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

//! The problem that a tuned kernel computes. Two problems of one type differ only in
//! numbers, so that an answer for one can be used for another near it.
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
    //! Computes the problem once. \return the largest error against the reference, in the
    //! unit of tunable::tolerance()
    virtual double check() = 0;
    //! Computes it once more. \return the seconds it took
    virtual double run() = 0;
};

//! The parameters of a kernel that are work-group sizes.
struct tuned_work_group {
    work_group_problem problem;
    std::vector<std::string> parameters; //!< one per dimension of the problem
};

//! A kernel family with one problem, as a tuner sees it.
class tunable
{
public:
    virtual ~tunable() = default;
    virtual std::string family() const = 0; //!< of kernels, e.g. "fir_cpu_tile"
    virtual tuning_problem problem() const = 0;
    virtual const tuning_space& space() const = 0;
    //! The point that runs without tuning; it lies in the space.
    virtual tuning_point default_point() const = 0;
    //! The largest error that counts as correct.
    virtual double tolerance() const = 0;
    //! Empty: the work-group strategies have no parameters to choose.
    virtual std::optional<tuned_work_group> work_groups() const { return std::nullopt; }
    //! If it, or the trial, throws a std::exception, the point is skipped.
    virtual std::unique_ptr<tuning_trial> prepare(const tuning_point& point) = 0;
};

/*!
 * The names of the search strategies:
 *
 * - `full`: every point
 * - `random`: every point, in a random order
 * - `annealing`: steps from a good point to others near it, early on also to slower ones
 * - `swarm`: particles that drift towards their own best point and the best of all
 * - `powers`, `candidates`: the lists of work-group sizes of powers_work_groups() and
 *   candidates_work_groups(), the other parameters as they are by default
 * - `mnn_default`, `mace_default`: the one work-group size of those rules
 */
std::vector<std::string> tuning_strategies();

//! One measured point.
struct tuned_point {
    tuning_point point;
    double seconds = std::numeric_limits<double>::infinity(); //!< of one run
    double error = std::numeric_limits<double>::infinity();   //!< see tolerance()
    //! why the point is skipped; empty if it is correct, so that its time counts
    std::string failure;

    bool good() const { return failure.empty(); }
};

//! The progress of a tuner.
struct tuning_progress {
    std::size_t done = 0;                 //!< points measured
    std::size_t of = 0;                   //!< points at most; the time may be over before
    double seconds = 0;                   //!< since the start
    const tuned_point* current = nullptr; //!< the one just measured
    const tuned_point* best = nullptr;    //!< so far; null: none was correct
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
    std::uint32_t seed = 1;        //!< of everything random
    //! Runs of a point, 1 or more; its time is their lower quartile, because a
    //! disturbance only makes a run longer.
    std::size_t runs = 5;
    std::size_t leaders = 4; //!< points measured again at the end, 1 or more
    //! Called between any two runs, by the tuning thread; true: stop now. It may read a
    //! std::atomic<bool> that another thread sets.
    std::function<bool()> stopped;
    std::function<void(const tuning_progress&)> progress; //!< after each point
    logger log;
    //! Seconds since any start; empty: the system's steady clock.
    std::function<double()> now;
};

//! Why a tuning ended.
enum class tuning_ending { finished, evaluations, time, stopped };
//! E.g. "every point of the strategy was measured".
std::string tuning_ending_text(tuning_ending ending);

//! What a tuning found.
struct tuning_result {
    std::string strategy;
    std::vector<tuned_point> points; //!< in the order measured; the default is the first
    //! Values of the point to use; empty: no point was correct. They are the default's
    //! unless another point was faster when both were measured in turns.
    std::optional<std::size_t> best;
    double seconds = 0;         //!< of the best
    double default_seconds = 0; //!< measured in the same way; infinity: it failed
    //! Whether the best and the default were measured in turns at the end. Otherwise,
    //! after a stop, another point is the best only if it is clearly faster.
    bool confirmed = false;
    double elapsed = 0; //!< seconds
    tuning_ending ending = tuning_ending::finished;
    std::size_t failed = 0; //!< points skipped

    //! Default time divided by the best time; 1 if there is nothing to compare.
    double speedup() const;
    //! One line for a person.
    std::string text() const;
};

/*!
 * Measures points of a kernel's space, the default first, and finds the fastest. A point
 * counts only if its error is within the tolerance; none is measured twice in the search.
 *
 * \throws std::invalid_argument for an unknown strategy (the text lists them), one that
 *         the kernel has no parameters for, other options out of range, and a default
 *         point outside of the space
 */
tuning_result tune(tunable& kernel, const tuning_options& options);

} // namespace cldsp
