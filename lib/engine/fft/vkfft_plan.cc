/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fft/vkfft_plan.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <limits>

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

#include "fft/vkfft_calls.h"

namespace cldsp {

std::string vkfft_plan::missing() { return ""; }

std::string vkfft_plan::version() { return std::to_string(VkFFTGetVersion()); }

struct vkfft_plan::implementation {
    implementation(std::shared_ptr<context> d, const cl::CommandQueue& q)
        : device(std::move(d)),
          queue(q),
          cl_device(device->cl_device()()),
          cl_context(device->cl_context()()),
          cl_queue(queue())
    {
    }
    ~implementation()
    {
        if (!device->is_lost()) // or its commands may still run
            deleteVkFFT(&application);
    }

    //! \throws what a call of OpenCL threw, or what VkFFT answers
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

    //! Runs the transform of the buffer; \p calls says what becomes of its kernels.
    void append(interception calls)
    {
        VkFFTLaunchParams launch{};
        launch.commandQueue = &cl_queue;
        launch.buffer = &buffer;
        run(std::move(calls), "VkFFTAppend", [&] {
            return VkFFTAppend(&application, inverse ? 1 : -1, &launch);
        });
    }

    void learn_kernels();
    void check_limits(const kernel_launch& launch) const;

    //! How one kernel's grid covers the rows: the groups of its second dimension take
    //! equally many rows each, in order, the last one maybe less.
    struct grid {
        bool by_rows; //!< or it is another grid, which transforms all rows at each call
        //! Bounds of the rows a group: how VkFFT rounds is not known.
        std::size_t min_rows, max_rows;
        std::size_t groups(std::size_t rows) const
        {
            return (rows + min_rows - 1) / min_rows;
        }
    };

    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    // VkFFT keeps pointers to these.
    cl_device_id cl_device;
    ::cl_context cl_context;
    cl_command_queue cl_queue;
    cl_mem buffer = nullptr;
    VkFFTApplication application{};
    bool inverse = false;
    std::size_t length = 0, max_rows = 0;
    std::vector<grid> grids; //!< one a kernel, in their order
};

/*!
 * A transform that enqueues nothing tells what the plan's kernels are. VkFFT's own plans,
 * which would tell more, differ between its versions.
 */
void vkfft_plan::implementation::learn_kernels()
{
    interception calls{ *device, queue };
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

//! VkFFT takes the limits for a wish.
void vkfft_plan::implementation::check_limits(const kernel_launch& launch) const
{
    const auto& limits = device->limits();
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
    if (local_memory > limits.local_memory)
        throw_invalid("variant",
                      "'vkfft', whose transform of " + std::to_string(length) +
                          " values takes " + std::to_string(local_memory) +
                          " bytes of local memory",
                      "another one: device '" + device->name() + "' has " +
                          std::to_string(limits.local_memory));
}

vkfft_plan::vkfft_plan(std::shared_ptr<context> device,
                       const cl::CommandQueue& queue,
                       fft_direction direction,
                       std::size_t length,
                       std::size_t max_rows)
    : d_impl(std::make_unique<implementation>(std::move(device), queue))
{
    auto& self = *d_impl;
    const auto& limits = self.device->limits();
    if (length > max_length(limits))
        throw_invalid("variant",
                      "'vkfft', for a transform of " + std::to_string(length) + " values",
                      "another one: with " + std::to_string(limits.max_work_group_size) +
                          " work-items a group device '" + self.device->name() +
                          "' takes " + std::to_string(max_length(limits)) + " at most");
    self.inverse = direction == fft_direction::inverse;
    self.length = length;
    self.max_rows = max_rows;
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.numberBatches = max_rows;
    configuration.device = &self.cl_device;
    configuration.context = &self.cl_context;
    configuration.makeForwardPlanOnly = !self.inverse;
    configuration.makeInversePlanOnly = self.inverse;
    // Sines from the native_sin() of a GPU would cost 30 dB.
    configuration.useLUT = 1;
    self.run({ *self.device, self.queue }, "initializeVkFFT", [&] {
        return initializeVkFFT(&self.application, configuration);
    });
    self.learn_kernels();
}

vkfft_plan::~vkfft_plan() = default;

std::size_t vkfft_plan::rows_touched(std::size_t rows) const
{
    std::size_t touched = rows;
    for (const auto& grid : d_impl->grids)
        touched = std::max(touched,
                           grid.by_rows ? grid.groups(rows) * grid.max_rows
                                        : d_impl->max_rows);
    // All groups together touch the rows of the plan and no more.
    return std::max(rows, std::min(touched, d_impl->max_rows));
}

void vkfft_plan::enqueue(const cl::Buffer& buffer,
                         std::size_t rows,
                         std::vector<cl::Event>& events)
{
    auto& self = *d_impl;
    self.buffer = buffer();
    // The plan is one of max_rows; its kernels are enqueued with fewer groups.
    interception calls{ *self.device, self.queue };
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
