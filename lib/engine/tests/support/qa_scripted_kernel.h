// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A tunable kernel whose points take the times and make the errors of a script.

#pragma once

#include <cldsp/tuner.h>

#include <cppunit/extensions/HelperMacros.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp {

//! The behaviour of one point of the scripted kernel.
struct behaviour {
    double seconds = 1e-3;
    double error = 0;
    std::string prepare_failure{}, check_failure{}, run_failure{};
    bool throws_without_words = false;
    std::vector<double> noise{}; //!< factors of the first runs' times
};

/*!
 * A kernel whose points are 0 to n - 1, with n up to 100, and whose runs take virtual
 * time. Point 0 is the default.
 */
class scripted_kernel : public tunable
{
public:
    explicit scripted_kernel(std::size_t points) : d_space(numbered(points)) {}

    std::map<std::int64_t, behaviour> script;
    double default_seconds = 1e-3; //!< the time of points without a script
    double prepare_seconds = 0;
    double clock = 0;
    std::optional<tuned_work_group> groups;
    std::vector<std::int64_t> prepared;
    std::function<void(std::int64_t)> at_run; //!< called before each run

    std::string family() const override { return "scripted"; }
    tuning_problem problem() const override { return { "any", {} }; }
    const tuning_space& space() const override { return d_space; }
    tuning_point default_point() const override { return d_space.at(0); }
    double tolerance() const override { return 1e-5; }
    std::optional<tuned_work_group> work_groups() const override { return groups; }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        clock += prepare_seconds;
        const auto index = point["x"];
        prepared.push_back(index);
        if (!script.count(index))
            script[index].seconds = default_seconds;
        if (!script[index].prepare_failure.empty())
            throw std::runtime_error(script[index].prepare_failure);
        return std::make_unique<trial>(*this, index);
    }

private:
    static std::vector<tuning_parameter> numbered(std::size_t points)
    {
        tuning_parameter x{ "x", {} };
        for (std::size_t i = 0; i < points; i++)
            x.values.push_back(static_cast<std::int64_t>(i));
        return { x };
    }

    class trial final : public tuning_trial
    {
    public:
        trial(scripted_kernel& kernel, std::int64_t index)
            : d_kernel(kernel), d_index(index), d_does(kernel.script[index])
        {
        }
        double check() override
        {
            if (!d_does.check_failure.empty())
                throw std::runtime_error(d_does.check_failure);
            return d_does.error;
        }
        double run() override
        {
            if (d_kernel.at_run)
                d_kernel.at_run(d_index);
            if (!d_does.run_failure.empty() || d_does.throws_without_words)
                throw std::runtime_error(d_does.run_failure);
            double seconds = d_does.seconds;
            auto& noise = d_kernel.script[d_index].noise;
            if (!noise.empty()) {
                seconds *= noise.front();
                noise.erase(noise.begin());
            }
            d_kernel.clock += seconds;
            return seconds;
        }

    private:
        scripted_kernel& d_kernel;
        std::int64_t d_index;
        behaviour d_does;
    };

    tuning_space d_space;
};

//! Options for a full search in virtual time.
inline tuning_options scripted_options(scripted_kernel& kernel,
                                       const std::string& strategy = "full")
{
    tuning_options o;
    o.strategy = strategy;
    o.now = [&kernel] { return kernel.clock; };
    return o;
}

//! The number of the best point.
inline std::int64_t best_of(const tuning_result& result)
{
    CPPUNIT_ASSERT(result.best);
    return result.points[*result.best].point["x"];
}

} // namespace cldsp
