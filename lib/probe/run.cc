// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures rooflines or tunes kernels one after the other within the given time.

#include "block_support.h"
#include "probe/run.h"
#include "probe/running_blocks.h"
#include <gnuradio/cldsp/engine_info.h>
#include <algorithm>
#include <chrono>
#include <exception>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::device_info;

// More seconds do not make a roofline more accurate.
constexpr double max_roofline_seconds = 3;

struct interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class probe_run
{
public:
    probe_run(const probe_request& request,
              const probe_interrupts& interrupts,
              probe_listener& listener,
              const ::cldsp::logger& log)
        : d_request(request),
          d_interrupts(interrupts),
          d_listener(listener),
          d_log(log),
          d_start(clock::now())
    {
    }

    probe_outcome run(const std::vector<device_info>& targets)
    {
        const bool host = targets.front().is_host();
        if (d_request.what == "roofline" || host) {
            for (std::size_t i = 0; i < targets.size() && !ended(); i++)
                measure(targets[i], left() / static_cast<double>(targets.size() - i));
            if (host && d_request.what != "roofline")
                d_outcome.note = "the host has no kernels to tune";
            return d_outcome;
        }
        std::vector<probe_job> jobs;
        for (const auto& device : targets) {
            // Only a stored roofline is used: a measurement would have to share the
            // device with the flowgraph.
            guarded(device.name, [&] {
                if (const auto roof = known_roofline(device))
                    d_listener.on_roofline(device, *roof);
            });
            for (auto& job : probe_jobs(d_request, device))
                jobs.push_back(std::move(job));
        }
        if (jobs.empty())
            d_outcome.note =
                "no running block has a kernel to tune on " + targets.front().name;
        for (std::size_t i = 0; i < jobs.size() && !ended(); i++)
            tune(jobs[i], jobs.size() - i);
        if (d_outcome.tuned)
            renew_blocks();
        return d_outcome;
    }

private:
    using clock = std::chrono::steady_clock;

    bool ended() const { return d_interrupts.stopped() || d_interrupts.ending(); }
    double left() const
    {
        return d_request.budget_s -
               std::chrono::duration<double>(clock::now() - d_start).count();
    }

    void fail(const std::string& text)
    {
        d_outcome.failed++;
        d_listener.on_error(text);
    }

    template <class Action>
    void guarded(const std::string& subject, const Action& action)
    {
        try {
            action();
        } catch (const interrupted&) {
        } catch (const std::exception& e) {
            fail(subject + ": " + e.what());
        }
    }

    void measure(const device_info& device, double seconds)
    {
        guarded(device.name, [&] {
            ::cldsp::roofline_options options;
            options.seconds = std::clamp(seconds, 0.05, max_roofline_seconds);
            options.progress =
                [&](std::size_t done, std::size_t of, const std::string& what) {
                    if (ended())
                        throw interrupted();
                    d_listener.on_step(done, of, device.name + ": " + what);
                };
            d_listener.on_roofline(
                device, ::cldsp::measure_roofline(device, registry(), options));
        });
    }

    void tune(const probe_job& job, std::size_t jobs_left)
    {
        guarded(job.device.name, [&] {
            const auto kernel = job.kernel.make(registry(), job.device);
            ::cldsp::tuning_options options;
            options.strategy = d_request.strategy;
            options.seconds = left() / static_cast<double>(jobs_left);
            if (options.seconds <= 0) {
                fail("no time was left for " + kernel->family() + " " +
                     kernel->problem().text());
                return;
            }
            // Only the time limits the search, not the number of points.
            options.evaluations = std::max(options.evaluations, kernel->space().size());
            options.stopped = [this] { return ended(); };
            options.progress = [&](const ::cldsp::tuning_progress& progress) {
                d_listener.on_progress(job.device, *kernel, progress);
            };
            options.log = d_log;
            const auto result =
                ::cldsp::tune_and_remember(*kernel, options, registry().wisdom());
            if (result.best)
                d_outcome.tuned++;
            d_listener.on_result(job.device, *kernel, result);
            if (!result.best && result.failed)
                fail(job.device.name + ": " + kernel->family() + " " +
                     kernel->problem().text() + ": no point was right; the default: " +
                     result.points.front().failure);
        });
    }

    void renew_blocks()
    {
        for (const auto& block : running_blocks()) {
            auto* planned = dynamic_cast<replannable*>(block.get());
            const auto* info = dynamic_cast<const engine_info*>(block.get());
            // A block whose device has failed stays on the host.
            if (!planned || !info || info->fell_back())
                continue;
            if (d_interrupts.ending())
                return;
            guarded(block->alias(), [&] {
                planned->choose_again();
                d_outcome.renewed++;
            });
        }
    }

    const probe_request& d_request;
    const probe_interrupts& d_interrupts;
    probe_listener& d_listener;
    const ::cldsp::logger& d_log;
    const clock::time_point d_start;
    probe_outcome d_outcome;
};

} // namespace

probe_outcome run_probe(const probe_request& request,
                        const std::vector<device_info>& candidates,
                        const probe_interrupts& interrupts,
                        probe_listener& listener,
                        const ::cldsp::logger& log)
{
    return probe_run(request, interrupts, listener, log).run(probe_targets(candidates));
}

std::optional<::cldsp::roofline> known_roofline(const device_info& device)
{
    return ::cldsp::remembered_roofline(device, registry());
}

} // namespace cldsp
} // namespace gr
