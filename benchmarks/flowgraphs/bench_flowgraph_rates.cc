// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures blocks between a null source and null sinks, by latency and device.

#include "common/exit_status.h"
#include "common/machine.h"
#include "common/output_file.h"
#include "common/text.h"
#include "filters/bank_workloads.h"
#include "flowgraphs/measured_plans.h"

#include <gnuradio/blocks/head.h>
#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/blocks/null_source.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/constants.h>
#include <gnuradio/top_block.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace cldsp::bench {

namespace {

//! The options of the command line.
struct wishes {
    std::vector<std::size_t> channels{ 1, 64, 256 };
    std::vector<std::string> devices{ "auto", "host" };
    std::vector<double> latencies{ 0.025 };
    double rate = 100e6, seconds = 2;
    bool changes = false;
    std::string json;
};

//! A block between a null source and null sinks, with GNU Radio's default buffers.
struct null_flowgraph {
    gr::top_block_sptr top = gr::make_top_block("rates");
    std::function<std::uint64_t()> items; //!< that the block has read so far
    std::function<std::string()> plan;
};

//! \param head ends the stream, if there is one
template <class BLOCK>
null_flowgraph around(const std::shared_ptr<BLOCK>& block,
                      std::size_t channels,
                      const gr::blocks::head::sptr& head = nullptr)
{
    null_flowgraph made;
    const auto source = gr::blocks::null_source::make(sizeof(gr_complex));
    if (head) {
        made.top->connect(source, 0, head, 0);
        made.top->connect(head, 0, block, 0);
    } else {
        made.top->connect(source, 0, block, 0);
    }
    for (std::size_t i = 0; i < channels; i++)
        made.top->connect(block,
                          static_cast<int>(i),
                          gr::blocks::null_sink::make(sizeof(gr_complex)),
                          0);
    made.items = [block] { return block->nitems_read(0); };
    made.plan = [block] { return block->plan(); };
    return made;
}

//! The taps of W1.
std::vector<float> taps_of(const workload& filter)
{
    return low_pass(filter.sampling_freq, filter.cutoff, filter.taps);
}

//! A bank of W1's filters over the whole band.
gr::cldsp::freq_xlating_filter_bank_ccf::sptr make_bank(const wishes& wanted,
                                                        std::size_t channels,
                                                        const std::string& device,
                                                        double latency)
{
    const auto filter = find_workload("W1");
    std::vector<double> frequencies;
    for (std::size_t i = 0; i < channels; i++)
        frequencies.push_back(
            ((static_cast<double>(i) + 0.5) / static_cast<double>(channels) - 0.5) *
            wanted.rate);
    return gr::cldsp::freq_xlating_filter_bank_ccf::make(
        static_cast<int>(filter.decimation),
        { taps_of(filter) },
        frequencies,
        wanted.rate,
        device,
        "auto",
        "auto",
        "auto",
        1e-5,
        0,
        latency);
}

//! W1's filter, or a bank of such filters, at the rate that is wished.
null_flowgraph make(const wishes& wanted,
                    std::size_t channels,
                    const std::string& device,
                    double latency)
{
    if (channels > 1)
        return around(make_bank(wanted, channels, device, latency), channels);
    const auto filter = find_workload("W1");
    return around(
        gr::cldsp::freq_xlating_fir_filter_ccf::make(static_cast<int>(filter.decimation),
                                                     taps_of(filter),
                                                     0.2 * wanted.rate,
                                                     wanted.rate,
                                                     device,
                                                     "auto",
                                                     "auto",
                                                     "auto",
                                                     1e-5,
                                                     latency),
        1);
}

//! The seconds that all threads of this program have run so far.
double processor_seconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) +
               1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

//! Runs a flowgraph and stops it at the end of the scope, also after an exception.
struct running {
    explicit running(const gr::top_block_sptr& top) : d_top(top) { d_top->start(); }
    ~running()
    {
        d_top->stop();
        d_top->wait();
    }
    gr::top_block_sptr d_top;
};

nlohmann::json measure_one(const wishes& wanted,
                           std::size_t channels,
                           const std::string& device,
                           double latency)
{
    using clock = std::chrono::steady_clock;
    const std::chrono::duration<double> span(wanted.seconds);
    const auto flowgraph = make(wanted, channels, device, latency);
    const running now(flowgraph.top);
    std::this_thread::sleep_for(span / 2); // until the buffers are paged in
    const auto begin = clock::now();
    const double processor = processor_seconds();
    const auto first = flowgraph.items();
    std::this_thread::sleep_for(span);
    const auto items = static_cast<double>(flowgraph.items() - first);
    const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
    return { { "channels", channels },
             { "device", device },
             { "latency", latency },
             { "rate", 1e-6 * items / seconds },
             { "cores_in_use", (processor_seconds() - processor) / seconds },
             { "plan", flowgraph.plan() } };
}

//! The memory of this program in MiB.
double resident_mib()
{
    std::ifstream status("/proc/self/statm");
    std::uint64_t all = 0, resident = 0;
    status >> all >> resident;
    return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) /
           (1 << 20);
}

/*!
 * Runs a bank for the wished time, retunes a channel each millisecond, and gives all
 * channels new taps each second.
 *
 * \throws std::runtime_error if a channel has fewer or more outputs than it must have
 */
nlohmann::json measure_changes(const wishes& wanted,
                               std::size_t channels,
                               const std::string& device,
                               double latency)
{
    using clock = std::chrono::steady_clock;
    const auto filter = find_workload("W1");
    const auto other = low_pass(filter.sampling_freq, 0.9 * filter.cutoff, filter.taps);
    const auto bank = make_bank(wanted, channels, device, latency);
    const auto head = gr::blocks::head::make(sizeof(gr_complex), std::uint64_t(1) << 62);
    const auto flowgraph = around(bank, channels, head);
    const auto begin = clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(clock::now() - begin).count();
    };
    const double processor = processor_seconds();
    flowgraph.top->start();
    const auto progress =
        terminal_progress(std::to_string(channels) + " channels with changes");
    double early_mib = 0, max_mib = 0;
    std::uint64_t retunes = 0, changes = 0;
    for (auto next = begin; seconds() < wanted.seconds; retunes++) {
        next = std::max(next + std::chrono::milliseconds(1), clock::now());
        std::this_thread::sleep_until(next);
        bank->set_center_freq(static_cast<int>(retunes % channels),
                              1e3 * static_cast<double>(retunes % 1000));
        if (seconds() < static_cast<double>(changes + 1))
            continue;
        bank->set_taps({ changes++ % 2 ? taps_of(filter) : other });
        max_mib = std::max(max_mib, resident_mib());
        // The first tenth of the time is for buffers that grow with use.
        if (changes == 1 || seconds() < wanted.seconds / 10)
            early_mib = max_mib;
        progress(changes,
                 static_cast<std::size_t>(std::ceil(wanted.seconds)),
                 std::to_string(bank->nitems_read(0) / 1000000) + " million items");
    }
    end_progress();
    // The stream ends a little later than where it is now: before it gets there, the
    // block at its head must know of the end.
    const std::uint64_t margin = std::uint64_t(1) << 28;
    const std::uint64_t outputs = (head->nitems_read(0) + margin) / filter.decimation;
    head->set_length(outputs * filter.decimation);
    flowgraph.top->wait();
    const double took = seconds();
    for (unsigned i = 0; i < channels; i++)
        if (bank->nitems_written(i) != outputs)
            throw std::runtime_error("channel " + std::to_string(i) + " has " +
                                     std::to_string(bank->nitems_written(i)) +
                                     " outputs instead of " + std::to_string(outputs));
    const auto items = static_cast<double>(outputs * filter.decimation);
    return { { "channels", channels },
             { "device", device },
             { "latency", latency },
             { "rate", 1e-6 * items / took },
             { "cores_in_use", (processor_seconds() - processor) / took },
             { "seconds", took },
             { "retunes", retunes },
             { "changes_of_taps", changes },
             { "mib_after_a_tenth", early_mib },
             { "max_mib", max_mib },
             { "plan", flowgraph.plan() } };
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app("Measures blocks between a null source and null sinks: W1's filter, and "
                 "banks of such filters.");
    app.add_option("--channels", wanted.channels, "Default: 1,64,256")
        ->delimiter(',')
        ->check(CLI::Range(1, 65536));
    app.add_option("--devices", wanted.devices, "As device=; default: auto,host")
        ->delimiter(',');
    app.add_option("--latencies", wanted.latencies, "As latency=; default: 0.025")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 10.0));
    app.add_option("--rate", wanted.rate, "The sampling rate in Hz; default: 100e6")
        ->check(CLI::Range(1.0, 1e12));
    app.add_option("--seconds", wanted.seconds, "Of each flowgraph; default: 2")
        ->check(CLI::Range(0.01, 600.0));
    app.add_flag("--changes",
                 wanted.changes,
                 "Banks are retuned each millisecond and get new taps each second; no "
                 "output may be missing");
    app.add_option("--json", wanted.json, "Write everything to this file");
    CLI11_PARSE(app, argc, argv);
    if (!wanted.json.empty())
        check_output_file("--json", wanted.json);
    refuse_generic_volk();
    wait_for_plans();
    if (wanted.changes && std::count(wanted.channels.begin(), wanted.channels.end(), 1U))
        throw std::invalid_argument(
            "--channels has 1, but --changes needs banks of 2 channels or more");

    table rows({ "channels", "device", "latency", "MS/s", "cores", "plan" });
    nlohmann::json results = nlohmann::json::array();
    for (const auto channels : wanted.channels)
        for (const auto& device : wanted.devices)
            for (const double latency : wanted.latencies) {
                const auto one = wanted.changes
                                     ? measure_changes(wanted, channels, device, latency)
                                     : measure_one(wanted, channels, device, latency);
                if (one.contains("retunes"))
                    std::cout << one.dump() << "\n";
                rows.add({ std::to_string(channels),
                           device,
                           number(latency),
                           number(one["rate"]),
                           number(one["cores_in_use"], 2),
                           one["plan"] });
                results.push_back(one);
            }
    std::cout << machine_text({}) << "\n" << rows.text();
    if (!wanted.json.empty())
        write_report(wanted.json,
                     { { "machine", describe_machine() },
                       { "gnuradio", gr::version() },
                       { "sampling_freq", wanted.rate },
                       { "flowgraphs", results } });
    return 0;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
