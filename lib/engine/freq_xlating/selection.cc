/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/selection.h"

#include "base/page_memory.h"
#include "base/text_stream.h"
#include "base/thread_pool.h"
#include "direct/fir_tuning.h"
#include "direct/host_direct.h"
#include "direct/opencl_direct.h"
#include "fast_convolution/dft_bank.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/overlap_save.h"
#include "filter/kept_bins.h"
#include "filter/variants.h"
#include "freq_xlating/filter_check.h"
#include "freq_xlating/rates_selection.h"
#include "freq_xlating/shares_selection.h"
#include "freq_xlating/tuned_fast_convolutions.h"
#include "opencl/matrix_units.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// The largest number of block sizes of one variant that are measured.
constexpr std::size_t max_sizes = 3;

// The time for measuring a problem of fewer taps than min_measured_taps.
constexpr double placeholder_seconds = 0.3;

// Outputs of the brief call in which a device's outputs are compared.
constexpr std::size_t brief_outputs = 64;

//! The channels of a problem, and the values that predictions depend on.
struct filter_task {
    filter_task(const freq_xlating_filter_bank_problem& its_problem,
                const freq_xlating_filter_bank_options& its_options,
                const host_rates& its_rates,
                std::shared_ptr<thread_pool> its_pool = nullptr)
        : problem(its_problem),
          options(its_options),
          named(plan_options::of(its_options)),
          rates(its_rates),
          channels(make_channels(its_problem)),
          d_pool(std::move(its_pool))
    {
        shape.input = problem.input;
        for (const auto& taps : problem.taps)
            shape.taps = std::max(shape.taps, taps.size());
        shape.decimation = problem.decimation;
        shape.channels = channels.size();
        shape.real_taps =
            std::all_of(channels.begin(), channels.end(), [](const auto& channel) {
                return channel.real_taps;
            });
        shape.threads = thread_pool::count_for(options.threads);
        if (named.allows("selected_bins") || named.allows("fused_fold") ||
            named.allows("tiled_fold") || named.allows("tensor_fold") ||
            named.allows("vkfft"))
            shape.kept = kept();

        constexpr std::size_t max_outputs = 1 << 25; // all channels together, 256 MiB
        shape.items = problem.decimation *
                      std::clamp<std::size_t>(
                          options.typical_items / problem.decimation,
                          1,
                          std::max<std::size_t>(1, max_outputs / shape.channels));
    }

    //! The size of the raster that the channels are on. 0 if they are on none, or have
    //! too few different frequencies to gain from it: a bank whose channels are all at
    //! one frequency, say, still waits for the real ones.
    std::size_t raster() const
    {
        constexpr std::size_t min_channels = 4;
        if (d_raster)
            return *d_raster;
        d_raster = 0;
        if (named.variant == "dft_bank")
            return *(d_raster = find_raster(channels, max_raster_size));
        std::set<std::uint64_t> frequencies;
        for (const auto& channel : channels)
            frequencies.insert(channel.step.fraction());
        if (frequencies.size() >= std::max(min_channels, channels.size() / 2))
            d_raster = find_raster(channels, max_raster_size);
        return *d_raster;
    }

    //! The threads of the host. The first candidate that needs them starts them.
    const std::shared_ptr<thread_pool>& pool() const
    {
        if (!d_pool)
            d_pool = std::make_shared<thread_pool>(options.threads);
        return d_pool;
    }

    const freq_xlating_filter_bank_problem& problem;
    const freq_xlating_filter_bank_options& options;
    plan_options named;
    host_rates rates;
    std::vector<filter_channel> channels;
    plan_shape shape; //!< with the items of a typical call

private:
    //! The fraction of the bins that is kept, as the mean of up to `most` prototypes.
    double kept() const
    {
        constexpr std::size_t most = 8;
        const std::size_t stride = (problem.taps.size() + most - 1) / most;
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < problem.taps.size(); i += stride, count++)
            sum += kept_bins(problem.taps[i], options.accuracy);
        return sum / count;
    }

    mutable std::shared_ptr<thread_pool> d_pool;
    mutable std::optional<std::size_t> d_raster;
};

//! The input and the outputs of a call, for trials.
class trial_filter_call
{
public:
    trial_filter_call(const filter_task& task, std::size_t outputs)
        : d_task(task),
          d_outputs(outputs),
          d_history(task.shape.taps - 1),
          d_in(trial_input(task.shape.input,
                           d_history + (d_outputs - 1) * task.shape.decimation + 1)),
          d_out(task.shape.channels * d_outputs * sizeof(std::complex<float>)),
          d_phases(task.shape.channels)
    {
        for (std::size_t c = 0; c < d_phases.size(); c++)
            d_channels.push_back(d_out.as<std::complex<float>>() + c * d_outputs);
    }

    void lend_to(filter_executor& executor) const
    {
        executor.set_stream_memory(d_in.region(), d_out.region());
    }
    void take_from(filter_executor& executor) const
    {
        executor.set_stream_memory({}, {});
    }
    void run(filter_executor& executor) const
    {
        executor.run({ d_in.as<void>(),
                       d_history,
                       d_channels.data(),
                       d_outputs,
                       d_phases.data() });
    }
    void spoil() const { fill_with_nonsense(d_out.as<void>(), d_out.region().bytes); }

    //! Compares the outputs of some channels with the host's. Returns the first error
    //! above its bound, or no error.
    output_error error(const filter_executor& executor) const
    {
        const auto* variant = find_variant(executor.variant_name());
        const bool fast = variant && variant->algorithm == "fast_convolution";
        for (const auto& range : some_outputs(d_channels.size(), checked_channels))
            for (std::size_t c = range.first; c < range.first + range.count; c++) {
                const auto& channel = d_task.channels[c];
                output_comparison comparison;
                compare_filter_outputs(channel,
                                       d_in.as<unsigned char>() +
                                           (d_history + 1 - channel.taps()) *
                                               sample_size(d_task.shape.input),
                                       d_channels[c],
                                       d_outputs,
                                       comparison);
                output_error one{ comparison.error(), max_output_error };
                if (fast)
                    one.bound = fast_convolution_bound(channel.problem.taps,
                                                       d_task.options.accuracy);
                if (!one.is_right())
                    return one;
            }
        return {};
    }

    void keep() const noexcept
    {
        d_in.keep();
        d_out.keep();
    }
    bool is_kept() const noexcept { return d_in.is_kept(); }

private:
    static constexpr std::size_t checked_channels = 2; // compared channels of each range

    const filter_task& d_task;
    std::size_t d_outputs, d_history;
    page_memory d_in, d_out;
    std::vector<std::complex<float>*> d_channels;
    std::vector<phase64> d_phases;
};

//! Every way of computing a task that its options leave open.
class filter_candidates
{
public:
    filter_candidates(const filter_task& task, context_registry* registry)
        : d_task(task),
          d_named(task.named),
          d_registry(registry),
          d_calls([&task](trial_call which) {
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
        d_tuned = std::make_unique<tuned_firs>(*d_registry, d_task.shape.items);
        d_tuned_fast =
            std::make_unique<tuned_fast_convolutions>(*d_registry, d_task.shape);
        for (const auto& [device, transfer] : open_places(d_named)) {
            if (device.is_host())
                add_host();
            else
                add_device({ d_registry->lowered(device), transfer });
        }
    }

    //! Adds the candidates on the host that take the place of a device. They are of the
    //! algorithm that was asked for, if the host has it.
    void add_host_instead()
    {
        const auto* named = find_variant(d_named.variant);
        if (named)
            d_named.algorithm = named->algorithm;
        d_named.variant = "auto";
        add_host();
        if (d_all.empty()) {
            d_named.algorithm = "auto"; // any algorithm, because the stream has to go on
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
            << " kept=" << std::lround(100 * shape.kept) << "% " << d_named.key()
            << d_tuned->text() << d_tuned_fast->text();
        if (d_has_dft_bank)
            key << " raster=" << d_task.raster();
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
        request.log = d_task.options.log;
        return request;
    }

    //! The predicted seconds of candidate \p c with blocks of another size.
    double predicted(const plan_candidate& c, std::size_t ifft_size) const
    {
        const auto& shape = d_task.shape;
        if (!c.device.is_host())
            return predict_device(
                shape, c.device, c.transfer, ifft_size, d_task.rates, c.variant);
        return ifft_size ? predict_host_fast_convolution(
                               shape, c.variant, ifft_size, d_task.rates)
                         : predict_host_direct(shape, c.variant, d_task.rates);
    }

private:
    void add_host()
    {
        const plan_place host{ device_info(), "none" };
        // VOLK is close to "simd" for one channel at best. With several channels, calls
        // are spread over threads, and a measurement would now and then prefer VOLK by
        // chance.
        const bool has_volk = d_task.channels.size() == 1 || d_named.variant == "volk";
        for (const std::string variant : { "simd", "volk" })
            if (d_named.allows(variant) && (variant != "volk" || has_volk))
                add(host, variant, 0, [this, variant] {
                    return make_host_direct(
                        variant,
                        d_task.channels,
                        d_task.pool(),
                        predicted_costs(d_task.shape, variant, d_task.rates));
                });
        for (const auto& method : overlap_save_methods()) {
            const std::string& variant = method.name;
            if (!d_named.allows(variant))
                continue;
            auto sizes = candidate_sizes(d_task.shape, variant, d_task.rates, max_sizes);
            if (sizes.empty() && d_named.variant == variant)
                sizes.push_back(0); // making it fails with an error that names the limit
            for (const auto ifft_size : sizes)
                add(host, variant, ifft_size, [this, variant, ifft_size] {
                    return make_host_fast_convolution(
                        variant,
                        d_task.channels,
                        ifft_size,
                        d_task.options.accuracy,
                        d_task.pool(),
                        predicted_costs(d_task.shape, "simd", d_task.rates));
                });
        }
    }

    void add_device(const plan_place& place)
    {
        const std::string direct =
            d_named.variant == "auto" ? direct_variant(place.device) : d_named.variant;
        if (d_named.allows(direct) && find_variant(direct)->algorithm == "direct")
            add_direct(place, direct);
        for (const auto& variant : opencl_fast_convolutions())
            if (d_named.allows_on_device(variant, place.device))
                add_fast_convolution(place, variant);
        if (d_named.allows_on_device("dft_bank", place.device))
            add_dft_bank(place);
    }

    void add_direct(const plan_place& place, const std::string& variant)
    {
        for (const auto& channel : d_task.channels)
            d_tuned->of(place.device, variant, channel);
        add(
            place,
            variant,
            0,
            [this, place, variant] {
                return make_opencl_direct(d_registry->get(place.device),
                                          variant,
                                          place.transfer,
                                          d_task.channels,
                                          [&](const filter_channel& channel) {
                                              return d_tuned->of(
                                                  place.device, variant, channel);
                                          });
            },
            tuned_text(d_tuned->of(place.device, variant, d_task.channels.front())));
    }

    void add_fast_convolution(const plan_place& place, const std::string& variant)
    {
        // With fewer channels than this, a tile gains nothing.
        constexpr std::size_t channels_of_tiles = 16;
        const bool has_tiles = variant == "tiled_fold" || variant == "tensor_fold";
        if (has_tiles && d_named.variant != variant &&
            d_task.shape.channels < channels_of_tiles)
            return;
        // If the user names it, making it fails with an error that tells the reason.
        if (variant == "tensor_fold" && d_named.variant != variant &&
            !missing_tensor_reason(place.device).empty())
            return;
        const std::size_t ifft_size = d_tuned_fast->ifft_size(place.device, variant);
        // A variant without a block for these taps is left out, unless the user names it:
        // making it then fails with an error that names the limit.
        if (!ifft_size && d_named.variant != variant && variant != "vkfft")
            return;
        add(
            place,
            variant,
            ifft_size,
            [this, place, variant, ifft_size] {
                return make_opencl_fast_convolution(
                    d_registry->get(place.device),
                    variant,
                    place.transfer,
                    d_task.channels,
                    d_task.options.accuracy,
                    ifft_size,
                    d_tuned_fast->of(place.device, variant));
            },
            tuned_text(d_tuned_fast->of(place.device, variant)));
    }

    void add_dft_bank(const plan_place& place)
    {
        // If the user names it, making it fails with an error that tells the reason.
        const std::size_t size = d_task.raster() <= max_dft_bank_size(place.device.limits)
                                     ? d_task.raster()
                                     : 0;
        if (!size && d_named.variant != "dft_bank")
            return;
        d_has_dft_bank = true;
        add(place, "dft_bank", size, [this, place, size] {
            return make_opencl_dft_bank(d_registry->get(place.device),
                                        place.transfer,
                                        d_task.channels,
                                        d_task.options.accuracy,
                                        size);
        });
    }

    template <class Make>
    void add(const plan_place& place,
             const std::string& variant,
             std::size_t ifft_size,
             const Make& make,
             const std::string& tuned = {})
    {
        plan_candidate c;
        c.device = place.device;
        c.algorithm = find_variant(variant)->algorithm;
        c.variant = variant;
        c.transfer = place.transfer;
        c.ifft_size = ifft_size;
        c.predicted = predicted(c, ifft_size);
        c.tuned = tuned;
        c.make = [this, make] {
            return std::make_unique<executor_trial<filter_executor, trial_filter_call>>(
                make(), d_calls);
        };
        d_all.push_back(std::move(c));
    }

    const filter_task& d_task;
    plan_options d_named;
    context_registry* d_registry; // null: only the host is a candidate
    // The values that are tuned for d_task.shape.
    std::unique_ptr<tuned_firs> d_tuned;
    std::unique_ptr<tuned_fast_convolutions> d_tuned_fast;
    trial_calls<trial_filter_call> d_calls;
    std::vector<plan_candidate> d_all;
    bool d_has_dft_bank = false; //!< whether the frequencies decide on the candidates
};

} // namespace

filter_selection select_decimation(const freq_xlating_filter_bank_problem& problem,
                                   const freq_xlating_filter_bank_options& options,
                                   context_registry& registry,
                                   std::shared_ptr<thread_pool> pool,
                                   double max_seconds)
{
    check_plan_options(plan_options::of(options), problem.input);
    const filter_task task(problem, options, calibrated_rates(registry), pool);
    filter_candidates candidates(task, &registry);
    candidates.add_all();
    if (candidates.all().empty()) {
        // With device "auto" a variant that needs OpenCL is no error where there is no
        // OpenCL device: every flowgraph then goes on, on the host.
        if (options.device != "auto")
            throw_invalid("algorithm",
                          "'" + options.algorithm + "'",
                          "one that device '" + options.device + "' can run");
        const std::string why = "variant '" + options.variant + "' needs OpenCL";
        log_to(options.log, log_level::warning, "the host computes instead: " + why);
        return decimation_on_host(problem, options, task.rates, why, pool);
    }
    auto request = candidates.request();
    request.seconds = std::min(request.seconds, max_seconds);
    auto selected = select_planned<filter_executor>(request, candidates.all(), registry);
    if (!selected.executor)
        return decimation_on_host(
            problem, options, task.rates, selected.plan.reason, pool);
    return selected;
}

bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry)
{
    problem.check();
    check_plan_options(plan_options::of(options), problem.input);
    const auto all = problem.with_all_slots();
    if (shares_channels(all, options))
        return shares_are_outdated(plan, all, options, registry);
    if (!all.has_one_decimation())
        return false; // its groups have plans of their own, and are not renewed one by
                      // one
    const filter_task task(all, options, calibrated_rates(registry));
    filter_candidates candidates(task, &registry);
    candidates.add_all();
    // Channels of another raster need another transform. A bank with a named variant
    // computes them in another way.
    if (plan.variant == "dft_bank" && options.variant != "dft_bank" &&
        plan.ifft_size != task.raster())
        return true;
    const auto* const same = find_candidate(candidates.all(), plan);
    return !same || is_outdated(candidates.request(),
                                candidates.all(),
                                plan,
                                candidates.predicted(*same, plan.ifft_size));
}

filter_selection decimation_on_host(const freq_xlating_filter_bank_problem& problem,
                                    const freq_xlating_filter_bank_options& options,
                                    const host_rates& rates,
                                    const std::string& why,
                                    std::shared_ptr<thread_pool> pool)
{
    const filter_task task(problem, options, rates, std::move(pool));
    filter_candidates candidates(task, nullptr);
    candidates.add_host_instead();
    for (const auto& c : candidates.all()) {
        try {
            filter_selection selected;
            selected.executor =
                static_cast<trial_of<filter_executor>&>(*c.make()).take_executor();
            selected.plan = c.as_plan();
            selected.plan.reason = why;
            selected.fell_back = true;
            return selected;
        } catch (const std::invalid_argument&) {
            if (&c == &candidates.all().back())
                throw;
        }
    }
    throw std::invalid_argument("there is nothing to compute with");
}

filter_selection select_filter(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               context_registry& registry)
{
    if (shares_channels(problem, options))
        return select_shares(problem, options, registry);
    return problem.has_one_decimation() ? select_decimation(problem, options, registry)
                                        : select_rates(problem, options, registry);
}

filter_selection host_instead(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              const host_rates& rates,
                              const std::string& why)
{
    return problem.has_one_decimation() ? decimation_on_host(problem, options, rates, why)
                                        : rates_on_host(problem, options, rates, why);
}

} // namespace cldsp
