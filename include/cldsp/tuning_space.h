// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The parameters of a kernel, and the combinations of values that can be tried.

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

//! A parameter and the list of its values: one value or more, none of them twice. Values
//! that follow each other in the list count as similar.
struct tuning_parameter {
    std::string name;
    std::vector<std::int64_t> values;
};

//! A condition that a point must meet, e.g. that its tile fits into the local memory.
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
    //! The largest number of combinations, including those that constraints exclude.
    static constexpr std::size_t max_combinations = std::size_t(1) << 22;

    //! \throws std::invalid_argument if there are no combinations or too many, if a name
    //! or a value comes twice, or if no point meets the constraints
    explicit tuning_space(std::vector<tuning_parameter> parameters,
                          std::vector<tuning_constraint> constraints = {});

    const std::vector<tuning_parameter>& parameters() const;
    bool has(const std::string& parameter) const;
    //! The number of points that meet the constraints, 1 or more.
    std::size_t size() const;
    //! \throws std::invalid_argument if \p index is not below size()
    tuning_point at(std::size_t index) const;
    //! The number of a point; empty if the point is not in the space.
    std::optional<std::size_t> index_of(const tuning_point& point) const;
    //! The point with these values, and with those of \p base for all other parameters.
    //! Empty if this point is not in the space, or if \p values has an unknown parameter.
    std::optional<tuning_point> find(const tuning_values& values,
                                     const tuning_point& base) const;
    //! The reason why find() returns no point: a parameter with its value and range, or a
    //! constraint. Empty if find() returns a point.
    std::string why_not(const tuning_values& values, const tuning_point& base) const;

    //! The numbers of the neighbouring points: they differ in one parameter only, whose
    //! value is the next or the previous one in the list.
    std::vector<std::size_t> neighbours(std::size_t index) const;

    //! A point as a list of indices: for each parameter, the index of the value in the
    //! parameter's list.
    using places = std::vector<std::size_t>;
    places places_of(std::size_t index) const;
    //! The number of a point; empty if the point does not meet a constraint.
    //! \throws std::invalid_argument if an index is outside of its list
    std::optional<std::size_t> index_at(const places& where) const;

private:
    struct content;
    std::shared_ptr<const content> d_content;
};

} // namespace cldsp
