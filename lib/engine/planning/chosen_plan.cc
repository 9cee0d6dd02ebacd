// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The text of a plan for people and logs: what computes, where and why.

#include <cldsp/chosen_plan.h>
#include <cldsp/errors.h>

namespace cldsp {

namespace {

//! E.g. "500 channels on 'NAME' (1:0) by fast_convolution/vkfft/zero_copy, 524 on ...".
std::string shares_text(const std::vector<chosen_plan>& shares)
{
    std::string text;
    for (const auto& share : shares) {
        const bool on_host = share.device == "host";
        text += (text.empty() ? "" : ", ") + std::to_string(share.channels);
        if (&share == &shares.front())
            text += share.channels == 1 ? " channel" : " channels";
        text += " on " +
                (on_host ? "host" : "'" + share.device_name + "' (" + share.device + ")");
        text += " by " + share.algorithm + "/" + share.variant;
        if (!on_host)
            text += "/" + share.transfer;
    }
    return text;
}

} // namespace

std::string chosen_plan::engine() const
{
    if (!shares.empty())
        return shares_text(shares);
    const bool on_host = device == "host";
    std::string text = algorithm + "/" + variant;
    if (!on_host)
        text += "/" + transfer;
    text += " on " + (on_host ? "host" : "'" + device_name + "'");
    if (!precision.empty())
        text += ", precision " + precision;
    if (ifft_size)
        text += ", block size " + std::to_string(ifft_size);
    if (fft_size)
        text += ", blocks of " + std::to_string(fft_size) + " items";
    return text;
}

std::string chosen_plan::rate_text(double rate) const
{
    return number_text(rate / unit_rate, 4) + ' ' + unit;
}

std::string chosen_plan::text() const
{
    if (!reason.empty())
        return engine() + " instead: " + reason;
    std::string text = engine();
    if (predicted > 0)
        text += ": predicted " + rate_text(predicted) + ", " +
                (measured > 0 ? "measured " + rate_text(measured) : "not measured");
    if (predicted > 0 && !runner_up.empty())
        text += "; next: " + runner_up;
    if (remembered)
        text += " (remembered)";
    if (provisional)
        text += "; a better plan may follow";
    if (!tuned.empty())
        text += "; tuned: " + tuned;
    if (!exact_because.empty())
        text += "; exact: " + exact_because;
    if (after_failure)
        text += ", instead of the device that failed";
    return text;
}

chosen_plan host_plan(const std::string& algorithm,
                      const std::string& variant,
                      const std::string& why)
{
    chosen_plan plan;
    plan.device = plan.device_name = "host";
    plan.algorithm = algorithm;
    plan.variant = variant;
    plan.transfer = "none";
    plan.reason = why;
    return plan;
}

} // namespace cldsp
