// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An OpenCL driver for tests, which crashes or hangs when it is told to.

// An OpenCL driver for tests: a platform without any device. With the variable
// CLDSP_FAKE_ICD set to "crash" it crashes when its devices are listed, with
// "crash_on_load" when it is loaded, with "crash_at_exit" when the process ends. When its
// platforms are listed, it crashes with "crash_on_platforms", ends the process with
// "exit_on_platforms", does not return with "hang_on_platforms", writes behind a block of
// the heap with "corrupt_heap", prints with "print", and offers none with "no_platform".
// It then makes the file that CLDSP_FAKE_ICD_MARK names. CLDSP_FAKE_ICD_NAME is the name
// of its platform. CLDSP_FAKE_ICD_SILENT names the library that has none, of several.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_icd.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace {

bool shall(const char* what)
{
    const char* value = getenv("CLDSP_FAKE_ICD");
    return value && strcmp(value, what) == 0;
}

void leave_mark()
{
    const char* path = getenv("CLDSP_FAKE_ICD_MARK");
    FILE* const file = path ? fopen(path, "w") : nullptr;
    if (file)
        fclose(file);
}

//! Whether this library is the one that the variable CLDSP_FAKE_ICD_SILENT names, if any.
bool is_the_one()
{
    const char* named = getenv("CLDSP_FAKE_ICD_SILENT");
    Dl_info info = {};
    return !named || (dladdr(reinterpret_cast<const void*>(&leave_mark), &info) &&
                      info.dli_fname && strcmp(info.dli_fname, named) == 0);
}

__attribute__((constructor)) void on_load()
{
    if (shall("crash_on_load"))
        abort();
}

__attribute__((destructor)) void on_exit()
{
    if (shall("crash_at_exit"))
        abort();
}

// Blocks of one size mostly lie side by side, so that some lose what the C library keeps
// in front of them, and are given back.
void corrupt_heap()
{
    constexpr size_t blocks = 64, bytes = 2000, too_many = 64;
    static char* volatile all[blocks];
    for (auto& block : all)
        block = static_cast<char*>(malloc(bytes));
    for (auto& block : all)
        for (size_t i = 0; i < bytes + too_many; i++)
            block[i] = -1;
    for (auto& block : all)
        free(block);
}

cl_int CL_API_CALL platform_info(
    cl_platform_id, cl_platform_info name, size_t size, void* value, size_t* size_ret)
{
    const char* text = "";
    switch (name) {
    case CL_PLATFORM_PROFILE:
        text = "FULL_PROFILE";
        break;
    case CL_PLATFORM_VERSION:
        text = "OpenCL 1.2 fake";
        break;
    case CL_PLATFORM_NAME:
        text = getenv("CLDSP_FAKE_ICD_NAME");
        if (!text)
            text = "Fake platform";
        break;
    case CL_PLATFORM_VENDOR:
        text = "nobody";
        break;
    case CL_PLATFORM_EXTENSIONS:
        text = "cl_khr_icd";
        break;
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        text = "FAKE";
        break;
    default:
        return CL_INVALID_VALUE;
    }
    const size_t needed = strlen(text) + 1;
    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, text, needed);
    if (size_ret)
        *size_ret = needed;
    return CL_SUCCESS;
}

cl_int CL_API_CALL
device_ids(cl_platform_id, cl_device_type, cl_uint, cl_device_id*, cl_uint* count)
{
    if (shall("crash"))
        abort();
    if (count)
        *count = 0;
    return CL_DEVICE_NOT_FOUND;
}

cl_icd_dispatch make_dispatch()
{
    cl_icd_dispatch table = {};
    table.clGetPlatformInfo = platform_info;
    table.clGetDeviceIDs = device_ids;
    return table;
}

cl_icd_dispatch dispatch = make_dispatch();

} // namespace

struct _cl_platform_id {
    cl_icd_dispatch* table;
};

static _cl_platform_id the_platform = { &dispatch };

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL
clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id* platforms, cl_uint* count)
{
    leave_mark();
    if (shall("corrupt_heap"))
        corrupt_heap();
    if (shall("print"))
        printf("a driver\n");
    if (shall("crash_on_platforms"))
        abort();
    if (shall("exit_on_platforms"))
        exit(1);
    while (shall("hang_on_platforms"))
        sleep(1);
    if (shall("no_platform") && is_the_one()) {
        if (count)
            *count = 0;
        return CL_PLATFORM_NOT_FOUND_KHR;
    }
    if (platforms && room > 0)
        *platforms = &the_platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(
    cl_platform_id id, cl_platform_info name, size_t size, void* value, size_t* size_ret)
{
    return platform_info(id, name, size, value, size_ret);
}

__attribute__((visibility("default"))) void* CL_API_CALL
clGetExtensionFunctionAddress(const char* name)
{
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return reinterpret_cast<void*>(clIcdGetPlatformIDsKHR);
    return nullptr;
}

} // extern "C"
