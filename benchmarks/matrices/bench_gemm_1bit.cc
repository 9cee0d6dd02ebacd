/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "common/exit_status.h"
#include "gemm_1bit/gemm_1bit_executor.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "matrices/gemm_1bit_product.h"
#include "opencl/commands.h"

#include <cldsp/context.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

// A candidate whose call takes longer is timed only once.
constexpr double longest_call = 1; // seconds

//! The settings from the command line.
struct wishes {
    std::string device = "auto";
    std::vector<std::string> variants;
    gemm_1bit_size size;
    std::size_t warm_up = 10, calls = 20;
    double sgemm = 0; // GFLOP/s
    bool resident = false;
};

//! The seconds of a call whose items and correlations stay on the device.
struct resident_times {
    double product = 0;      //!< of the last kernel
    double with_packing = 0; //!< of all kernels
};

//! The mean of some calls, after others to warm up.
resident_times measure_resident(const wishes& wanted,
                                const gemm_1bit_data& data,
                                const std::shared_ptr<context>& device,
                                const std::string& variant)
{
    const auto& size = wanted.size;
    const device_queue queue(device->make_queue());
    const auto kernel = make_gemm_1bit_kernel(variant, { device, queue, size.bits, {} });
    gemm_1bit_codes codes;
    codes.bits = size.bits;
    codes.count = size.codes;
    for (const auto& code : data.codes())
        codes.bytes.insert(codes.bytes.end(), code.begin(), code.end());
    kernel->set_codes(codes);
    const cl::Buffer items(device->cl_context(),
                           CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           data.items().size(),
                           const_cast<std::uint8_t*>(data.items().data()));
    const std::size_t bytes = size.items * size.codes * sizeof(std::int32_t);
    const cl::Buffer out(device->cl_context(), CL_MEM_READ_WRITE, bytes);
    resident_times times;
    for (std::size_t n = 0; n < wanted.warm_up + wanted.calls; n++) {
        std::vector<cl::Event> events;
        kernel->enqueue({ { items, 0 }, size.items, { out, 0 }, size.codes }, events);
        queue.finish();
        if (n < wanted.warm_up)
            continue;
        const auto calls = static_cast<double>(wanted.calls);
        times.product += event_seconds(events.back()) / calls;
        for (const auto& event : events)
            times.with_packing += event_seconds(event) / calls;
    }
    std::vector<std::int32_t> result(size.items * size.codes);
    queue.enqueueReadBuffer(out, CL_TRUE, 0, bytes, result.data());
    if (data.wrong(result))
        throw std::runtime_error("WRONG");
    return times;
}

//! Prints a row of the table of matrices that stay on the device.
void print_resident(const wishes& wanted,
                    const gemm_1bit_data& data,
                    const device_info& device,
                    const std::string& variant,
                    context_registry& registry)
{
    const auto times = measure_resident(wanted, data, registry.get(device), variant);
    std::printf("%-11s %-9s %10.1f %10.1f  exact\n",
                variant.c_str(),
                "resident",
                wanted.size.operations() / times.product / 1e12,
                wanted.size.operations() / times.with_packing / 1e12);
    std::fflush(stdout);
}

//! Prints one row of the table.
//! \return whether the correlations were right
bool measure_variant(const wishes& wanted,
                     const gemm_1bit_data& data,
                     const device_info& device,
                     const std::string& variant,
                     context_registry& registry)
{
    gemm_1bit_product product(data, device.id(), variant, registry);

    double seconds = 0;
    const auto timed = [&] {
        const auto before = clock::now();
        product.call();
        seconds = std::chrono::duration<double>(clock::now() - before).count();
    };
    std::size_t calls = wanted.calls;
    timed();
    if (seconds > longest_call)
        calls = 1;
    else
        for (std::size_t n = 1; n < wanted.warm_up; n++)
            timed();

    const double kernels_before = product.kernel_seconds();
    double whole = 0;
    for (std::size_t n = 0; n < calls; n++) {
        timed();
        whole += seconds;
    }
    const double kernels = product.kernel_seconds() - kernels_before;

    const std::size_t wrong = product.wrong();
    const auto& engine = product.engine();
    const double work = wanted.size.operations() * static_cast<double>(calls);
    std::printf("%-11s %-9s %10.4f %10.4f",
                engine.variant_name().c_str(),
                engine.transfer_name().c_str(),
                work / kernels / 1e12,
                work / whole / 1e12);
    if (wanted.sgemm > 0)
        std::printf(" %8.2f", work / kernels / 1e9 / wanted.sgemm);
    std::printf("  %s\n", engine.fell_back() ? "FELL BACK" : wrong ? "WRONG" : "exact");
    std::fflush(stdout);
    return !wrong && !engine.fell_back();
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app("Measures 1-bit correlations: 10^12 operations a second, two for each "
                 "pair of bits, in the kernels alone (by profiling events; on the host "
                 "the call) and whole calls, copies included.");
    app.add_option("--device", wanted.device, "As find_devices() takes it");
    app.add_option("--variants", wanted.variants, "Default: all")->delimiter(',');
    app.add_option("--items", wanted.size.items)->check(CLI::Range(1, 1 << 20));
    app.add_option("--codes", wanted.size.codes)->check(CLI::Range(1, 1 << 20));
    app.add_option("--bits", wanted.size.bits, "A multiple of 8")
        ->check(CLI::Range(8, 1 << 24));
    app.add_option("--warm-up", wanted.warm_up, "Calls before")
        ->check(CLI::Range(1, 1000));
    app.add_option("--calls", wanted.calls, "The number of calls whose mean time is printed")
        ->check(CLI::Range(1, 1000));
    app.add_option(
        "--sgemm", wanted.sgemm, "GFLOP/s of the same device, to compare with");
    app.add_flag("--resident",
                 wanted.resident,
                 "Items and correlations stay on the device: the product alone, and with "
                 "the packing of the items");
    CLI11_PARSE(app, argc, argv);
    if (wanted.size.bits % 8) {
        std::cerr << "--bits must be a multiple of 8\n";
        return 2;
    }
    if (wanted.variants.empty())
        for (const auto& variant : gemm_1bit_variants())
            wanted.variants.push_back(variant.name);

    context_registry registry;
    const gemm_1bit_data data(wanted.size);
    bool right = true;
    for (const auto& device : find_devices(wanted.device)) {
        std::printf("%s\n%zu items, %zu codes, %zu bits\n%-11s %-9s %10s %10s%s\n",
                    device.describe().c_str(),
                    wanted.size.items,
                    wanted.size.codes,
                    wanted.size.bits,
                    "variant",
                    "transfer",
                    wanted.resident ? "product" : "kernel",
                    wanted.resident ? "packed Top/s" : "whole Top/s",
                    wanted.sgemm > 0 ? "  / SGEMM" : "");
        for (const auto& variant : gemm_1bit_variants()) {
            const auto& names = wanted.variants;
            if ((variant.ladder == "host") != device.is_host() || !variant.fits(device) ||
                std::find(names.begin(), names.end(), variant.name) == names.end())
                continue;
            try {
                if (wanted.resident && !device.is_host())
                    print_resident(wanted, data, device, variant.name, registry);
                else
                    right =
                        measure_variant(wanted, data, device, variant.name, registry) &&
                        right;
            } catch (const std::exception& e) {
                std::printf("%s: %s\n", variant.name.c_str(), e.what());
                right = false;
            }
        }
    }
    return right ? 0 : 1;
}

} // namespace

} // namespace cldsp::bench

int main(int argc, char** argv)
{
    return cldsp::bench::exit_status([&] { return cldsp::bench::run(argc, argv); });
}
