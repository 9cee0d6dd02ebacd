// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The forward transforms of overlap-save blocks on an OpenCL device.

#pragma once

#include "opencl/commands.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! Bytes of one value that is transformed.
constexpr std::size_t transform_value_bytes = sizeof(std::complex<float>);

//! The items of a call, and how they are cut into blocks: item j of block b is item
//! b * hop + j - lead. Items that the call does not have are zero.
struct forward_items {
    const device_range& in;
    std::size_t items, lead, hop;
    std::size_t blocks; //!< 1 or more
};

/*!
 * The forward transforms of overlap-save blocks on an OpenCL device. The spectra are not
 * scaled and lie behind each other, their bins in the order of their frequencies from 0
 * on.
 */
class forward_transform
{
public:
    virtual ~forward_transform() = default;

    //! The bytes that the buffer of the spectra of some blocks must have.
    virtual std::size_t spectra_bytes(std::size_t blocks) const = 0;
    //! Enqueues the transforms of the blocks of a call, and appends the kernels' events.
    //! \throws opencl_error
    virtual void enqueue(const forward_items& what,
                         const cl::Buffer& spectra,
                         std::vector<cl::Event>& events) = 0;
    //! Enqueues the transform of one block that is there as complex floats, from one
    //! buffer to another, and appends the events of the commands. \throws opencl_error
    virtual void enqueue_block(const cl::Buffer& values,
                               const cl::Buffer& spectrum,
                               std::vector<cl::Event>& events) = 0;
};

/*!
 * The sizes that kernels/forward_transform.cl is compiled with.
 *
 * A work-group transforms \p columns columns of \p blocks blocks, and each work-item has
 * \p values values of a column. The transforms of the rows have lengths[0] values each,
 * or lengths[0] and then lengths[1] where one work-item cannot have all values of a row.
 */
struct forward_transform_shape {
    std::size_t rows = 2; //!< the size of a column, N / D; a power of two, 2 or more
    std::size_t decimation = 1; //!< the number of columns
    std::size_t values = 2, columns = 1, blocks = 1;
    bool whole_blocks = false; //!< whether one kernel transforms columns and rows
    std::size_t lengths[2] = { 1, 1 };

    std::size_t fft_size() const { return rows * decimation; }
    std::size_t team() const { return rows / values; } //!< work-items of a column
    std::size_t items() const { return team() * columns * blocks; } //!< of a work-group
    //! The bytes of local memory of a work-group.
    std::size_t local_bytes() const;
    //! The number of kernels that transform rows, behind the kernel of the columns.
    std::size_t row_kernels() const;
    //! The options of the kernels of columns and of the first transform of rows, or of
    //! the second transform of rows.
    std::string build_options(sample_type input, std::size_t row_kernel = 0) const;
};

/*!
 * The reason why the kernels do not cover a block; empty if they do. The device's
 * work-groups and local memory must be large enough for a column, and the decimation must
 * be at most max_row_values(), or a product of two such numbers.
 *
 * \param rows a power of two, 2 or more
 */
std::string forward_transform_missing(const device_limits& limits,
                                      std::size_t rows,
                                      std::size_t decimation);

//! The sizes that suit a device; none if the kernels do not cover the block.
std::optional<forward_transform_shape> suggested_forward_transform(
    const device_limits& limits, std::size_t rows, std::size_t decimation);

//! The largest number of values that a work-item has of a row.
std::size_t max_row_values(const device_limits& limits);

//! Transforms by kernels/forward_transform.cl. \throws opencl_error; group_refused if the
//! device cannot run as many work-items of the kernel in a group
std::unique_ptr<forward_transform>
make_forward_transform(const std::shared_ptr<context>& device,
                       const cl::CommandQueue& queue,
                       sample_type input,
                       const forward_transform_shape& shape);

/*!
 * Transforms by VkFFT, of blocks that kernels/fast_convolution.cl gathers.
 *
 * \param program that file, built for the type of the items
 * \param fft_size items of a block
 * \param max_blocks the largest number of blocks in one enqueue()
 * \param group work-items of a work-group
 * \throws std::invalid_argument if VkFFT is missing or cannot make the transform within
 * the device's limits; opencl_error
 */
std::unique_ptr<forward_transform>
make_vkfft_forward_transform(const std::shared_ptr<context>& device,
                             const cl::CommandQueue& queue,
                             const cl::Program& program,
                             std::size_t fft_size,
                             std::size_t max_blocks,
                             std::size_t group);

} // namespace cldsp
