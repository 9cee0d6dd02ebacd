/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/fused_fold.h"
#include "opencl/buffer.h"

#include <array>
#include <optional>

namespace cldsp {

/*!
 * The sizes that kernels/tiled_fold.cl is compiled with.
 *
 * A work-group of lanes * teams work-items computes item_channels * teams channels of
 * \p blocks blocks for \p lanes bins of each row.
 */
struct tiled_fold_shape {
    std::size_t rows = 2; //!< the size of the inverse transform, N / D
    std::size_t lanes = 1, item_channels = 1, teams = 1, blocks = 1;
    std::size_t step = 1;       //!< rows that go to local memory at a time
    fused_fold_shape transform; //!< of the inverse transforms; one channel

    std::size_t channels() const { return item_channels * teams; } //!< of a work-group
    std::size_t items() const { return lanes * teams; }
    std::size_t local_bytes() const;
    //! The rows of a response with the zeros that the kernel reads behind the last one.
    std::size_t response_rows(std::size_t decimation) const;
    std::string build_options(bool real_gains) const;
};

/*!
 * The sizes that suit a device.
 *
 * \param rows a power of two, from 2 to max_fused_rows()
 * \param channels of the whole problem
 */
tiled_fold_shape suggested_tiled_fold(device_kind kind,
                                      const device_limits& limits,
                                      std::size_t rows,
                                      std::size_t decimation,
                                      std::size_t channels);

//! The kernels of kernels/tiled_fold.cl, and the inverse transforms of
//! kernels/fused_fold.cl.
class tiled_fold
{
public:
    //! The arguments of a launch. The kernels' comments explain them.
    struct launch {
        const cl::Buffer &spectra, &responses;
        std::size_t stride;
        bool real_gains;
        std::size_t first_channel;
        const cl::Buffer& order; //!< of fused_fold::entry
        std::size_t first_active, channels;
        const cl::Buffer& ranges;
        std::size_t first_range, decimation, blocks;
        const cl::Buffer& rotators;
        std::size_t lost, valid, outputs;
        const cl::Buffer& out;
        std::size_t out_offset;
    };

    //! \throws std::invalid_argument if the device cannot run as many work-items of the
    //! kernels in a group; opencl_error
    tiled_fold(std::shared_ptr<context> device,
               const cl::CommandQueue& queue,
               const tiled_fold_shape& shape);

    const tiled_fold_shape& shape() const { return d_shape; }
    //! Enqueues the kernels for some channels of all blocks, and appends their events.
    void enqueue(const launch& what, std::vector<cl::Event>& events);

private:
    cl::Kernel& fold(bool real_gains);
    void enqueue_fold(const launch& what, std::vector<cl::Event>& events);
    void enqueue_transforms(const launch& what, std::vector<cl::Event>& events);

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    tiled_fold_shape d_shape;
    device_table d_roots;
    device_buffer d_folded;
    std::array<cl::Kernel, 2> d_folds; //!< for complex and for real gains
    cl::Kernel d_transform;
};

} // namespace cldsp
