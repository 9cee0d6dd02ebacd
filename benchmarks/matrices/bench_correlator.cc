/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "common/exit_status.h"
#include "correlator/correlator_executor.h"

#include <cldsp/context.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

//! The settings from the command line.
struct wishes {
    std::string device = "auto", type = "cs8";
    std::vector<std::string> variants = {
        "simd", "cpu_tile", "gpu_tile", "tensor", "warpgroup"
    };
    std::size_t antennas = 256, pieces = 4, length = 2048;
    std::size_t warm_up = 3, calls = 10;
};

//! Random samples of some antennas. Each piece is an integration of its own.
class samples_of_antennas
{
public:
    samples_of_antennas(sample_type type, const wishes& wanted)
        : d_type(type), d_wanted(wanted), d_samples(wanted.pieces * wanted.length)
    {
        std::mt19937 random(1);
        d_data.resize(wanted.antennas * d_samples * sample_size(type));
        if (type == sample_type::cs8) {
            for (auto& byte : d_data)
                byte = static_cast<unsigned char>(random());
        } else {
            for (std::size_t i = 0; i < d_data.size(); i += sizeof(float)) {
                const float value = static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f;
                std::memcpy(d_data.data() + i, &value, sizeof(value));
            }
        }
        for (std::size_t a = 0; a < wanted.antennas; a++)
            d_first.push_back(d_data.data() + a * d_samples * sample_size(type));
    }

    //! Adds the sums of all pieces, in as many calls as the executor needs.
    void add_to(correlator_executor& executor,
                std::vector<std::complex<double>>& sums) const
    {
        const std::size_t triangle = visibilities_of(d_wanted.antennas);
        auto in = d_first;
        for (std::size_t done = 0; done < d_wanted.pieces;) {
            const std::size_t rows =
                std::min(d_wanted.pieces - done, executor.max_rows(d_wanted.length));
            executor.add({ { in.data(), 1 }, rows, d_wanted.length },
                         sums.data() + done * triangle);
            done += rows;
            for (auto& antenna : in)
                antenna = static_cast<const unsigned char*>(antenna) +
                          rows * d_wanted.length * sample_size(d_type);
        }
    }

    //! The largest difference of some sums of \p calls equal calls from the right ones,
    //! relative to the largest of these.
    double error(const std::vector<std::complex<double>>& sums, std::size_t calls) const
    {
        std::mt19937 random(2);
        double largest = 0, difference = 0;
        for (int i = 0; i < 200; i++) {
            const std::size_t piece = random() % d_wanted.pieces;
            const std::size_t row = random() % d_wanted.antennas;
            const std::size_t column = i % 10 ? random() % (row + 1) : row;
            std::complex<double> sum = 0;
            for (std::size_t t = 0; t < d_wanted.length; t++)
                sum += at(row, piece, t) * std::conj(at(column, piece, t));
            sum *= static_cast<double>(calls);
            const auto got = sums[piece * visibilities_of(d_wanted.antennas) +
                                  visibilities_of(row) + column];
            difference = std::max(difference, std::abs(got - sum));
            largest = std::max(largest, std::abs(sum));
        }
        return difference / largest;
    }

private:
    std::complex<double> at(std::size_t antenna, std::size_t piece, std::size_t t) const
    {
        const auto* from =
            d_data.data() +
            (antenna * d_samples + piece * d_wanted.length + t) * sample_size(d_type);
        if (d_type == sample_type::cs8)
            return { static_cast<double>(static_cast<std::int8_t>(from[0])),
                     static_cast<double>(static_cast<std::int8_t>(from[1])) };
        float parts[2];
        std::memcpy(parts, from, sizeof(parts));
        return { parts[0], parts[1] };
    }

    sample_type d_type;
    const wishes& d_wanted;
    std::size_t d_samples;
    std::vector<unsigned char> d_data;
    std::vector<const void*> d_first;
};

//! Prints one row of the table.
//! \return whether the sums were right
bool measure(const wishes& wanted,
             sample_type type,
             const samples_of_antennas& samples,
             correlator_executor& executor)
{
    std::vector<std::complex<double>> sums(wanted.pieces *
                                           visibilities_of(wanted.antennas));
    for (std::size_t i = 0; i < wanted.warm_up; i++)
        samples.add_to(executor, sums);
    executor.clear_statistics();
    const auto before = clock::now();
    for (std::size_t i = 0; i < wanted.calls; i++)
        samples.add_to(executor, sums);
    const double whole = std::chrono::duration<double>(clock::now() - before).count();
    const auto statistics = executor.statistics();
    const double kernels = statistics.kernel_time * static_cast<double>(statistics.calls);
    constexpr double operations_per_product = 8;
    const double operations = operations_per_product *
                              static_cast<double>(visibilities_of(wanted.antennas)) *
                              static_cast<double>(wanted.pieces * wanted.length) *
                              static_cast<double>(wanted.calls);
    const double error = samples.error(sums, wanted.warm_up + wanted.calls);
    // Sums of bytes are exact, those of floats nearly so.
    const bool is_right = error <= (type == sample_type::cs8 ? 0 : 1e-6);
    std::printf("%-11s %-9s %10zu %12.4f %12.4f  %s\n",
                executor.variant_name().c_str(),
                executor.transfer_name().c_str(),
                executor.piece(),
                operations / kernels / 1e12,
                operations / whole / 1e12,
                is_right ? "right" : "WRONG");
    std::fflush(stdout);
    return is_right;
}

int run(int argc, char** argv)
{
    wishes wanted;
    CLI::App app(
        "Measures correlators of antennas: 10^12 useful operations a second, 8 for "
        "each product of a pair, in the kernels alone (by profiling events; on the "
        "host the call) and in whole calls, copies included.");
    app.add_option("--device", wanted.device, "As find_devices() takes it");
    app.add_option("--variants", wanted.variants, "Default: all")
        ->delimiter(',')
        ->check(CLI::IsMember(wishes().variants));
    app.add_option("--type", wanted.type)->check(CLI::IsMember({ "cs8", "fc32" }));
    app.add_option("--antennas", wanted.antennas)->check(CLI::Range(1, 4096));
    app.add_option("--pieces", wanted.pieces, "Integrations in a call")
        ->check(CLI::Range(1, 4096));
    app.add_option("--length", wanted.length, "Samples of each piece")
        ->check(CLI::Range(1, 65535));
    app.add_option("--warm-up", wanted.warm_up, "Calls before")
        ->check(CLI::Range(0, 1000));
    app.add_option(
           "--calls", wanted.calls, "The number of calls whose mean time is printed")
        ->check(CLI::Range(1, 1000));
    CLI11_PARSE(app, argc, argv);

    context_registry registry;
    const auto type = wanted.type == "cs8" ? sample_type::cs8 : sample_type::fc32;
    const samples_of_antennas samples(type, wanted);
    bool right = true;
    for (const auto& device : find_devices(wanted.device)) {
        std::printf("%s\n%zu antennas, %zu pieces of %zu samples of %s\n"
                    "%-11s %-9s %10s %12s %12s\n",
                    device.describe().c_str(),
                    wanted.antennas,
                    wanted.pieces,
                    wanted.length,
                    wanted.type.c_str(),
                    "variant",
                    "transfer",
                    "max. piece",
                    "kernel Top/s",
                    "whole Top/s");
        for (const auto& variant : wanted.variants) {
            if ((variant == "simd") != device.is_host())
                continue;
            try {
                const auto executor =
                    device.is_host()
                        ? make_host_correlator(type, wanted.antennas)
                        : make_opencl_correlator(
                              registry.get(device),
                              variant,
                              device.kind == device_kind::cpu ? "zero_copy" : "copy",
                              type,
                              wanted.antennas);
                if (executor->piece() < wanted.length) {
                    std::printf("%-11s takes pieces of up to %zu samples\n",
                                variant.c_str(),
                                executor->piece());
                    continue;
                }
                right = measure(wanted, type, samples, *executor) && right;
            } catch (const std::invalid_argument& e) {
                // The device cannot run this variant.
                std::printf("%s: %s\n", variant.c_str(), e.what());
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
