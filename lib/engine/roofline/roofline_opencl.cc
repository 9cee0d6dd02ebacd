// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures an OpenCL device's peak rates: arithmetic, memory, transfers, launches.

#include "base/arithmetic.h"
#include "base/cache_sizes.h"
#include "roofline/roofline_steps.h"

#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/held_memory.h"
#include "opencl/kernel_groups.h"
#include "opencl/queue_window.h"
#include "opencl/staging.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

namespace {

// Steps: fp32, fp16, int32, popcount; read, write, copy, local; four transfers; two
// launches.
constexpr std::size_t opencl_step_count = 14;

/*!
 * The OpenCL device that is measured: its queue, the programs from the kernel file
 * `roofline`, and timed runs.
 */
class opencl_meter
{
public:
    explicit opencl_meter(std::shared_ptr<context> device);

    const context& device() const { return *d_device; }
    const std::shared_ptr<context>& shared_device() const { return d_device; }
    const device_limits& limits() const { return d_device->limits(); }
    const cl::CommandQueue& queue() const { return d_queue; }
    bool is_cpu() const { return d_device->device().kind == device_kind::cpu; }

    //! Builds a kernel of the file with \p options.
    cl::Kernel kernel(const std::string& name, const std::string& options) const;
    //! \throws opencl_error
    held_memory<cl::Buffer> buffer(std::size_t bytes,
                                   cl_mem_flags flags = CL_MEM_READ_WRITE) const;
    //! Enqueues a kernel.
    cl::Event
    launch(const cl::Kernel& kernel, std::size_t items, std::size_t group) const;
    //! Runs a kernel. \returns the seconds by the device's clock, or by the host's clock
    //! if the device has none
    double run(const cl::Kernel& kernel, std::size_t items, std::size_t group) const;
    //! The same as run(), for kernels whose cores share no memory on a CPU device; see
    //! core_watch.
    double
    run_on_cores(const cl::Kernel& kernel, std::size_t items, std::size_t group) const;

    //! The number of work-items in a group that suits the device.
    std::size_t group() const;
    //! The number of work-items that keeps the whole device busy, a multiple of group().
    std::size_t items() const;

private:
    std::shared_ptr<context> d_device;
    device_queue d_queue;
};

opencl_meter::opencl_meter(std::shared_ptr<context> device)
    : d_device(std::move(device)), d_queue(d_device->make_queue())
{
}

cl::Kernel opencl_meter::kernel(const std::string& name, const std::string& options) const
{
    return cl::Kernel(d_device->build("roofline", options), name.c_str());
}

held_memory<cl::Buffer> opencl_meter::buffer(std::size_t bytes, cl_mem_flags flags) const
{
    d_device->check_injected(injected_call::allocate);
    return { *d_device, cl::Buffer(d_device->cl_context(), flags, bytes) };
}

cl::Event
opencl_meter::launch(const cl::Kernel& kernel, std::size_t items, std::size_t group) const
{
    // The compiled kernel may have fewer work-items in a group than the device. Both are
    // powers of two, so that the groups still cover the items.
    return enqueue_kernel(*d_device,
                          d_queue,
                          kernel,
                          cl::NDRange(items),
                          cl::NDRange(group_up_to(*d_device, kernel, group)));
}

double
opencl_meter::run(const cl::Kernel& kernel, std::size_t items, std::size_t group) const
{
    const stopwatch watch;
    const cl::Event done = launch(kernel, items, group);
    d_device->wait(done);
    const double by_host = watch.seconds();
    const double by_device = event_seconds(*d_device, done);
    return by_device > 0 && by_device <= by_host ? by_device : by_host;
}

double opencl_meter::run_on_cores(const cl::Kernel& kernel,
                                  std::size_t items,
                                  std::size_t group) const
{
    const core_watch watch;
    const double seconds = run(kernel, items, group);
    // The number is not taken from the limits of the context: a profile may lower them,
    // but the driver uses all units.
    const auto cores = d_device->cl_device().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    return is_cpu() && cores > 0 ? std::min(seconds, watch.seconds(cores)) : seconds;
}

std::size_t opencl_meter::group() const
{
    // On a CPU a single work-item already uses whole vectors.
    constexpr std::size_t wanted = 256;
    if (is_cpu())
        return 1;
    return power_of_two_up_to(std::min(
        { wanted, limits().max_work_group_size, limits().max_work_item_sizes[0] }));
}

std::size_t opencl_meter::items() const
{
    // More groups than compute units, so that a unit that starts late takes fewer groups.
    const std::size_t groups = std::max<std::size_t>(1, limits().compute_units) * 16;
    return groups * group();
}

/*!
 * Measures one figure. If the device refuses it, logs a warning and returns 0.
 *
 * \param meter the device
 * \param steps the steps of the measurement
 * \param name name of the figure, for the progress
 * \param measure measures the figure; its argument is the seconds that it may take
 */
double figure_or_none(const opencl_meter& meter,
                      roofline_steps& steps,
                      const std::string& name,
                      const std::function<double(double)>& measure)
{
    const double seconds = steps.next(name);
    std::string reason;
    try {
        const double figure = measure(seconds);
        meter.device().check_commands(meter.queue());
        return figure;
    } catch (const opencl_error& e) {
        reason = e.what();
    } catch (const cl::Error& e) {
        reason = std::string(e.what()) + ": " + opencl_error_name(e.err());
    }
    meter.device().drain(meter.queue());
    log_to(meter.device().log(),
           log_level::warning,
           meter.device().name() + ": " + name + " is not measured: " + reason);
    return 0;
}

// Arithmetic

constexpr std::size_t steps_per_pass = 8; // STEPS in the kernel file
// The length of a run: short on a GPU, which may have to draw a desktop; long on a CPU,
// so that the cost of a launch does not count.
constexpr double gpu_run_seconds = 0.005, cpu_run_seconds = 0.02;
constexpr double trial_seconds = 0.002;

//! The number of chains of dependent operations in a work-item, and their vector width.
struct shape {
    std::size_t width, chains;
};

//! The shapes that are worth trying, the most promising first.
std::vector<shape> shapes(const opencl_meter& meter)
{
    if (!meter.is_cpu())
        return { { 1, 8 }, { 2, 8 }, { 4, 4 }, { 4, 8 }, { 1, 16 } };
    // About 12 of a CPU's 16 vector registers can hold chains, and more of 32.
    const std::size_t native =
        std::clamp<std::size_t>(meter.limits().native_vector_width_float, 4, 16);
    std::vector<shape> all = { { native, 12 }, { native, 8 }, { native, 16 } };
    if (native > 4)
        all.push_back({ native / 2, 12 });
    if (native < 16)
        all.push_back({ native * 2, 6 });
    return all;
}

//! The operation to measure, as options for the kernel file.
struct operation {
    std::string options;
    std::size_t value_bytes;
    double count; //!< operations in one step of one value
};

class arithmetic_run
{
public:
    arithmetic_run(const opencl_meter& meter, const operation& what, const shape& s)
        : d_meter(meter),
          d_count(what.count * static_cast<double>(s.width * s.chains * steps_per_pass)),
          d_items(meter.items())
    {
        // The output buffer holds a vector for each work-item.
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
    //! The rate in operations per second.
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

//! Candidates for one operation, in all shapes that are worth trying.
std::vector<candidate> in_all_shapes(const opencl_meter& meter, const operation& what)
{
    std::vector<candidate> all;
    for (const auto& form : shapes(meter))
        all.push_back({ what, form });
    return all;
}

//! Candidates for a multiply-add. On some devices only fma() is a single instruction, on
//! others only mad(), and fma() is a slow function.
std::vector<candidate> ways_to_multiply_add(const opencl_meter& meter,
                                            const operation& what)
{
    if (!meter.limits().fma)
        return in_all_shapes(meter, what);
    const operation fused{ what.options + " -DFUSED", what.value_bytes, what.count };
    std::vector<candidate> all;
    for (const auto& form : shapes(meter)) {
        all.push_back({ fused, form });
        if (all.size() < 4) // enough to see which of the two is faster
            all.push_back({ what, form });
    }
    return all;
}

//! Candidates for counting bits. Some CPU devices count in vectors, some only one value
//! at a time.
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

//! The rate of the candidate that is fastest in a short trial; see rate_of_runs().
double best_rate(const opencl_meter& meter,
                 const std::vector<candidate>& candidates,
                 double seconds)
{
    constexpr int tries = 3;
    constexpr std::size_t min_tried = 2;
    double best = 0;
    candidate chosen = candidates.front();
    double measuring = 0; // seconds, without those of compilation
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

//! fp32 operations per second. \throws opencl_error, cl::Error
double fp32_rate(const opencl_meter& meter, double seconds)
{
    return best_rate(
        meter, ways_to_multiply_add(meter, { "-DREAL=float", 4, 2 }), seconds);
}

void measure_arithmetic(const opencl_meter& meter, roofline_steps& steps, roofline& r)
{
    const auto measure = [&](const std::string& name,
                             const std::vector<candidate>& candidates) {
        return figure_or_none(meter, steps, name, [&](double seconds) {
            return best_rate(meter, candidates, seconds);
        });
    };
    r.fp32 = figure_or_none(
        meter, steps, "fp32", [&](double seconds) { return fp32_rate(meter, seconds); });
    if (meter.limits().fp16)
        r.fp16 =
            measure("fp16", ways_to_multiply_add(meter, { "-DREAL=half -DHALF", 2, 2 }));
    else
        steps.next("fp16");
    r.int32 = measure("int32", in_all_shapes(meter, { "-DREAL=uint -DINTEGER", 4, 2 }));
    r.popcount = measure("popcount", ways_to_count_bits(meter));
}

// Memory, transfers and launches

constexpr double memory_run_seconds = 0.005;

std::size_t device_memory(const opencl_meter& meter)
{
    return meter.device().cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
}

//! The way in which the memory kernels divide vectors among work-items.
struct layout {
    std::size_t width;  //!< 32-bit values in a vector
    std::size_t vector; //!< bytes of a vector
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
    // More than the caches hold, if the device has that much memory.
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
        meter.run(kernel, items, lay.group); // the first run brings the pages in
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
    const auto passes = passes_for<cl_uint>(memory_run_seconds, cl_uint(1) << 30, run);
    return rate_of_runs(seconds, [&] {
        return static_cast<double>(items * unrolled * lay.vector) * passes / run(passes);
    });
}

void measure_memory(const opencl_meter& meter, roofline_steps& steps, roofline& r)
{
    measure_global(meter, steps, r);
    r.local = figure_or_none(meter, steps, "local", [&](double seconds) {
        return local_rate(meter, seconds);
    });
}

void measure_transfers(const opencl_meter& meter, roofline_steps& steps, roofline& r)
{
    // The size of a large call of a block.
    constexpr std::size_t wanted = std::size_t(16) << 20, part = 16;
    const std::size_t bytes =
        std::min({ wanted, meter.limits().max_buffer, device_memory(meter) / part });
    host_memory host(meter.shared_device());
    std::memset(host.reserve(bytes), 0, bytes); // brings the pages in
    const auto& queue = meter.queue();
    const auto measure = [&](const char* name, const std::function<void()>& transfer) {
        return figure_or_none(meter, steps, name, [&](double seconds) {
            transfer(); // the first transfer allocates memory
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

void measure_launches(const opencl_meter& meter, roofline_steps& steps, roofline& r)
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

} // namespace

roofline measure_opencl_roofline(const std::shared_ptr<context>& device,
                                 const roofline_options& options)
{
    try {
        const opencl_meter meter(device);
        roofline_steps steps(options, opencl_step_count);
        roofline r;
        r.device = device->name();
        if (meter.is_cpu()) {
            // Some drivers, such as llvmpipe's, do not tell it.
            const auto told =
                device->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
            r.cache =
                static_cast<double>(told > 0 ? told : largest_cache_bytes().value_or(0));
        }
        measure_arithmetic(meter, steps, r);
        measure_memory(meter, steps, r);
        measure_transfers(meter, steps, r);
        measure_launches(meter, steps, r);
        const auto& all = roofline_figures();
        if (std::any_of(
                all.begin(), all.end(), [&](const auto& f) { return r.*f.value > 0; }))
            return r;
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device->name());
    }
    throw opencl_error("the roofline's kernels",
                       CL_INVALID_OPERATION,
                       device->name(),
                       "the device refuses every one of them");
}

double measure_opencl_fp32(const std::shared_ptr<context>& device,
                           const roofline_options& options)
{
    try {
        const opencl_meter meter(device);
        roofline_steps steps(options, 1);
        return fp32_rate(meter, steps.next("fp32"));
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device->name());
    }
}

} // namespace cldsp
