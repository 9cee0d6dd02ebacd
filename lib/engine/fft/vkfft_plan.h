// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Complex transforms of many rows on an OpenCL device, by VkFFT.

#pragma once

#include <cldsp/context.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

enum class fft_direction { forward, inverse };

/*!
 * Complex transforms of many rows, in place, by VkFFT on an OpenCL device; neither
 * direction is scaled.
 *
 * VkFFT's kernels are kept in the context's program cache. VkFFT gets the limits of the
 * context instead of those of the device, so that a profile that lowers them binds
 * VkFFT too.
 */
class vkfft_plan
{
public:
    //! The reason why the engine was built without VkFFT; empty if it was built with
    //! VkFFT.
    static std::string missing();
    //! The version as VkFFT tells it, for example "10226" for 1.2.26; empty without
    //! VkFFT.
    static std::string version();
    /*!
     * The length of the longest transform within the limits. Where work-groups are small,
     * each work-item computes many values of a long transform, and VkFFT unrolls that
     * into code that takes a compiler minutes.
     */
    static std::size_t max_length(const device_limits& limits);

    /*!
     * Prepares a transform.
     *
     * \param device the context that the transforms run in
     * \param queue the queue that takes the commands
     * \param direction forward or inverse
     * \param length values in a row, at most max_length(); lengths with prime factors
     *        above 13 take several times longer
     * \param max_rows the largest number of rows in one enqueue()
     * \throws std::invalid_argument if VkFFT is missing, or cannot make the transform
     *         within the context's limits; opencl_error
     */
    vkfft_plan(std::shared_ptr<context> device,
               const cl::CommandQueue& queue,
               fft_direction direction,
               std::size_t length,
               std::size_t max_rows);
    ~vkfft_plan();
    vkfft_plan(const vkfft_plan&) = delete;
    vkfft_plan& operator=(const vkfft_plan&) = delete;

    //! The number of rows that the buffer must have room for: VkFFT works on small groups
    //! of rows, and may write the whole last group.
    std::size_t rows_touched(std::size_t rows) const;
    /*!
     * Enqueues the transforms of the first \p rows rows of the buffer, which holds
     * complex floats, and appends the events of the kernels to \p events.
     *
     * \throws opencl_error
     */
    void
    enqueue(const cl::Buffer& buffer, std::size_t rows, std::vector<cl::Event>& events);

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
