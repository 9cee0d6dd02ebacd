// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fold of many channels in tiles of channels and blocks.

#pragma once

#include "fast_convolution/channel_fold.h"
#include "fast_convolution/fused_fold.h"
#include "opencl/buffer.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

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

/*!
 * A fold for many channels, whose sums go to the device's memory, and the inverse
 * transforms of kernels/fused_fold.cl that follow.
 */
class separate_fold
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

    virtual ~separate_fold() = default;
    separate_fold(const separate_fold&) = delete;
    separate_fold& operator=(const separate_fold&) = delete;

    //! Enqueues the kernels for some channels of all blocks, and appends their events.
    void enqueue(const launch& what, std::vector<cl::Event>& events);

protected:
    //! \param variant its name, for errors
    //! \param transform the sizes of the inverse transforms, of one channel
    //! \throws std::invalid_argument if the device cannot run as many work-items of the
    //! kernel in a group; opencl_error
    separate_fold(std::shared_ptr<context> device,
                  const cl::CommandQueue& queue,
                  const std::string& variant,
                  const fused_fold_shape& transform);

    const std::shared_ptr<context>& device() const { return d_device; }
    const cl::CommandQueue& queue() const { return d_queue; }
    //! Builds the kernels for complex and for real gains. \throws as the constructor
    template <class Shape>
    void build(const std::string& file, const char* name, const Shape& shape)
    {
        for (const bool real_gains : { false, true }) {
            auto& kernel = d_folds[real_gains ? 1 : 0];
            replace(
                kernel,
                cl::Kernel(d_device->build(file, shape.build_options(real_gains)), name));
            check_group_size(*d_device, kernel, shape.items(), file);
        }
    }
    //! Makes room for the sums of a launch.
    void reserve(const launch& what);
    cl::Kernel& kernel(bool real_gains) { return d_folds[real_gains ? 1 : 0]; }
    const cl::Buffer& folded() const { return d_folded.buffer(); }

private:
    //! Enqueues the fold alone. There is room for its sums.
    virtual void enqueue_fold(const launch& what, std::vector<cl::Event>& events) = 0;
    void enqueue_transforms(const launch& what, std::vector<cl::Event>& events);

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    fused_fold_shape d_shape;
    device_table d_roots;
    device_buffer d_folded;
    std::array<cl::Kernel, 2> d_folds; //!< for complex and for real gains
    cl::Kernel d_transform;
};

//! The channel_fold that a separate_fold is.
class separate_channels final : public channel_fold
{
public:
    explicit separate_channels(std::unique_ptr<separate_fold> fold)
        : d_fold(std::move(fold))
    {
    }
    void enqueue(const fold_round& call, std::vector<cl::Event>& events) override;

private:
    std::unique_ptr<separate_fold> d_fold;
};

//! The kernel of kernels/tiled_fold.cl.
class tiled_fold final : public separate_fold
{
public:
    //! \throws as the constructor of separate_fold
    tiled_fold(std::shared_ptr<context> device,
               const cl::CommandQueue& queue,
               const tiled_fold_shape& shape);

private:
    void enqueue_fold(const launch& what, std::vector<cl::Event>& events) override;

    tiled_fold_shape d_shape;
};

} // namespace cldsp
