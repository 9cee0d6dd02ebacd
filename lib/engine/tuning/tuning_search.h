/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/tuner.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

//! A strategy at work: it names points by number and is told their times.
class tuning_search
{
public:
    virtual ~tuning_search() = default;
    /*!
     * The next point to measure; empty: there is none. It may be one whose time was told
     * before, but not for ever.
     *
     * \param progress from 0 to 1: the part of the time and count that is over
     */
    virtual std::optional<std::size_t> next(double progress) = 0;
    //! The time of a point; infinity where it failed or was wrong.
    virtual void tell(std::size_t index, double seconds) = 0;
    //! How many different points it can name, the start among them.
    virtual std::size_t points() const = 0;
};

//! What every strategy is made from.
struct tuning_search_args {
    tuning_space space;
    std::size_t start; //!< the default, whose time is told before the first next()
    std::uint32_t seed;
    std::size_t evaluations;
    std::optional<tuned_work_group> groups;
};

//! \throws std::invalid_argument for an unknown name, or one that needs work-group sizes
std::unique_ptr<tuning_search> make_tuning_search(const std::string& strategy,
                                                  const tuning_search_args& args);

std::unique_ptr<tuning_search> make_annealing_search(const tuning_search_args& args);
std::unique_ptr<tuning_search> make_swarm_search(const tuning_search_args& args);

/*!
 * Random numbers that are the same with every compiler, unlike the standard library's
 * distributions.
 */
class tuning_random
{
public:
    explicit tuning_random(std::uint32_t seed) : d_engine(seed) {}
    //! 0 to \p count - 1
    std::size_t below(std::size_t count)
    {
        return static_cast<std::size_t>(unit() * static_cast<double>(count));
    }
    //! 0 to 1, 1 excluded
    double unit() { return d_engine() / 4294967296.0; }

private:
    std::mt19937 d_engine;
};

//! The points whose times are known, and those that are not, in a random order.
class tuning_memory
{
public:
    tuning_memory(std::size_t points, std::uint32_t seed);

    void tell(std::size_t index, double seconds);
    bool known(std::size_t index) const { return !std::isnan(d_seconds[index]); }
    double seconds(std::size_t index) const { return d_seconds[index]; }
    std::size_t count() const { return d_count; }
    std::size_t best() const { return d_best; } //!< of those known; one at least is
    std::optional<std::size_t> any_unknown();

private:
    std::vector<double> d_seconds; // not a number: unknown
    std::vector<std::uint32_t> d_shuffled;
    std::size_t d_cursor = 0, d_count = 0, d_best = 0;
};

//! What annealing and swarm share: changes of a point's places.
class tuning_moves
{
public:
    tuning_moves(const tuning_space& space, tuning_random& random)
        : d_space(space), d_random(random)
    {
    }
    //! Changes one parameter that has a choice: often to a value next to its own.
    void change_one(tuning_space::places& where);

private:
    const tuning_space& d_space;
    tuning_random& d_random;
};

} // namespace cldsp
