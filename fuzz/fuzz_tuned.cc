// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is the answer of a tuner in the wisdom file.

#include "fuzz_support.h"

#include <cldsp/tuned.h>

#include <cmath>

namespace {

cldsp::tuning_place place()
{
    cldsp::tuning_place here;
    here.family = "f";
    here.device = "d";
    here.driver = "v";
    here.kernel = "k";
    return here;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const cldsp::tuning_space space(
        { { "width", { 1, 2, 4, 8 } }, { "tile", { 1, 2, 3 } } });
    const cldsp::tuning_problem problem{ "t", { { "taps", 64 }, { "items", 4096 } } };
    const std::string text = fuzz::text_of(data, size);

    cldsp::wisdom all("", {});
    all.store_in_memory(cldsp::tuning_kind, "an answer", text);
    const auto usable = [&](const cldsp::tuning_values& values) {
        return space.find(values, space.at(0)).has_value();
    };
    if (const auto answer = cldsp::recall_tuning(all, place(), problem)) {
        fuzz::require(!answer->values.empty(), "an answer has values");
        fuzz::require(answer->distance >= 0 && std::isfinite(answer->distance),
                      "an answer is near");
    }
    if (const auto answer = cldsp::recall_tuning(all, place(), problem, usable))
        fuzz::require(usable(answer->values), "an answer fits");

    // The values that are remembered now must be used, whatever was stored before.
    cldsp::tuning_result result;
    result.points.resize(1);
    result.points[0].point = space.at(size % space.size());
    result.best = 0;
    result.confirmed = true;
    fuzz::require(cldsp::remember_tuning(all, place(), problem, result), "it is kept");
    const auto answer = cldsp::recall_tuning(all, place(), problem, usable);
    fuzz::require(answer && answer->exact() &&
                      answer->values == result.points[0].point.by_name(),
                  "the tuned answer comes back");
    return 0;
}
