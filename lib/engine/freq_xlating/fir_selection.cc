/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/fir_selection.h"

#include "filter/kept_bins.h"
#include "freq_xlating/cost_model.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "freq_xlating/tuned_fast_convolutions.h"
#include "direct/fir_tuning.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/overlap_save_methods.h"
#include "filter/plan_options.h"
#include "planning/planner.h"
#include "base/trial_memory.h"
#include "freq_xlating/filter_check.h"
#include "direct/host_fir.h"
#include "direct/opencl_fir.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// Block sizes of one variant that take part in a measurement.
constexpr std::size_t max_sizes = 3;

// Of the short call that a device's outputs are compared in.
constexpr std::size_t check_outputs = 64;

//! The input and output of a typical call, the same for all candidates.
struct typical_call {
    typical_call(const fir_setup& setup, std::size_t items)
        : outputs(std::max<std::size_t>(1, items / setup.problem.decimation)),
          in(trial_input(setup.problem.input, setup.window(outputs))),
          out(outputs * sizeof(std::complex<float>))
    {
    }

    double error(const fir_setup& setup) const
    {
        output_comparison comparison;
        compare_filter_outputs(
            setup, in.as<void>(), out.as<std::complex<float>>(), outputs, comparison);
        return comparison.error();
    }

    void keep() const noexcept
    {
        in.keep();
        out.keep();
    }
    bool is_kept() const noexcept { return in.is_kept(); }

    std::size_t outputs;
    trial_memory in, out;
};

class fir_trial final : public plan_trial
{
public:
    //! \param bound of the error; see output_error
    fir_trial(std::unique_ptr<fir_executor> executor,
              std::shared_ptr<const typical_call> call,
              const fir_setup& setup,
              double bound)
        : d_setup(setup),
          d_bound(bound),
          d_call(std::move(call)),
          d_executor(std::move(executor))
    {
        // Before the memory is wrapped: a device may keep what is there now.
        fill_with_nonsense(d_call->out.as<void>(), d_call->out.region().bytes);
        d_executor->set_stream_memory(d_call->in.region(), d_call->out.region());
    }

    double run() override
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        d_executor->run({ d_call->in.as<void>(),
                          d_call->out.as<std::complex<float>>(),
                          d_call->outputs,
                          phase64() });
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    output_error check() override
    {
        run();
        return { d_call->error(d_setup), d_bound };
    }

private:
    const fir_setup& d_setup;
    double d_bound;
    std::shared_ptr<const typical_call> d_call; // outlives what has wrapped its memory
    std::unique_ptr<fir_executor> d_executor;
    kept_if_lost<fir_executor, typical_call> d_kept{ *d_executor, *d_call };
};

//! Every way of computing a problem that options leave open.
class fir_candidates
{
public:
    fir_candidates(const fir_setup& setup,
                   const freq_xlating_fir_options& options,
                   context_registry& registry)
        : d_setup(setup),
          d_options(options),
          d_named(plan_options::of(options)),
          d_registry(registry),
          d_rates(calibrated_rates(registry))
    {
        d_shape.input = setup.problem.input;
        d_shape.taps = setup.taps();
        d_shape.decimation = setup.problem.decimation;
        d_shape.real_taps = setup.real_taps;
        d_shape.items = std::max(options.typical_items, setup.problem.decimation);
        if (d_named.allows("bins") || d_named.allows("vkfft"))
            d_shape.kept = kept_bins(setup.problem.taps, options.accuracy);
        d_tuned = std::make_unique<tuned_firs>(registry, d_shape.items);
        d_tuned_fast =
            std::make_unique<tuned_fast_convolutions>(registry, d_shape, d_rates);
        for (const auto& place : open_places(d_named)) {
            if (place.device.is_host())
                add_host(place);
            else
                add_device(place);
        }
    }

    const std::vector<plan_candidate>& all() const { return d_all; }

    std::string tuned_text() const { return d_tuned->text() + d_tuned_fast->text(); }
    //! Of a candidate.
    const tuning_values& tuned(std::size_t index) const { return tuned_of(d_all[index]); }
    std::size_t items() const { return d_shape.items; }

    std::unique_ptr<fir_executor> make(std::size_t index) const
    {
        return executor(d_all[index]);
    }

    //! Of a candidate with other blocks.
    double predicted(const plan_candidate& c, std::size_t rows) const
    {
        if (!c.device.is_host())
            return predict_device(d_shape, c.device, c.transfer, rows, d_rates);
        return rows ? predict_host_fast_convolution(d_shape, c.variant, rows, d_rates)
                    : predict_host_direct(d_shape, c.variant, d_rates);
    }

private:
    void add_host(const plan_place& place)
    {
        for (const char* variant : { "simd", "volk" })
            if (d_named.allows(variant))
                add(place, variant, 0, predict_host_direct(d_shape, variant, d_rates));
        for (const auto& method : overlap_save_methods()) {
            const std::string& variant = method.name;
            if (!d_named.allows(variant))
                continue;
            auto sizes = candidate_rows(d_shape, variant, d_rates, max_sizes);
            if (sizes.empty() && d_options.variant == variant)
                sizes.push_back(0); // the variant says itself what it does not cover
            for (const auto rows : sizes)
                add(place,
                    variant,
                    rows,
                    predict_host_fast_convolution(d_shape, variant, rows, d_rates));
        }
    }

    void add_device(const plan_place& place)
    {
        const auto* named = find_variant(d_options.variant);
        const std::string direct = named ? named->name : direct_variant(place.device);
        if (find_variant(direct)->algorithm == "direct" && d_named.allows(direct)) {
            d_tuned->of(place.device, direct, d_setup);
            add(place,
                direct,
                0,
                predict_device(d_shape, place.device, place.transfer, 0, d_rates));
        }
        if (!d_named.allows_vkfft(place.device))
            return;
        const std::size_t rows = d_tuned_fast->rows(place.device);
        add(place,
            "vkfft",
            rows,
            predict_device(d_shape, place.device, place.transfer, rows, d_rates));
    }

    void add(const plan_place& place,
             const std::string& variant,
             std::size_t rows,
             double predicted)
    {
        plan_candidate c;
        c.device = place.device;
        c.algorithm = find_variant(variant)->algorithm;
        c.variant = variant;
        c.transfer = place.transfer;
        c.rows = rows;
        c.predicted = predicted;
        c.make_trial = [this, index = d_all.size()] {
            return trial(index, d_call, d_shape.items);
        };
        c.make_check = [this, index = d_all.size()] {
            return trial(index,
                         d_short_call,
                         std::min(d_shape.items, check_outputs * d_shape.decimation));
        };
        d_all.push_back(std::move(c));
    }

    //! \param call made with the first trial: often there is none
    std::unique_ptr<plan_trial>
    trial(std::size_t index, std::shared_ptr<const typical_call>& call, std::size_t items)
    {
        if (!call || call->is_kept())
            call = std::make_shared<const typical_call>(d_setup, items);
        const double bound =
            d_all[index].rows
                ? fast_convolution_bound(d_setup.problem.taps, d_options.accuracy)
                : max_output_error;
        return std::make_unique<fir_trial>(make(index), call, d_setup, bound);
    }

    const tuning_values& tuned_of(const plan_candidate& c) const
    {
        return c.variant == "vkfft" ? d_tuned_fast->of(c.device)
                                    : d_tuned->of(c.device, c.variant, d_setup);
    }

    std::unique_ptr<fir_executor> executor(const plan_candidate& c) const
    {
        const bool fast = c.algorithm == "fast_convolution";
        if (!c.device.is_host()) {
            auto device = d_registry.get(c.device);
            if (fast)
                return make_opencl_fast_convolution(std::move(device),
                                                    c.transfer,
                                                    d_setup,
                                                    d_options.accuracy,
                                                    c.rows,
                                                    tuned_of(c));
            return make_opencl_fir(
                std::move(device), c.variant, c.transfer, d_setup, tuned_of(c));
        }
        if (fast)
            return make_host_fast_convolution(
                c.variant, d_setup, c.rows, d_options.accuracy);
        return make_host_fir(c.variant, d_setup);
    }

    const fir_setup& d_setup;
    const freq_xlating_fir_options& d_options;
    plan_options d_named;
    context_registry& d_registry;
    host_rates d_rates;
    plan_shape d_shape;
    std::unique_ptr<tuned_firs> d_tuned; // both are for the shape
    std::unique_ptr<tuned_fast_convolutions> d_tuned_fast;
    std::vector<plan_candidate> d_all;
    std::shared_ptr<const typical_call> d_call, d_short_call;
};

//! What an answer holds for.
std::string problem_key(const fir_setup& setup, const freq_xlating_fir_options& options)
{
    std::ostringstream key;
    key << "freq_xlating_fir " << sample_type_name(setup.problem.input)
        << " taps=" << setup.taps() << (setup.real_taps ? "r" : "c")
        << " decimation=" << setup.problem.decimation
        << " items=" << options.typical_items << " " << plan_options::of(options).key();
    return key.str();
}

plan_request request_of(const fir_setup& setup,
                        const freq_xlating_fir_options& options,
                        const fir_candidates& candidates)
{
    plan_request request;
    request.problem = problem_key(setup, options) + candidates.tuned_text();
    request.items = candidates.items();
    request.measuring = setup.taps() >= min_measured_taps;
    request.stopped = options.stopped;
    request.log = options.log;
    return request;
}

} // namespace

fir_selection select_fir(const fir_setup& setup,
                         const freq_xlating_fir_options& options,
                         context_registry& registry)
{
    check_plan_options(plan_options::of(options), setup.problem.input);
    const fir_candidates candidates(setup, options, registry);
    if (candidates.all().empty()) {
        // A variant that needs OpenCL goes on without it, as every flowgraph does there.
        if (options.device == "auto")
            return host_instead(
                setup, options.log, "variant '" + options.variant + "' needs OpenCL");
        throw_invalid("algorithm",
                      "'" + options.algorithm + "'",
                      "one that device '" + options.device + "' can run");
    }

    fir_selection selection;
    const auto request = request_of(setup, options, candidates);
    try {
        const auto choice =
            choose_plan(request, candidates.all(), registry, [&](std::size_t index) {
                selection.executor = candidates.make(index);
            });
        selection.plan = choice.plan;
        selection.plan.tuned = tuned_text(candidates.tuned(choice.index));
        return selection;
    } catch (const opencl_error& e) {
        return host_instead(setup, options.log, e.what());
    } catch (const wrong_outputs& e) {
        return host_instead(
            setup, options.log, "device '" + e.device() + "': " + e.what());
    }
}

bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_fir_problem& problem,
                 const freq_xlating_fir_options& options,
                 context_registry& registry)
{
    problem.check();
    check_plan_options(plan_options::of(options), problem.input);
    const fir_setup setup(problem);
    const fir_candidates candidates(setup, options, registry);
    return is_outdated(request_of(setup, options, candidates),
                       candidates.all(),
                       plan,
                       [&](const plan_candidate& c, std::size_t rows) {
                           return candidates.predicted(c, rows);
                       });
}

fir_selection
host_instead(const fir_setup& setup, const logger& log, const std::string& why)
{
    log_to(log, log_level::warning, "the host computes instead: " + why);
    fir_selection selection;
    selection.executor = make_host_fir("auto", setup);
    selection.plan = host_plan("direct", selection.executor->variant_name(), why);
    selection.fell_back = true;
    return selection;
}

} // namespace cldsp
