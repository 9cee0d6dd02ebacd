// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks all variants for candidates, makes trial calls, and takes the planner's choice.

#include "freq_xlating/group_selection.h"

#include "base/text_stream.h"
#include "filter/filter_task.h"
#include "filter/filter_variant.h"
#include "freq_xlating/filter_check.h"
#include "freq_xlating/typical_call.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// The time for measuring a problem of fewer taps than min_measured_taps.
constexpr double placeholder_seconds = 0.3;

// Outputs of the brief call in which a device's outputs are compared.
constexpr std::size_t brief_outputs = 64;

//! A call whose outputs are compared with the host's.
class trial_filter_call
{
public:
    trial_filter_call(const filter_task& task, std::size_t outputs)
        : d_task(task), d_call(task.channels, outputs * task.shape.decimation)
    {
    }

    void lend_to(filter_executor& executor) const
    {
        executor.set_stream_memory(d_call.in(), d_call.out());
    }
    void take_from(filter_executor& executor) const
    {
        executor.set_stream_memory({}, {});
    }
    void run(filter_executor& executor) const { d_call.run(executor); }
    void spoil() const { d_call.spoil(); }

    //! Compares the outputs of some channels with the host's. Returns the first error
    //! above its bound, or no error.
    output_error error(const filter_executor& executor) const
    {
        const auto* variant = find_variant(executor.variant_name());
        for (const auto& range : some_outputs(d_task.channels.size(), checked_channels))
            for (std::size_t c = range.first; c < range.first + range.count; c++) {
                const auto& channel = d_task.channels[c];
                const auto& its = d_call.channel(c);
                output_comparison comparison;
                compare_filter_outputs(channel,
                                       d_call.window(c, channel.taps()),
                                       its.out,
                                       its.span.outputs,
                                       comparison);
                output_error one{ comparison.error(), max_output_error };
                if (variant)
                    one.bound = variant->error_bound(channel.problem.taps,
                                                     d_task.options.accuracy);
                if (!one.is_right())
                    return one;
            }
        return {};
    }

    void keep() const noexcept { d_call.keep(); }
    bool is_kept() const noexcept { return d_call.is_kept(); }

private:
    static constexpr std::size_t checked_channels = 2; // compared channels of each range

    const filter_task& d_task;
    const typical_call d_call;
};

//! Every way of computing a task that its options leave open.
class filter_candidates
{
public:
    explicit filter_candidates(filter_task& task)
        : d_task(task), d_calls([&task](trial_call which) {
              const std::size_t outputs = task.shape.outputs();
              return std::make_shared<const trial_filter_call>(
                  task,
                  which == trial_call::brief ? std::min(brief_outputs, outputs)
                                             : outputs);
          })
    {
    }

    //! Adds the candidates on every device and with every transfer that the options leave
    //! open.
    //! \throws std::invalid_argument
    void add_all()
    {
        for (const auto& [device, transfer] :
             open_places(d_task.named, *d_task.registry)) {
            if (device.is_host())
                add_host();
            else
                add({ d_task.registry->lowered(device), transfer });
        }
    }

    //! Adds the candidates on the host that take the place of a device. They are of the
    //! algorithm that was asked for, if the host has it.
    void add_host_instead()
    {
        const auto* named = find_variant(d_task.named.variant);
        if (named)
            d_task.named.algorithm = named->algorithm;
        if (!named || !named->host)
            d_task.named.variant = "auto";
        add_host();
        if (d_all.empty()) {
            // Any algorithm, because the stream has to go on.
            d_task.named.algorithm = "auto";
            add_host();
        }
        std::sort(d_all.begin(), d_all.end(), [](const auto& a, const auto& b) {
            return a.predicted < b.predicted;
        });
    }

    const std::vector<plan_candidate>& all() const { return d_all; }

    plan_request request() const
    {
        const auto& shape = d_task.shape;
        text_stream key;
        key << "freq_xlating_filter_bank " << sample_type_name(shape.input)
            << " taps=" << shape.taps << (shape.real_taps ? "r" : "c")
            << " decimation=" << shape.decimation << " channels=" << shape.channels
            << " items=" << shape.items << " threads=" << shape.threads
            << " kept=" << std::lround(100 * shape.kept) << "% " << d_task.named.key()
            << d_task.tuned().text();
        for (const auto& [name, text] : d_keys)
            if (!text.empty())
                key << " " << text;
        plan_request request;
        request.problem = key.str();
        request.items = shape.items;
        // One tap in each channel of a large bank may still be a placeholder. But if it
        // is the real filter, a prediction alone may well choose a block that is too
        // large: only for a channel or two the direct algorithm is sure to win.
        request.placeholder =
            shape.taps == 1 || shape.taps * shape.channels < min_measured_taps;
        request.measuring = shape.taps > 1 || shape.channels > 2;
        if (shape.taps * shape.channels < min_measured_taps)
            request.seconds = placeholder_seconds;
        request.stopped = d_task.options.stopped;
        request.running = d_task.options.running;
        request.log = d_task.options.log;
        return request;
    }

    //! The predicted seconds of candidate \p c with blocks of another size.
    double predicted(const plan_candidate& c, std::size_t ifft_size) const
    {
        return find_variant(c.variant)->predict(
            d_task.shape, { c.device, c.transfer }, ifft_size, d_task.rates);
    }

private:
    void add_host() { add({ device_info(), "none" }); }

    //! Adds the candidates of all variants in a place.
    void add(const plan_place& place)
    {
        for (const auto* variant : filter_variants()) {
            if (variant->host != place.device.is_host())
                continue;
            const auto sizes = variant->sizes(d_task, place);
            for (const auto size : sizes)
                add(place, *variant, size);
            if (sizes.empty() || d_keys.count(variant->name) > 0)
                continue;
            d_keys[variant->name] = variant->key(d_task);
        }
    }

    void add(const plan_place& place, const filter_variant& variant, std::size_t size)
    {
        plan_candidate c;
        c.device = place.device;
        c.algorithm = variant.algorithm;
        c.variant = variant.name;
        c.transfer = place.transfer;
        c.ifft_size = size;
        c.predicted = variant.predict(d_task.shape, place, size, d_task.rates);
        c.tuned = tuned_text(variant.tuned(d_task, place));
        c.make = [this, place, &variant, size] {
            return std::make_unique<executor_trial<filter_executor, trial_filter_call>>(
                variant.make(d_task, place, size), d_calls);
        };
        d_all.push_back(std::move(c));
    }

    filter_task& d_task;
    trial_calls<trial_filter_call> d_calls;
    std::vector<plan_candidate> d_all;
    std::map<std::string, std::string> d_keys; //!< of the candidates' variants, by name
};

//! An executor on the host, chosen by the predictions.
filter_selection in_place_of_device(const filter_request& request)
{
    filter_task task(request);
    filter_candidates candidates(task);
    candidates.add_host_instead();
    for (const auto& c : candidates.all()) {
        try {
            filter_selection selected;
            selected.executor =
                static_cast<trial_of<filter_executor>&>(*c.make()).take_executor();
            selected.plan = c.as_plan();
            selected.plan.reason = request.why;
            selected.fell_back = true;
            return selected;
        } catch (const std::invalid_argument&) {
            if (&c == &candidates.all().back())
                throw;
        }
    }
    throw std::invalid_argument("there is nothing to compute with");
}

} // namespace

filter_selection host_at_once(filter_selection selected)
{
    selected.fell_back = false;
    selected.plan.provisional = true;
    return selected;
}

filter_selection select_group(const filter_request& wanted)
{
    if (!wanted.registry)
        return in_place_of_device(wanted);
    const auto& options = wanted.options;
    check_plan_options(plan_options::of(options), wanted.problem.input);
    filter_task task(wanted);
    filter_candidates candidates(task);
    candidates.add_all();
    if (candidates.all().empty()) {
        // With device "auto" a variant that needs OpenCL is no error where there is no
        // OpenCL device: every flowgraph then goes on, on the host.
        if (options.device != "auto")
            throw_invalid("algorithm",
                          "'" + options.algorithm + "'",
                          "one that device '" + options.device + "' can run");
        const std::string why = "variant '" + options.variant + "' needs OpenCL";
        if (options.at_once)
            return host_at_once(in_place_of_device(wanted.in_place_of_device("")));
        log_to(options.log, log_level::warning, "the host computes instead: " + why);
        return in_place_of_device(wanted.in_place_of_device(why));
    }
    auto request = candidates.request();
    request.seconds = std::min(request.seconds, wanted.max_seconds);
    request.at_once = options.at_once;
    auto selected =
        select_planned<filter_executor>(request, candidates.all(), *wanted.registry);
    if (selected.is_open())
        return host_at_once(in_place_of_device(wanted.in_place_of_device("")));
    if (!selected.executor)
        return in_place_of_device(wanted.in_place_of_device(selected.plan.reason));
    return selected;
}

bool group_is_outdated(const chosen_plan& plan, const filter_request& wanted)
{
    filter_task task(wanted);
    filter_candidates candidates(task);
    candidates.add_all();
    const auto* const variant = find_variant(plan.variant);
    if (variant && variant->is_outdated(task, plan))
        return true;
    const auto* const same = find_candidate(candidates.all(), plan);
    return !same || is_outdated(candidates.request(),
                                candidates.all(),
                                plan,
                                candidates.predicted(*same, plan.ifft_size));
}

} // namespace cldsp
