/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/tuning_values.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! One value for each parameter of a space. Cheap to copy.
class tuning_point
{
public:
    using names = std::vector<std::string>;

    tuning_point() = default;
    tuning_point(std::shared_ptr<const names> parameters,
                 std::vector<std::int64_t> values)
        : d_names(std::move(parameters)), d_values(std::move(values))
    {
    }

    //! \throws std::invalid_argument for a name that the space does not have
    std::int64_t operator[](const std::string& name) const;
    const std::vector<std::int64_t>& in_order() const { return d_values; }
    tuning_values by_name() const;
    //! E.g. "width=8 tile=4".
    std::string text() const;

private:
    std::shared_ptr<const names> d_names;
    std::vector<std::int64_t> d_values;
};

//! A parameter and its values. Neighbouring values in the list count as similar; the list
//! has one value or more, and none twice.
struct tuning_parameter {
    std::string name;
    std::vector<std::int64_t> values;
};

//! A condition that a point must meet, e.g. that its tile fits into local memory.
struct tuning_constraint {
    std::string name;
    std::function<bool(const tuning_point&)> holds;
};

/*!
 * The points that a kernel can be tuned over: every combination of the parameters' values
 * that meets the constraints, numbered from 0 in the order in which the last parameter
 * changes fastest. Cheap to copy.
 */
class tuning_space
{
public:
    //! Combinations that a space may have, including those that constraints exclude.
    static constexpr std::size_t max_combinations = std::size_t(1) << 22;

    //! \throws std::invalid_argument for no or too many combinations, for a name or a
    //! value that comes twice, and for constraints that no point meets
    explicit tuning_space(std::vector<tuning_parameter> parameters,
                          std::vector<tuning_constraint> constraints = {});

    const std::vector<tuning_parameter>& parameters() const;
    bool has(const std::string& parameter) const;
    //! Number of points that meet the constraints, 1 or more.
    std::size_t size() const;
    //! \throws std::invalid_argument if \p index is not below size()
    tuning_point at(std::size_t index) const;
    //! The point's number; empty if it is not in the space.
    std::optional<std::size_t> index_of(const tuning_point& point) const;
    //! The point with these values; the other values are those of \p base. Empty if it is
    //! not in the space, or names a parameter that the space does not have.
    std::optional<tuning_point> find(const tuning_values& values,
                                     const tuning_point& base) const;
    //! The reason why find() returns no point: a parameter, its value and range, or the
    //! constraint; empty if it returns one.
    std::string why_not(const tuning_values& values, const tuning_point& base) const;

    //! The points that differ in one parameter, by one place in its list of values.
    std::vector<std::size_t> neighbours(std::size_t index) const;

    //! A point by the places of its values in the parameters' lists.
    using places = std::vector<std::size_t>;
    places places_of(std::size_t index) const;
    //! Empty if a constraint is not met. \throws std::invalid_argument out of a list
    std::optional<std::size_t> index_at(const places& where) const;

private:
    struct content;
    std::shared_ptr<const content> d_content;
};

} // namespace cldsp
