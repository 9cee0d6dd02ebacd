// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Transfers through pinned memory, for devices with memory of their own.

#pragma once

#include "opencl/buffer.h"
#include "opencl/transfer.h"

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * The memory of an input stream, pinned while its items go to a device with memory of its
 * own: commands then copy from it at the full speed of the bus. A buffer wraps the memory
 * only to make the driver pin it.
 *
 * The pipelines of a filter share an object, so that the stream is pinned once. Filters
 * on one stream each pin it.
 */
class pinned_stream
{
public:
    explicit pinned_stream(std::shared_ptr<context> device);

    //! Tells where the stream lies. No command that uses the earlier one may be in
    //! flight, unless it is the same.
    void set(memory_region region);
    //! Whether the bytes lie in pinned memory. Pins the stream at first use; if the
    //! driver refuses to, nothing lies there. \throws opencl_error if the device is lost
    bool has(const void* data, std::size_t bytes);

private:
    std::shared_ptr<context> d_device;
    memory_region d_region;
    wrapped_buffer d_pin;
    bool d_refused = false; //!< whether the driver does not pin the region
};

/*!
 * Makes the transfers "mapped" and "zero_copy" for devices with memory of their own.
 *
 * The outputs go through staging memory in any case, because a command that hangs must
 * not write to the caller's memory later.
 *
 * \param stream the pinned memory, from which the commands copy directly; null: all items
 *        go through staging memory
 */
std::unique_ptr<device_transfer>
make_pinned_transfer(const std::string& name,
                     std::shared_ptr<context> device,
                     const cl::CommandQueue& queue,
                     std::shared_ptr<pinned_stream> stream);

} // namespace cldsp
