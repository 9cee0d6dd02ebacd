// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Device memory that its objects own: buffers that grow, and buffers over host memory.

#pragma once

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

/*
 * Classes that own device memory (RAII). Each one keeps its context alive, throws
 * opencl_error if the driver refuses a call, and has a destructor that does not throw. On
 * a lost device, memory that its commands may still use is never released. Only one
 * thread may use an object at a time.
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
     * Makes room for \p bytes at least. A buffer that grows loses its content and gets a
     * new cl::Buffer; a smaller size changes nothing.
     *
     * \throws opencl_error, with CL_INVALID_BUFFER_SIZE above the device's largest buffer
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
     * Maps a part of the buffer; only one part can be mapped at a time.
     *
     * \param queue the queue of the mapping, and later of the unmapping
     * \param flags CL_MAP_READ, CL_MAP_WRITE_INVALIDATE_REGION, ...
     * \param offset,bytes the part
     * \param after events that the mapping waits for
     * \param done receives the event of the mapping, for which the caller must wait
     * before it touches the memory. Null: map() waits itself, without spinning
     * \returns the address at which the host sees the part, valid until unmap()
     */
    void* map(const cl::CommandQueue& queue,
              cl_map_flags flags,
              std::size_t offset,
              std::size_t bytes,
              const std::vector<cl::Event>* after = nullptr,
              cl::Event* done = nullptr);
    //! Gives the mapped part back to the device. Later commands in the queue that map()
    //! used see the changes of the host.
    void unmap(cl::Event* done = nullptr);
    bool is_mapped() const { return d_pointer != nullptr; }

    const cl::Buffer& buffer() const { return d_buffer; }
    std::size_t capacity() const { return d_capacity; } //!< bytes

protected:
    explicit mappable_buffer(std::shared_ptr<const context> device);
    //! Makes the buffer anew. \p host is host memory of this size to be used in place;
    //! null: the driver allocates memory.
    void create(cl_mem_flags flags, std::size_t bytes, void* host);
    const device_limits& limits() const { return d_context->limits(); }
    //! Unmaps if needed, and releases the memory; on a lost device it leaks.
    void release() noexcept;

private:
    void unmap_now() noexcept;

    std::shared_ptr<const context> d_context;
    cl::Buffer d_buffer;
    std::size_t d_capacity = 0;
    cl::CommandQueue d_queue; // the queue of the mapping
    void* d_pointer = nullptr;
};

//! Persistent staging memory that the driver allocates for fast transfers.
class mapped_buffer : public mappable_buffer
{
public:
    explicit mapped_buffer(std::shared_ptr<const context> device,
                           cl_mem_flags flags = CL_MEM_READ_WRITE);
    //! As device_buffer::reserve(). A buffer that grows is unmapped.
    void reserve(std::size_t bytes);

private:
    cl_mem_flags d_flags;
};

/*!
 * A buffer over host memory with another owner, such as a stream buffer. A device that
 * works on the host's memory then needs no copy.
 */
class wrapped_buffer : public mappable_buffer
{
public:
    explicit wrapped_buffer(std::shared_ptr<const context> device,
                            cl_mem_flags flags = CL_MEM_READ_WRITE);

    //! Whether a device can use the region in place: its alignment and size must fit.
    static bool can_wrap(const device_limits& limits, const memory_region& region);

    /*!
     * Wraps a region. Wrapping the same region again costs nothing.
     * \throws std::invalid_argument if it cannot be wrapped; opencl_error
     */
    void wrap(const memory_region& region);
    //! Releases the region. Its owner may free it afterwards.
    void forget() noexcept;

    const memory_region& region() const { return d_region; }
    bool contains(const void* data, std::size_t bytes) const;
    //! The offset in bytes of an address inside the region.
    std::size_t offset_of(const void* data) const;

private:
    cl_mem_flags d_flags;
    memory_region d_region;
};

} // namespace cldsp
