// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The search strategies: lists of points, simulated annealing and particle swarms.

#include "tuning/search.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

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

//! Visits points in an order that is known from the start.
class list_search final : public tuning_search
{
public:
    explicit list_search(std::vector<std::uint32_t> points) : d_points(std::move(points))
    {
    }

    std::optional<std::size_t> next(double) override
    {
        if (d_cursor == d_points.size())
            return std::nullopt;
        return d_points[d_cursor++];
    }
    void tell(std::size_t, double) override {}
    std::size_t points() const override { return d_points.size(); }

private:
    std::vector<std::uint32_t> d_points;
    std::size_t d_cursor = 0;
};

std::vector<std::uint32_t> all_points(std::size_t count)
{
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

std::vector<std::uint32_t> shuffled_points(std::size_t count, std::uint32_t seed)
{
    auto all = all_points(count);
    tuning_random random(seed);
    for (std::size_t i = count; i > 1; i--)
        std::swap(all[i - 1], all[random.below(i)]);
    return all;
}

//! Visits the default, and then the default with other work-group sizes, as far as they
//! lie in the space.
std::unique_ptr<tuning_search> make_group_search(const tuning_search_args& args,
                                                 const std::vector<work_group>& groups)
{
    const auto start = args.space.at(args.start);
    std::vector<std::uint32_t> points{ static_cast<std::uint32_t>(args.start) };
    for (const auto& group : groups) {
        tuning_values values;
        for (std::size_t i = 0; i < group.size(); i++)
            values[args.groups->parameters[i]] = static_cast<std::int64_t>(group[i]);
        const auto point = args.space.find(values, start);
        const auto index = point ? args.space.index_of(*point) : std::nullopt;
        if (index && *index != args.start)
            points.push_back(static_cast<std::uint32_t>(*index));
    }
    return std::make_unique<list_search>(std::move(points));
}

//! The times of the points that are known, and a random order for the other points.
class tuning_memory
{
public:
    tuning_memory(std::size_t points, std::uint32_t seed);

    void tell(std::size_t index, double seconds);
    bool known(std::size_t index) const { return !std::isnan(d_seconds[index]); }
    double seconds(std::size_t index) const { return d_seconds[index]; }
    std::size_t count() const { return d_count; }
    std::size_t best() const { return d_best; } //!< of those known; needs at least one
    std::optional<std::size_t> any_unknown();

private:
    std::vector<double> d_seconds; // not a number: unknown
    std::vector<std::uint32_t> d_shuffled;
    std::size_t d_cursor = 0, d_count = 0, d_best = 0;
};

tuning_memory::tuning_memory(std::size_t points, std::uint32_t seed)
    : d_seconds(points, std::numeric_limits<double>::quiet_NaN()),
      d_shuffled(shuffled_points(points, seed))
{
}

void tuning_memory::tell(std::size_t index, double seconds)
{
    if (!known(index) && d_count++ == 0)
        d_best = index;
    d_seconds[index] = seconds;
    if (seconds < d_seconds[d_best])
        d_best = index;
}

std::optional<std::size_t> tuning_memory::any_unknown()
{
    while (d_cursor < d_shuffled.size() && known(d_shuffled[d_cursor]))
        d_cursor++;
    if (d_cursor == d_shuffled.size())
        return std::nullopt;
    return d_shuffled[d_cursor];
}

//! Moves from a point to a point near it, for annealing and swarm.
class tuning_moves
{
public:
    tuning_moves(const tuning_space& space, tuning_random& random)
        : d_space(space), d_random(random)
    {
    }
    //! Changes one parameter that has several values, often to a neighbouring value.
    void change_one(tuning_space::places& where);

private:
    const tuning_space& d_space;
    tuning_random& d_random;
};

void tuning_moves::change_one(tuning_space::places& where)
{
    const auto& parameters = d_space.parameters();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < parameters.size(); i++)
        if (parameters[i].values.size() > 1)
            open.push_back(i);
    if (open.empty())
        return;
    const std::size_t i = open[d_random.below(open.size())];
    const std::size_t values = parameters[i].values.size();
    if (d_random.unit() < 0.6) {
        const bool up = where[i] == 0 || (where[i] + 1 < values && d_random.unit() < 0.5);
        where[i] += up ? 1 : std::size_t(-1);
    } else {
        // Any value other than the present one.
        where[i] = (where[i] + 1 + d_random.below(values - 1)) % values;
    }
}

// The walk begins at the best of some random points, to start at a good place. Their
// number is this fraction of all evaluations, but at most max_random.
constexpr double random_share = 0.08;
constexpr std::size_t max_random = 60;

// The walk accepts a slower point with probability exp(-log(slowdown) / temperature). The
// temperature falls from the first value to the last.
constexpr double first_temperature = 0.25;
constexpr double last_temperature = 0.01;

// After this many points without a new best, the walk returns to the best point.
constexpr std::size_t patience = 40;

// The number of attempts to change a point into one that lies in the space and is not
// known.
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
        // All points nearby are known. Continue at any unknown point, or end.
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
            // If single changes lead to no new point in the space, two or more changes
            // may.
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
    bool d_jump = false; //!< the walk moves to the next point, however slow
    double d_progress = 0;
};

constexpr std::size_t min_particles = 4;
constexpr std::size_t max_particles = 16;
constexpr std::size_t moves_a_particle = 30; // at least, if there are enough evaluations

// The chances with which a particle takes a parameter's value from the best point of all,
// from its own best point, or at random. Otherwise it keeps its value.
constexpr double from_all = 0.4;
constexpr double from_own = 0.25;
constexpr double at_random = 0.06;

constexpr int max_moves_tried = 60;

/*!
 * Particle swarm optimisation for parameters that have lists of values. A particle has no
 * velocity. Instead each of its parameters takes, with a fixed probability, the value of
 * the best point of all particles or of its own best point, or a random value. A particle
 * that arrives at a measured point moves on to a point nearby.
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
        // The first particle starts at the default, whose time is already known.
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
            // If all particles have converged to one point, the later attempts search
            // further and further away from it.
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

template <class Search>
std::unique_ptr<tuning_search> make(const tuning_search_args& args)
{
    return std::make_unique<Search>(args);
}

using group_rule = std::function<std::vector<work_group>(const work_group_problem&)>;

struct strategy {
    const char* name;
    std::function<std::unique_ptr<tuning_search>(const tuning_search_args&)> make;
    group_rule rule; // used if `make` is empty
};

const std::vector<strategy>& strategies()
{
    static const auto& all = *new std::vector<strategy>{
        { "full",
          [](const tuning_search_args& args) {
              return std::make_unique<list_search>(all_points(args.space.size()));
          },
          {} },
        { "random",
          [](const tuning_search_args& args) {
              return std::make_unique<list_search>(
                  shuffled_points(args.space.size(), args.seed));
          },
          {} },
        { "annealing", make<annealing_search>, {} },
        { "swarm", make<swarm_search>, {} },
        { "powers", {}, powers_work_groups },
        { "candidates", {}, candidates_work_groups },
        { "mnn_default",
          {},
          [](const work_group_problem& p) {
              return std::vector<work_group>{ mnn_default_work_group(p) };
          } },
        { "mace_default",
          {},
          [](const work_group_problem& p) {
              return std::vector<work_group>{ mace_default_work_group(p) };
          } },
    };
    return all;
}

//! The names of the strategies for an error message: 'full', 'random', and so on.
//! Strategies that are rules for work-groups are listed only if \p with_groups.
std::string listed(bool with_groups)
{
    std::string text;
    for (const auto& s : strategies())
        if (with_groups || s.make)
            text += (text.empty() ? "'" : ", '") + std::string(s.name) + "'";
    return text;
}

} // namespace

std::vector<std::string> tuning_strategies()
{
    std::vector<std::string> names;
    for (const auto& s : strategies())
        names.push_back(s.name);
    return names;
}

std::unique_ptr<tuning_search> make_tuning_search(const std::string& strategy,
                                                  const tuning_search_args& args)
{
    for (const auto& s : strategies()) {
        if (s.name != strategy)
            continue;
        if (s.make)
            return s.make(args);
        if (!args.groups)
            throw_invalid("strategy",
                          "'" + strategy + "'",
                          "one of " + listed(false) +
                              " for a kernel without work-group sizes to choose");
        return make_group_search(args, s.rule(args.groups->problem));
    }
    throw_invalid("strategy", "'" + strategy + "'", "one of " + listed(true));
}

} // namespace cldsp
