// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of a kernel of the correlator, and how it takes samples.

#pragma once

#include "base/thread_pool.h"
#include "correlator/correlator_executor.h"
#include "opencl/commands.h"
#include "opencl/matrix_units.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! The pieces of a call as a kernel sees them.
struct device_pieces {
    device_range in, out;
    std::size_t antennas;
    std::size_t stride; //!< bytes from antenna to antenna
    std::size_t length; //!< samples of a piece, filled up with zeros
    std::size_t count;
};

//! Some tiles of some pieces, which one kernel computes.
struct correlator_tiles {
    std::size_t first_tile, tiles, first_piece, pieces;
};

//! The kernel of a variant, and the form in which it takes samples.
class correlator_kernel
{
public:
    virtual ~correlator_kernel() = default;
    virtual std::size_t max_piece() const = 0;    //!< samples
    virtual std::size_t max_bytes() const = 0;    //!< of samples, and of sums, in a call
    virtual std::size_t length_step() const = 0;  //!< pieces are multiples of this
    virtual std::size_t sample_bytes() const = 0; //!< on the device
    //! The device has memory for a multiple of as many antennas.
    virtual std::size_t antenna_step() const { return 1; }
    virtual std::size_t tile() const = 0; //!< antennas on each side
    virtual cl::NDRange group() const = 0;
    /*!
     * Writes the samples of each antenna to \p to, row by row, each filled up with zeros
     * to \p length samples.
     */
    virtual void pack(const correlator_batch& batch,
                      std::size_t length,
                      std::size_t stride,
                      thread_pool& pool,
                      void* to) const = 0;

    //! Enqueues what a call needs before its tiles, and appends the events.
    virtual void prepare(const device_pieces&, std::vector<cl::Event>&) {}
    //! The kernel, with arguments for these tiles.
    virtual cl::Kernel& kernel(const device_pieces& pieces,
                               const correlator_tiles& tiles) = 0;
    //! The work-items for these tiles.
    virtual cl::NDRange items(const device_pieces& pieces,
                              const correlator_tiles& tiles) const;
};

//! A kernel that takes the samples as they are, antenna by antenna.
class correlator_kernel_of_samples : public correlator_kernel
{
public:
    correlator_kernel_of_samples(sample_type type, std::size_t antennas)
        : d_type(type), d_antennas(antennas)
    {
    }

    std::size_t sample_bytes() const override;
    void pack(const correlator_batch& batch,
              std::size_t length,
              std::size_t stride,
              thread_pool& pool,
              void* to) const override;

private:
    sample_type d_type;
    std::size_t d_antennas;
};

//! The work-groups of the kernel for GPUs that suit a device.
struct correlator_gpu_tile {
    std::size_t group; //!< work-items on each side
    std::size_t depth; //!< samples in local memory

    static constexpr std::size_t each = 4; // antennas of a work-item on each side

    correlator_gpu_tile(const device_limits& limits, std::size_t antennas);
    std::size_t local_bytes() const;
    bool fits(const device_limits& limits) const;
};

// The most samples of a piece on matrix units, which compute it in less time than its
// samples take to the device. A call has some pieces, so that there are tiles for all
// compute units.
constexpr std::size_t max_piece_of_units = 16384;
constexpr std::size_t max_bytes_of_units = std::size_t(128) << 20;

//! The arguments from which every kernel is made.
struct correlator_kernel_args {
    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    sample_type type;
    std::size_t antennas;
    tensor_mode mode; //!< of those for matrix units
};

} // namespace cldsp
