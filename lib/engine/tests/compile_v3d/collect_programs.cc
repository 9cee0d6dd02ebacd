// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes the programs that `auto` may choose on a V3D, for another compiler.

// The program runs each executor for GPUs once, on the device under test with the limits
// of a V3D, and keeps what the engine builds and how it launches the kernels. An executor
// runs for several sizes of the groups that compiled kernels may have, as the engine
// tries them. Its argument is a folder for the files FAMILY@GROUP.NUMBER.cl, which begin
// with the build's options and the kernels' groups.

#include "correlator/correlator_executor.h"
#include "direct/opencl_direct.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "gemm/gemm_executor.h"
#include "tests/support/qa_correlator_support.h"
#include "tests/support/qa_fast_convolution_contract.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_support.h"
#include "tests/support/qa_limits.h"

#include <dlfcn.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

struct kept_program {
    std::string source, options;
    std::size_t order = 0;                     // among all that were built
    std::map<std::string, std::size_t> groups; // of its kernels that were launched
};

std::map<cl_program, kept_program> programs;
std::map<cl_kernel, std::pair<cl_program, std::string>> kernels;

template <class Function>
Function* next(const char* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace

// These functions take the place of OpenCL's, and call them.

extern "C" cl_program clCreateProgramWithSource(cl_context context,
                                                cl_uint count,
                                                const char** texts,
                                                const size_t* lengths,
                                                cl_int* error)
{
    const auto made = next<decltype(clCreateProgramWithSource)>(__func__)(
        context, count, texts, lengths, error);
    static std::size_t built = 0;
    auto& kept = programs[made] = {};
    kept.order = ++built;
    for (cl_uint i = 0; i < count; i++)
        kept.source += lengths && lengths[i] ? std::string(texts[i], lengths[i])
                                             : std::string(texts[i]);
    return made;
}

extern "C" cl_int clBuildProgram(cl_program program,
                                 cl_uint count,
                                 const cl_device_id* devices,
                                 const char* options,
                                 void(CL_CALLBACK* done)(cl_program, void*),
                                 void* data)
{
    programs[program].options = options ? options : "";
    return next<decltype(clBuildProgram)>(__func__)(
        program, count, devices, options, done, data);
}

extern "C" cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error)
{
    const auto made = next<decltype(clCreateKernel)>(__func__)(program, name, error);
    kernels[made] = { program, name };
    return made;
}

extern "C" cl_int clEnqueueNDRangeKernel(cl_command_queue queue,
                                         cl_kernel kernel,
                                         cl_uint dimensions,
                                         const size_t* offset,
                                         const size_t* items,
                                         const size_t* group,
                                         cl_uint count,
                                         const cl_event* events,
                                         cl_event* event)
{
    const auto& [program, name] = kernels[kernel];
    std::size_t size = 1;
    for (cl_uint i = 0; group && i < dimensions; i++)
        size *= group[i];
    programs[program].groups[name] = size;
    return next<decltype(clEnqueueNDRangeKernel)>(__func__)(
        queue, kernel, dimensions, offset, items, group, count, events, event);
}

namespace {

using namespace cldsp;

using device_pointer = std::shared_ptr<context>;

//! What runs one family of kernels on a device.
struct family {
    std::string name;
    std::function<void(const device_pointer&)> run;
};

void run_filter(filter_executor& bank, const std::vector<filter_channel>& channels)
{
    stream_case(channels, 100).run(bank);
}

family direct(const std::string& name, const std::vector<filter_channel>& channels)
{
    return { name, [=](const device_pointer& device) {
                run_filter(*make_opencl_direct(device, "gpu_tile", "copy", channels),
                           channels);
            } };
}

family fold(const std::string& variant,
            const std::string& name,
            const std::vector<filter_channel>& channels)
{
    return { name, [=](const device_pointer& device) {
                run_filter(
                    *make_opencl_fast_convolution(device, variant, "copy", channels, 0),
                    channels);
            } };
}

family product(const std::string& name, gemm_type type)
{
    return { name, [=](const device_pointer& device) {
                const auto executor = make_opencl_gemm(device, "gpu_tile", "copy", type);
                gemm_case(type, { 64, 64, 64 }, 1, 0).run(*executor, false);
            } };
}

family correlations(const std::string& name, sample_type type)
{
    return { name, [=](const device_pointer& device) {
                const auto executor =
                    make_opencl_correlator(device, "gpu_tile", "copy", type, 70);
                correlator_checks::check_executor(
                    *executor, antenna_array(type, 70, 300), 3, 100, "gpu_tile");
            } };
}

std::vector<family> families()
{
    const auto fc32 = sample_type::fc32, cu8 = sample_type::cu8;
    const auto channels = [](sample_type type,
                             std::size_t decimation,
                             std::size_t taps,
                             std::size_t count) {
        return make_channels(type, decimation, taps, count, true);
    };
    return {
        direct("direct gpu_tile, sums in a group", channels(fc32, 42, 2429, 1)),
        direct("direct gpu_tile, sums in a group, cu8", channels(cu8, 42, 2429, 1)),
        direct("direct gpu_tile, outputs in a group", channels(fc32, 3, 61, 1)),
        fold("fused_fold", "fused_fold, one channel", channels(cu8, 42, 2429, 1)),
        fold("fused_fold", "fused_fold, 8 channels", channels(fc32, 8, 300, 8)),
        fold("tiled_fold", "tiled_fold, 32 channels", channels(fc32, 8, 300, 32)),
        product("gemm gpu_tile, f32", gemm_type::f32),
        product("gemm gpu_tile, c32", gemm_type::c32),
        product("gemm gpu_tile, f16", gemm_type::f16),
        product("gemm gpu_tile, s8", gemm_type::s8),
        { "gemm_1bit gpu_tile",
          [](const device_pointer& device) {
              const gemm_1bit_case problem(1024, 64, 64);
              problem.check(
                  *make_opencl_gemm_1bit(device, "gpu_tile", "copy", problem.joined()),
                  "");
          } },
        correlations("correlator gpu_tile, fc32", fc32),
        correlations("correlator gpu_tile, cs8", sample_type::cs8),
    };
}

//! Runs a family where compiled kernels may have \p most work-items in a group, and
//! writes its programs.
void collect(const family& its, std::size_t most, const std::string& folder)
{
    auto info = test_device();
    info.kind = device_kind::gpu;
    info.limits = info.limits.lowered("v3d");
    info.limits.max_kernel_group = most;
    programs.clear();
    kernels.clear();
    auto options = test_options();
    options.disk_cache = false;
    try {
        its.run(std::make_shared<context>(info, options));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s, %zu: %s\n", its.name.c_str(), most, e.what());
        return;
    }
    std::map<std::size_t, kept_program> in_order;
    for (const auto& [program, kept] : programs)
        if (!kept.groups.empty())
            in_order[kept.order] = kept;
    int number = 0;
    for (const auto& [order, kept] : in_order) {
        std::ofstream file(folder + "/" + its.name + "@" + std::to_string(most) + "." +
                           std::to_string(++number) + ".cl");
        file << "//OPTIONS " << kept.options << "\n";
        for (const auto& [name, group] : kept.groups)
            file << "//GROUP " << name << " " << group << "\n";
        file << kept.source;
    }
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    for (const auto& its : families())
        for (const std::size_t most : { 256, 64, 32, 16 })
            collect(its, most, arguments[1]);
    return 0;
}
