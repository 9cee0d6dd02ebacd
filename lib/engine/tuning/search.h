/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/tuner.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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

//! The arguments of every strategy.
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

} // namespace cldsp
