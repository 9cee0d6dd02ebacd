/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tune_kernels.h"

#include <cldsp/tunables.h>

#include "workloads.h"

#include <algorithm>
#include <stdexcept>

namespace cldsp::app {

namespace {

// What a flowgraph's call typically brings.
constexpr std::size_t filter_items = 8192;

tunable_kernel filter_kernel(const bench::workload& work)
{
    return { work.name,
             "direct filter of " + std::to_string(work.taps) + " taps, decimation " +
                 std::to_string(work.decimation),
             filter_items,
             "input items a call",
             [work](
                 context_registry& registry, const device_info& device, std::size_t n) {
                 return make_fir_tunable(
                     registry, device, make_problem(work, bench::prototype::real), n);
             } };
}

// The workload G1.
constexpr std::size_t matrix_size = 1024;

tunable_kernel product_kernel()
{
    return { "G1",
             "product of square matrices, single precision",
             matrix_size,
             "rows and columns",
             [](context_registry& registry, const device_info& device, std::size_t n) {
                 return make_gemm_tunable(
                     registry, device, gemm_type::f32, gemm_shape{ n, n, n });
             } };
}

} // namespace

std::vector<tunable_kernel> tunable_kernels()
{
    std::vector<tunable_kernel> all;
    for (const auto& work : bench::all_workloads())
        all.push_back(filter_kernel(work));
    all.push_back(product_kernel());
    return all;
}

std::vector<tunable_kernel> chosen_kernels(const std::vector<std::string>& names)
{
    std::vector<tunable_kernel> chosen;
    std::vector<std::string> known{ "all" };
    std::string list;
    const bool everything =
        names.empty() || std::find(names.begin(), names.end(), "all") != names.end();
    for (const auto& kernel : tunable_kernels()) {
        if (everything ||
            std::find(names.begin(), names.end(), kernel.name) != names.end())
            chosen.push_back(kernel);
        known.push_back(kernel.name);
        list += kernel.name + ", ";
    }
    for (const auto& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw std::invalid_argument("there is no kernel '" + name +
                                        "' to tune; there are " + list + "and all");
    return chosen;
}

} // namespace cldsp::app
