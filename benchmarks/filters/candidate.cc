// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters that can be timed.

#include "filters/candidate.h"

namespace cldsp::bench {

std::vector<measurement>
measure_filters(const std::vector<std::unique_ptr<candidate>>& candidates,
                const measuring& how,
                const std::function<double(candidate&)>& check,
                const progress& tell)
{
    std::vector<timed_work*> works;
    for (const auto& c : candidates)
        works.push_back(c.get());
    const error_check check_work = [&](timed_work& work) {
        return check(static_cast<candidate&>(work));
    };
    return measure(works, how, check_work, tell);
}

std::vector<measurement>
measure(const std::vector<std::unique_ptr<candidate>>& candidates,
        const measuring& how,
        const std::function<const expected_outputs*(const candidate&)>& expected,
        const progress& tell)
{
    const auto check = [&](candidate& filter) {
        const auto* outputs = expected(filter);
        return outputs ? outputs->error_db(filter.first_outputs()) : 0;
    };
    return measure_filters(candidates, how, check, tell);
}

} // namespace cldsp::bench
