// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the tuned values for a problem in the wisdom, or those of the nearest problem.

#include "base/hash.h"
#include "base/json_value.h"
#include "opencl/kernel_source.h"

#include <cldsp/tuned.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// Problems in which a number differs by more than this many doublings are not comparable.
constexpr double max_doublings = 3;

std::string key_of(const tuning_place& place, const tuning_problem& problem)
{
    return place.family + " " + problem.text() + " | " + place.device + " (" +
           place.driver + ") | " + place.kernel;
}

//! Parses an answer from a file; empty if it belongs to another place or is incomplete.
std::optional<tuned_answer> parse(const std::string& text, const tuning_place& place)
{
    const auto parsed = json_value::parse(text).value_or(json_value());
    if (parsed["family"].text() != place.family ||
        parsed["device"].text() != place.device ||
        parsed["driver"].text() != place.driver ||
        parsed["kernel"].text() != place.kernel || !parsed["numbers"].is_object() ||
        parsed["values"].members().empty())
        return std::nullopt;
    tuned_answer answer;
    answer.problem.type = parsed["type"].text().value_or("");
    for (const auto& [name, value] : parsed["numbers"].members()) {
        const auto number = value.number();
        if (!number)
            return std::nullopt;
        answer.problem.numbers[name] = *number;
    }
    for (const auto& [name, value] : parsed["values"].members()) {
        const auto number = value.integer();
        if (!number)
            return std::nullopt;
        answer.values[name] = *number;
    }
    answer.seconds = parsed["seconds"].number().value_or(0);
    // JSON has no infinity.
    answer.default_seconds = parsed["default_seconds"].number().value_or(
        std::numeric_limits<double>::infinity());
    answer.confirmed = parsed["confirmed"].boolean().value_or(false);
    return answer;
}

template <class Numbers>
json_value object_of(const Numbers& numbers)
{
    return json_value::object(numbers.begin(), numbers.end());
}

//! A driver's text in a form that a JSON file can hold.
std::string printable(std::string text)
{
    for (auto& c : text)
        if (c < ' ' || c > '~')
            c = '?';
    return text;
}

std::string device_text(const device_info& device, const std::string& profile)
{
    std::string text = device.lasting_name() + ", " + device.platform_name + ", " +
                       std::to_string(device.limits.compute_units) + " units";
    return profile.empty() || profile == "native" ? text : text + ", as " + profile;
}

} // namespace

tuning_place::tuning_place(std::string family_name,
                           const device_info& on,
                           const context_options& options,
                           const std::string& kernel_file)
    : family(std::move(family_name)),
      device(printable(device_text(on, options.profile))),
      driver(printable(on.driver_version)),
      kernel(hash_text(kernel_source(kernel_file, options.kernel_path)))
{
}

bool remember_tuning(wisdom& all,
                     const tuning_place& place,
                     const tuning_problem& problem,
                     const tuning_result& result)
{
    if (!result.best)
        return false;
    const std::string key = key_of(place, problem);
    if (!result.confirmed) {
        const auto known = parse(all.find(tuning_kind, key), place);
        if (known && known->confirmed)
            return false;
    }
    json_value::object answer = {
        { "family", place.family },
        { "device", place.device },
        { "driver", place.driver },
        { "kernel", place.kernel },
        { "type", problem.type },
        { "numbers", object_of(problem.numbers) },
        { "values", object_of(result.points[*result.best].point.by_name()) },
        { "seconds", result.seconds },
        { "confirmed", result.confirmed },
        { "strategy", result.strategy },
        { "points", result.points.size() }
    };
    if (std::isfinite(result.default_seconds))
        answer["default_seconds"] = result.default_seconds;
    all.store(tuning_kind, key, json_value(std::move(answer)).print());
    return true;
}

tuning_result
tune_and_remember(device_tunable& kernel, const tuning_options& options, wisdom& all)
{
    auto result = tune(kernel, options);
    if (remember_tuning(all, kernel.place(), kernel.problem(), result))
        kernel.adopt(result.points[*result.best].point);
    return result;
}

std::optional<double> tuning_distance(const tuning_problem& a, const tuning_problem& b)
{
    if (a.type != b.type || a.numbers.size() != b.numbers.size())
        return std::nullopt;
    double sum = 0;
    for (const auto& [name, number] : a.numbers) {
        const auto other = b.numbers.find(name);
        if (other == b.numbers.end())
            return std::nullopt;
        const double doublings = std::log2((1 + number) / (1 + other->second));
        if (!(std::abs(doublings) <= max_doublings))
            return std::nullopt;
        sum += doublings * doublings;
    }
    return std::sqrt(sum);
}

std::optional<tuned_answer>
recall_tuning(wisdom& all,
              const tuning_place& place,
              const tuning_problem& problem,
              const std::function<bool(const tuning_values&)>& fits)
{
    const auto usable = [&](const std::optional<tuned_answer>& answer) {
        return answer && (!fits || fits(answer->values));
    };
    // An answer for the same problem comes first.
    if (const auto known = parse(all.find(tuning_kind, key_of(place, problem)), place);
        usable(known))
        return known;

    std::vector<std::pair<std::int64_t, tuned_answer>> near;
    for (const auto& [kind, answers] : all.all(tuning_kind))
        for (const auto& [key, found] : answers)
            if (auto answer = parse(found.text, place))
                if (const auto distance = tuning_distance(answer->problem, problem)) {
                    answer->distance = *distance;
                    near.emplace_back(found.time, *std::move(answer));
                }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
        return a.second.distance != b.second.distance
                   ? a.second.distance < b.second.distance
                   : a.first > b.first;
    });
    for (auto& [time, answer] : near)
        if (usable(answer))
            return std::move(answer);
    return std::nullopt;
}

} // namespace cldsp
