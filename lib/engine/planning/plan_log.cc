// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Words for users about plans, each told once.

#include <cldsp/plan_log.h>

#include <cldsp/errors.h>
#include <cldsp/told_lines.h>

#include <cmath>
#include <new>
#include <utility>

namespace cldsp {

namespace {

//! \param kind lines of different kinds are told apart
void tell_once(const context_registry& registry,
               const logger& log,
               const std::string& line,
               const std::string& kind = "")
{
    const bool is_new = registry.told().is_new(kind + ": " + line);
    log_to(log, is_new ? log_level::info : log_level::debug, line);
}

std::string place_of(const chosen_plan& plan)
{
    if (!plan.shares.empty()) {
        std::string all;
        for (const auto& share : plan.shares)
            all += (all.empty() ? "" : ", ") + place_of(share) + " (" +
                   std::to_string(share.channels) +
                   (share.channels == 1 ? " channel)" : " channels)");
        return all;
    }
    if (plan.device == "host")
        return plan.variant == "volk" ? "the host by VOLK" : "the host's SIMD units";
    // A plan for channels of different rates names all of its devices.
    if (plan.device.find(',') != std::string::npos)
        return "several devices: " + plan.device_name;
    return "'" + plan.device_name + "'";
}

//! E.g. ", 4.1 times as fast"; empty where it is not known, or no faster.
std::string speed_text(const chosen_plan& before, const chosen_plan& now)
{
    if (before.device != "host" || !(now.host_measured > 0))
        return "";
    const double ratio = now.measured / now.host_measured;
    constexpr double noticeable = 1.05, large = 9.5;
    if (!std::isfinite(ratio) || ratio < noticeable)
        return "";
    return ", " + fixed_text(ratio, ratio < large ? 1 : 0) + " times as fast";
}

} // namespace

void tell_start(const context_registry& registry,
                const logger& log,
                const chosen_plan& plan)
{
    if (log)
        tell_once(registry, log, "runs on " + place_of(plan), plan.unit);
}

void tell_move(const context_registry& registry,
               const logger& log,
               const chosen_plan& before,
               const chosen_plan& now)
{
    if (!log)
        return;
    const auto place = place_of(now);
    if (place == place_of(before))
        log_to(log, log_level::debug, "goes on as " + now.engine());
    else
        tell_once(registry, log, "moved to " + place + speed_text(before, now), now.unit);
}

plan_news::plan_news(std::shared_ptr<const context_registry> registry,
                     logger log,
                     const chosen_plan& first)
    : d_registry(std::move(registry)), d_log(std::move(log)), d_last(first)
{
}

void plan_news::tell(std::size_t renewals, const chosen_plan& now)
{
    d_renewals = renewals;
    try {
        tell_move(*d_registry, d_log, d_last, now);
        d_last = now;
    } catch (const std::bad_alloc&) {
        // The outputs of the call are there, so it must not fail for want of a line.
    }
}

void tell_details(const logger& log, const chosen_plan& plan)
{
    constexpr double far = 3;
    log_to(log, log_level::debug, "plan: " + plan.text());
    if (!plan.remembered && plan.measured > 0 && plan.predicted > 0 &&
        (plan.measured > far * plan.predicted || plan.predicted > far * plan.measured))
        log_to(log,
               log_level::debug,
               "the plan misses its prediction: measured " +
                   plan.rate_text(plan.measured) + ", predicted " +
                   plan.rate_text(plan.predicted));
}

void tell_wait(const context_registry& registry,
               const logger& log,
               const std::vector<std::string>& devices,
               double seconds)
{
    if (!log || devices.empty())
        return;
    std::string names;
    for (const auto& name : devices)
        names += (names.empty() ? "'" : ", '") + name + "'";
    tell_once(registry,
              log,
              "compiling and measuring for " + names + ", which may take " +
                  fixed_text(std::ceil(seconds), 0) + " s or more the first time");
}

logger without_news(const logger& log)
{
    if (!log)
        return {};
    return [log](log_level level, const std::string& text) {
        log(level == log_level::info ? log_level::debug : level, text);
    };
}

} // namespace cldsp
