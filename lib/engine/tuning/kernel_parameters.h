// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The table of a kernel's parameters: their names, values, constraints and macros.

#pragma once

#include <cldsp/context.h>
#include <cldsp/tuned.h>
#include <cldsp/tuning_space.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! A kernel that can be tuned.
struct kernel_family {
    std::string name; //!< tuned values are stored under it, e.g. "fir_cpu_tile"
    std::string file; //!< of the source, as for context::build()

    //! The values of some parameters that the options give in place of the usual ones;
    //! null: they give none.
    const tuning_values* given(const context_options& options) const;
};

//! A parameter that a kernel is compiled or enqueued with.
struct kernel_parameter {
    std::string name;
    std::int64_t usual; //!< the value for this device and problem if nothing was tuned
    std::vector<std::int64_t> values; //!< those that a search tries, beside the usual one
    //! Whether another value is valid, too; empty: none is.
    std::function<bool(std::int64_t)> also_valid = {};
};

/*!
 * The parameters of a kernel, for one device and one problem. A configuration has a value
 * for each of them. It is valid if each value is one of its parameter's, and if all
 * constraints are met.
 */
class kernel_parameters
{
public:
    kernel_parameters(kernel_family family,
                      std::vector<kernel_parameter> parameters,
                      std::vector<tuning_constraint> constraints = {});

    const kernel_family& family() const { return d_family; }
    //! Where tuned values are stored.
    tuning_place place(const device_info& device, const context_options& options) const
    {
        return { d_family.name, device, options, d_family.file };
    }
    //! The configuration for which nothing was tuned.
    tuning_values usual() const;
    //! Why a configuration is not valid; empty: it is.
    std::string why_not(const tuning_values& configuration) const;

    /*!
     * The configuration that a kernel is built with: the usual one, changed by the
     * options' tuning_defaults for the family, then by \p tuned. If the values of one of
     * these two are not valid, all its values are ignored, with a warning.
     */
    tuning_values chosen(const context_options& options,
                         const tuning_values& tuned = {}) const;
    //! The valid configuration that the wisdom holds for a problem, or else for the
    //! nearest one; empty if there is none.
    tuning_values recalled(wisdom& all,
                           const device_info& device,
                           const context_options& options,
                           const tuning_problem& problem) const;

    //! Lets a search try more values of a parameter, as far as they are valid.
    kernel_parameters also(const std::string& parameter,
                           const std::vector<std::int64_t>& values) const;
    //! The same with one value of each parameter.
    kernel_parameters also(const tuning_values& configuration) const;
    //! The configurations that a search may try.
    //! \throws std::invalid_argument if none of them is valid
    tuning_space space() const;

private:
    kernel_family d_family;
    std::vector<kernel_parameter> d_parameters;
    std::vector<tuning_constraint> d_constraints;
};

/*!
 * The table of a kernel whose configurations are objects of a struct. To make one costs
 * little; parameters() costs more.
 *
 * \tparam Configuration a struct of numbers of type std::size_t
 */
template <class Configuration>
class parameter_table
{
public:
    struct parameter {
        const char* name;
        std::size_t Configuration::*member;
        std::vector<std::int64_t> values; //!< see kernel_parameter
        //! The macro that gives the value to the compiler; null: there is none, because
        //! the value is an argument or a size.
        const char* macro = nullptr;
        std::function<bool(std::int64_t)> also_valid = {}; //!< see kernel_parameter
    };
    //! A condition that a configuration must meet.
    struct constraint {
        const char* name;
        std::function<bool(const Configuration&)> holds;
    };

    //! \param usual see kernel_parameter; members without a parameter keep its values
    parameter_table(kernel_family family,
                    const Configuration& usual,
                    std::vector<parameter> parameters,
                    std::vector<constraint> constraints)
        : d_family(std::move(family)),
          d_usual(usual),
          d_parameters(std::move(parameters)),
          d_constraints(std::move(constraints))
    {
    }

    const kernel_family& family() const { return d_family; }
    const Configuration& usual() const { return d_usual; }
    //! See kernel_parameters::chosen().
    Configuration chosen(const context_options& options, const tuning_values& tuned) const
    {
        if (tuned.empty() && !d_family.given(options))
            return d_usual;
        return configuration(parameters().chosen(options, tuned));
    }
    tuning_values values(const Configuration& configuration) const
    {
        tuning_values all;
        for (const auto& p : d_parameters)
            all[p.name] = value(configuration, p);
        return all;
    }
    //! The options that give a configuration to the compiler, e.g. "-DWIDTH=8 -DROWS=4".
    std::string macros(const Configuration& configuration) const
    {
        std::string all;
        for (const auto& p : d_parameters)
            if (p.macro)
                all += (all.empty() ? "-D" : " -D") + std::string(p.macro) + "=" +
                       std::to_string(value(configuration, p));
        return all;
    }

    kernel_parameters parameters() const
    {
        std::vector<kernel_parameter> all;
        std::vector<std::size_t Configuration::*> members;
        for (const auto& p : d_parameters) {
            all.push_back({ p.name, value(d_usual, p), p.values, p.also_valid });
            members.push_back(p.member);
        }
        std::vector<tuning_constraint> constraints;
        for (const auto& c : d_constraints)
            constraints.push_back(
                { c.name, [usual = d_usual, members, holds = c.holds](const auto& point) {
                     auto configuration = usual;
                     for (std::size_t i = 0; i < members.size(); i++)
                         configuration.*members[i] =
                             static_cast<std::size_t>(point.in_order()[i]);
                     return holds(configuration);
                 } });
        return { d_family, std::move(all), std::move(constraints) };
    }

private:
    static std::int64_t value(const Configuration& of, const parameter& p)
    {
        return static_cast<std::int64_t>(of.*p.member);
    }
    Configuration configuration(const tuning_values& values) const
    {
        auto all = d_usual;
        for (const auto& p : d_parameters)
            all.*p.member = static_cast<std::size_t>(values.at(p.name));
        return all;
    }

    kernel_family d_family;
    Configuration d_usual;
    std::vector<parameter> d_parameters;
    std::vector<constraint> d_constraints;
};

//! The tiled kernel that is made for the kind of an OpenCL device.
inline std::string tile_for(const device_info& device)
{
    return device.kind == device_kind::cpu ? "cpu_tile" : "gpu_tile";
}

//! 1, 2, 4 and so on up to \p most.
std::vector<std::int64_t> powers_of_two(std::int64_t most);

//! The largest one-dimensional work-group that is worth trying.
std::int64_t largest_group(const device_limits& limits);

} // namespace cldsp
