/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/bank_selection.h"

#include "direct/bank_direct.h"
#include "freq_xlating/bank_task.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "freq_xlating/tuned_fast_convolutions.h"
#include "direct/fir_tuning.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/overlap_save_methods.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <utility>

namespace cldsp {

namespace {

// Block sizes of one variant that take part in a measurement.
constexpr std::size_t max_sizes = 3;

//! A way of computing the bank; its plan still lacks make_trial.
struct bank_candidate {
    plan_candidate plan;
    std::function<std::unique_ptr<bank_executor>()> make;
};

//! The direct algorithm's variant that the options want on a device; empty: none.
std::string direct_variant_for(const plan_options& options, const device_info& device)
{
    const std::string variant =
        options.variant == "auto" ? direct_variant(device) : options.variant;
    const bool fits =
        options.allows(variant) && find_variant(variant)->algorithm == "direct";
    return fits ? variant : std::string();
}

void add_direct_on_host(std::vector<bank_candidate>& to,
                        const bank_task& task,
                        const plan_options& options,
                        const host_rates& rates)
{
    const device_info host;
    const std::string variant = direct_variant_for(options, host);
    if (variant.empty())
        return;
    const double predicted = predict_host_direct(task.shape(), variant, rates);
    to.push_back(
        { { host, "direct", variant, "none", 0, predicted, nullptr },
          [&task, variant, rates] {
              return make_host_bank_direct(
                  variant, task.setups(), task.pool(), [variant, rates](const auto& shape) {
                      return predict_host_direct(shape, variant, rates);
                  });
          } });
}

void add_fast_convolution_on_host(std::vector<bank_candidate>& to,
                                  const bank_task& task,
                                  const plan_options& options,
                                  const host_rates& rates)
{
    for (const auto& method : overlap_save_methods()) {
        const std::string& variant = method.name;
        if (!options.allows(variant))
            continue;
        auto sizes = candidate_rows(task.shape(), variant, rates, max_sizes);
        if (sizes.empty() && options.variant == variant)
            sizes.push_back(0); // the variant says itself what it does not cover
        for (const auto rows : sizes)
            to.push_back(
                { { device_info(),
                    "fast_convolution",
                    variant,
                    "none",
                    rows,
                    predict_host_fast_convolution(task.shape(), variant, rows, rates),
                    nullptr },
                  [&task, variant, rows] {
                      return make_host_fast_convolution_bank(variant,
                                                             task.setups(),
                                                             rows,
                                                             task.options().accuracy,
                                                             task.pool());
                  } });
    }
}

void add_on_host(std::vector<bank_candidate>& to,
                 const bank_task& task,
                 const plan_options& options,
                 const host_rates& rates)
{
    add_direct_on_host(to, task, options, rates);
    add_fast_convolution_on_host(to, task, options, rates);
}

void add_direct_on_device(std::vector<bank_candidate>& to,
                          const bank_task& task,
                          const plan_options& options,
                          const host_rates& rates,
                          const plan_place& place,
                          context_registry& registry,
                          tuned_firs& tuned)
{
    const std::string variant = direct_variant_for(options, place.device);
    if (variant.empty())
        return;
    const double predicted =
        predict_device(task.shape(), place.device, place.transfer, 0, rates);
    to.push_back(
        { { place.device, "direct", variant, place.transfer, 0, predicted, nullptr },
          [&task, &registry, &tuned, place, variant] {
              return make_opencl_bank_direct(registry.get(place.device),
                                             variant,
                                             place.transfer,
                                             task.setups(),
                                             [&](const fir_setup& setup) {
                                                 return tuned.of(
                                                     place.device, variant, setup);
                                             });
          } });
    for (const auto& setup : task.setups())
        tuned.of(place.device, variant, setup);
}

void add_vkfft(std::vector<bank_candidate>& to,
               const bank_task& task,
               const host_rates& rates,
               const plan_place& place,
               context_registry& registry,
               tuned_fast_convolutions& tuned)
{
    const std::size_t rows = tuned.rows(place.device);
    const double predicted =
        predict_device(task.shape(), place.device, place.transfer, rows, rates);
    to.push_back({ { place.device,
                     "fast_convolution",
                     "vkfft",
                     place.transfer,
                     rows,
                     predicted,
                     nullptr },
                   [&task, &registry, &tuned, place, rows] {
                       return make_opencl_fast_convolution_bank(
                           registry.get(place.device),
                           place.transfer,
                           task.setups(),
                           task.options().accuracy,
                           rows,
                           tuned.of(place.device));
                   } });
}

std::vector<plan_candidate> plans(const bank_task& task,
                                  const std::vector<bank_candidate>& candidates)
{
    std::vector<plan_candidate> result;
    for (const auto& c : candidates) {
        result.push_back(c.plan);
        const bool fast = c.plan.rows > 0;
        result.back().make_trial = [&task, &c, fast] {
            return task.make_trial(c.make(), fast);
        };
        result.back().make_check = [&task, &c, fast] {
            return task.make_check(c.make(), fast);
        };
    }
    return result;
}

//! What a measurement's answer holds for.
std::string problem_key(const bank_task& task)
{
    const auto& shape = task.shape();
    std::ostringstream key;
    key << "freq_xlating_filter_bank " << sample_type_name(shape.input)
        << " taps=" << shape.taps << (task.has_real_taps() ? "r" : "c")
        << " decimation=" << shape.decimation << " channels=" << shape.channels
        << " items=" << shape.items << " threads=" << shape.threads
        << " kept=" << std::lround(100 * shape.kept) << "% "
        << plan_options::of(task.options()).key();
    return key.str();
}

//! Every way of computing a bank that its options leave open.
struct open_bank {
    open_bank(const bank_task& its_task, context_registry& its_registry)
        : task(its_task),
          registry(its_registry),
          open(plan_options::of(its_task.options())),
          rates(calibrated_rates(its_registry)),
          places(open_places(open)),
          tuned(its_registry, its_task.shape().items),
          tuned_fast(its_registry, its_task.shape(), rates)
    {
    }

    void add_candidates()
    {
        for (const auto& place : places) {
            if (place.device.is_host()) {
                add_on_host(candidates, task, open, rates);
            } else {
                add_direct_on_device(
                    candidates, task, open, rates, place, registry, tuned);
                if (open.allows_vkfft(place.device))
                    add_vkfft(candidates, task, rates, place, registry, tuned_fast);
            }
        }
    }

    plan_request request() const
    {
        plan_request result;
        result.problem = problem_key(task) + tuned.text() + tuned_fast.text();
        result.items = task.shape().items;
        result.measuring = task.shape().taps >= min_measured_taps;
        result.stopped = task.options().stopped;
        result.log = task.options().log;
        return result;
    }

    //! Of a candidate with other blocks.
    double predicted(const plan_candidate& c, std::size_t rows) const
    {
        const auto& shape = task.shape();
        if (!c.device.is_host())
            return predict_device(shape, c.device, c.transfer, rows, rates);
        return rows ? predict_host_fast_convolution(shape, c.variant, rows, rates)
                    : predict_host_direct(shape, c.variant, rates);
    }

    const bank_task& task;
    context_registry& registry;
    plan_options open;
    host_rates rates;
    std::vector<plan_place> places;
    tuned_firs tuned;
    tuned_fast_convolutions tuned_fast;
    std::vector<bank_candidate> candidates;
};

bank_selection
host_instead(const bank_task& task, const host_rates& rates, const std::string& why)
{
    log_to(task.options().log, log_level::warning, "the host computes instead: " + why);
    return select_host_bank(task.problem(), task.options(), rates);
}

} // namespace

bank_selection select_bank(const freq_xlating_filter_bank_problem& problem,
                           const freq_xlating_filter_bank_options& options,
                           context_registry& registry)
{
    check_plan_options(plan_options::of(options), problem.input);
    const bank_task task(problem, options);
    open_bank all(task, registry);
    if (all.places.empty())
        return host_instead(
            task, all.rates, "variant '" + options.variant + "' needs OpenCL");
    all.add_candidates();
    const auto& candidates = all.candidates;
    if (candidates.empty())
        throw_invalid("algorithm",
                      "'" + options.algorithm + "'",
                      "one that device '" + options.device + "' can run");

    bank_selection result;
    try {
        const plan_choice choice = choose_plan(
            all.request(), plans(task, candidates), registry, [&](std::size_t i) {
                result.executor = candidates[i].make();
            });
        result.plan = choice.plan;
        if (candidates[choice.index].plan.variant == "vkfft")
            result.plan.tuned =
                tuned_text(all.tuned_fast.of(candidates[choice.index].plan.device));
    } catch (const opencl_error& e) {
        return host_instead(task, all.rates, e.what());
    } catch (const wrong_outputs& e) {
        return host_instead(task, all.rates, "device '" + e.device() + "': " + e.what());
    }
    return result;
}

bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry)
{
    problem.check();
    check_plan_options(plan_options::of(options), problem.input);
    const bank_task task(problem, options);
    open_bank all(task, registry);
    all.add_candidates();
    return is_outdated(all.request(),
                       plans(task, all.candidates),
                       plan,
                       [&](const plan_candidate& c, std::size_t rows) {
                           return all.predicted(c, rows);
                       });
}

bank_selection select_host_bank(const freq_xlating_filter_bank_problem& problem,
                                const freq_xlating_filter_bank_options& options,
                                const host_rates& rates)
{
    const bank_task task(problem, options);
    plan_options open = plan_options::of(options);
    open.device = "host";
    open.variant = open.transfer = "auto";
    std::vector<bank_candidate> candidates;
    add_on_host(candidates, task, open, rates);
    if (candidates.empty()) {
        open.algorithm = "auto"; // a stream has to go on somehow
        add_on_host(candidates, task, open, rates);
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return a.plan.predicted < b.plan.predicted;
    });
    for (std::size_t i = 0;; i++) {
        const auto& c = candidates.at(i);
        try {
            bank_selection selection{ c.make(), c.plan.as_plan(), true };
            selection.plan.after_failure = true;
            return selection;
        } catch (const std::invalid_argument&) {
            if (i + 1 == candidates.size())
                throw;
        }
    }
}

} // namespace cldsp
