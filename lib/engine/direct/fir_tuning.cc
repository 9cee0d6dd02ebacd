/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_tuning.h"

#include "direct/opencl_direct.h"
#include "tuning/kernel_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/fir_tunable.h>
#include <cldsp/reference.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

tuning_values suggested_values(const fir_place& place, const filter_channel& setup)
{
    const auto& limits = place.device.limits;
    if (place.is_cpu_tile()) {
        const auto t = cpu_shape(setup, limits.native_vector_width_float).tuning();
        return { { "width", t.width },
                 { "tile_outputs", t.tile_outputs },
                 { "tile_taps", t.tile_taps },
                 { "scratch_items", t.scratch_items },
                 { "item_cycles", t.item_cycles } };
    }
    const auto l = suggested_gpu_layout(setup, limits);
    return { { "sums_in_group", l.sums_in_group },
             { "group", l.group },
             { "outputs", l.outputs },
             { "chunk", l.chunk } };
}

tuning_space cpu_space(const tuning_values& suggested, std::size_t planes)
{
    const auto parameter = [&](const char* name, const std::set<std::int64_t>& values) {
        return with(name, values, suggested.at(name));
    };
    return tuning_space(
        { parameter("width", { 4, 8, 16 }),
          parameter("tile_outputs", { 1, 2, 3, 4, 6, 8, 10, 12, 16 }),
          parameter("tile_taps", { 1, 2, 3, 4, 5, 6, 7, 8 }),
          parameter("scratch_items", { 2048, 4096, 8192, 12288, 16384, 24576, 49152 }),
          parameter("item_cycles", { 2000, 5000, 15000, 40000, 120000 }) },
        // Compilers take ever longer for more unrolled steps, and no device has registers
        // for them.
        { { "unrolled steps", [planes](const tuning_point& p) {
               const std::int64_t steps = p["tile_outputs"] * p["tile_taps"];
               return static_cast<std::size_t>(steps) * planes <= 96;
           } } });
}

bool is_power_of_two(std::int64_t value) { return (value & (value - 1)) == 0; }

tuning_space gpu_space(const tuning_values& suggested,
                       const device_limits& limits,
                       const std::vector<std::int64_t>& more_groups)
{
    const std::int64_t most = largest_group(limits);
    auto groups = powers_of_two(most);
    for (const auto group : more_groups)
        if (group >= 1 && group <= most)
            groups.insert(group);
    return tuning_space(
        { with("sums_in_group", { 0, 1 }, suggested.at("sums_in_group")),
          with("group", groups, suggested.at("group")),
          with("outputs", { 1, 2, 3, 4, 6, 8, 12, 16 }, suggested.at("outputs")),
          with("chunk", { 16, 32, 64, 128, 256 }, suggested.at("chunk")) },
        { { "halves of a group",
            [](const tuning_point& p) {
                return p["sums_in_group"] == 0 || is_power_of_two(p["group"]);
            } },
          { "local memory", [local = limits.local_memory](const tuning_point& p) {
               return gpu_layout_of(p.by_name()).local_bytes() <= local;
           } } });
}

// A call of more products than this is checked only in three pieces: at its start, middle
// and end.
constexpr std::size_t max_checked_products = 50'000'000;
constexpr std::size_t pieces = 3;

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

tuning_space fir_tuning_space(const fir_place& place,
                              const filter_channel& setup,
                              const std::vector<std::int64_t>& groups)
{
    const auto suggested = suggested_values(place, setup);
    if (!place.is_cpu_tile())
        return gpu_space(suggested, place.device.limits, groups);
    const bool two_planes = is_complex(setup.problem.input) && !setup.real_taps;
    return cpu_space(suggested, two_planes ? 2 : 1);
}

tuning_space fir_tuning_space_for(const tuning_values& values,
                                  const fir_place& place,
                                  const filter_channel& setup)
{
    const auto group = values.find("group");
    if (group == values.end())
        return fir_tuning_space(place, setup);
    return fir_tuning_space(place, setup, { group->second });
}

tuning_problem fir_tuning_problem(const filter_channel& setup, std::size_t items)
{
    return { std::string(sample_type_name(setup.problem.input)) +
                 (setup.real_taps ? ", real taps" : ", complex taps"),
             { { "taps", static_cast<double>(setup.taps()) },
               { "decimation", static_cast<double>(setup.problem.decimation) },
               { "items", static_cast<double>(items) } } };
}

tuning_values fir_values(const fir_place& place,
                         const filter_channel& setup,
                         const tuning_values& tuned)
{
    return chosen_values(
        suggested_values(place, setup), place, tuned, [&](const tuning_values& values) {
            return fir_tuning_space_for(values, place, setup);
        });
}

tuning_values tuned_fir_values(wisdom& all,
                               const fir_place& place,
                               const filter_channel& setup,
                               std::size_t items)
{
    return recalled_values(
        all, place, fir_tuning_problem(setup, items), [&](const tuning_values& values) {
            return fir_tuning_space_for(values, place, setup);
        });
}

const tuning_values& tuned_firs::of(const device_info& device,
                                    const std::string& variant,
                                    const filter_channel& setup)
{
    return d_lookup.of(
        device,
        variant,
        fir_tuning_problem(setup, d_items).text(),
        [&](wisdom& all, const device_info& where, const context_options& with) {
            return tuned_fir_values(all, { variant, where, with }, setup, d_items);
        });
}

cpu_tuning cpu_tuning_of(const tuning_values& values)
{
    return { size_of(values, "width"),
             size_of(values, "tile_outputs"),
             size_of(values, "tile_taps"),
             size_of(values, "scratch_items"),
             size_of(values, "item_cycles") };
}

gpu_layout gpu_layout_of(const tuning_values& values)
{
    return { size_of(values, "sums_in_group") != 0,
             size_of(values, "group"),
             size_of(values, "outputs"),
             size_of(values, "chunk") };
}

checked_fir_call::checked_fir_call(const filter_channel& setup, std::size_t items)
    : d_taps(setup.taps()),
      d_outputs(std::max<std::size_t>(1, items / setup.problem.decimation)),
      d_in(trial_input(setup.problem.input, setup.window(d_outputs))),
      d_out(d_outputs * sizeof(std::complex<float>))
{
    const std::size_t all = max_checked_products / setup.taps();
    if (d_outputs <= all) {
        add(setup, 0, d_outputs);
        return;
    }
    const std::size_t count = std::max<std::size_t>(all / pieces, 1);
    for (std::size_t i = 0; i < pieces; i++)
        add(setup, (d_outputs - count) * i / (pieces - 1), count);
}

void checked_fir_call::add(const filter_channel& setup,
                           std::size_t first,
                           std::size_t count)
{
    const auto taps = setup.rotated();
    const std::size_t decimation = setup.problem.decimation;
    std::vector<std::complex<double>> items;
    for (std::size_t i = 0; i < setup.window(count); i++)
        items.push_back(
            sample_at(d_in.as<void>(), setup.problem.input, first * decimation + i));
    piece p{ first, {} };
    for (std::size_t n = 0; n < count; n++) {
        std::complex<double> sum = 0;
        const auto* newest = &items[n * decimation + taps.size() - 1];
        for (std::size_t k = 0; k < taps.size(); k++)
            sum += taps[k] * *(newest - k);
        p.outputs.push_back(sum * (-(setup.step * decimation) * (first + n)).phasor());
    }
    d_expected.push_back(std::move(p));
}

double checked_fir_call::error() const
{
    double largest = -std::numeric_limits<double>::infinity();
    const auto* got = d_out.as<std::complex<float>>();
    for (const auto& p : d_expected)
        largest = std::max(
            largest,
            error_db({ got + p.first, got + p.first + p.outputs.size() }, p.outputs));
    return largest;
}

fir_call checked_fir_call::call() const
{
    return { d_in.as<void>(), d_out.as<std::complex<float>>(), d_outputs, phase64() };
}

fir_trial::fir_trial(std::unique_ptr<filter_executor> executor,
                     std::shared_ptr<const checked_fir_call> call,
                     bool whole_calls)
    : call_trial(whole_calls), d_call(std::move(call)), d_executor(std::move(executor))
{
    d_executor->set_stream_memory(d_call->in_region(), d_call->out_region());
}

void fir_trial::spoil_output()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::fill_n(d_call->call().out, d_call->outputs(), std::complex<float>(nan, nan));
}

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
