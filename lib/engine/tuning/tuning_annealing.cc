/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning/tuning_search.h"

#include <algorithm>

namespace cldsp {

namespace {

// The first points are random ones, this part of all: the start should not be far off.
constexpr double random_share = 0.08;
constexpr std::size_t max_random = 60;

// A point this factor slower, as its logarithm, is gone to once in e times.
constexpr double first_temperature = 0.25;
constexpr double last_temperature = 0.01;

// After this many points without a new best, the walk goes on from the best.
constexpr std::size_t patience = 40;

// Changes tried for a point that is in the space, and not known yet.
constexpr int max_changes_tried = 60;

class annealing_search final : public tuning_search
{
public:
    explicit annealing_search(const tuning_search_args& args)
        : d_space(args.space),
          d_random(args.seed),
          d_moves(d_space, d_random),
          d_memory(args.space.size(), args.seed + 1),
          d_random_points(
              std::min(max_random,
                       static_cast<std::size_t>(random_share *
                                                static_cast<double>(args.evaluations)))),
          d_here(args.start)
    {
    }

    std::optional<std::size_t> next(double progress) override
    {
        d_progress = progress;
        if (d_memory.count() <= d_random_points)
            return d_memory.any_unknown();
        if (d_since_best > patience) {
            d_since_best = 0;
            d_here = d_memory.best();
        }
        if (const auto near = unknown_near(d_here))
            return near;
        // All around is known: somewhere else, or the end.
        d_jump = true;
        return d_memory.any_unknown();
    }

    void tell(std::size_t index, double seconds) override
    {
        const double best = d_memory.count() ? d_memory.seconds(d_memory.best())
                                             : std::numeric_limits<double>::infinity();
        d_memory.tell(index, seconds);
        d_since_best = seconds < best ? 0 : d_since_best + 1;
        if (d_memory.count() <= d_random_points + 1)
            d_here = d_memory.best();
        else if (d_jump || accepts(seconds))
            d_here = index;
        d_jump = false;
    }

    std::size_t points() const override { return d_space.size(); }

private:
    bool accepts(double seconds)
    {
        const double here = d_memory.seconds(d_here);
        if (seconds <= here)
            return true;
        if (std::isinf(seconds))
            return false;
        const double temperature =
            first_temperature *
            std::pow(last_temperature / first_temperature, std::min(d_progress, 1.0));
        return d_random.unit() < std::exp(-std::log(seconds / here) / temperature);
    }

    std::optional<std::size_t> unknown_near(std::size_t index)
    {
        const auto from = d_space.places_of(index);
        for (int i = 0; i < max_changes_tried; i++) {
            auto where = from;
            // Where single changes lead nowhere new or good, two or more may.
            double again = i < max_changes_tried / 2 ? 0.35 : 0.7;
            do {
                d_moves.change_one(where);
            } while (d_random.unit() < again);
            const auto found = d_space.index_at(where);
            if (found && !d_memory.known(*found))
                return found;
        }
        return std::nullopt;
    }

    tuning_space d_space;
    tuning_random d_random;
    tuning_moves d_moves;
    tuning_memory d_memory;
    std::size_t d_random_points, d_here, d_since_best = 0;
    bool d_jump = false; //!< the next point becomes the walk's, however slow
    double d_progress = 0;
};

} // namespace

std::unique_ptr<tuning_search> make_annealing_search(const tuning_search_args& args)
{
    return std::make_unique<annealing_search>(args);
}

} // namespace cldsp
