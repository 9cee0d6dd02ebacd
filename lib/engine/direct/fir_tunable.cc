// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes the direct filter on an OpenCL device tunable.

#include "direct/opencl_direct.h"
#include "direct/opencl_direct_variant.h"
#include "filter/checked_filter_call.h"
#include "tuning/executor_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/fir_tunable.h>

#include <memory>
#include <string>

namespace cldsp {

namespace {

constexpr double worst_error_db = -120;

using fir_tunable = executor_tunable<filter_executor, checked_filter_call>;

} // namespace

std::unique_ptr<device_tunable> make_fir_tunable(context_registry& registry,
                                                 const device_info& device,
                                                 const freq_xlating_fir_problem& problem,
                                                 std::size_t typical_items,
                                                 const std::string& variant)
{
    if (typical_items < 1)
        throw_invalid("typical_items", std::to_string(typical_items), "1 or more");
    const auto& tuned = tiled_variant(variant, device) == "cpu_tile"
                            ? opencl_direct_cpu_tile()
                            : opencl_direct_gpu_tile();
    problem.check();
    const filter_channel setup(problem);
    return std::make_unique<fir_tunable>(
        registry, device, [&](const context& where) -> fir_tunable::tuning {
            auto parameters = *tuned.parameters(where.limits(), setup);
            const auto groups = tuned.work_groups(where, setup, typical_items);
            if (groups)
                parameters = parameters.also(groups->parameters[0],
                                             work_group_values(groups->problem, 0));
            const char* transfer =
                where.device().kind == device_kind::cpu ? "zero_copy" : "copy";
            return { parameters,
                     fir_tuning_problem(setup, typical_items),
                     parameters.chosen(where.options()),
                     [setup, typical_items] {
                         return std::make_shared<const checked_filter_call>(
                             setup, typical_items);
                     },
                     [&tuned, setup, transfer](
                         const auto& made_on, const auto&, const auto& values) {
                         return make_opencl_direct(
                             made_on,
                             tuned.name,
                             transfer,
                             { setup },
                             [&](const filter_channel&) { return values; });
                     },
                     [](const auto& call) { return call.error(); },
                     worst_error_db,
                     groups };
        });
}

} // namespace cldsp
