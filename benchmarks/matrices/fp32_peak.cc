/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "matrices/fp32_peak.h"

#include <algorithm>
#include <string>
#include <utility>

namespace cldsp::bench {

namespace {

constexpr std::size_t chains = 12, steps = 8;

// Chains of multiply-adds that do not depend on each other hide the latency of a step.
const char* const source = R"(
__kernel void peak(__global VEC* out, float scale, float shift, uint passes)
{
    VEC x[CHAINS];
    _Pragma("unroll") for (uint c = 0; c < CHAINS; c++)
        x[c] = (VEC)((float)(get_global_id(0) % 7 + c));
    for (uint pass = 0; pass < passes; pass++) {
        _Pragma("unroll") for (uint s = 0; s < STEPS; s++)
            _Pragma("unroll") for (uint c = 0; c < CHAINS; c++)
                x[c] = fma(x[c], (VEC)(scale), (VEC)(shift));
    }
    for (uint c = 1; c < CHAINS; c++)
        x[0] += x[c];
    out[get_global_id(0)] = x[0];
}
)";

} // namespace

fp32_peak::fp32_peak(std::shared_ptr<context> device)
    : d_device(std::move(device)), d_queue(d_device->make_queue())
{
    const auto& limits = d_device->limits();
    const bool is_cpu = d_device->device().kind == device_kind::cpu;
    d_width = !is_cpu                                  ? 1
              : limits.native_vector_width_float >= 16 ? 16
              : limits.native_vector_width_float >= 8  ? 8
                                                       : 4;
    d_group = is_cpu ? 1 : std::min<std::size_t>(limits.max_work_group_size, 256);
    d_items = limits.compute_units * (is_cpu ? 16 : 16 * d_group);
    const std::string vec = d_width > 1 ? "float" + std::to_string(d_width) : "float";
    d_kernel = cl::Kernel(
        d_device->build_source(source,
                               "-DVEC=" + vec + " -DCHAINS=" + std::to_string(chains) +
                                   " -DSTEPS=" + std::to_string(steps)),
        "peak");
    d_out = cl::Buffer(
        d_device->cl_context(), CL_MEM_READ_WRITE, d_items * d_width * sizeof(float));

    constexpr double wanted = 5e-3;
    while (run(d_passes) < wanted && d_passes < (1u << 30))
        d_passes *= 2;
}

//! Returns the seconds of the kernel.
double fp32_peak::run(cl_uint passes)
{
    d_kernel.setArg(0, d_out);
    d_kernel.setArg(1, 0.999f);
    d_kernel.setArg(2, 0.001f);
    d_kernel.setArg(3, passes);
    cl::Event event;
    d_queue.enqueueNDRangeKernel(d_kernel,
                                 cl::NullRange,
                                 cl::NDRange(d_items),
                                 cl::NDRange(d_group),
                                 nullptr,
                                 &event);
    d_queue.finish();
    return 1e-9 *
           static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                               event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
}

double fp32_peak::measure()
{
    const double operations = 2.0 * static_cast<double>(d_items * d_width) *
                              static_cast<double>(chains * steps) * d_passes;
    return operations / run(d_passes);
}

} // namespace cldsp::bench
