/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

/*
 * Device memory by RAII. Every class keeps its context alive, reports a driver's refusal
 * as opencl_error, and destroys without throwing. What commands of a lost device may
 * still use is never released. One thread at a time.
 */

//! Memory on the device that grows on demand.
class device_buffer
{
public:
    explicit device_buffer(std::shared_ptr<const context> device,
                           cl_mem_flags flags = CL_MEM_READ_WRITE);
    ~device_buffer();
    device_buffer(device_buffer&&) noexcept = default;
    device_buffer& operator=(device_buffer&&) = delete;

    /*!
     * Makes room for \p bytes at least. A buffer that grows loses its content, and its
     * cl::Buffer becomes another one; a smaller size changes nothing. \throws
     * opencl_error, with CL_INVALID_BUFFER_SIZE above the device's largest buffer
     */
    void reserve(std::size_t bytes);

    const cl::Buffer& buffer() const
    {
        return d_buffer;
    } //!< null before the first reserve()
    std::size_t capacity() const { return d_capacity; } //!< bytes

private:
    std::shared_ptr<const context> d_context;
    cl_mem_flags d_flags;
    cl::Buffer d_buffer;
    std::size_t d_capacity = 0;
};

//! A buffer whose parts can be mapped into the host's memory.
class mappable_buffer
{
public:
    virtual ~mappable_buffer();
    mappable_buffer(const mappable_buffer&) = delete;
    mappable_buffer& operator=(const mappable_buffer&) = delete;

    /*!
     * Maps a part and returns where the host sees it, valid until unmap().
     *
     * \param queue runs the mapping, and the unmapping later
     * \param flags CL_MAP_READ, CL_MAP_WRITE_INVALIDATE_REGION, ...
     * \param offset,bytes the part; one part at a time
     * \param after events to wait for first
     * \param done set to the mapping's event, and the caller waits for it before it
     * touches the memory; null: map() waits for it, without spinning
     */
    void* map(const cl::CommandQueue& queue,
              cl_map_flags flags,
              std::size_t offset,
              std::size_t bytes,
              const std::vector<cl::Event>* after = nullptr,
              cl::Event* done = nullptr);
    //! Gives the mapped part back to the device; later commands of map()'s queue see it.
    void unmap(cl::Event* done = nullptr);
    bool is_mapped() const { return d_pointer != nullptr; }

    const cl::Buffer& buffer() const { return d_buffer; }
    std::size_t capacity() const { return d_capacity; } //!< bytes

protected:
    explicit mappable_buffer(std::shared_ptr<const context> device);
    //! Takes new memory: \p host is null, or host memory of that size to be used in
    //! place.
    void create(cl_mem_flags flags, std::size_t bytes, void* host);
    const device_limits& limits() const { return d_context->limits(); }
    //! Unmaps if needed and drops the memory; that of a lost device leaks. Does not
    //! throw.
    void release() noexcept;

private:
    void unmap_now() noexcept;

    std::shared_ptr<const context> d_context;
    cl::Buffer d_buffer;
    std::size_t d_capacity = 0;
    cl::CommandQueue d_queue; // that mapped it
    void* d_pointer = nullptr;
};

//! Persistent staging memory that the driver allocates for fast transfers.
class mapped_buffer : public mappable_buffer
{
public:
    explicit mapped_buffer(std::shared_ptr<const context> device,
                           cl_mem_flags flags = CL_MEM_READ_WRITE);
    //! See device_buffer::reserve(); unmaps first.
    void reserve(std::size_t bytes);

private:
    cl_mem_flags d_flags;
};

/*!
 * A buffer over host memory that somebody else owns, such as a stream buffer: no copy
 * where the device works on the host's memory.
 */
class wrapped_buffer : public mappable_buffer
{
public:
    explicit wrapped_buffer(std::shared_ptr<const context> device,
                            cl_mem_flags flags = CL_MEM_READ_WRITE);

    //! Whether a device can use the region in place: its alignment and its size fit.
    static bool can_wrap(const device_limits& limits, const memory_region& region);

    /*!
     * Wraps a region; the one that is wrapped already costs nothing.
     * \throws std::invalid_argument if it cannot be wrapped; opencl_error
     */
    void wrap(const memory_region& region);
    //! Lets go of the region; its owner may free it then.
    void forget() noexcept;

    const memory_region& region() const { return d_region; }
    bool contains(const void* data, std::size_t bytes) const;
    //! Of an address inside the region, in bytes.
    std::size_t offset_of(const void* data) const;

private:
    cl_mem_flags d_flags;
    memory_region d_region;
};

} // namespace cldsp
