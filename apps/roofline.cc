// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that measures the peak rates of devices.

#include "command.h"
#include "driver_trial.h"
#include "output.h"
#include "range.h"

#include <cldsp/roofline.h>

#include "common/text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

struct roofline_arguments {
    std::string device = "auto", profile;
    double seconds = 3;
    unsigned threads = 0;
    bool again = false, verify = false, json = false;
};

roofline_options engine_options(const roofline_arguments& asked, const std::string& what)
{
    roofline_options result;
    result.seconds = asked.seconds;
    result.threads = asked.threads;
    result.again = asked.again;
    result.progress = bench::terminal_progress(what);
    return result;
}

void print(const device_info& device, const roofline& r)
{
    std::cout << device.describe() << "\n";
    if (r.threads)
        std::cout << "  " << r.threads << (r.threads == 1 ? " thread\n" : " threads\n");
    bench::table table({ "figure", "measured", "what" });
    for (const auto& figure : roofline_figures()) {
        const double value = r.*figure.value;
        table.add({ figure.name,
                    value > 0 ? quantity_text(value, figure.unit) : ".",
                    figure.description });
    }
    std::cout << table.text() << "\n" << std::flush;
}

int measure(const roofline_arguments& asked)
{
    context_registry registry(registry_options(asked.profile));
    ordered_json all = ordered_json::array();
    for (const auto& device : find_devices(asked.device)) {
        const auto r =
            measure_roofline(device, registry, engine_options(asked, device.id()));
        bench::end_progress();
        if (!asked.json) {
            print(device, r);
            continue;
        }
        auto figures = ordered_json::parse(r.to_json());
        ordered_json entry = { { "device", device.id() },
                               { "name", device.name },
                               { "kind", device_kind_name(device.kind) },
                               { "profile", asked.profile },
                               { "threads", r.threads } };
        for (const auto& figure : roofline_figures())
            entry[figure.name] = figures[figure.name];
        all.push_back(entry);
    }
    if (asked.json)
        print_json({ { "rooflines", all } });
    return success;
}

/*!
 * Compares the fp32 peak of a CPU through OpenCL with the host's own loop of
 * multiply-adds on all cores, which is written by hand in vectors. Both should reach the
 * same rate.
 */
int verify(const roofline_arguments& asked)
{
    // Other load on the machine only slows a round down, so the fastest round is the
    // peak.
    constexpr int rounds = 15;
    constexpr double tolerance = 0.1;
    context_registry registry(registry_options(asked.profile));
    const auto host = find_devices("host").front();
    auto how = asked;
    how.seconds = asked.seconds / rounds;
    ordered_json all = ordered_json::array();
    bool good = true;
    for (const auto& device : find_devices(asked.device)) {
        if (device.kind != device_kind::cpu)
            continue;
        double through_opencl = 0, by_hand = 0;
        const auto progress = bench::terminal_progress(device.id());
        for (int round = 0; round < rounds; round++) {
            progress(static_cast<std::size_t>(round), rounds, "fp32");
            auto quiet = engine_options(how, "");
            quiet.progress = nullptr;
            through_opencl =
                std::max(through_opencl, measure_fp32_peak(device, registry, quiet));
            by_hand = std::max(by_hand, measure_fp32_peak(host, registry, quiet));
        }
        bench::end_progress();
        const double ratio = through_opencl / by_hand;
        const bool close = std::abs(ratio - 1) <= tolerance;
        good = good && close;
        all.push_back({ { "device", device.id() },
                        { "fp32", through_opencl },
                        { "hand_written", by_hand },
                        { "ratio", ratio },
                        { "within", close } });
        if (!asked.json)
            std::cout << device.describe() << "\n  fp32 "
                      << quantity_text(through_opencl, "FLOP/s")
                      << ", a hand-written loop on all cores "
                      << quantity_text(by_hand, "FLOP/s") << ", ratio "
                      << bench::number(ratio) << (close ? "" : ": MORE THAN 10 % APART")
                      << "\n";
    }
    if (all.empty())
        throw std::invalid_argument(
            "--verify needs a CPU through OpenCL, such as PoCL's, "
            "and '" +
            asked.device + "' names none");
    if (asked.json)
        print_json({ { "verified", all } });
    return good ? success : failure;
}

} // namespace

command add_roofline(CLI::App& app)
{
    const auto asked = std::make_shared<roofline_arguments>();
    auto* parser = app.add_subcommand(
        "roofline", "Measure a device's peak arithmetic, bandwidth and launch latency");
    parser->add_option(
        "--device",
        asked->device,
        "auto, gpu, gpus, cpu, host, P:D, a list such as 0:0,0:1 or a part "
        "of a name; default: auto, which is all of them");
    parser->add_option("--seconds", asked->seconds, "For each device; default: 3");
    parser->add_option("--threads", asked->threads, "Of the host; default: all cores")
        ->check(CLI::Range(0, 1024));
    parser->add_option(
        "--profile", asked->profile, "Lower the limits: " + lowering_profiles());
    parser->add_flag("--again", asked->again, "Measure although an answer is remembered");
    parser->add_flag("--verify",
                     asked->verify,
                     "Hold fp32 of CPU devices against a hand-written loop instead; "
                     "status 1 if they are more than 10 % apart");
    parser->add_flag("--json", asked->json, "Print JSON");
    return { parser, [asked] {
                check_range("--seconds", asked->seconds, 0.01, 600);
                asked->device = loadable_device(asked->device);
                return asked->verify ? verify(*asked) : measure(*asked);
            } };
}

} // namespace cldsp::app
