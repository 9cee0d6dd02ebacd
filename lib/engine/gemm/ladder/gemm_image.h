// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Matrices as images of OpenCL, for kernels that read them so.

#pragma once

#include "gemm/gemm_kernel.h"
#include "opencl/held_memory.h"

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp {

//! The rules of a device for images of CL_RGBA. Each pixel holds four neighbouring
//! elements of a row.
struct gemm_image_rules {
    std::size_t max_width = 0, max_height = 0; //!< in pixels
    std::size_t pixel = 0;                     //!< bytes in a pixel
    //! Whether an image may lie over a buffer (cl_khr_image2d_from_buffer, OpenCL 2). If
    //! not, the members below are not used.
    bool over_buffers = false;
    std::size_t pitch_alignment = 1;   //!< alignment of a row, in pixels
    std::size_t base_alignment = 1;    //!< alignment of the first pixel, in pixels
    std::size_t address_alignment = 1; //!< alignment of a sub-buffer, in bytes

    /*!
     * Whether an image can lie over a matrix in its buffer. The rows have to consist of
     * whole pixels, at a pitch and an address that the device takes, and the buffer must
     * not end before the pitch of the last row does.
     */
    bool lies_as_image(const gemm_device_matrix& matrix,
                       std::size_t rows,
                       std::size_t columns,
                       std::size_t buffer_bytes) const;
};

/*!
 * The rules of a device for images of one type.
 *
 * \param device the context of the device
 * \param type the type of the elements
 * \param variant the variant that needs the images, for the message
 * \throws std::invalid_argument if the device has no such images
 */
gemm_image_rules
image_rules(const context& device, gemm_type type, const std::string& variant);

//! An image over a matrix in its buffer; none if the rules or the driver forbid that.
std::optional<cl::Image2D> image_over(const context& device,
                                      const gemm_image_rules& rules,
                                      gemm_type type,
                                      const gemm_device_matrix& matrix,
                                      std::size_t rows,
                                      std::size_t columns);

//! An image with memory of its own, which grows on demand.
class gemm_image_space
{
public:
    /*!
     * Makes room for at least \p rows by \p columns elements. When the image grows, its
     * content is discarded.
     *
     * \param device the context of the device
     * \param rules the rules of the device
     * \param type the type of the elements
     * \param rows rows of the matrix
     * \param columns columns of the matrix
     * \param what name of the content, for the message
     * \throws std::invalid_argument beyond the device's largest image
     */
    const cl::Image2D& grow(const context& device,
                            const gemm_image_rules& rules,
                            gemm_type type,
                            std::size_t rows,
                            std::size_t columns,
                            const std::string& what);

private:
    held_memory<cl::Image2D> d_image;
    std::size_t d_width = 0, d_height = 0;
};

} // namespace cldsp
