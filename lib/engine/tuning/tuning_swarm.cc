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

constexpr std::size_t min_particles = 4;
constexpr std::size_t max_particles = 16;
constexpr std::size_t moves_a_particle = 30; // at least, where the count allows it

// How a particle gets each parameter's value: from the best point of all, from its own
// best, at random; else it keeps its own.
constexpr double from_all = 0.4;
constexpr double from_own = 0.25;
constexpr double at_random = 0.06;

constexpr int max_moves_tried = 60;

/*!
 * Particle swarm on a space of lists: instead of a velocity, a particle has chances to
 * take over each parameter. A particle that arrives at a known point is moved aside.
 */
class swarm_search final : public tuning_search
{
public:
    explicit swarm_search(const tuning_search_args& args)
        : d_space(args.space),
          d_random(args.seed),
          d_moves(d_space, d_random),
          d_memory(args.space.size(), args.seed + 1),
          d_particles(std::clamp(
              args.evaluations / moves_a_particle, min_particles, max_particles))
    {
        d_particles[0].here = d_particles[0].best = args.start;
    }

    std::optional<std::size_t> next(double) override
    {
        // The start was told already.
        d_turn = (d_turn + 1) % d_particles.size();
        auto& one = d_particles[d_turn];
        if (one.best)
            if (const auto found = moved(one))
                return found;
        return d_memory.any_unknown();
    }

    void tell(std::size_t index, double seconds) override
    {
        d_memory.tell(index, seconds);
        auto& one = d_particles[d_turn];
        one.here = index;
        if (!one.best || seconds < d_memory.seconds(*one.best))
            one.best = index;
    }

    std::size_t points() const override { return d_space.size(); }

private:
    struct particle {
        std::optional<std::size_t> here{}, best{}; //!< empty: not placed yet
    };

    std::optional<std::size_t> moved(const particle& one)
    {
        const auto here = d_space.places_of(*one.here);
        const auto own = d_space.places_of(*one.best);
        const auto all = d_space.places_of(d_memory.best());
        for (int i = 0; i < max_moves_tried; i++) {
            auto where = here;
            for (std::size_t p = 0; p < where.size(); p++) {
                const double chance = d_random.unit();
                if (chance < from_all)
                    where[p] = all[p];
                else if (chance < from_all + from_own)
                    where[p] = own[p];
                else if (chance < from_all + from_own + at_random)
                    where[p] = d_random.below(d_space.parameters()[p].values.size());
            }
            // A swarm that has met at one point looks around it, ever further.
            for (int aside = 0; aside <= i / 20; aside++) {
                const auto found = d_space.index_at(where);
                if (found && !d_memory.known(*found))
                    return found;
                d_moves.change_one(where);
            }
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
    std::vector<particle> d_particles;
    std::size_t d_turn = 0;
};

} // namespace

std::unique_ptr<tuning_search> make_swarm_search(const tuning_search_args& args)
{
    return std::make_unique<swarm_search>(args);
}

} // namespace cldsp
