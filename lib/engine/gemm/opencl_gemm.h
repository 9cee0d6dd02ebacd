// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Brings the matrices of a product to a device and back, in parts that fit.

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
    std::size_t leading = 0; //!< elements from one row to the next
    std::size_t rows = 0;
    std::size_t columns = 0;

    //! The number of bytes from the first element to the end of the last one.
    std::size_t bytes(std::size_t element) const
    {
        return ((rows - 1) * leading + columns) * element;
    }
};

//! The rows and columns of C that are computed at a time.
struct gemm_part {
    std::size_t rows, columns;
};

/*!
 * The largest part of a product whose matrices have at most \p max_elements elements
 * each.
 *
 * \param shape the product; its k is at most \p max_elements
 * \param is_b_held whether B is on the device already, as a whole
 */
gemm_part
largest_gemm_part(const gemm_shape& shape, std::size_t max_elements, bool is_b_held);

/*!
 * Brings one of the matrices of a product to the device and back: through a copy in a
 * buffer that is kept, or without a copy if the device works on the host's memory.
 *
 * Only one thread at a time may use an object. Errors are thrown as opencl_error or
 * cl::Error.
 */
class gemm_memory
{
public:
    //! \param device the context of the device
    //! \param queue the queue for the copies
    //! \param element bytes of an element
    gemm_memory(std::shared_ptr<context> device,
                cl::CommandQueue queue,
                std::size_t element);

    //! Whether the device can work on the block in the caller's memory.
    bool can_share(const gemm_block& block) const;
    /*!
     * Brings a block to the device.
     *
     * \param block the block
     * \param share whether kernels work on the caller's memory, which can_share() must
     *        permit
     * \param content whether kernels read the block's content; if not, nothing is copied
     * \param events the events of the copies are appended
     * \return the matrix that kernels use
     */
    gemm_device_matrix put(const gemm_block& block,
                           bool share,
                           bool content,
                           std::vector<cl::Event>& events);
    //! Starts to copy the content of the last block back into the caller's memory. The
    //! queue does this after the kernels.
    void get(const gemm_block& block, std::vector<cl::Event>& events);
    //! Waits until the content is there. False if there was nothing to copy because the
    //! kernels write into the caller's memory.
    bool finish(std::vector<cl::Event>& events);
    //! Stops using the caller's memory. The queue must be idle.
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
