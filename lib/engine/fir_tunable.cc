/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_tuning.h"
#include "trial_memory.h"
#include "tuning_timing.h"

#include <cldsp/errors.h>
#include <cldsp/reference.h>
#include <cldsp/tunables.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

constexpr double worst_error_db = -120;

// Of larger calls, pieces at their start, middle and end are checked.
constexpr std::size_t most_checked_products = 50'000'000;
constexpr std::size_t pieces = 3;

//! The input of a typical call, and some of the outputs that are right.
struct checked_call {
    struct piece {
        std::size_t first;
        std::vector<std::complex<double>> outputs;
    };

    checked_call(const fir_setup& setup, std::size_t items)
        : outputs(std::max<std::size_t>(1, items / setup.problem.decimation)),
          in(trial_input(setup.problem.input, setup.window(outputs))),
          out(outputs * sizeof(std::complex<float>))
    {
        const std::size_t all = most_checked_products / setup.taps();
        if (outputs <= all) {
            add(setup, 0, outputs);
            return;
        }
        const std::size_t count = std::max<std::size_t>(all / pieces, 1);
        for (std::size_t i = 0; i < pieces; i++)
            add(setup, (outputs - count) * i / (pieces - 1), count);
    }

    //! The largest error of the pieces, in dB.
    double error() const
    {
        double largest = -std::numeric_limits<double>::infinity();
        const auto* got = out.as<std::complex<float>>();
        for (const auto& p : expected)
            largest = std::max(
                largest,
                error_db({ got + p.first, got + p.first + p.outputs.size() }, p.outputs));
        return largest;
    }

    std::size_t outputs;
    trial_memory in, out;
    std::vector<piece> expected;

private:
    void add(const fir_setup& setup, std::size_t first, std::size_t count)
    {
        const auto& taps = setup.rotated();
        const std::size_t decimation = setup.problem.decimation;
        std::vector<std::complex<double>> items;
        for (std::size_t i = 0; i < setup.window(count); i++)
            items.push_back(
                sample_at(in.as<void>(), setup.problem.input, first * decimation + i));
        piece p{ first, {} };
        for (std::size_t n = 0; n < count; n++) {
            std::complex<double> sum = 0;
            const auto* newest = &items[n * decimation + taps.size() - 1];
            for (std::size_t k = 0; k < taps.size(); k++)
                sum += taps[k] * *(newest - k);
            p.outputs.push_back(sum *
                                (-(setup.step * decimation) * (first + n)).phasor());
        }
        expected.push_back(std::move(p));
    }
};

class fir_trial final : public tuning_trial
{
public:
    fir_trial(std::unique_ptr<fir_executor> executor,
              std::shared_ptr<const checked_call> call,
              bool whole_call)
        : d_call(std::move(call)), d_executor(std::move(executor)), d_whole(whole_call)
    {
        d_executor->set_stream_memory(d_call->in.region(), d_call->out.region());
    }

    double check() override
    {
        // What an earlier point has left there is no answer of this one.
        std::fill_n(d_call->out.as<float>(),
                    2 * d_call->outputs,
                    std::numeric_limits<float>::quiet_NaN());
        call();
        return d_call->error();
    }

    double run() override
    {
        return seconds_of_calls([this] { return timed_call(); });
    }

private:
    void call()
    {
        d_executor->run({ d_call->in.as<void>(),
                          d_call->out.as<std::complex<float>>(),
                          d_call->outputs,
                          phase64() });
    }

    double timed_call()
    {
        using clock = std::chrono::steady_clock;
        const double kernels_before = d_whole ? 0 : kernel_seconds();
        const auto start = clock::now();
        call();
        return d_whole ? std::chrono::duration<double>(clock::now() - start).count()
                       : kernel_seconds() - kernels_before;
    }

    //! Of all calls so far.
    double kernel_seconds() const
    {
        const auto s = d_executor->statistics();
        return s.kernel_time * static_cast<double>(s.calls);
    }

    std::shared_ptr<const checked_call> d_call; // outlives what has wrapped its memory
    std::unique_ptr<fir_executor> d_executor;
    bool d_whole;
};

class fir_tunable final : public device_tunable
{
public:
    fir_tunable(context_registry& registry,
                const device_info& device,
                const freq_xlating_fir_problem& problem,
                std::size_t items,
                const std::string& variant)
        : d_registry(registry),
          d_device(device),
          d_setup((problem.check(), problem)),
          d_items(items),
          d_context(std::make_shared<context>(device, off_the_disk(registry))),
          d_place(chosen(variant), *d_context),
          d_groups(groups()),
          d_space(fir_tuning_space(d_place,
                                   d_setup,
                                   d_groups ? work_group_values(d_groups->problem, 0)
                                            : std::vector<std::int64_t>())),
          d_default(*d_space.find(fir_values(d_place, d_setup), tuning_point()))
    {
    }

    std::string family() const override { return d_place.family(); }
    tuning_problem problem() const override
    {
        return fir_tuning_problem(d_setup, d_items);
    }
    tuning_place place() const override { return d_place.for_wisdom(); }
    const tuning_space& space() const override { return d_space; }
    tuning_point default_point() const override { return d_default; }
    double tolerance() const override { return worst_error_db; }
    std::optional<tuned_work_group> work_groups() const override { return d_groups; }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        if (!d_call)
            d_call = std::make_shared<const checked_call>(d_setup, d_items);
        return std::make_unique<fir_trial>(executor(d_context, point), d_call, is_cpu());
    }

    void adopt(const tuning_point& point) override
    {
        executor(d_registry.get(d_device), point);
    }

private:
    static context_options off_the_disk(const context_registry& registry)
    {
        auto options = registry.options();
        options.disk_cache = false;
        return options;
    }

    bool is_cpu() const { return d_context->device().kind == device_kind::cpu; }

    std::string chosen(const std::string& variant) const
    {
        if (variant == "auto")
            return is_cpu() ? "cpu_tile" : "gpu_tile";
        if (!can_be_tuned(variant))
            throw_invalid(
                "variant", "'" + variant + "'", "'cpu_tile', 'gpu_tile' or 'auto'");
        return variant;
    }

    std::optional<tuned_work_group> groups() const
    {
        if (d_place.is_cpu_tile())
            return std::nullopt;
        const auto& limits = d_context->limits();
        const auto layout = gpu_layout_of(fir_values(d_place, d_setup));
        const std::size_t outputs =
            std::max<std::size_t>(1, d_items / d_setup.problem.decimation);
        tuned_work_group found;
        found.parameters = { "group" };
        auto& p = found.problem;
        p.global = { divide_up(outputs, layout.group_outputs()) * layout.group };
        p.most_items = limits.max_work_group_size;
        std::copy(std::begin(limits.max_work_item_sizes),
                  std::end(limits.max_work_item_sizes),
                  std::begin(p.most_in_dimension));
        p.compute_units = limits.compute_units;
        p.cache_bytes = d_context->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
        return found;
    }

    std::unique_ptr<fir_executor> executor(std::shared_ptr<context> device,
                                           const tuning_point& point) const
    {
        const char* transfer = is_cpu() ? "zero_copy" : "copy";
        return make_opencl_fir(
            std::move(device), d_place.variant, transfer, d_setup, point.by_name());
    }

    context_registry& d_registry;
    device_info d_device;
    fir_setup d_setup;
    std::size_t d_items;
    std::shared_ptr<context> d_context;
    fir_place d_place;
    std::optional<tuned_work_group> d_groups;
    tuning_space d_space;
    tuning_point d_default;
    std::shared_ptr<const checked_call> d_call; // made when first needed
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
        registry, device, problem, typical_items, variant);
}

} // namespace cldsp
