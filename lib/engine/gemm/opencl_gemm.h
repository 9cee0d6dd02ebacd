/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_kernel.h"
#include "opencl/buffer.h"
#include "opencl/staging.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! A part of a matrix in host memory.
struct gemm_block {
    const void* data = nullptr;
    std::size_t leading = 0; //!< elements
    std::size_t rows = 0;
    std::size_t columns = 0;

    //! From the first element to behind the last one.
    std::size_t bytes(std::size_t element) const
    {
        return ((rows - 1) * leading + columns) * element;
    }
};

/*!
 * The way of one of a product's matrices to the device and back: by a copy in a
 * persistent buffer, or none where the device works on the host's memory.
 *
 * One thread at a time. What fails throws opencl_error or cl::Error.
 */
class gemm_memory
{
public:
    //! \param lasting see staged_copies
    gemm_memory(std::shared_ptr<context> device,
                cl::CommandQueue queue,
                std::size_t element,
                bool lasting = true);

    //! Whether the device can work on the block where it is.
    bool can_share(const gemm_block& block) const;
    /*!
     * Where kernels find the block.
     *
     * \param share on the caller's memory, for which can_share() holds
     * \param content whether kernels read what is there; else only room is made
     * \param events the commands' are added
     */
    gemm_device_matrix put(const gemm_block& block,
                           bool share,
                           bool content,
                           std::vector<cl::Event>& events);
    //! Starts to bring the last block's content back into the caller's memory, in order
    //! behind the kernels.
    void get(const gemm_block& block, std::vector<cl::Event>& events);
    //! Waits until it is there. False if no command brings it, for the kernels write
    //! there.
    bool finish(std::vector<cl::Event>& events);
    //! The caller's memory is used no more. The queue must be idle.
    void release() noexcept;

private:
    gemm_device_matrix share(const gemm_block& block, std::vector<cl::Event>& events);

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    const std::size_t d_element; // bytes
    const bool d_coherent;       // the device is the host's own processor
    device_buffer d_copy;
    staged_copies d_copies;
    wrapped_buffer d_shared;
    bool d_is_shared = false;
    std::size_t d_shared_offset = 0; // bytes
};

} // namespace cldsp
