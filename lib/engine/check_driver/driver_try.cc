// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists the devices, and has each compute something that is known.

#include "check_driver/driver_try.h"

#include "opencl/driver_surroundings.h"

#include <cldsp/context.h>
#include <cldsp/drivers.h>

#include <cerrno>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

namespace cldsp::check_driver {

namespace {

// Lets the C library notice what a driver has done to the heap: it looks at the blocks
// beside those that it gives out, gets back and joins.
void use_heap()
{
    std::vector<std::unique_ptr<char[]>> blocks;
    for (std::size_t bytes = 16; bytes <= (std::size_t(1) << 20); bytes += bytes / 4)
        for (int i = 0; i < 16; i++)
            blocks.push_back(std::make_unique<char[]>(bytes));
    for (std::size_t i = 0; i < blocks.size(); i += 2)
        blocks[i].reset();
    blocks.clear();
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

void report(const std::string& line)
{
    const std::string bytes = line + "\n";
    for (std::size_t done = 0; done < bytes.size();) {
        const auto count =
            ::write(report_descriptor, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno != EINTR)
            ::_exit(1); // nobody waits any more
        if (count > 0)
            done += static_cast<std::size_t>(count);
    }
}

constexpr const char* kernel_text = R"(
kernel void twice_and_one(global const float* in, global float* out)
{
    const size_t i = get_global_id(0);
    out[i] = 2.0f * in[i] + 1.0f;
})";

//! \throws cl::Error, opencl_error and std::runtime_error if the device does not compute
void compute(const context& on, const std::string& options)
{
    constexpr std::size_t items = 256;
    std::vector<float> in(items), out(items);
    std::iota(in.begin(), in.end(), 0.0f);
    const auto program = on.build_source(kernel_text, options);
    const auto queue = on.make_queue();
    const std::size_t bytes = items * sizeof(float);
    const cl::Buffer from(
        on.cl_context(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, in.data());
    const cl::Buffer to(on.cl_context(), CL_MEM_WRITE_ONLY, bytes);
    cl::Kernel kernel(program, "twice_and_one");
    kernel.setArg(0, from);
    kernel.setArg(1, to);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items));
    queue.enqueueReadBuffer(to, CL_TRUE, 0, bytes, out.data());
    for (std::size_t i = 0; i < items; i++)
        if (out[i] != 2 * in[i] + 1)
            throw std::runtime_error("a kernel computes wrong values");
}

//! The reason why a device cannot compute; empty: it can.
std::string why_not(const device_info& device,
                    const std::string& salt,
                    const std::string& cache_folder)
{
    context_options options;
    options.cache_folder = cache_folder;
    options.disk_cache = !cache_folder.empty();
    options.drivers = driver_policy::trust;
    options.device_timeout = 0; // this process is ended if it takes too long
    try {
        // The first context compiles and stores the program, and the second loads it.
        for (int i = 0; i < (cache_folder.empty() ? 1 : 2); i++) {
            const context on(device, options);
            compute(on, "-DSALT=0x" + salt);
        }
        return "";
    } catch (const cl::Error& e) {
        return std::string("cannot run a kernel: ") + e.what() + " gives " +
               std::to_string(e.err());
    } catch (const std::exception& e) {
        return std::string("cannot run a kernel: ") + e.what();
    }
}

} // namespace

void try_loaded_drivers(const std::string& salt, const std::string& cache_folder)
{
    report("the devices are listed");
    driver_verdict verdict;
    device_listing how;
    how.drivers = driver_policy::trust;
    how.log = [&](log_level, const std::string& text) {
        verdict.unusable.push_back({ text, "" });
    };
    for (const auto& device : list_devices(how)) {
        if (device.is_host())
            continue;
        report("a kernel runs on '" + device.name + "'");
        auto why = why_not(device, salt, cache_folder);
        if (why.empty())
            verdict.devices.push_back(device);
        else
            verdict.unusable.push_back({ "'" + device.name + "'", std::move(why) });
    }
    use_heap();
    verdict.files = loaded_libraries();
    report(verdict.text());
}

} // namespace cldsp::check_driver
