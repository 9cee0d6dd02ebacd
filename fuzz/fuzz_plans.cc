// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is a remembered plan in the wisdom file.

#include "fuzz_support.h"

#include "fft/vkfft_plan.h"
#include "planning/planner.h"

#include <cldsp/wisdom.h>

namespace {

//! A candidate whose calls take a scripted time.
class scripted_trial final : public cldsp::plan_trial
{
public:
    explicit scripted_trial(double seconds) : d_seconds(seconds) {}
    void prepare(cldsp::trial_call) override {}
    double run() override { return d_seconds; }

private:
    double d_seconds;
};

std::vector<cldsp::plan_candidate> candidates()
{
    std::vector<cldsp::plan_candidate> all;
    for (const char* variant : { "simd", "volk" }) {
        cldsp::plan_candidate one{};
        one.algorithm = "direct";
        one.variant = variant;
        one.transfer = "none";
        one.predicted = 1e-3;
        one.make = [] { return std::make_unique<scripted_trial>(1e-3); };
        all.push_back(one);
    }
    return all;
}

cldsp::context_options memory_only()
{
    cldsp::context_options options;
    options.disk_cache = false;
    options.wisdom_file = false;
    return options;
}

void recall_plan(const std::string& text)
{
    const auto all = candidates();
    cldsp::context_registry registry(memory_only());
    cldsp::plan_request request{};
    request.problem = "a problem";
    request.items = 4096;
    double clock = 0;
    request.now = [&] { return clock += 0.01; };
    const auto key = cldsp::plan_key(request, all, registry);
    registry.wisdom().store("plans", key, text);
    const auto choice = cldsp::choose_plan(request, all, registry);
    fuzz::require(choice.index < all.size() && choice.trial,
                  "what was chosen is a candidate that was made");
    const auto again = cldsp::choose_plan(request, all, registry);
    fuzz::require(again.plan.remembered && again.index == choice.index,
                  "a choice is remembered");
}

} // namespace

// A plan's key contains VkFFT's version. VkFFT is left out here, because it takes long to
// compile.
std::string cldsp::vkfft_plan::version() { return "none"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    recall_plan(fuzz::text_of(data, size));
    return 0;
}
