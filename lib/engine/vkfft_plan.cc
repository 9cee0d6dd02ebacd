/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "vkfft_plan.h"

#include <cldsp/errors.h>

#include <limits>

namespace cldsp {

std::size_t vkfft_plan::most_length(const device_limits& limits)
{
    constexpr std::size_t usual_group = 64, values_an_item = 32;
    return limits.max_work_group_size >= usual_group
               ? std::numeric_limits<std::size_t>::max()
               : values_an_item * limits.max_work_group_size;
}

} // namespace cldsp

#ifdef CLDSP_HAVE_VKFFT

#include "vkfft_calls.h"

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

    VkFFTPlan& plan()
    {
        return inverse ? *application.localFFTPlan_inverse : *application.localFFTPlan;
    }

    //! \throws what a call of OpenCL threw, or what VkFFT answers
    template <class CALL>
    void run(std::vector<cl::Event>* events, const char* what, const CALL& call)
    {
        interception calls{ *device, queue, events, nullptr };
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

    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    // VkFFT keeps pointers to these.
    cl_device_id cl_device;
    ::cl_context cl_context;
    cl_command_queue cl_queue;
    cl_mem buffer = nullptr;
    VkFFTApplication application{};
    bool inverse = false;
    std::size_t most_rows = 0;
};

vkfft_plan::vkfft_plan(std::shared_ptr<context> device,
                       const cl::CommandQueue& queue,
                       fft_direction direction,
                       std::size_t length,
                       std::size_t most_rows)
    : d_impl(std::make_unique<implementation>(std::move(device), queue))
{
    auto& self = *d_impl;
    const auto& limits = self.device->limits();
    if (length > most_length(limits))
        throw_invalid("variant",
                      "'vkfft', for a transform of " + std::to_string(length) + " values",
                      "another one: with " + std::to_string(limits.max_work_group_size) +
                          " work-items a group device '" + self.device->name() +
                          "' takes " + std::to_string(most_length(limits)) + " at most");
    self.inverse = direction == fft_direction::inverse;
    self.most_rows = most_rows;
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 1;
    configuration.size[0] = length;
    configuration.numberBatches = most_rows;
    configuration.device = &self.cl_device;
    configuration.context = &self.cl_context;
    configuration.makeForwardPlanOnly = !self.inverse;
    configuration.makeInversePlanOnly = self.inverse;
    // Sines from the native_sin() of a GPU would cost 30 dB.
    configuration.useLUT = 1;
    self.run(nullptr, "initializeVkFFT", [&] {
        return initializeVkFFT(&self.application, configuration);
    });
    // VkFFT takes the limits for a wish.
    for (std::size_t i = 0; i < self.plan().numAxisUploads[0]; ++i) {
        const auto& axis = self.plan().axes[0][i].specializationConstants;
        const std::size_t group =
            axis.localSize[0] * axis.localSize[1] * axis.localSize[2];
        if (group > limits.max_work_group_size)
            throw_invalid("variant",
                          "'vkfft', whose transform of " + std::to_string(length) +
                              " values takes " + std::to_string(group) +
                              " work-items a group",
                          "another one: device '" + self.device->name() + "' has " +
                              std::to_string(limits.max_work_group_size));
        if (axis.usedSharedMemory > limits.local_memory)
            throw_invalid("variant",
                          "'vkfft', whose transform of " + std::to_string(length) +
                              " values takes " + std::to_string(axis.usedSharedMemory) +
                              " bytes of local memory",
                          "another one: device '" + self.device->name() + "' has " +
                              std::to_string(limits.local_memory));
    }
}

vkfft_plan::~vkfft_plan() = default;

std::size_t vkfft_plan::rows_touched(std::size_t rows) const
{
    auto& plan = d_impl->plan();
    if (plan.numAxisUploads[0] > 1)
        return rows;
    const std::size_t group = plan.axes[0][0].axisBlock[1];
    return std::max(rows, (rows + group - 1) / group * group);
}

void vkfft_plan::enqueue(const cl::Buffer& buffer,
                         std::size_t rows,
                         std::vector<cl::Event>& events)
{
    auto& self = *d_impl;
    self.buffer = buffer();
    // The kernels are made for most_rows, but the grid comes from here at each call.
    self.plan().actualFFTSizePerAxis[0][1] = rows;
    VkFFTLaunchParams launch{};
    launch.commandQueue = &self.cl_queue;
    launch.buffer = &self.buffer;
    self.run(&events, "VkFFTAppend", [&] {
        return VkFFTAppend(&self.application, self.inverse ? 1 : -1, &launch);
    });
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
