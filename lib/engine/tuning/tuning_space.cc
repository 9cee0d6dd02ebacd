// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Points of parameters, and the combinations that the constraints allow.

#include <cldsp/tuning_space.h>

#include "tuning/tuner_internal.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <set>
#include <utility>

namespace cldsp {

std::int64_t tuning_point::operator[](const std::string& name) const
{
    for (std::size_t i = 0; i < d_values.size(); i++)
        if ((*d_names)[i] == name)
            return d_values[i];
    throw_invalid("tuning parameter", "'" + name + "'", "one of: " + text());
}

tuning_values tuning_point::by_name() const
{
    tuning_values all;
    for (std::size_t i = 0; i < d_values.size(); i++)
        all[(*d_names)[i]] = d_values[i];
    return all;
}

std::string tuning_point::text() const
{
    std::string all;
    for (std::size_t i = 0; i < d_values.size(); i++)
        all += (i ? " " : "") + (*d_names)[i] + "=" + std::to_string(d_values[i]);
    return all;
}

namespace {

//! The first constraint that a point does not meet; null: none.
const tuning_constraint* violated(const std::vector<tuning_constraint>& constraints,
                                  const tuning_point& point)
{
    for (const auto& c : constraints)
        if (!c.holds(point))
            return &c;
    return nullptr;
}

std::shared_ptr<const tuning_point::names>
names_of(const std::vector<tuning_parameter>& parameters)
{
    tuning_point::names names;
    for (const auto& p : parameters)
        names.push_back(p.name);
    return std::make_shared<const tuning_point::names>(std::move(names));
}

} // namespace

std::string why_not_valid(const std::vector<tuning_parameter>& parameters,
                          const std::vector<tuning_constraint>& constraints,
                          const tuning_values& values)
{
    for (const auto& [name, value] : values)
        if (std::none_of(parameters.begin(), parameters.end(), [&, n = name](auto& p) {
                return p.name == n;
            }))
            return "there is no parameter '" + name + "'";
    std::vector<std::int64_t> in_order;
    for (const auto& p : parameters) {
        const auto named = values.find(p.name);
        if (named == values.end())
            return "parameter '" + p.name + "' is missing";
        const auto value = named->second;
        if (std::find(p.values.begin(), p.values.end(), value) == p.values.end()) {
            std::string known;
            for (const auto v : p.values)
                known += (known.empty() ? "" : ", ") + std::to_string(v);
            return "parameter '" + p.name + "' is " + std::to_string(value) +
                   ", but must be one of " + known;
        }
        in_order.push_back(value);
    }
    const auto* broken =
        violated(constraints, tuning_point(names_of(parameters), std::move(in_order)));
    return broken ? "constraint '" + broken->name + "' is not met" : "";
}

// A combination's number has the places of the parameters' values as its digits.
// `allowed` holds the numbers of the points, sorted.
struct tuning_space::content {
    std::vector<tuning_parameter> parameters;
    std::vector<tuning_constraint> constraints;
    std::shared_ptr<const tuning_point::names> names;
    std::vector<std::uint32_t> allowed;

    std::size_t check_parameters() const
    {
        if (parameters.empty())
            throw_invalid("tuning parameters", "empty", "one or more");
        std::set<std::string> seen;
        std::size_t combinations = 1;
        for (const auto& p : parameters) {
            if (p.name.empty() || !seen.insert(p.name).second)
                throw_invalid(
                    "tuning parameter", "'" + p.name + "'", "a name that comes once");
            const std::set<std::int64_t> distinct(p.values.begin(), p.values.end());
            if (p.values.empty() || distinct.size() != p.values.size())
                throw_invalid("tuning parameter '" + p.name + "'",
                              std::to_string(p.values.size()) + " values",
                              "one value or more, none of them twice");
            if (combinations > max_combinations / p.values.size())
                throw_invalid("tuning parameters",
                              "more than " + std::to_string(max_combinations) +
                                  " combinations",
                              "at most that many");
            combinations *= p.values.size();
        }
        return combinations;
    }

    places places_of(std::size_t combination) const
    {
        places where(parameters.size());
        for (std::size_t i = parameters.size(); i-- > 0;) {
            where[i] = combination % parameters[i].values.size();
            combination /= parameters[i].values.size();
        }
        return where;
    }

    std::size_t combination_at(const places& where) const
    {
        std::size_t combination = 0;
        for (std::size_t i = 0; i < parameters.size(); i++)
            combination = combination * parameters[i].values.size() + where[i];
        return combination;
    }

    tuning_point point_at(const places& where) const
    {
        std::vector<std::int64_t> values(parameters.size());
        for (std::size_t i = 0; i < values.size(); i++)
            values[i] = parameters[i].values[where[i]];
        return { names, std::move(values) };
    }

    std::optional<std::size_t> index_of_combination(std::size_t combination) const
    {
        const auto found = std::lower_bound(allowed.begin(), allowed.end(), combination);
        if (found == allowed.end() || *found != combination)
            return std::nullopt;
        return static_cast<std::size_t>(found - allowed.begin());
    }
};

tuning_space::tuning_space(std::vector<tuning_parameter> parameters,
                           std::vector<tuning_constraint> constraints)
{
    auto fresh = std::make_shared<content>();
    fresh->parameters = std::move(parameters);
    fresh->constraints = std::move(constraints);
    const std::size_t combinations = fresh->check_parameters();
    fresh->names = names_of(fresh->parameters);
    std::map<std::string, std::size_t> broken;
    for (std::size_t i = 0; i < combinations; i++) {
        const auto* c =
            violated(fresh->constraints, fresh->point_at(fresh->places_of(i)));
        if (c)
            broken[c->name]++;
        else
            fresh->allowed.push_back(static_cast<std::uint32_t>(i));
    }
    if (fresh->allowed.empty()) {
        std::string text;
        for (const auto& [name, count] : broken)
            text += (text.empty() ? "" : ", ") + ("'" + name + "'") + " rules out " +
                    std::to_string(count);
        throw_invalid("tuning constraints", text, "such that a point is left");
    }
    d_content = std::move(fresh);
}

const std::vector<tuning_parameter>& tuning_space::parameters() const
{
    return d_content->parameters;
}

bool tuning_space::has(const std::string& parameter) const
{
    const auto& names = *d_content->names;
    return std::find(names.begin(), names.end(), parameter) != names.end();
}

std::size_t tuning_space::size() const { return d_content->allowed.size(); }

tuning_space::places tuning_space::places_of(std::size_t index) const
{
    if (index >= size())
        throw_invalid("index", std::to_string(index), "below " + std::to_string(size()));
    return d_content->places_of(d_content->allowed[index]);
}

tuning_point tuning_space::at(std::size_t index) const
{
    return d_content->point_at(places_of(index));
}

std::optional<std::size_t> tuning_space::index_at(const places& where) const
{
    bool within = where.size() == parameters().size();
    for (std::size_t i = 0; within && i < where.size(); i++)
        within = where[i] < parameters()[i].values.size();
    if (!within)
        throw_invalid("places", "not of this space", "one of each parameter's values");
    return d_content->index_of_combination(d_content->combination_at(where));
}

std::optional<std::size_t> tuning_space::index_of(const tuning_point& point) const
{
    const auto found = find(point.by_name(), point);
    if (!found || point.in_order().size() != parameters().size())
        return std::nullopt;
    places where;
    for (std::size_t i = 0; i < parameters().size(); i++) {
        const auto& values = parameters()[i].values;
        where.push_back(static_cast<std::size_t>(
            std::find(values.begin(), values.end(), found->in_order()[i]) -
            values.begin()));
    }
    return index_at(where);
}

std::optional<tuning_point> tuning_space::find(const tuning_values& values,
                                               const tuning_point& base) const
{
    if (!why_not(values, base).empty())
        return std::nullopt;
    std::vector<std::int64_t> all;
    for (const auto& p : parameters()) {
        const auto named = values.find(p.name);
        all.push_back(named == values.end() ? base[p.name] : named->second);
    }
    return tuning_point(d_content->names, std::move(all));
}

std::string tuning_space::why_not(const tuning_values& values,
                                  const tuning_point& base) const
{
    auto all = values;
    for (const auto& [name, value] : base.by_name())
        if (has(name))
            all.emplace(name, value);
    return why_not_valid(parameters(), d_content->constraints, all);
}

std::vector<std::size_t> tuning_space::neighbours(std::size_t index) const
{
    std::vector<std::size_t> all;
    auto where = places_of(index);
    for (std::size_t i = 0; i < where.size(); i++) {
        const std::size_t here = where[i];
        for (const bool up : { false, true }) {
            if (up ? here + 1 == parameters()[i].values.size() : here == 0)
                continue;
            where[i] = up ? here + 1 : here - 1;
            if (const auto found = index_at(where))
                all.push_back(*found);
        }
        where[i] = here;
    }
    return all;
}

} // namespace cldsp
