// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A layer between the engine's calls of OpenCL and the driver.

#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <dlfcn.h>

#include <type_traits>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <tuple>

/*
 * A layer between the calls of OpenCL and the driver, to simulate another driver or one
 * that fails. One source file of a program includes this header. The program then has a
 * function of its own for each OpenCL function of the table below; these take precedence
 * over those of the library, also for the calls of other libraries. The program defines
 * treat_call(), which gets all calls.
 */

namespace cldsp {

//! The kinds of OpenCL functions, which say what their arguments are.
enum class opencl_kind {
    asks,     //!< tells something
    queries,  //!< ends with a name, and the place for a value
    acts,     //!< anything else that returns an error
    makes,    //!< returns an object, and the error by its last argument
    retains,  //!< takes a reference
    releases, //!< gives a reference back
    waits,    //!< waits for commands
    enqueues, //!< gives a command to the queue; ends with a wait list and an event
    //! The same; the third argument says whether the call waits for the command.
    transfers,
    //! The same; returns an address, and the error by its last argument.
    maps
};

} // namespace cldsp

//! The table: the kind, name and number of parameters of each function. All that the
//! engine and its libraries call are here: see covers_opencl.cmake.
#define CLDSP_OPENCL_FUNCTIONS(ROW)                \
    ROW(asks, clGetPlatformIDs, 3)                 \
    ROW(queries, clGetPlatformInfo, 5)             \
    ROW(asks, clGetDeviceIDs, 5)                   \
    ROW(queries, clGetDeviceInfo, 5)               \
    ROW(retains, clRetainDevice, 1)                \
    ROW(releases, clReleaseDevice, 1)              \
    ROW(makes, clCreateContext, 6)                 \
    ROW(queries, clGetContextInfo, 5)              \
    ROW(asks, clGetSupportedImageFormats, 6)       \
    ROW(retains, clRetainContext, 1)               \
    ROW(releases, clReleaseContext, 1)             \
    ROW(makes, clCreateCommandQueue, 4)            \
    ROW(queries, clGetCommandQueueInfo, 5)         \
    ROW(retains, clRetainCommandQueue, 1)          \
    ROW(releases, clReleaseCommandQueue, 1)        \
    ROW(acts, clFlush, 1)                          \
    ROW(waits, clFinish, 1)                        \
    ROW(makes, clCreateBuffer, 5)                  \
    ROW(makes, clCreateSubBuffer, 5)               \
    ROW(makes, clCreateImage, 6)                   \
    ROW(queries, clGetMemObjectInfo, 5)            \
    ROW(queries, clGetImageInfo, 5)                \
    ROW(acts, clSetMemObjectDestructorCallback, 3) \
    ROW(retains, clRetainMemObject, 1)             \
    ROW(releases, clReleaseMemObject, 1)           \
    ROW(makes, clCreateProgramWithSource, 5)       \
    ROW(makes, clCreateProgramWithBinary, 7)       \
    ROW(acts, clBuildProgram, 6)                   \
    ROW(queries, clGetProgramInfo, 5)              \
    ROW(queries, clGetProgramBuildInfo, 6)         \
    ROW(retains, clRetainProgram, 1)               \
    ROW(releases, clReleaseProgram, 1)             \
    ROW(makes, clCreateKernel, 3)                  \
    ROW(acts, clSetKernelArg, 4)                   \
    ROW(queries, clGetKernelInfo, 5)               \
    ROW(queries, clGetKernelWorkGroupInfo, 6)      \
    ROW(retains, clRetainKernel, 1)                \
    ROW(releases, clReleaseKernel, 1)              \
    ROW(makes, clCreateUserEvent, 2)               \
    ROW(acts, clSetUserEventStatus, 2)             \
    ROW(queries, clGetEventInfo, 5)                \
    ROW(queries, clGetEventProfilingInfo, 5)       \
    ROW(acts, clSetEventCallback, 4)               \
    ROW(waits, clWaitForEvents, 2)                 \
    ROW(retains, clRetainEvent, 1)                 \
    ROW(releases, clReleaseEvent, 1)               \
    ROW(transfers, clEnqueueReadBuffer, 9)         \
    ROW(transfers, clEnqueueWriteBuffer, 9)        \
    ROW(transfers, clEnqueueReadBufferRect, 14)    \
    ROW(transfers, clEnqueueWriteBufferRect, 14)   \
    ROW(transfers, clEnqueueReadImage, 11)         \
    ROW(transfers, clEnqueueWriteImage, 11)        \
    ROW(enqueues, clEnqueueCopyBuffer, 9)          \
    ROW(enqueues, clEnqueueFillBuffer, 9)          \
    ROW(enqueues, clEnqueueCopyBufferToImage, 9)   \
    ROW(maps, clEnqueueMapBuffer, 10)              \
    ROW(enqueues, clEnqueueUnmapMemObject, 6)      \
    ROW(enqueues, clEnqueueNDRangeKernel, 9)       \
    ROW(enqueues, clEnqueueMarkerWithWaitList, 4)  \
    ROW(enqueues, clEnqueueBarrierWithWaitList, 4)

// The arguments, in a list of what(name, n). The types come from OpenCL's header.
#define CLDSP_EACH_1(what, name) what(name, 0)
#define CLDSP_EACH_2(what, name) CLDSP_EACH_1(what, name), what(name, 1)
#define CLDSP_EACH_3(what, name) CLDSP_EACH_2(what, name), what(name, 2)
#define CLDSP_EACH_4(what, name) CLDSP_EACH_3(what, name), what(name, 3)
#define CLDSP_EACH_5(what, name) CLDSP_EACH_4(what, name), what(name, 4)
#define CLDSP_EACH_6(what, name) CLDSP_EACH_5(what, name), what(name, 5)
#define CLDSP_EACH_7(what, name) CLDSP_EACH_6(what, name), what(name, 6)
#define CLDSP_EACH_8(what, name) CLDSP_EACH_7(what, name), what(name, 7)
#define CLDSP_EACH_9(what, name) CLDSP_EACH_8(what, name), what(name, 8)
#define CLDSP_EACH_10(what, name) CLDSP_EACH_9(what, name), what(name, 9)
#define CLDSP_EACH_11(what, name) CLDSP_EACH_10(what, name), what(name, 10)
#define CLDSP_EACH_12(what, name) CLDSP_EACH_11(what, name), what(name, 11)
#define CLDSP_EACH_13(what, name) CLDSP_EACH_12(what, name), what(name, 12)
#define CLDSP_EACH_14(what, name) CLDSP_EACH_13(what, name), what(name, 13)
#define CLDSP_PARAMETER(name, n) ::cldsp::opencl_parameter<decltype(::name), n> p##n
#define CLDSP_ARGUMENT(name, n) p##n

//! The driver's function, whose calls do not pass through the layer.
#define CLDSP_DRIVER(name)                                                  \
    ([] {                                                                   \
        static const auto found = ::cldsp::driver_function(#name, &::name); \
        return found;                                                       \
    }())

namespace cldsp {

template <class Function>
struct opencl_types;
template <class Result, class... Parameters>
struct opencl_types<Result(Parameters...)> {
    using result = Result;
    using parameters = std::tuple<Parameters...>;
};
template <class Function, std::size_t n>
using opencl_parameter =
    std::tuple_element_t<n, typename opencl_types<Function>::parameters>;

struct opencl_function {
    const char* name;
    opencl_kind kind;
};
inline constexpr opencl_function opencl_functions[] = {
#define CLDSP_ROW(kind, name, count) { #name, opencl_kind::kind },
    CLDSP_OPENCL_FUNCTIONS(CLDSP_ROW)
#undef CLDSP_ROW
};

constexpr bool is_command(opencl_kind kind) { return kind >= opencl_kind::enqueues; }

template <class Function>
Function* driver_function(const char* name, Function*)
{
    void* found = dlsym(RTLD_NEXT, name);
    // If this is a preloaded library, OpenCL's may have been loaded later, with a module,
    // where RTLD_NEXT does not look.
    if (!found)
        found = dlsym(dlopen("libOpenCL.so.1", RTLD_LAZY), name);
    return reinterpret_cast<Function*>(found);
}

//! A call of an OpenCL function. What it says may be changed before the driver gets it.
struct opencl_call {
    const char* name;
    opencl_kind kind;
    void (*function)();
    void* arguments;        // a tuple
    void* object = nullptr; //!< the first argument, if that is a pointer
    void* made = nullptr;   //!< what the driver has returned instead of an error

    cl_uint what = 0; //!< of a query; the next three as well
    size_t size = 0;
    void* value = nullptr;
    size_t* actual = nullptr;

    bool blocking = false; //!< the caller waits for this command
    cl_uint waits = 0;     //!< of a command; the next two as well
    const cl_event* list = nullptr;
    cl_event* event = nullptr;

    cl_command_queue queue() const { return static_cast<cl_command_queue>(object); }

    template <class Result, class... Parameters>
    bool is(Result (*other)(Parameters...)) const
    {
        return function == reinterpret_cast<void (*)()>(other);
    }

    //! The arguments of a call of this function; null: it is another one.
    template <class Result, class... Parameters>
    std::tuple<Parameters...>* of(Result (*other)(Parameters...)) const
    {
        return is(other) ? static_cast<std::tuple<Parameters...>*>(arguments) : nullptr;
    }

    //! Answers a query.
    cl_int answer(const void* from, std::size_t bytes) const
    {
        if (actual)
            *actual = bytes;
        if (value && size < bytes)
            return CL_INVALID_VALUE;
        if (value)
            std::memcpy(value, from, bytes);
        return CL_SUCCESS;
    }
    cl_int answer(const std::string& text) const
    {
        return answer(text.c_str(), text.size() + 1);
    }
    template <class Value>
    cl_int answer(const Value& fact) const
    {
        return answer(&fact, sizeof(fact));
    }
};

/*!
 * The program defines this function. It may be called until the process has ended.
 *
 * \param run gives the call to the driver, and returns the error
 * \return the error that the caller gets; an object is returned only without one
 */
cl_int treat_call(opencl_call& call, const std::function<cl_int()>& run);

//! The extensions of a device, by the driver, and one more.
inline std::string extensions_and(const char* more, void* device)
{
    const auto ask = [&](std::size_t size, char* value) {
        std::size_t actual = 0;
        CLDSP_DRIVER(clGetDeviceInfo)
        (static_cast<cl_device_id>(device), CL_DEVICE_EXTENSIONS, size, value, &actual);
        return actual;
    };
    std::string text(ask(0, nullptr), ' ');
    ask(text.size(), text.data()); // ends with a null byte
    text.back() = ' ';
    return text + more;
}

template <opencl_kind kind, class Result, class... Parameters>
Result call_through_layer(const char* name,
                          Result (*function)(Parameters...),
                          Result (*driver)(Parameters...),
                          Parameters... parameters)
{
    constexpr bool makes = kind == opencl_kind::makes || kind == opencl_kind::maps;
    constexpr bool has_object =
        std::is_pointer_v<std::tuple_element_t<0, std::tuple<Parameters...>>>;
    // The last argument but for the error.
    constexpr std::size_t last = sizeof...(Parameters) - 1 - (makes ? 1 : 0);
    std::tuple<Parameters...> arguments(parameters...);
    opencl_call call{ name, kind, reinterpret_cast<void (*)()>(function), &arguments };
    // Copies what the call says from the arguments, or to them.
    const auto copy = [&](const auto& assign) {
        if constexpr (kind == opencl_kind::queries) {
            assign(call.what, std::get<last - 3>(arguments));
            assign(call.size, std::get<last - 2>(arguments));
            assign(call.value, std::get<last - 1>(arguments));
            assign(call.actual, std::get<last>(arguments));
        } else if constexpr (is_command(kind)) {
            assign(call.waits, std::get<last - 2>(arguments));
            assign(call.list, std::get<last - 1>(arguments));
            assign(call.event, std::get<last>(arguments));
        }
    };
    copy([](auto& to, const auto& from) { to = from; });
    if constexpr (has_object)
        call.object = const_cast<void*>(static_cast<const void*>(std::get<0>(arguments)));
    if constexpr (is_command(kind) && kind != opencl_kind::enqueues)
        call.blocking = std::get<2>(arguments) != CL_FALSE;
    Result made{};
    const auto run = [&]() -> cl_int {
        copy([](const auto& from, auto& to) { to = from; });
        if constexpr (has_object)
            std::get<0>(arguments) =
                static_cast<std::tuple_element_t<0, std::tuple<Parameters...>>>(
                    call.object);
        if constexpr (is_command(kind) && kind != opencl_kind::enqueues)
            std::get<2>(arguments) = call.blocking ? CL_TRUE : CL_FALSE;
        if constexpr (makes) {
            cl_int error = CL_SUCCESS;
            std::get<last + 1>(arguments) = &error;
            made = std::apply(driver, arguments);
            call.made = made;
            return error;
        } else {
            return std::apply(driver, arguments);
        }
    };
    cl_int* error_to = nullptr;
    if constexpr (makes)
        error_to = std::get<last + 1>(arguments);
    const cl_int error = treat_call(call, std::ref(run)); // the reference needs no memory
    if constexpr (makes) {
        if (error_to)
            *error_to = error;
        return error == CL_SUCCESS ? made : nullptr;
    } else {
        return error;
    }
}

} // namespace cldsp

extern "C" {
#define CLDSP_ROW(kind, name, count)                                               \
    CL_API_ENTRY ::cldsp::opencl_types<decltype(::name)>::result CL_API_CALL name( \
        CLDSP_EACH_##count(CLDSP_PARAMETER, name))                                 \
    {                                                                              \
        return ::cldsp::call_through_layer<::cldsp::opencl_kind::kind>(            \
            #name,                                                                 \
            &::name,                                                               \
            CLDSP_DRIVER(name),                                                    \
            CLDSP_EACH_##count(CLDSP_ARGUMENT, name));                             \
    }
CLDSP_OPENCL_FUNCTIONS(CLDSP_ROW)
#undef CLDSP_ROW
}
