/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "roofline/roofline_opencl.h"

#include "opencl/commands.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace cldsp {

namespace {

constexpr std::size_t steps_per_pass = 8; // the kernel file's STEPS
// Short enough for a GPU that draws a desktop; on a CPU what a launch costs must not
// count.
constexpr double gpu_run_seconds = 0.005, cpu_run_seconds = 0.02;
constexpr double trial_seconds = 0.002;

//! How the chains of a work-item are laid out.
struct shape {
    std::size_t width, chains;
};

//! Shapes worth a try, the likeliest first.
std::vector<shape> shapes(const opencl_meter& meter)
{
    if (!meter.is_cpu())
        return { { 1, 8 }, { 2, 8 }, { 4, 4 }, { 4, 8 }, { 1, 16 } };
    // Of a CPU's registers some 12 of 16 can be chains, and more of 32.
    const std::size_t native =
        std::clamp<std::size_t>(meter.limits().native_vector_width_float, 4, 16);
    std::vector<shape> all = { { native, 12 }, { native, 8 }, { native, 16 } };
    if (native > 4)
        all.push_back({ native / 2, 12 });
    if (native < 16)
        all.push_back({ native * 2, 6 });
    return all;
}

//! What is computed: the kernel file's macros for a type.
struct operation {
    std::string options;
    std::size_t value_bytes;
    double count; //!< what a step of a value counts
};

class arithmetic_run
{
public:
    arithmetic_run(const opencl_meter& meter, const operation& what, const shape& s)
        : d_meter(meter),
          d_count(what.count * static_cast<double>(s.width * s.chains * steps_per_pass)),
          d_items(meter.items())
    {
        // A vector of every work-item has to fit into a buffer.
        const std::size_t group = meter.group();
        const std::size_t fits =
            meter.limits().max_buffer / (s.width * what.value_bytes) / group * group;
        d_items = std::min(d_items, fits);
        d_out = meter.buffer(d_items * s.width * what.value_bytes);
        d_kernel = meter.kernel("arithmetic",
                                what.options + " -DWIDTH=" + std::to_string(s.width) +
                                    " -DCHAINS=" + std::to_string(s.chains) +
                                    " -DSTEPS=" + std::to_string(steps_per_pass));
    }

    double seconds(cl_uint passes)
    {
        set_args(d_kernel, d_out.get(), cl_float(0.999f), cl_float(0.001f), passes);
        return d_meter.run_on_cores(d_kernel, d_items, d_meter.group());
    }
    cl_uint passes(double wanted)
    {
        return passes_for<cl_uint>(
            wanted, cl_uint(1) << 30, [this](cl_uint n) { return seconds(n); });
    }
    //! Operations a second.
    double rate(cl_uint passes)
    {
        return d_count * passes * static_cast<double>(d_items) / seconds(passes);
    }

private:
    const opencl_meter& d_meter;
    double d_count;
    std::size_t d_items;
    held_memory<cl::Buffer> d_out;
    cl::Kernel d_kernel;
};

struct candidate {
    operation what;
    shape form;
};

//! An operation in every shape worth a try.
std::vector<candidate> in_all_shapes(const opencl_meter& meter, const operation& what)
{
    std::vector<candidate> all;
    for (const auto& form : shapes(meter))
        all.push_back({ what, form });
    return all;
}

//! A multiply-add may be one instruction by fma() only, or by mad() only.
std::vector<candidate> ways_to_multiply_add(const opencl_meter& meter,
                                            const operation& what)
{
    const operation fused{ what.options + " -DFUSED", what.value_bytes, what.count };
    std::vector<candidate> all;
    for (const auto& form : shapes(meter)) {
        all.push_back({ fused, form });
        if (all.size() < 4) // enough to see which one it is
            all.push_back({ what, form });
    }
    return all;
}

//! Some CPU devices count bits in vectors, some only one value at a time.
std::vector<candidate> ways_to_count_bits(const opencl_meter& meter)
{
    const operation instruction{ "-DREAL=uint -DCOUNT_BITS", 4, 1 };
    auto all = in_all_shapes(meter, instruction);
    if (!meter.is_cpu())
        return all;
    const shape native = all.front().form;
    return { { instruction, native },
             { instruction, { 1, 8 } },
             { { instruction.options + " -DBITS_BY_SUMS", 4, 1 }, { native.width, 4 } } };
}

//! The median of the candidate that is fastest in a short trial.
double best_rate(const opencl_meter& meter,
                 const std::vector<candidate>& candidates,
                 double seconds)
{
    constexpr int tries = 3;
    constexpr std::size_t min_tried = 2;
    double best = 0;
    candidate chosen = candidates.front();
    double measuring = 0; // without compilation
    std::size_t tried = 0;
    for (const auto& c : candidates) {
        arithmetic_run run(meter, c.what, c.form);
        const stopwatch watch;
        const cl_uint passes = run.passes(trial_seconds);
        double rate = 0;
        for (int i = 0; i < tries; i++)
            rate = std::max(rate, run.rate(passes));
        if (rate > best) {
            best = rate;
            chosen = c;
        }
        measuring += watch.seconds();
        tried++;
        if (tried >= min_tried && measuring > 0.6 * seconds)
            break;
    }
    arithmetic_run run(meter, chosen.what, chosen.form);
    const cl_uint passes = run.passes(meter.is_cpu() ? cpu_run_seconds : gpu_run_seconds);
    return rate_of_runs(seconds - measuring, [&] { return run.rate(passes); });
}

} // namespace

double opencl_fp32_rate(const opencl_meter& meter, double seconds)
{
    return best_rate(
        meter, ways_to_multiply_add(meter, { "-DREAL=float", 4, 2 }), seconds);
}

void measure_opencl_arithmetic(const opencl_meter& meter,
                               roofline_steps& steps,
                               roofline& r)
{
    const auto measure = [&](const std::string& name,
                             const std::vector<candidate>& candidates) {
        return figure_or_none(meter, steps, name, [&](double seconds) {
            return best_rate(meter, candidates, seconds);
        });
    };
    r.fp32 = figure_or_none(meter, steps, "fp32", [&](double seconds) {
        return opencl_fp32_rate(meter, seconds);
    });
    if (meter.limits().fp16)
        r.fp16 =
            measure("fp16", ways_to_multiply_add(meter, { "-DREAL=half -DHALF", 2, 2 }));
    else
        steps.next("fp16");
    r.int32 = measure("int32", in_all_shapes(meter, { "-DREAL=uint -DINTEGER", 4, 2 }));
    r.popcount = measure("popcount", ways_to_count_bits(meter));
}

} // namespace cldsp
