// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of a search for the fastest point of a space of parameters.

#pragma once

#include <cldsp/tuner.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cldsp {

//! A running search strategy. It chooses points by number, and receives their times.
class tuning_search
{
public:
    virtual ~tuning_search() = default;
    /*!
     * The next point to measure; empty: the search is over. It may be a point whose time
     * is known already, but the search may not repeat points for ever.
     *
     * \param progress the fraction of the time or of the evaluations that is used up, 0
     *        to 1
     */
    virtual std::optional<std::size_t> next(double progress) = 0;
    //! Gives the search the time of a point; infinity if the point failed or was wrong.
    virtual void tell(std::size_t index, double seconds) = 0;
    //! The number of different points that the search can choose, including the start.
    virtual std::size_t points() const = 0;
};

//! The arguments of every strategy.
struct tuning_search_args {
    tuning_space space;
    std::size_t start; //!< the default, whose time is given before the first next()
    std::uint32_t seed;
    std::size_t evaluations;
    std::optional<tuned_work_group> groups;
};

//! \throws std::invalid_argument for an unknown strategy, or for one that needs
//!         args.groups if they are missing
std::unique_ptr<tuning_search> make_tuning_search(const std::string& strategy,
                                                  const tuning_search_args& args);

} // namespace cldsp
