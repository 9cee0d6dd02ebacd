/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace cldsp {

/*!
 * Host memory of the engine's own that commands read or write. That of a lost device is
 * never freed: a command may come to it late.
 */
class host_memory
{
public:
    explicit host_memory(std::shared_ptr<const context> device);
    ~host_memory();
    host_memory(const host_memory&) = delete;
    host_memory& operator=(const host_memory&) = delete;

    //! Room for \p bytes; what was there is lost. No command may be in flight.
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

//! Rows of bytes in the caller's memory.
struct host_rows {
    const void* data = nullptr;
    std::size_t row = 0; //!< bytes
    std::size_t rows = 1;
    std::size_t pitch = 0; //!< bytes from row to row

    std::size_t bytes() const { return row * rows; }
};

/*!
 * Copies between the caller's memory and a device's buffer, where rows follow each other
 * without gaps.
 *
 * Commands of a device that works on the host's memory see only memory of the engine's
 * own, in between: one that hangs, or of which a driver no longer tells, cannot come to
 * the caller's memory after the call. Long copies
 * go piece by piece, so that little memory is needed and the host's part overlaps the
 * device's. One thread at a time.
 */
class staged_copies
{
public:
    /*!
     * \param lasting the caller's memory stays as it is until the call's commands have
     *        ended. A device with memory of its own then gets it without the detour,
     *        which would take it three times as long, where no gaps are between the rows
     * \param max_piece bytes that one command copies at most
     */
    staged_copies(std::shared_ptr<const context> device,
                  const cl::CommandQueue& queue,
                  bool lasting = false,
                  std::size_t max_piece = std::size_t(16) << 20);
    //! Waits for what an error has left in flight.
    ~staged_copies();

    //! Enqueues the copy to the device; the caller's memory has been read then.
    void
    write(const cl::Buffer& to, const host_rows& from, std::vector<cl::Event>& events);
    //! Enqueues the copy from the device, behind the commands so far.
    void begin_read(const cl::Buffer& from, const host_rows& to);
    //! Waits for it and puts it into the caller's memory.
    void finish_read(std::vector<cl::Event>& events);

private:
    struct slot {
        explicit slot(std::shared_ptr<const context> device) : memory(std::move(device))
        {
        }
        host_memory memory;
        cl::Event done; // event of the last command that used this memory
    };
    using slots = std::array<slot, 2>;

    unsigned char* room(slot& s, std::size_t bytes);
    void enqueue_read(std::size_t piece);
    std::size_t pieces() const;

    std::shared_ptr<const context> d_device;
    cl::CommandQueue d_queue;
    bool goes_directly(const host_rows& rows) const;

    const bool d_lasting;
    const std::size_t d_max_piece;
    slots d_writes, d_reads;
    cl::Buffer d_from;
    host_rows d_to;
};

//! Writes a table and waits for that; \p data may go then.
void write_now(const std::shared_ptr<const context>& device,
               const cl::CommandQueue& queue,
               const cl::Buffer& to,
               const void* data,
               std::size_t bytes);

} // namespace cldsp
