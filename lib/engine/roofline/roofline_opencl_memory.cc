/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "roofline/roofline_opencl.h"

#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/queue_window.h"
#include "opencl/staging.h"

#include <algorithm>
#include <cstring>

namespace cldsp {

namespace {

constexpr double run_seconds = 0.005;

std::size_t device_memory(const opencl_meter& meter)
{
    return meter.device().cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
}

//! How the memory kernels share their vectors out.
struct layout {
    std::size_t width;  //!< 32-bit values of a vector
    std::size_t vector; //!< its bytes
    std::size_t group, items;
    std::string options;

    explicit layout(const opencl_meter& meter)
        : width(meter.is_cpu() ? 16 : 4),
          vector(4 * width),
          group(meter.group()),
          items(meter.items()),
          options("-DREAL=uint -DINTEGER -DWIDTH=" + std::to_string(width) +
                  (meter.is_cpu() ? " -DBLOCKED=1" : " -DBLOCKED=0"))
    {
    }
};

void measure_global(const opencl_meter& meter, roofline_steps& steps, roofline& r)
{
    // More than caches hold, as far as the device has it.
    constexpr std::size_t wanted = std::size_t(256) << 20, part = 16;
    const layout lay(meter);
    const std::size_t room =
        std::min({ wanted, meter.limits().max_buffer, device_memory(meter) / part });
    std::size_t items = std::min(lay.items, room / lay.vector / lay.group * lay.group);
    const std::size_t count = room / (items * lay.vector);
    const std::size_t bytes = items * count * lay.vector;
    const auto n = static_cast<cl_uint>(count);
    const cl_uint magic = 0x9e3779b9;

    held_memory<cl::Buffer> from, to;
    const auto rate = [&](cl::Kernel& kernel, double amount, double seconds) {
        meter.run(kernel, items, lay.group); // pages memory in
        return rate_of_runs(seconds,
                            [&] { return amount / meter.run(kernel, items, lay.group); });
    };
    const auto amount = static_cast<double>(bytes);
    r.global_write = figure_or_none(meter, steps, "global_write", [&](double seconds) {
        from = meter.buffer(bytes);
        auto kernel = meter.kernel("write_global", lay.options);
        set_args(kernel, from.get(), cl_uint(1), n);
        return rate(kernel, amount, seconds);
    });
    r.global_read = figure_or_none(meter, steps, "global_read", [&](double seconds) {
        const auto out = meter.buffer(items * lay.vector);
        auto kernel = meter.kernel("read_global", lay.options);
        set_args(kernel, from.get(), out.get(), magic, n);
        return rate(kernel, amount, seconds);
    });
    r.global_copy = figure_or_none(meter, steps, "global_copy", [&](double seconds) {
        to = meter.buffer(bytes);
        auto kernel = meter.kernel("copy_global", lay.options);
        set_args(kernel, from.get(), to.get(), n);
        return rate(kernel, 2 * amount, seconds);
    });
}

double local_rate(const opencl_meter& meter, double seconds)
{
    constexpr std::size_t unrolled = 8, max_bytes = 8192;
    const layout lay(meter);
    const std::size_t vectors =
        std::min(max_bytes, meter.limits().local_memory) / lay.vector;
    std::size_t tile = 1;
    while (2 * tile + unrolled <= vectors)
        tile *= 2;
    auto kernel = meter.kernel("read_local",
                               lay.options + " -DSTEPS=" + std::to_string(unrolled) +
                                   " -DTILE=" + std::to_string(tile));
    const std::size_t fits =
        meter.limits().max_buffer / lay.vector / lay.group * lay.group;
    const std::size_t items = std::min(lay.items, fits);
    const auto out = meter.buffer(items * lay.vector);
    const auto run = [&](cl_uint passes) {
        set_args(kernel, out.get(), cl_uint(0x9e3779b9), passes);
        return meter.run_on_cores(kernel, items, lay.group);
    };
    const auto passes = passes_for<cl_uint>(run_seconds, cl_uint(1) << 30, run);
    return rate_of_runs(seconds, [&] {
        return static_cast<double>(items * unrolled * lay.vector) * passes / run(passes);
    });
}

} // namespace

void measure_opencl_memory(const opencl_meter& meter, roofline_steps& steps, roofline& r)
{
    measure_global(meter, steps, r);
    r.local = figure_or_none(meter, steps, "local", [&](double seconds) {
        return local_rate(meter, seconds);
    });
}

void measure_opencl_transfers(const opencl_meter& meter,
                              roofline_steps& steps,
                              roofline& r)
{
    // What a generous call of a block brings.
    constexpr std::size_t wanted = std::size_t(16) << 20, part = 16;
    const std::size_t bytes =
        std::min({ wanted, meter.limits().max_buffer, device_memory(meter) / part });
    host_memory host(meter.shared_device());
    std::memset(host.reserve(bytes), 0, bytes); // pages it in
    const auto& queue = meter.queue();
    const auto measure = [&](const char* name, const std::function<void()>& transfer) {
        return figure_or_none(meter, steps, name, [&](double seconds) {
            transfer(); // takes memory
            return rate_of_runs(seconds, [&] {
                const stopwatch watch;
                transfer();
                return static_cast<double>(bytes) / watch.seconds();
            });
        });
    };

    held_memory<cl::Buffer> copied;
    const auto need_buffer = [&] {
        if (!copied.get()())
            copied = meter.buffer(bytes);
    };
    r.host_to_device = measure("host_to_device", [&] {
        need_buffer();
        auto slot = meter.device().admit_command(queue);
        cl::Event done;
        queue.enqueueWriteBuffer(
            copied.get(), CL_FALSE, 0, bytes, host.data(), nullptr, &done);
        slot.enqueued(done);
        meter.device().wait(done);
    });
    r.device_to_host = measure("device_to_host", [&] {
        need_buffer();
        auto slot = meter.device().admit_command(queue);
        cl::Event done;
        queue.enqueueReadBuffer(
            copied.get(), CL_FALSE, 0, bytes, host.data(), nullptr, &done);
        slot.enqueued(done);
        meter.device().wait(done);
    });
    mapped_buffer mapped(meter.shared_device());
    const auto unmap = [&] {
        cl::Event done;
        mapped.unmap(&done);
        meter.device().wait(done);
    };
    r.host_to_device_mapped = measure("host_to_device_mapped", [&] {
        mapped.reserve(bytes);
        std::memcpy(mapped.map(queue, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes),
                    host.data(),
                    bytes);
        unmap();
    });
    r.device_to_host_mapped = measure("device_to_host_mapped", [&] {
        mapped.reserve(bytes);
        std::memcpy(host.data(), mapped.map(queue, CL_MAP_READ, 0, bytes), bytes);
        unmap();
    });
}

void measure_opencl_launches(const opencl_meter& meter,
                             roofline_steps& steps,
                             roofline& r)
{
    cl::Kernel nothing;
    held_memory<cl::Buffer> out;
    const auto prepare = [&] {
        out = meter.buffer(sizeof(cl_uint));
        replace(nothing, meter.kernel("nothing", layout(meter).options));
        set_args(nothing, out.get(), cl_uint(1));
    };
    r.launch_latency =
        figure_or_none(meter, steps, "launch_latency", [&](double seconds) {
            prepare();
            return median_of_runs(seconds, [&] {
                const stopwatch watch;
                meter.run(nothing, 1, 1);
                return watch.seconds();
            });
        });
    r.launch_interval =
        figure_or_none(meter, steps, "launch_interval", [&](double seconds) {
            constexpr int launches = 100;
            prepare();
            return median_of_runs(seconds, [&] {
                const stopwatch watch;
                cl::Event last;
                for (int i = 0; i < launches; i++)
                    replace(last, meter.launch(nothing, 1, 1));
                meter.device().wait(last);
                return watch.seconds() / launches;
            });
        });
}

} // namespace cldsp
