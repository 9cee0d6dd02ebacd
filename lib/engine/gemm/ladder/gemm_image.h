/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_kernel.h"
#include "opencl/held_memory.h"

#include <cstddef>
#include <optional>
#include <string>

namespace cldsp {

//! What a device asks of images of CL_RGBA, whose pixels are four neighbours of a row.
struct gemm_image_rules {
    std::size_t max_width = 0, max_height = 0; //!< pixels
    std::size_t pixel = 0;                     //!< bytes
    //! An image may lie over a buffer (cl_khr_image2d_from_buffer, OpenCL 2); else the
    //! rest is not used.
    bool over_buffers = false;
    std::size_t pitch_alignment = 1;   //!< of a row, pixels
    std::size_t base_alignment = 1;    //!< of the first pixel, pixels
    std::size_t address_alignment = 1; //!< of a part of a buffer, bytes

    /*!
     * Whether a matrix is an image as it lies: rows of whole pixels at a pitch and an
     * address that the device takes, and with the buffer's end behind the last row's.
     */
    bool lies_as_image(const gemm_device_matrix& matrix,
                       std::size_t rows,
                       std::size_t columns,
                       std::size_t buffer_bytes) const;
};

/*!
 * The device's rules for a type's images.
 * \param variant that needs them
 * \throws std::invalid_argument if the device has no such images
 */
gemm_image_rules
image_rules(const context& device, gemm_type type, const std::string& variant);

//! The image over a matrix as it lies; none where the rules or the driver forbid it.
std::optional<cl::Image2D> image_over(const context& device,
                                      const gemm_image_rules& rules,
                                      gemm_type type,
                                      const gemm_device_matrix& matrix,
                                      std::size_t rows,
                                      std::size_t columns);

//! An image of its own memory that grows on demand.
class gemm_image_space
{
public:
    /*!
     * Holds \p rows by \p columns elements at least; what it held is lost when it grows.
     * \param what it is for
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
