/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_trial.h"
#include "direct/fir_tuning.h"
#include "direct/opencl_direct.h"
#include "tuning/kernel_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/fir_tunable.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

constexpr double worst_error_db = -120;

class fir_tunable final : public kernel_tunable
{
public:
    fir_tunable(context_registry& registry,
                const device_info& device,
                const freq_xlating_fir_problem& problem,
                std::size_t items,
                const std::string& variant)
        : kernel_tunable(registry, device),
          d_setup((problem.check(), problem)),
          d_items(items),
          d_variant(variant)
    {
        const fir_place place(variant, *trials());
        d_groups = groups(place);
        describe(place,
                 fir_tuning_problem(d_setup, items),
                 fir_tuning_space(place,
                                  d_setup,
                                  d_groups ? work_group_values(d_groups->problem, 0)
                                           : std::vector<std::int64_t>()),
                 fir_values(place, d_setup),
                 worst_error_db);
    }

    std::optional<tuned_work_group> work_groups() const override { return d_groups; }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        if (!d_call || d_call->is_kept())
            d_call = std::make_shared<const checked_fir_call>(d_setup, d_items);
        return std::make_unique<fir_trial>(executor(trials(), point), d_call, is_cpu());
    }

    void adopt(const tuning_point& point) override { executor(adopting(), point); }

private:
    std::optional<tuned_work_group> groups(const fir_place& place) const
    {
        if (place.is_cpu_tile())
            return std::nullopt;
        const auto& limits = trials()->limits();
        const auto layout = gpu_layout_of(fir_values(place, d_setup));
        const std::size_t outputs =
            std::max<std::size_t>(1, d_items / d_setup.problem.decimation);
        tuned_work_group found;
        found.parameters = { "group" };
        auto& p = found.problem;
        p.global = { divide_up(outputs, layout.group_outputs()) * layout.group };
        p.max_items = limits.max_work_group_size;
        std::copy(std::begin(limits.max_work_item_sizes),
                  std::end(limits.max_work_item_sizes),
                  std::begin(p.max_in_dimension));
        p.compute_units = limits.compute_units;
        p.cache_bytes = trials()->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
        return found;
    }

    std::unique_ptr<filter_executor> executor(std::shared_ptr<context> device,
                                              const tuning_point& point) const
    {
        const char* transfer = is_cpu() ? "zero_copy" : "copy";
        const auto values = point.by_name();
        return make_opencl_direct(std::move(device),
                                  d_variant,
                                  transfer,
                                  { d_setup },
                                  [&](const filter_channel&) { return values; });
    }

    filter_channel d_setup;
    std::size_t d_items;
    std::string d_variant;
    std::optional<tuned_work_group> d_groups;
    std::shared_ptr<const checked_fir_call> d_call; // made when first needed
};

} // namespace

std::unique_ptr<device_tunable> make_fir_tunable(context_registry& registry,
                                                 const device_info& device,
                                                 const freq_xlating_fir_problem& problem,
                                                 std::size_t typical_items,
                                                 const std::string& variant)
{
    if (typical_items < 1)
        throw_invalid("typical_items", std::to_string(typical_items), "1 or more");
    return std::make_unique<fir_tunable>(
        registry, device, problem, typical_items, tiled_variant(variant, device));
}

} // namespace cldsp
