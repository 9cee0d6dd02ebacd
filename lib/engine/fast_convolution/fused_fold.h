// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One kernel that folds, transforms back and rotates the channels of some blocks.

#pragma once

#include "opencl/device_table.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/tuning_values.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The sizes that kernels/fused_fold.cl is compiled with, all powers of two.
 *
 * A work-group computes \p channels channels of \p blocks blocks at a time. In the
 * inverse transforms, each work-item has \p values values.
 */
struct fused_fold_shape {
    std::size_t rows = 2;  //!< the size of the inverse transform, N / D; 2 or more
    std::size_t items = 1; //!< work-items of a work-group
    std::size_t channels = 1, blocks = 1, values = 1;
    bool long_sums = false; //!< whether a sum may have more products than a float should

    //! The bytes of local memory of a work-group.
    std::size_t local_bytes() const;
    //! Whether a device can run the kernel with these sizes.
    bool fits(const device_limits& limits) const;
    //! The radices of the passes of the inverse transform, largest first.
    std::vector<std::size_t> radices() const;
    std::string build_options() const;
};

//! The largest size of the inverse transform that the kernel can take on a device.
std::size_t max_fused_rows(const device_limits& limits);

/*!
 * The sizes that suit a device.
 *
 * \param rows a power of two, from 2 to max_fused_rows()
 * \param channels of the whole problem
 */
fused_fold_shape suggested_fused_fold(const device_limits& limits,
                                      std::size_t rows,
                                      std::size_t decimation,
                                      std::size_t channels);

//! A shape with the tuned values `items`, `blocks` and `values`.
fused_fold_shape with_values(fused_fold_shape shape, const tuning_values& values);

//! Puts the roots of the passes of the inverse transform onto the device.
void set_inverse_roots(device_table& roots,
                       const std::shared_ptr<context>& device,
                       const cl::CommandQueue& queue,
                       const fused_fold_shape& shape);

//! The kernel fold_and_transform of kernels/fused_fold.cl.
class fused_fold
{
public:
    //! A channel to compute, and the place of its results among all that are computed.
    struct entry {
        cl_uint channel, place;
    };

    //! The arguments of a launch. The kernel's comment explains them.
    struct launch {
        const cl::Buffer &spectra, &responses;
        std::size_t stride;
        const cl::Buffer& runs;
        std::size_t first_channel;
        const cl::Buffer& order; //!< of entry
        std::size_t first_active, channels, decimation, blocks;
        const cl::Buffer& rotators;
        std::size_t lost, outputs;
        const cl::Buffer& out;
        std::size_t out_offset;
    };

    //! \throws std::invalid_argument if the device cannot run the kernel in work-groups
    //! of the shape's size; opencl_error
    fused_fold(std::shared_ptr<context> device,
               const cl::CommandQueue& queue,
               const fused_fold_shape& shape);

    const fused_fold_shape& shape() const { return d_shape; }
    //! Enqueues a launch, and appends its event. The phases of its rotators are those of
    //! the first value of the first block, even if the overlap invalidates that value.
    void enqueue(const launch& what, std::vector<cl::Event>& events);

private:
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    fused_fold_shape d_shape;
    device_table d_roots;
    cl::Kernel d_kernel;
};

} // namespace cldsp
