// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The rules by which MNN and MACE choose the shape of a work-group.

#include <cldsp/work_group.h>

#include <cldsp/errors.h>

#include <algorithm>
#include <set>

namespace cldsp {

namespace {

void require(bool met, const std::string& name, std::size_t value, const char* range)
{
    if (!met)
        throw_invalid(name, std::to_string(value), range);
}

//! The groups that the device takes, each of them once, in the given order.
std::vector<work_group> usable(const work_group_problem& problem,
                               const std::vector<work_group>& groups)
{
    std::vector<work_group> kept;
    for (const auto& group : groups)
        if (problem.allows(group) &&
            std::find(kept.begin(), kept.end(), group) == kept.end())
            kept.push_back(group);
    if (kept.empty())
        kept.push_back(work_group(problem.global.size(), 1));
    return kept;
}

//! The largest divisor of \p value that is at most \p most; 1 if \p most is 0.
std::size_t largest_divisor(std::size_t value, std::size_t most)
{
    for (std::size_t divisor = most; divisor > 1; divisor--)
        if (value % divisor == 0)
            return divisor;
    return 1;
}

} // namespace

void work_group_problem::check() const
{
    require(!global.empty() && global.size() <= 3, "dimensions", global.size(), "1 to 3");
    for (const auto size : global)
        require(size > 0, "global size", size, "1 or more");
    for (const auto most : max_in_dimension)
        require(most > 0, "max_in_dimension", most, "1 or more");
    require(max_items > 0, "max_items", max_items, "1 or more");
    require(compute_units > 0, "compute_units", compute_units, "1 or more");
}

bool work_group_problem::allows(const std::vector<std::size_t>& group) const
{
    if (group.size() != global.size())
        return false;
    std::size_t left = max_items;
    for (std::size_t i = 0; i < group.size(); i++) {
        if (group[i] == 0 || group[i] > max_in_dimension[i])
            return false;
        left /= group[i]; // work-items that the other dimensions may have, rounded down
    }
    return left > 0;
}

std::vector<work_group> powers_work_groups(const work_group_problem& problem)
{
    problem.check();
    std::vector<work_group> groups{ {} };
    for (std::size_t i = 0; i < problem.global.size(); i++) {
        const std::size_t most =
            std::min(2 * problem.global[i],
                     std::min(problem.max_in_dimension[i], problem.max_items));
        std::vector<work_group> longer;
        for (const auto& group : groups)
            for (std::size_t size = 1; size <= most; size *= 2) {
                longer.push_back(group);
                longer.back().push_back(size);
            }
        groups = std::move(longer);
    }
    return usable(problem, groups);
}

std::vector<work_group> candidates_work_groups(const work_group_problem& problem)
{
    problem.check();
    const auto& g = problem.global;
    std::vector<work_group> groups;
    if (g.size() == 3) {
        for (const auto x : { g[0], g[0] / 4, g[0] / 8, std::size_t(4), std::size_t(1) })
            for (const auto z : { g[2],
                                  g[2] / 8,
                                  g[2] / 4,
                                  std::size_t(8),
                                  std::size_t(4),
                                  std::size_t(1) })
                groups.push_back({ x, g[1], z });
    } else {
        const std::size_t k = problem.max_items;
        for (int i = 1; i <= 8; i++)
            groups.push_back({ k >> i, std::size_t(1) << i });
        groups.push_back({ k, 1 });
        groups.push_back({ 1, k });
        for (auto& group : groups)
            group.resize(g.size());
    }
    return usable(problem, groups);
}

work_group mnn_default_work_group(const work_group_problem& problem)
{
    problem.check();
    const std::size_t groups = 2 * problem.compute_units;
    work_group group;
    std::size_t left = problem.max_items;
    for (std::size_t i = 0; i < problem.global.size(); i++) {
        const std::size_t size = problem.global[i];
        const std::size_t most = std::min(left, problem.max_in_dimension[i]);
        const std::size_t shared =
            size % groups == 0 ? size / groups : largest_divisor(size, size / groups);
        group.push_back(std::clamp<std::size_t>(shared, 1, most));
        left /= group.back();
    }
    return group;
}

work_group mace_default_work_group(const work_group_problem& problem)
{
    problem.check();
    constexpr std::size_t piece = 16384;
    const std::size_t base = std::max<std::size_t>(problem.cache_bytes / piece, 1);
    const auto& g = problem.global;
    work_group group(g.size(), 1);
    std::size_t left = problem.max_items;
    const auto take = [&](std::size_t dimension, std::size_t wanted) {
        group[dimension] = std::max<std::size_t>(
            std::min({ wanted, left, problem.max_in_dimension[dimension] }), 1);
        left /= group[dimension];
    };
    if (g.size() > 1)
        take(1, g[1]);
    if (g.size() > 2)
        take(2, std::min(g[2], base));
    take(0, base);
    return group;
}

std::vector<std::int64_t> work_group_values(const work_group_problem& problem,
                                            std::size_t dimension)
{
    auto all = powers_work_groups(problem);
    require(dimension < problem.global.size(),
            "dimension",
            dimension,
            "below the number of dimensions");
    for (auto& group : candidates_work_groups(problem))
        all.push_back(std::move(group));
    all.push_back(mnn_default_work_group(problem));
    all.push_back(mace_default_work_group(problem));
    std::set<std::int64_t> values;
    for (const auto& group : all)
        values.insert(static_cast<std::int64_t>(group[dimension]));
    return { values.begin(), values.end() };
}

} // namespace cldsp
