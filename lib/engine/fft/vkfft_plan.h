/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
 * VkFFT's kernels come from the context's program cache, and VkFFT sees the context's
 * limits instead of the device's, so that a lowered profile binds it too.
 */
class vkfft_plan
{
public:
    //! Why the engine has no VkFFT; empty if it has.
    static std::string missing();
    //! As VkFFT tells it, such as 10226 for 1.2.26; empty if it is missing.
    static std::string version();
    /*!
     * The longest transform within limits: where groups are small, a work-item's part of
     * a long one would be unrolled into code that takes a compiler minutes.
     */
    static std::size_t max_length(const device_limits& limits);

    /*!
     * \param length values of a row, at most max_length(); prime factors above 13 take
     * several times longer
     * \param max_rows of one enqueue()
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

    //! Rows that the buffer must have room for: VkFFT works on small groups of them.
    std::size_t rows_touched(std::size_t rows) const;
    /*!
     * Enqueues the transforms of the buffer's first \p rows rows of complex float, and
     * adds its kernels' events. \throws opencl_error
     */
    void
    enqueue(const cl::Buffer& buffer, std::size_t rows, std::vector<cl::Event>& events);

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
