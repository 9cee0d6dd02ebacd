/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Simulates a driver that hangs for as long as a test wants. This library is preloaded.
// It blocks the OpenCL calls that are listed in a file, while the file exists.
// CLDSP_QA_STALL names the file. A blocked call creates a file with the same name and the
// ending ".inside".

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace {

bool is_held(const std::string& file, const std::string& call)
{
    std::ifstream calls(file);
    for (std::string held; calls >> held;)
        if (held == call)
            return true;
    return false;
}

void stall(const char* call)
{
    const char* file = std::getenv("CLDSP_QA_STALL");
    if (!file || !is_held(file, call))
        return;
    std::ofstream(std::string(file) + ".inside");
    while (access(file, F_OK) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

//! The function that the one in this file replaces. Its library is loaded with the Python
//! module, where RTLD_NEXT does not look.
template <class FUNCTION>
FUNCTION real(FUNCTION, const char* name)
{
    static void* const library = dlopen("libOpenCL.so.1", RTLD_LAZY);
    return reinterpret_cast<FUNCTION>(dlsym(library, name));
}

} // namespace

extern "C" {

cl_int clGetDeviceIDs(cl_platform_id platform,
                      cl_device_type type,
                      cl_uint entries,
                      cl_device_id* devices,
                      cl_uint* count)
{
    stall("clGetDeviceIDs");
    return real(&clGetDeviceIDs,
                "clGetDeviceIDs")(platform, type, entries, devices, count);
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error)
{
    stall("clCreateKernel");
    return real(&clCreateKernel, "clCreateKernel")(program, name, error);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue,
                              cl_kernel kernel,
                              cl_uint dimensions,
                              const size_t* offset,
                              const size_t* size,
                              const size_t* local_size,
                              cl_uint events,
                              const cl_event* waits,
                              cl_event* event)
{
    stall("clEnqueueNDRangeKernel");
    return real(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel")(
        queue, kernel, dimensions, offset, size, local_size, events, waits, event);
}
}
