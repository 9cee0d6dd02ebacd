// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures fast convolution on a device by accuracy, transfer and block.

#include "common/exit_status.h"
#include "common/measure.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "filters/bank_workloads.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

//! The settings from the command line.
struct wishes {
    std::string device = "gpu";
    std::vector<std::string> workloads{ "W1", "W2", "W3", "W4", "W5", "W6" };
    std::vector<std::size_t> items{ 8388608, 1048576, 65536 };
    std::vector<double> accuracies{ 0, 1e-5, 1e-4 };
    std::vector<std::string> transfers{ "copy", "mapped", "zero_copy" };
    std::vector<std::size_t> rows{ 0 };
    std::size_t repetitions = 5;
    double seconds = 0.1;
};

std::vector<filter_channel> make_channels(const bank_workload& work)
{
    const auto problem = make_bank_problem(work);
    std::vector<filter_channel> channels;
    for (std::size_t c = 0; c < problem.channels(); c++)
        channels.emplace_back(problem.channel(c));
    return channels;
}

//! Prints one row of the table; its rates are in input samples per second.
void measure_bank(const std::string& name,
                  const wishes& wanted,
                  std::shared_ptr<context> device,
                  std::size_t items,
                  double accuracy,
                  const std::string& transfer,
                  std::size_t rows)
{
    const auto& work = find_bank_workload(name);
    const stream data(work.filter, items);
    const auto channels = make_channels(work);
    const std::size_t outputs = data.items() / work.filter.decimation;
    std::vector<std::vector<std::complex<float>>> out(
        work.channels, std::vector<std::complex<float>>(outputs));
    const auto problem = channels[0].problem;
    const auto phase =
        phase64::from_turns(-problem.center_freq / problem.sampling_freq *
                            (static_cast<double>(channels[0].taps()) - 1) / 2);
    std::vector<channel_call> calls;
    for (auto& channel : out)
        calls.push_back({ channel.data(), phase, { data.history(), outputs, 0 } });

    if (!rows)
        rows = fast_convolution_size(
            "vkfft", device->device(), work.filter.decimation, work.filter.taps);
    auto start = clock::now();
    const auto since = [&] {
        return std::chrono::duration<double>(clock::now() - start).count();
    };
    const auto bank = make_opencl_fast_convolution(
        std::move(device), "vkfft", transfer, channels, accuracy, rows);
    const double set_up = since();
    start = clock::now();
    bank->configure(0, channels[0]);
    bank->configure(0, channels[0]);
    const double retune = since() / 2;

    bank->set_stream_memory(data.in_region(), {});
    const filter_call call{
        data.window(), data.history(), outputs * work.filter.decimation, calls.data()
    };
    bank->run(call);
    const double error = expected_outputs(problem, data, outputs).error_db(out[0]);
    bank->run(call);
    std::vector<double> end_to_end, kernels;
    for (std::size_t r = 0; r < wanted.repetitions; ++r) {
        const auto before = bank->statistics();
        start = clock::now();
        std::size_t calls = 0;
        for (; calls == 0 || since() < wanted.seconds; ++calls)
            bank->run(call);
        end_to_end.push_back(since() / static_cast<double>(calls));
        const auto after = bank->statistics();
        kernels.push_back((after.kernel_time * static_cast<double>(after.calls) -
                           before.kernel_time * static_cast<double>(before.calls)) /
                          static_cast<double>(calls));
    }
    const double megaitems = static_cast<double>(data.items()) / 1e6;
    std::printf("%-3s %8zu %8g %-9s %5zu %10.1f %10.1f %8.1f %9.1f %9.3f\n",
                name.c_str(),
                data.items(),
                accuracy,
                transfer.c_str(),
                rows,
                megaitems / median(kernels),
                megaitems / median(end_to_end),
                error,
                1e3 * set_up,
                1e3 * retune);
    std::fflush(stdout);
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app(
        "Measures fast convolution on an OpenCL device: millions of input samples "
        "a second, in the kernels alone and end to end.");
    app.add_option("--device", wanted.device, "As find_devices() takes it; default: gpu");
    app.add_option("--workloads", wanted.workloads, "Default: W1 to W6")->delimiter(',');
    app.add_option("--items", wanted.items, "Input items per call")->delimiter(',');
    app.add_option("--accuracies", wanted.accuracies)->delimiter(',');
    app.add_option("--transfers", wanted.transfers)->delimiter(',');
    app.add_option("--rows", wanted.rows, "Rows of a block; 0: chosen")->delimiter(',');
    app.add_option("--repetitions", wanted.repetitions)->check(CLI::Range(1, 1000));
    app.add_option("--seconds", wanted.seconds, "Of calls in a repetition");
    CLI11_PARSE(app, argc, argv);

    context_registry registry;
    const auto found = find_devices(wanted.device).front();
    if (found.is_host()) {
        std::cerr << "'" << wanted.device << "' names no OpenCL device\n";
        return 2;
    }
    const auto device = registry.get(found);
    std::printf("%s\n%-3s %8s %8s %-9s %5s %10s %10s %8s %9s %9s\n",
                found.describe().c_str(),
                "",
                "items",
                "accuracy",
                "transfer",
                "rows",
                "kernel MS/s",
                "whole MS/s",
                "dB",
                "set-up ms",
                "retune ms");
    bool failed = false;
    for (const auto& name : wanted.workloads)
        for (const auto items : wanted.items)
            for (const auto rows : wanted.rows)
                for (const auto accuracy : wanted.accuracies)
                    for (const auto& transfer : wanted.transfers)
                        try {
                            measure_bank(
                                name, wanted, device, items, accuracy, transfer, rows);
                        } catch (const std::exception& e) {
                            std::printf("%s: %s\n", name.c_str(), e.what());
                            failed = true;
                        }
    return failed;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
