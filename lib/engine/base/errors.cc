// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The texts of OpenCL's errors and of refused arguments.

#include "base/text_stream.h"

#include <cldsp/errors.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>


namespace cldsp {

namespace {

std::string describe(const std::string& call,
                     int code,
                     const std::string& device,
                     const std::string& detail)
{
    std::string text = call + " failed with " + opencl_error_name(code) + " (" +
                       std::to_string(code) + ")";
    if (!device.empty())
        text += " on device '" + device + "'";
    if (!detail.empty())
        text += ": " + detail;
    return text;
}

} // namespace

opencl_error::opencl_error(const std::string& call,
                           int code,
                           const std::string& device,
                           const std::string& detail)
    : std::runtime_error(describe(call, code, device, detail)), d_call(call), d_code(code)
{
}

std::string opencl_error_name(int code)
{
#define CLDSP_NAME(name) \
    case name:           \
        return #name
    switch (code) {
        CLDSP_NAME(CL_SUCCESS);
        CLDSP_NAME(CL_DEVICE_NOT_FOUND);
        CLDSP_NAME(CL_DEVICE_NOT_AVAILABLE);
        CLDSP_NAME(CL_COMPILER_NOT_AVAILABLE);
        CLDSP_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        CLDSP_NAME(CL_OUT_OF_RESOURCES);
        CLDSP_NAME(CL_OUT_OF_HOST_MEMORY);
        CLDSP_NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        CLDSP_NAME(CL_MEM_COPY_OVERLAP);
        CLDSP_NAME(CL_IMAGE_FORMAT_MISMATCH);
        CLDSP_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        CLDSP_NAME(CL_BUILD_PROGRAM_FAILURE);
        CLDSP_NAME(CL_MAP_FAILURE);
        CLDSP_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        CLDSP_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CLDSP_NAME(CL_COMPILE_PROGRAM_FAILURE);
        CLDSP_NAME(CL_LINKER_NOT_AVAILABLE);
        CLDSP_NAME(CL_LINK_PROGRAM_FAILURE);
        CLDSP_NAME(CL_DEVICE_PARTITION_FAILED);
        CLDSP_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        CLDSP_NAME(CL_INVALID_VALUE);
        CLDSP_NAME(CL_INVALID_DEVICE_TYPE);
        CLDSP_NAME(CL_INVALID_PLATFORM);
        CLDSP_NAME(CL_INVALID_DEVICE);
        CLDSP_NAME(CL_INVALID_CONTEXT);
        CLDSP_NAME(CL_INVALID_QUEUE_PROPERTIES);
        CLDSP_NAME(CL_INVALID_COMMAND_QUEUE);
        CLDSP_NAME(CL_INVALID_HOST_PTR);
        CLDSP_NAME(CL_INVALID_MEM_OBJECT);
        CLDSP_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        CLDSP_NAME(CL_INVALID_IMAGE_SIZE);
        CLDSP_NAME(CL_INVALID_SAMPLER);
        CLDSP_NAME(CL_INVALID_BINARY);
        CLDSP_NAME(CL_INVALID_BUILD_OPTIONS);
        CLDSP_NAME(CL_INVALID_PROGRAM);
        CLDSP_NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        CLDSP_NAME(CL_INVALID_KERNEL_NAME);
        CLDSP_NAME(CL_INVALID_KERNEL_DEFINITION);
        CLDSP_NAME(CL_INVALID_KERNEL);
        CLDSP_NAME(CL_INVALID_ARG_INDEX);
        CLDSP_NAME(CL_INVALID_ARG_VALUE);
        CLDSP_NAME(CL_INVALID_ARG_SIZE);
        CLDSP_NAME(CL_INVALID_KERNEL_ARGS);
        CLDSP_NAME(CL_INVALID_WORK_DIMENSION);
        CLDSP_NAME(CL_INVALID_WORK_GROUP_SIZE);
        CLDSP_NAME(CL_INVALID_WORK_ITEM_SIZE);
        CLDSP_NAME(CL_INVALID_GLOBAL_OFFSET);
        CLDSP_NAME(CL_INVALID_EVENT_WAIT_LIST);
        CLDSP_NAME(CL_INVALID_EVENT);
        CLDSP_NAME(CL_INVALID_OPERATION);
        CLDSP_NAME(CL_INVALID_GL_OBJECT);
        CLDSP_NAME(CL_INVALID_BUFFER_SIZE);
        CLDSP_NAME(CL_INVALID_MIP_LEVEL);
        CLDSP_NAME(CL_INVALID_GLOBAL_WORK_SIZE);
        CLDSP_NAME(CL_INVALID_PROPERTY);
        CLDSP_NAME(CL_INVALID_IMAGE_DESCRIPTOR);
        CLDSP_NAME(CL_INVALID_COMPILER_OPTIONS);
        CLDSP_NAME(CL_INVALID_LINKER_OPTIONS);
        CLDSP_NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
    case -1001: // CL_PLATFORM_NOT_FOUND_KHR, from the ICD loader's extension
        return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
        return "unknown OpenCL error";
    }
#undef CLDSP_NAME
}

std::string number_text(double value, int digits)
{
    text_stream text;
    text.precision(digits);
    text << value;
    return text.str();
}

std::string fixed_text(double value, int decimals)
{
    text_stream text;
    text.precision(decimals);
    text << std::fixed << value;
    return text.str();
}

void throw_invalid(const std::string& parameter,
                   const std::string& value,
                   const std::string& range)
{
    throw std::invalid_argument("parameter '" + parameter + "' is " + value +
                                ", but must be " + range);
}

} // namespace cldsp
