/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning/tuning_search.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace cldsp {

namespace {

//! Points in an order known from the start.
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

//! The default, then with other work-group sizes, those that are in the space.
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

using group_rule = std::function<std::vector<work_group>(const work_group_problem&)>;

struct strategy {
    const char* name;
    std::function<std::unique_ptr<tuning_search>(const tuning_search_args&)> make;
    group_rule rule; // instead of `make`
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
        { "annealing", make_annealing_search, {} },
        { "swarm", make_swarm_search, {} },
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

//! "'full', 'random', ...", of all or of those without a rule for work-groups.
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
        // Any other value.
        where[i] = (where[i] + 1 + d_random.below(values - 1)) % values;
    }
}

} // namespace cldsp
