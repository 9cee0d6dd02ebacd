// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that tunes kernels on devices, until the time is over or a key ends it.

#include "base/reason.h"
#include "command.h"
#include "driver_trial.h"
#include "output.h"
#include "range.h"
#include "tune/kernels.h"
#include "tune/report.h"

#include <cldsp/wisdom.h>

#include "common/text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

struct tune_arguments {
    std::vector<std::string> names;
    std::string device = "auto", strategy = "annealing", profile, items;
    double budget = 30;
    std::size_t evaluations = tuning_options().evaluations;
    std::uint32_t seed = tuning_options().seed;
    bool json = false, verbose = false;
};

std::atomic<bool> interrupted{ false };
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

/*!
 * While this object lives, the first Ctrl-C asks the tuning to stop. A second Ctrl-C ends
 * the process, in case the first one is not noticed soon enough.
 */
class interruption
{
public:
    interruption()
    {
        interrupted = false;
        struct sigaction action = {};
        action.sa_handler = [](int) { interrupted = true; };
        action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
        sigaction(SIGINT, &action, &d_before);
    }
    ~interruption() { sigaction(SIGINT, &d_before, nullptr); }
    interruption(const interruption&) = delete;
    interruption& operator=(const interruption&) = delete;

private:
    struct sigaction d_before = {};
};

std::string bar(double part)
{
    constexpr std::size_t width = 20;
    const auto done = static_cast<std::size_t>(part * width);
    return "[" + std::string(done, '#') + std::string(width - done, '.') + "] ";
}

//! Shows the progress of the tuning; on a terminal only.
std::function<void(const tuning_progress&)> progress_bar(const tuning_task& what,
                                                         double budget)
{
    const auto show = bench::terminal_progress(what.name());
    const auto shipped = std::make_shared<std::optional<double>>();
    return [=](const tuning_progress& p) {
        if (!*shipped)
            *shipped = p.current->seconds; // the first point is the default
        const double part =
            std::min(1.0,
                     std::max(p.seconds / budget,
                              static_cast<double>(p.done) / static_cast<double>(p.of)));
        std::string text = bar(part) + std::to_string(p.done) + " points";
        if (p.best) {
            text += ", best " + quantity_text(p.best->seconds, "s");
            if (std::isfinite(**shipped))
                text += ", " + bench::number(**shipped / p.best->seconds) +
                        " times the default";
        }
        constexpr std::size_t steps = 100;
        show(static_cast<std::size_t>(part * steps), steps, text);
    };
}

void check_strategy(const std::string& strategy)
{
    std::string known;
    for (const auto& name : tuning_strategies()) {
        if (name == strategy)
            return;
        known += (known.empty() ? "" : ", ") + name;
    }
    throw std::invalid_argument("there is no strategy '" + strategy + "'; there are " +
                                known);
}

//! Tells the user that the host's kernels are compiled for its instruction set.
constexpr const char* host_note =
    "the host: there is nothing to tune there, its kernels have no parameters";

std::vector<tuning_task> tasks_of(const tune_arguments& asked)
{
    std::vector<tuning_task> all;
    const std::size_t items =
        asked.items.empty() ? 0 : bench::parse_items(asked.items, "items");
    // This call only checks the names, even if there is no device to tune.
    chosen_kernels(asked.names, device_kind::host);
    for (const auto& device : find_devices(loadable_device(asked.device)))
        if (!device.is_host())
            for (const auto& kernel : chosen_kernels(asked.names, device.kind))
                all.push_back({ kernel, device, items ? items : kernel.usual_items });
    return all;
}

tuning_outcome
tune(const tuning_task& what, const tune_arguments& asked, context_registry& registry)
{
    tuning_options how;
    how.strategy = asked.strategy;
    how.seconds = asked.budget;
    how.evaluations = asked.evaluations;
    how.seed = asked.seed;
    how.stopped = [] { return interrupted.load(); };
    how.progress = progress_bar(what, asked.budget);
    how.log = stderr_logger(least_level(asked.verbose));
    const auto kernel = what.kernel.make(registry, what.device, what.items);
    tuning_outcome done{
        what, kernel->family(), kernel->problem(), kernel->default_point().by_name(), {}
    };
    done.result = tune_and_remember(*kernel, how, registry.wisdom());
    bench::end_progress();
    return done;
}

//! Tunes one kernel after the other until Ctrl-C, and reports each result.
class session
{
public:
    explicit session(const tune_arguments& asked)
        : d_asked(asked),
          d_registry(registry_options(asked.profile, least_level(asked.verbose)))
    {
    }

    void tune(const tuning_task& what)
    {
        try {
            const auto done = app::tune(what, d_asked, d_registry);
            // A tuning that was stopped before its first point has no result, which is no
            // error.
            const bool found = done.result.best || interrupted;
            d_good = d_good && found;
            note_device(what, found ? "" : "no point of it computes");
            d_tuned.push_back(tuning_json(done));
            if (!d_asked.json)
                print_tuning(done);
        } catch (const std::invalid_argument& e) {
            // The strategy, for example, is one that only the kernels of some devices
            // have.
            leave_out(what, reason_of(e));
        } catch (const std::exception& e) {
            d_good = false;
            leave_out(what, reason_of(e));
        }
    }

    //! \throws std::invalid_argument if none of the named kernels could be tuned
    int finish() const
    {
        if (d_good && d_tuned.empty() && !d_left_out.empty())
            throw std::invalid_argument(d_left_out[0]["why"].get<std::string>());
        if (d_asked.json)
            print_json({ { "wisdom", d_registry.wisdom().path() },
                         { "seed", d_asked.seed },
                         { "stopped", interrupted.load() },
                         { "tuned", d_tuned },
                         { "left_out", d_left_out } });
        for (const auto& left : d_left_out)
            std::cerr << "cldsp: " << left["kernel"].get<std::string>() << " on "
                      << left["device"].get<std::string>()
                      << " is left out: " << left["why"].get<std::string>() << "\n";
        if (interrupted)
            std::cerr << "cldsp: stopped; what was found until then is kept\n";
        if (!d_good)
            std::cerr << "cldsp: not all that was asked for could be tuned\n";
        bool has_idle = false;
        for (const auto& [id, one] : d_devices)
            if (!one.has_result) {
                has_idle = true;
                std::cerr << "cldsp: every kernel of " << id << " ('" << one.name
                          << "') was refused; " << one.first_failure << "\n";
            }
        return d_good && !has_idle ? success : failure;
    }

private:
    //! What became of the kernels of a device.
    struct device_outcome {
        std::string name, first_failure;
        bool has_result = false;
    };

    //! \param failure why the kernel has no result; empty: it has one
    void note_device(const tuning_task& what, const std::string& failure)
    {
        auto& one = d_devices[what.device.id()];
        one.name = what.device.name;
        one.has_result = one.has_result || failure.empty();
        if (one.first_failure.empty() && !failure.empty())
            one.first_failure = what.kernel.name + ": " + first_line(failure);
    }

    void leave_out(const tuning_task& what, const std::string& why)
    {
        bench::end_progress();
        note_device(what, why);
        d_left_out.push_back({ { "kernel", what.kernel.name },
                               { "device", what.device.id() },
                               { "why", why } });
    }

    const tune_arguments& d_asked;
    context_registry d_registry;
    ordered_json d_tuned = ordered_json::array(), d_left_out = ordered_json::array();
    std::map<std::string, device_outcome> d_devices; // by id
    bool d_good = true;
};

int run(const tune_arguments& asked)
{
    check_strategy(asked.strategy);
    check_range("--budget", asked.budget, 0.01, 86400);
    const auto tasks = tasks_of(asked);
    session all(asked);
    if (tasks.empty())
        std::cerr << "cldsp: " << host_note << "\n";
    const interruption ctrl_c;
    for (const auto& t : tasks)
        if (!interrupted)
            all.tune(t);
    return all.finish();
}

} // namespace

command add_tune(CLI::App& app)
{
    const auto asked = std::make_shared<tune_arguments>();
    auto* parser = app.add_subcommand(
        "tune", "Find what makes a device's kernels fast, for every block to use");
    std::string known, strategies;
    for (const auto& kernel : tunable_kernels())
        known += "\n  " + kernel.name + std::string(10 - kernel.name.size(), ' ') +
                 kernel.description;
    for (const auto& name : tuning_strategies())
        strategies += (strategies.empty() ? "" : ", ") + name;
    parser->add_option("kernels", asked->names, "Which, or all; default: all");
    parser->add_option("--device",
                       asked->device,
                       "auto, gpu, gpus, cpu, P:D, a list such as 0:0,0:1 or a part of a "
                       "name; default: auto, which is all of them");
    parser->add_option(
        "--strategy", asked->strategy, strategies + "; default: annealing");
    parser->add_option(
        "--budget", asked->budget, "Seconds for each kernel of a device; default: 30");
    parser
        ->add_option("--evaluations",
                     asked->evaluations,
                     "Points tried of each kernel at most; default: 500")
        ->check(CLI::Range(1, 1000000));
    parser->add_option("--seed", asked->seed, "Of everything random; default: 1");
    parser->add_option("--items",
                       asked->items,
                       "Of a filter's call, e.g. 8340 or 64k, or the sizes of G1 and G3; "
                       "default: 8192, 1024 and 4096");
    parser->add_option(
        "--profile", asked->profile, "Lower the limits: " + lowering_profiles());
    parser->add_flag("--json", asked->json, "Print JSON");
    parser->add_flag("--verbose", asked->verbose, "Print what the engine logs");
    parser->footer("Ctrl-C stops, and what was found is kept. Kernels, by the workload "
                   "they are tuned for:" +
                   known);
    return { parser, [asked] { return run(*asked); } };
}

} // namespace cldsp::app
