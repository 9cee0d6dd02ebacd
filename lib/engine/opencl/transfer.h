// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Brings the items of a call to a device, and its outputs back.

#pragma once

#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/host_copies.h"
#include "opencl/staging.h"

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

class pinned_stream;

/*!
 * Brings the items of a call to the device, and its outputs back. Implementations derive
 * from transfer_round.
 *
 * The steps for one call (a round): input(), output(), the kernels, start_result(), and
 * finish(), which returns when the outputs are in the caller's memory. time() is the time
 * of the copies and maps of the last round.
 */
class device_transfer
{
public:
    virtual ~device_transfer() = default;
    virtual device_range input(const void* data, std::size_t bytes) = 0;
    virtual device_range output(void* data, std::size_t bytes) = 0;
    //! Enqueues the commands that copy the outputs back after the kernels.
    virtual void start_result() {}
    virtual void finish(const cl::Event& kernel) = 0;
    virtual void set_stream_memory(memory_region, memory_region) {}
    virtual double time() const = 0; //!< seconds, of the last round
    virtual const std::string& name() const = 0;
};

/*!
 * \param name "copy" (write and read commands on staging memory that the engine owns),
 *        "mapped" (staging buffers that the driver allocated, so that it can reach them
 *        without a further copy), or "zero_copy" (buffers over the caller's memory)
 * \param stream see pinned_stream, for transfers that share a stream; null: this one
 *        has the stream for itself
 */
std::unique_ptr<device_transfer>
make_device_transfer(const std::string& name,
                     std::shared_ptr<context> device,
                     const cl::CommandQueue& queue,
                     std::shared_ptr<pinned_stream> stream = nullptr);

/*!
 * The memory that "zero_copy" wraps for a call. It is the memory of the whole stream if
 * the data lie in it, the device can wrap it, and offsets of 32 bits reach all of it.
 * Otherwise it is the data alone, beginning at the last aligned address before them.
 */
memory_region region_to_wrap(const device_limits& limits,
                             const memory_region& stream,
                             const void* data,
                             std::size_t bytes);

/*!
 * Brings the outputs of several channels back. They lie in one buffer on the device, come
 * through pinned memory, and are then copied to the memory of each channel. (A
 * device_transfer puts all outputs into a single piece of memory.)
 *
 * From a device with memory of its own they come in slices. The host copies one slice
 * while the bus carries others, and each is still in its caches then. Two slices leave as
 * soon as they are computed, and four are in flight or being copied: with more of
 * them, those of all pipelines would not fit the caches, and with fewer the bus would
 * wait for the host.
 */
class channel_outputs
{
public:
    //! \param max_slice the largest number of bytes of a slice
    channel_outputs(std::shared_ptr<context> device,
                    const cl::CommandQueue& queue,
                    std::size_t max_slice = std::size_t(16) << 20);

    //! Makes room on the device for the outputs of all channels, one channel after
    //! another.
    const cl::Buffer& reserve(std::size_t channels, std::size_t outputs);
    //! Starts the transfer, after the kernels that are enqueued already.
    void enqueue();
    //! Waits for the transfer and copies the outputs of channel c to \p out[c].
    void finish(std::complex<float>* const* out);
    std::size_t channels() const { return d_channels; }
    double time() const { return d_time; } //!< seconds, of the last round

private:
    struct slot {
        explicit slot(const std::shared_ptr<context>& device) : memory(device) {}
        pinned_memory memory;
        cl::Event done; //!< of the last slice that came here
    };

    std::size_t bytes() const
    {
        return d_channels * d_outputs * sizeof(std::complex<float>);
    }
    std::size_t slices() const { return (bytes() + d_max_slice - 1) / d_max_slice; }
    void enqueue_slice(std::size_t index);
    void place(std::complex<float>* const* out,
               std::size_t first,
               std::size_t count,
               const void* from);

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    const std::size_t d_max_slice; //!< bytes, a multiple of an output's
    bool d_in_place;               //!< the kernels write what the host maps
    mapped_buffer d_mapped;        //!< the outputs of a round in place
    device_buffer d_results;
    std::array<slot, 4> d_slots;
    std::size_t d_begun = 0; //!< slices whose transfer has begun
    host_copies d_copies;
    std::size_t d_channels = 0, d_outputs = 0;
    cl::Event d_done;     //!< of the mapping
    void* d_at = nullptr; //!< the host's address of d_mapped
    double d_time = 0;
};

} // namespace cldsp
