// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs VkFFT with functions of the engine in the place of OpenCL's own.

#include "fft/vkfft_plan.h"

#include "opencl/kernel_groups.h"
#include "opencl/queue_window.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#ifdef CLDSP_HAVE_VKFFT
// VkFFT's header includes these headers too, but must not do so while names of OpenCL and
// printf() are replaced by macros.
#include <inttypes.h>
#include <math.h>
#include <memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

namespace cldsp {

std::size_t vkfft_plan::max_length(const device_limits& limits)
{
    constexpr std::size_t usual_group = 64, values_per_item = 32;
    return limits.max_work_group_size >= usual_group
               ? std::numeric_limits<std::size_t>::max()
               : values_per_item * limits.max_work_group_size;
}

} // namespace cldsp

#ifdef CLDSP_HAVE_VKFFT

// VkFFT is a single header full of functions. Only this file includes it.
namespace {

//! A kernel that VkFFT enqueues.
struct kernel_launch {
    cl_kernel kernel;
    std::size_t group_size; //!< in work-items
};

/*
 * VkFFT's header calls OpenCL directly. These functions take the place of OpenCL's and
 * apply the engine's rules: its limits, injected failures, the program cache, and events
 * for profiling. (VkFFT's own cache treats binaries as text, but PoCL's binaries are no
 * text.)
 *
 * An exception must not pass through VkFFT's code, which would leak memory. It is kept in
 * the interception until VkFFT has returned.
 */
struct interception {
    const cldsp::context& device;
    const cldsp::device_limits& limits; //!< as VkFFT gets them
    const cl::CommandQueue& queue;
    //! Called before each kernel is enqueued; may change the number of groups of its
    //! grid. Returns false to leave the kernel out. Empty while a plan is being prepared.
    std::function<bool(std::size_t index, const kernel_launch&, std::size_t* groups)>
        launch = nullptr;
    std::vector<cl::Event>* events = nullptr;
    std::size_t launches = 0;
    std::exception_ptr failure = nullptr;
};
thread_local interception* intercepted = nullptr;

class intercept_while
{
public:
    explicit intercept_while(interception& i) { intercepted = &i; }
    ~intercept_while() { intercepted = nullptr; }
};

//! Returns the result of \p call. If it throws, keeps the exception and returns
//! \p otherwise.
template <class RESULT, class CALL>
RESULT guarded(RESULT otherwise, const CALL& call)
{
    try {
        return call();
    } catch (...) {
        intercepted->failure = std::current_exception();
        return otherwise;
    }
}

//! The limits of a device, as VkFFT gets them.
cldsp::device_limits shown_limits(const cldsp::context& device,
                                  cldsp::device_limits limits)
{
    if (device.device().kind == cldsp::device_kind::cpu) {
        // A CPU has no local memory. The values of a group lie on the stack of one
        // thread, which overflows with some large groups, and should fit into the nearest
        // cache.
        limits.max_work_group_size =
            std::min<std::size_t>(limits.max_work_group_size, 256);
        limits.local_memory = std::min<std::size_t>(limits.local_memory, 32 * 1024);
    }
    return limits;
}

cl_int get_device_info(
    cl_device_id id, cl_device_info name, size_t size, void* value, size_t* actual)
{
    const cl_int result = clGetDeviceInfo(id, name, size, value, actual);
    if (result != CL_SUCCESS || !value)
        return result;
    const auto& limits = intercepted->limits;
    if (name == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        *static_cast<size_t*>(value) = limits.max_work_group_size;
    if (name == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        std::copy_n(limits.max_work_item_sizes, 3, static_cast<size_t*>(value));
    if (name == CL_DEVICE_LOCAL_MEM_SIZE)
        *static_cast<cl_ulong*>(value) = limits.local_memory;
    return result;
}

cl_mem create_buffer(
    cl_context context, cl_mem_flags flags, size_t bytes, void* host, cl_int* result)
{
    const auto& device = intercepted->device;
    *result = guarded(CL_MEM_OBJECT_ALLOCATION_FAILURE, [&] {
        if (bytes > device.limits().max_buffer)
            throw cldsp::opencl_error("clCreateBuffer",
                                      CL_INVALID_BUFFER_SIZE,
                                      device.name(),
                                      std::to_string(bytes) + " bytes for VkFFT");
        device.check_injected(cldsp::injected_call::allocate);
        return CL_SUCCESS;
    });
    return *result == CL_SUCCESS ? clCreateBuffer(context, flags, bytes, host, result)
                                 : nullptr;
}

cl_program create_program(
    cl_context, cl_uint, const char** source, const size_t* length, cl_int* result)
{
    cl_program program = nullptr;
    *result = guarded(CL_BUILD_PROGRAM_FAILURE, [&] {
        // As in kernels/portable.clh.
        const cl::Program built = intercepted->device.build_source(
            std::string(*source, *length),
            intercepted->device.limits().fma ? "" : "-Dfma=mad");
        // VkFFT will release the program, so that it has to be retained first.
        const cl_int retained = clRetainProgram(built());
        if (retained == CL_SUCCESS)
            program = built();
        return retained;
    });
    return program;
}

//! Does nothing: create_program() has already built the program.
cl_int build_program(
    cl_program, cl_uint, const cl_device_id*, const char*, const void*, const void*)
{
    return CL_SUCCESS;
}

cl_int enqueue_kernel(cl_command_queue queue,
                      cl_kernel kernel,
                      cl_uint dimensions,
                      const size_t* offset,
                      const size_t* global,
                      const size_t* local,
                      cl_uint,
                      const cl_event*,
                      cl_event*)
{
    return guarded(CL_OUT_OF_RESOURCES, [&] {
        std::size_t groups[3] = { 1, 1, 1 }, items[3] = { 1, 1, 1 }, group_size = 1;
        for (cl_uint d = 0; d < dimensions; ++d) {
            groups[d] = global[d] / local[d];
            group_size *= local[d];
        }
        if (intercepted->launch &&
            !intercepted->launch(intercepted->launches++, { kernel, group_size }, groups))
            return CL_SUCCESS;
        for (cl_uint d = 0; d < dimensions; ++d)
            items[d] = groups[d] * local[d];
        auto slot = intercepted->device.admit_command(intercepted->queue);
        cl_event event = nullptr;
        const cl_int result = clEnqueueNDRangeKernel(
            queue, kernel, dimensions, offset, items, local, 0, nullptr, &event);
        if (result != CL_SUCCESS)
            throw cldsp::opencl_error("clEnqueueNDRangeKernel",
                                      result,
                                      intercepted->device.name(),
                                      "a kernel of VkFFT");
        const cl::Event kept(event);
        slot.enqueued(kept);
        if (intercepted->events) // null while a plan is being prepared
            intercepted->events->push_back(kept);
        return result;
    });
}

//! VkFFT prints its errors. Here nothing is printed, because the exception reports them.
template <class... T>
int print_nothing(const T&...)
{
    return 0;
}

} // namespace

#define clGetDeviceInfo get_device_info
#define clCreateBuffer create_buffer
#define clCreateProgramWithSource create_program
#define clBuildProgram build_program
#define clEnqueueNDRangeKernel enqueue_kernel
#define printf print_nothing
#include <vkFFT.h>
#undef clGetDeviceInfo
#undef clCreateBuffer
#undef clCreateProgramWithSource
#undef clBuildProgram
#undef clEnqueueNDRangeKernel
#undef printf

namespace cldsp {

std::string vkfft_plan::missing() { return ""; }

std::string vkfft_plan::version() { return std::to_string(VkFFTGetVersion()); }

struct vkfft_plan::implementation {
    implementation(std::shared_ptr<context> d,
                   const cl::CommandQueue& q,
                   const device_limits& groups)
        : device(std::move(d)),
          limits(shown_limits(*device, groups)),
          queue(q),
          cl_device(device->cl_device()()),
          cl_context(device->cl_context()()),
          cl_queue(queue())
    {
    }
    ~implementation()
    {
        if (!device->is_lost()) // otherwise commands may still run
            deleteVkFFT(&application);
    }

    //! \throws the exception of an OpenCL call, or one for an error that VkFFT returns
    template <class CALL>
    void run(interception calls, const char* what, const CALL& call)
    {
        const intercept_while active(calls);
        const VkFFTResult result = call();
        if (calls.failure)
            std::rethrow_exception(calls.failure);
        if (result >= VKFFT_ERROR_UNSUPPORTED_RADIX &&
            result <= VKFFT_ERROR_UNSUPPORTED_FFT_OMIT)
            throw_invalid("variant",
                          "'vkfft', which cannot make this transform (its result " +
                              std::to_string(result) + ")",
                          "another one on device '" + device->name() + "'");
        if (result != VKFFT_SUCCESS)
            throw opencl_error(what,
                               CL_INVALID_OPERATION,
                               device->name(),
                               "VkFFT's result " + std::to_string(result));
    }

    //! Runs the transform of the buffer; \p calls decides which kernels are enqueued.
    void append(interception calls)
    {
        VkFFTLaunchParams launch{};
        launch.commandQueue = &cl_queue;
        launch.buffer = &buffer;
        run(std::move(calls), "VkFFTAppend", [&] {
            return VkFFTAppend(&application, inverse ? 1 : -1, &launch);
        });
    }

    void prepare(fft_direction direction, std::size_t its_length, std::size_t rows);
    void learn_kernels();
    void check_limits(const kernel_launch& launch) const;

    //! The way in which a kernel's grid covers the rows. Each group of the second
    //! dimension takes the same number of rows, in order; the last group may take fewer.
    struct grid {
        bool by_rows; //!< false: the grid is another one, and each call transforms all
                      //!< rows
        //! The fewest and the most rows that a group can have: VkFFT's rounding is not
        //! known.
        std::size_t min_rows, max_rows;
        std::size_t groups(std::size_t rows) const
        {
            return (rows + min_rows - 1) / min_rows;
        }
    };

    std::shared_ptr<context> device;
    const device_limits limits; //!< as VkFFT gets them
    cl::CommandQueue queue;
    // VkFFT keeps pointers to these.
    cl_device_id cl_device;
    ::cl_context cl_context;
    cl_command_queue cl_queue;
    cl_mem buffer = nullptr;
    VkFFTApplication application{};
    bool inverse = false;
    std::size_t length = 0, max_rows = 0;
    std::vector<grid> grids; //!< one for each kernel, in their order
};

/*!
 * Finds out the kernels of the plan, by a transform that enqueues nothing. The contents
 * of VkFFT's own plans would tell more, but differ between its versions.
 */
void vkfft_plan::implementation::learn_kernels()
{
    interception calls{ *device, limits, queue };
    calls.launch = [this](std::size_t, const kernel_launch& launch, std::size_t* groups) {
        check_limits(launch);
        const std::size_t n = groups[1];
        grids.push_back({ groups[2] == 1 && n <= max_rows,
                          (max_rows + n - 1) / n,
                          n > 1 ? (max_rows - 1) / (n - 1) : max_rows });
        return false;
    };
    append(std::move(calls));
}

//! Checks a kernel against the limits, because VkFFT does not always keep to them.
void vkfft_plan::implementation::check_limits(const kernel_launch& launch) const
{
    check_group_size(
        *device, cl::Kernel(launch.kernel, true), launch.group_size, "vkfft");
    if (launch.group_size > limits.max_work_group_size)
        throw_invalid("variant",
                      "'vkfft', whose transform of " + std::to_string(length) +
                          " values takes " + std::to_string(launch.group_size) +
                          " work-items a group",
                      "another one: device '" + device->name() + "' has " +
                          std::to_string(limits.max_work_group_size));
    cl_ulong local_memory = 0;
    const cl_int result = clGetKernelWorkGroupInfo(launch.kernel,
                                                   cl_device,
                                                   CL_KERNEL_LOCAL_MEM_SIZE,
                                                   sizeof local_memory,
                                                   &local_memory,
                                                   nullptr);
    if (result != CL_SUCCESS)
        throw opencl_error(
            "clGetKernelWorkGroupInfo", result, device->name(), "a kernel of VkFFT");
    if (local_memory > device->limits().local_memory)
        throw_invalid("variant",
                      "'vkfft', whose transform of " + std::to_string(length) +
                          " values takes " + std::to_string(local_memory) +
                          " bytes of local memory",
                      "another one: device '" + device->name() + "' has " +
                          std::to_string(device->limits().local_memory));
}

vkfft_plan::vkfft_plan(std::shared_ptr<context> device,
                       const cl::CommandQueue& queue,
                       fft_direction direction,
                       std::size_t length,
                       std::size_t max_rows)
    : d_impl(with_groups_that_run(device->limits(), [&](const device_limits& limits) {
          if (length > max_length(limits))
              throw_invalid(
                  "variant",
                  "'vkfft', for a transform of " + std::to_string(length) + " values",
                  "another one: with " + std::to_string(limits.max_work_group_size) +
                      " work-items a group device '" + device->name() + "' takes " +
                      std::to_string(max_length(limits)) + " at most");
          auto made = std::make_unique<implementation>(device, queue, limits);
          made->prepare(direction, length, max_rows);
          return made;
      }))
{
}

void vkfft_plan::implementation::prepare(fft_direction direction,
                                         std::size_t its_length,
                                         std::size_t rows)
{
    inverse = direction == fft_direction::inverse;
    length = its_length;
    max_rows = rows;
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.numberBatches = max_rows;
    configuration.device = &cl_device;
    configuration.context = &cl_context;
    configuration.makeForwardPlanOnly = !inverse;
    configuration.makeInversePlanOnly = inverse;
    // VkFFT uses lookup tables, because sines from the native_sin() of a GPU would cost
    // 30 dB of accuracy.
    configuration.useLUT = 1;
    run({ *device, limits, queue }, "initializeVkFFT", [&] {
        return initializeVkFFT(&application, configuration);
    });
    learn_kernels();
}

vkfft_plan::~vkfft_plan() = default;

std::size_t vkfft_plan::rows_touched(std::size_t rows) const
{
    std::size_t touched = rows;
    for (const auto& grid : d_impl->grids)
        touched = std::max(
            touched, grid.by_rows ? grid.groups(rows) * grid.max_rows : d_impl->max_rows);
    // All groups together touch no more rows than the plan has.
    return std::max(rows, std::min(touched, d_impl->max_rows));
}

void vkfft_plan::enqueue(const cl::Buffer& buffer,
                         std::size_t rows,
                         std::vector<cl::Event>& events)
{
    auto& self = *d_impl;
    self.buffer = buffer();
    // The plan is made for max_rows; for fewer rows its kernels get fewer groups.
    interception calls{ *self.device, self.limits, self.queue };
    calls.events = &events;
    calls.launch = [&](std::size_t index, const kernel_launch&, std::size_t* groups) {
        if (self.grids[index].by_rows)
            groups[1] = std::min(groups[1], self.grids[index].groups(rows));
        return true;
    };
    self.append(std::move(calls));
}

} // namespace cldsp

#else

namespace cldsp {

struct vkfft_plan::implementation {
};

std::string vkfft_plan::missing()
{
    return "this build has no VkFFT (Debian: libvkfft-dev)";
}

std::string vkfft_plan::version() { return ""; }

vkfft_plan::vkfft_plan(std::shared_ptr<context>,
                       const cl::CommandQueue&,
                       fft_direction,
                       std::size_t,
                       std::size_t)
{
    throw_invalid("variant", "'vkfft'", "another one: " + missing());
}

vkfft_plan::~vkfft_plan() = default;

std::size_t vkfft_plan::rows_touched(std::size_t rows) const { return rows; }

void vkfft_plan::enqueue(const cl::Buffer&, std::size_t, std::vector<cl::Event>&) {}

} // namespace cldsp

#endif
