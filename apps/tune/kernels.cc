// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Direct filters, fast convolution and products, each with a usual size.

#include "suggestion.h"
#include "tune/kernels.h"

#include <cldsp/fast_convolution_tunable.h>
#include <cldsp/fir_tunable.h>
#include <cldsp/gemm_1bit_tunable.h>
#include <cldsp/gemm_tunable.h>

#include "filters/workloads.h"

#include <algorithm>

namespace cldsp::app {

namespace {

// The typical number of items of a call in a flowgraph.
constexpr std::size_t filter_items = 8192;

tunable_kernel filter_kernel(const bench::workload& work)
{
    return { work.name,
             "direct filter of " + std::to_string(work.taps) + " taps, decimation " +
                 std::to_string(work.decimation),
             filter_items,
             "input items per call",
             true,
             [work](
                 context_registry& registry, const device_info& device, std::size_t n) {
                 return make_fir_tunable(
                     registry, device, make_problem(work, bench::prototype::real), n);
             } };
}

//! Makes a workload of fast convolution. On a CPU device fast convolution compiles for
//! seconds and is slow, so that no block chooses it there.
tunable_kernel fast_filter_kernel(const bench::workload& work, const std::string& variant)
{
    return { work.name + (variant == "vkfft" ? "-fast" : "-fused"),
             "fast convolution of " + std::to_string(work.taps) + " taps, decimation " +
                 std::to_string(work.decimation) + ", " + variant,
             filter_items,
             "input items per call",
             false,
             [work, variant](
                 context_registry& registry, const device_info& device, std::size_t n) {
                 return make_fast_convolution_tunable(
                     registry,
                     device,
                     make_problem(work, bench::prototype::real),
                     n,
                     1e-5,
                     variant);
             } };
}

// The size of G1, and of the 1-bit product whose rates the documentation gives.
constexpr std::size_t matrix_size = 1024;
constexpr std::size_t bit_matrix_size = 4096;

tunable_kernel product_kernel()
{
    return { "G1",
             "product of square matrices, single precision",
             matrix_size,
             "rows and columns",
             true,
             [](context_registry& registry, const device_info& device, std::size_t n) {
                 return make_gemm_tunable(
                     registry, device, gemm_type::f32, gemm_shape{ n, n, n });
             } };
}

tunable_kernel bit_product_kernel()
{
    return { "G3",
             "1-bit product, as many items as codes and bits",
             bit_matrix_size,
             "items, codes and bits",
             true,
             [](context_registry& registry, const device_info& device, std::size_t n) {
                 return make_gemm_1bit_tunable(registry, device, gemm_shape{ n, n, n });
             } };
}

} // namespace

// R1 is not among them: the short calls of its slow stream are no work for a device.
std::vector<tunable_kernel> tunable_kernels()
{
    std::vector<tunable_kernel> all;
    for (const auto& work : bench::all_workloads())
        if (is_complex(work.input))
            all.push_back(filter_kernel(work));
    for (const char* variant : { "vkfft", "fused_fold" })
        for (const auto& work : bench::all_workloads())
            if (is_complex(work.input))
                all.push_back(fast_filter_kernel(work, variant));
    all.push_back(product_kernel());
    all.push_back(bit_product_kernel());
    return all;
}

std::vector<tunable_kernel> chosen_kernels(const std::vector<std::string>& names,
                                           device_kind kind)
{
    std::vector<tunable_kernel> chosen;
    std::vector<std::string> known;
    const bool everything =
        names.empty() || std::find(names.begin(), names.end(), "all") != names.end();
    for (const auto& kernel : tunable_kernels()) {
        if ((everything && (kernel.on_processors || kind != device_kind::cpu)) ||
            std::find(names.begin(), names.end(), kernel.name) != names.end())
            chosen.push_back(kernel);
        known.push_back(kernel.name);
    }
    known.emplace_back("all");
    for (const auto& name : names)
        check_name("there is no kernel '" + name + "' to tune", name, known);
    return chosen;
}

} // namespace cldsp::app
