// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Host memory of the engine through which commands copy, pinned or not.

#pragma once

#include "opencl/buffer.h"
#include "opencl/host_copies.h"

#include <cldsp/context.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace cldsp {

/*!
 * Host memory that the engine owns and commands read or write. The memory of a lost
 * device is never freed, because a late command may still access it.
 */
class host_memory
{
public:
    explicit host_memory(std::shared_ptr<const context> device);
    ~host_memory();
    host_memory(const host_memory&) = delete;
    host_memory& operator=(const host_memory&) = delete;

    //! Makes room for \p bytes; the content may be lost. No command may be in flight.
    unsigned char* reserve(std::size_t bytes);
    unsigned char* data() const { return d_memory.get(); }
    std::size_t capacity() const { return d_capacity; }

private:
    struct release {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::shared_ptr<const context> d_device;
    std::unique_ptr<unsigned char, release> d_memory;
    std::size_t d_capacity = 0;
};

//! Staging memory that the driver allocates and that stays mapped. It is therefore
//! pinned: a bus carries several times as much from there as from other memory.
class pinned_memory
{
public:
    explicit pinned_memory(std::shared_ptr<const context> device)
        : d_is_pinned(device->limits().maps_in_place), d_plain(device), d_buffer(device)
    {
    }
    //! Makes room for \p bytes; the content may be lost. No earlier command may still use
    //! the memory.
    //! \param queue the queue that maps the memory; commands of other queues may use it,
    //!        too
    unsigned char* reserve(const cl::CommandQueue& queue, std::size_t bytes);
    unsigned char* data() const { return d_at; }

private:
    bool d_is_pinned;    //!< otherwise mapping would copy, and the memory is plain
    host_memory d_plain;
    mapped_buffer d_buffer;
    unsigned char* d_at = nullptr;
};

//! Rows of bytes in the caller's memory.
struct host_rows {
    const void* data = nullptr;
    std::size_t row = 0; //!< bytes of a row
    std::size_t rows = 1;
    std::size_t pitch = 0; //!< bytes from row to row

    std::size_t bytes() const { return row * rows; }
};

/*!
 * Copies rows between the caller's memory and a buffer of the device, in which the rows
 * follow each other without gaps.
 *
 * The copies go through memory that the engine owns (staging memory). Thus a command that
 * hangs, or whose status the driver no longer reports, cannot access the caller's memory
 * after the call. For a device with memory of its own, large staging memory is pinned,
 * and several threads copy. Long copies are made in pieces, so that little staging memory
 * is needed, and the copies of the host overlap those of the device. Only one thread may
 * use an object at a time.
 */
class staged_copies
{
public:
    //! \param max_piece the largest number of bytes that one command copies
    staged_copies(std::shared_ptr<const context> device,
                  const cl::CommandQueue& queue,
                  std::size_t max_piece = std::size_t(8) << 20);
    //! Waits for commands that are still in flight after an error.
    ~staged_copies();

    //! Enqueues the copy to the device. When this returns, the caller's memory has been
    //! read.
    void
    write(const cl::Buffer& to, const host_rows& from, std::vector<cl::Event>& events);
    //! Enqueues the copy from the device, after the commands that are enqueued already.
    void begin_read(const cl::Buffer& from, const host_rows& to);
    //! Waits for the copy of begin_read() and puts the data into the caller's memory.
    void finish_read(std::vector<cl::Event>& events);

private:
    struct slot {
        explicit slot(const std::shared_ptr<const context>& device)
            : plain(device), pinned(device)
        {
        }
        host_memory plain;
        pinned_memory pinned;
        unsigned char* data = nullptr; // in one of them
        cl::Event done;                // event of the last command that used this memory
    };
    using slots = std::array<slot, 2>;

    void make_room(slot& s, std::size_t bytes);
    void enqueue_read(std::size_t piece);
    std::size_t pieces() const;

    std::shared_ptr<const context> d_device;
    cl::CommandQueue d_queue;
    const std::size_t d_max_piece;
    host_copies d_copies;
    slots d_writes, d_reads;
    cl::Buffer d_from;
    host_rows d_to;
};

//! Writes a table to the device and waits. \p data may be freed afterwards.
void write_now(const std::shared_ptr<const context>& device,
               const cl::CommandQueue& queue,
               const cl::Buffer& to,
               const void* data,
               std::size_t bytes);

} // namespace cldsp
