/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe/filter_load.h"
#include "probe/gemm_load.h"
#include "probe/workloads.h"
#include <cmath>

namespace gr {
namespace cldsp {

namespace {

constexpr std::size_t filter_items = 8340; // a call in a flowgraph

template <std::size_t TAPS, std::size_t DECIMATION>
::cldsp::freq_xlating_fir_problem filter()
{
    constexpr double pi = 3.14159265358979323846;
    ::cldsp::freq_xlating_fir_problem problem;
    problem.decimation = DECIMATION;
    problem.sampling_freq = 2016000;
    problem.center_freq = 123456.7;
    // A Hann window is a low-pass filter.
    for (std::size_t k = 1; k <= TAPS; k++)
        problem.taps.push_back(static_cast<float>(
            (1 - std::cos(2 * pi * static_cast<double>(k) / (TAPS + 1.0))) /
            (TAPS + 1.0)));
    return problem;
}

template <std::size_t TAPS, std::size_t DECIMATION>
kernel_to_tune direct_workload()
{
    return direct_filter_kernel(filter<TAPS, DECIMATION>(), filter_items, "auto");
}

template <std::size_t TAPS, std::size_t DECIMATION>
kernel_to_tune fast_workload()
{
    constexpr double accuracy = 1e-5; // a block's default
    return fast_filter_kernel(filter<TAPS, DECIMATION>(), filter_items, accuracy);
}

kernel_to_tune square_product()
{
    return gemm_kernel_to_tune(::cldsp::gemm_type::f32, { 1024, 1024, 1024 }, "auto");
}

//! 64 beams of 64 antennas.
kernel_to_tune beams_product()
{
    return gemm_kernel_to_tune(::cldsp::gemm_type::c32, { 64, 65536, 64 }, "auto");
}

kernel_to_tune bit_product()
{
    return gemm_1bit_kernel_to_tune({ 4096, 4096, 4096 }, "auto");
}

} // namespace

const std::vector<probe_workload>& probe_workloads()
{
    static const auto& all = *new std::vector<probe_workload>{
        { "W1", direct_workload<2429, 42> },
        { "W2", direct_workload<201, 42> },
        { "W3", direct_workload<101, 1> },
        { "W1-fast", fast_workload<2429, 42> },
        { "W3-fast", fast_workload<101, 1> },
        { "G1", square_product },
        { "G2", beams_product },
        { "G3", bit_product },
    };
    return all;
}

const probe_workload* find_probe_workload(const std::string& name)
{
    for (const auto& work : probe_workloads())
        if (work.name == name)
            return &work;
    return nullptr;
}

} // namespace cldsp
} // namespace gr
