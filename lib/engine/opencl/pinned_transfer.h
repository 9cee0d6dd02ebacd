/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
 * The memory of a stream, pinned while its data go to a device with memory of its own:
 * commands then copy from and to it at the full speed of the bus. The driver pins memory
 * that a buffer wraps, and needs that buffer for nothing else.
 *
 * Several transfers on one stream share an object, because no memory may be wrapped
 * twice at the same time.
 */
class pinned_stream
{
public:
    explicit pinned_stream(std::shared_ptr<context> device);

    //! Tells where the streams lie. No command that uses the earlier ones may be in
    //! flight, unless they are the same.
    void set(memory_region in, memory_region out);
    //! Whether the bytes are pinned memory of the input, or of the output. Pins the
    //! stream at first use.
    //! \throws opencl_error if the driver refuses to
    bool has_input(const void* data, std::size_t bytes);
    bool has_output(const void* data, std::size_t bytes);

private:
    struct stream {
        memory_region region;
        wrapped_buffer pin;
    };
    bool has(stream& one, const void* data, std::size_t bytes) const;

    std::shared_ptr<context> d_device;
    stream d_in, d_out;
};

/*!
 * Makes the transfers "mapped" and "zero_copy" for devices with memory of their own.
 *
 * \param stream the pinned memory, from and to which the commands copy directly; null:
 *        all data go through staging memory
 */
std::unique_ptr<device_transfer>
make_pinned_transfer(const std::string& name,
                     std::shared_ptr<context> device,
                     const cl::CommandQueue& queue,
                     std::shared_ptr<pinned_stream> stream);

} // namespace cldsp
