// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Copies rows of a caller's memory through staging memory, to a device and back.

#include "opencl/staging.h"


#include "opencl/device_watch.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <string>
#include <utility>

namespace cldsp {

namespace {

//! Calls \p copy for each contiguous part of the bytes \p first to \p first + \p bytes -
//! 1 of the rows.
template <class Copy>
void each_part(const host_rows& rows,
               std::size_t first,
               std::size_t bytes,
               const Copy& copy)
{
    if (rows.row == rows.pitch || rows.rows == 1) {
        copy(first, 0, bytes);
        return;
    }
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t row = (first + done) / rows.row;
        const std::size_t column = (first + done) % rows.row;
        const std::size_t part = std::min(rows.row - column, bytes - done);
        copy(row * rows.pitch + column, done, part);
        done += part;
    }
}

} // namespace

host_memory::host_memory(std::shared_ptr<const context> device)
    : d_device(std::move(device))
{
}

host_memory::~host_memory()
{
    if (d_device->is_lost())
        (void)d_memory.release();
}

unsigned char* host_memory::reserve(std::size_t bytes)
{
    if (bytes > d_capacity) {
        d_device->check_usable(); // on a lost device a command may still use it
        constexpr std::size_t page = 4096;
        const std::size_t capacity = (bytes + page - 1) / page * page;
        d_memory.reset();
        d_capacity = 0;
        d_memory.reset(static_cast<unsigned char*>(std::aligned_alloc(page, capacity)));
        if (!d_memory)
            throw opencl_error("aligned_alloc",
                               CL_OUT_OF_HOST_MEMORY,
                               d_device->name(),
                               std::to_string(capacity) + " bytes");
        d_capacity = capacity;
    }
    return d_memory.get();
}

unsigned char* pinned_memory::reserve(const cl::CommandQueue& queue, std::size_t bytes)
{
    if (!d_is_pinned)
        return d_at = d_plain.reserve(bytes);
    if (!d_buffer.is_mapped() || d_buffer.capacity() < bytes) {
        d_buffer.reserve(bytes);
        d_at = static_cast<unsigned char*>(
            d_buffer.map(queue, CL_MAP_READ | CL_MAP_WRITE, 0, d_buffer.capacity()));
    }
    return d_at;
}

staged_copies::staged_copies(std::shared_ptr<const context> device,
                             const cl::CommandQueue& queue,
                             std::size_t max_piece)
    : d_device(device),
      d_queue(queue),
      d_max_piece(max_piece),
      d_copies(*device),
      d_writes{ slot(device), slot(device) },
      d_reads{ slot(device), slot(device) }
{
}

staged_copies::~staged_copies()
{
    for (const auto* const both : { &d_writes, &d_reads })
        for (const auto& s : *both)
            if (s.done() && !has_ended(s.done))
                d_device->drain(d_queue);
}

//! Waits until no command uses the memory of a slot, and makes room there.
void staged_copies::make_room(slot& s, std::size_t bytes)
{
    // Pinning less than that takes longer than it gains.
    constexpr std::size_t min_pinned = std::size_t(1) << 18;
    if (s.done() && !has_ended(s.done)) // commands of a failed call were drained
        d_device->wait(s.done);
    replace(s.done);
    s.data = bytes < min_pinned || shares_memory(d_device->device())
                 ? s.plain.reserve(bytes)
                 : s.pinned.reserve(d_queue, bytes);
}

void staged_copies::write(const cl::Buffer& to,
                          const host_rows& from,
                          std::vector<cl::Event>& events)
{
    const auto* const data = static_cast<const unsigned char*>(from.data);
    std::size_t piece = 0;
    for (std::size_t first = 0; first < from.bytes(); first += d_max_piece) {
        auto& s = d_writes[piece++ % d_writes.size()];
        const std::size_t bytes = std::min(d_max_piece, from.bytes() - first);
        make_room(s, bytes);
        each_part(
            from, first, bytes, [&](std::size_t at, std::size_t to_at, std::size_t n) {
                d_copies.add(s.data + to_at, data + at, n);
            });
        d_copies.run();
        auto slot = d_device->admit_command(d_queue);
        d_queue.enqueueWriteBuffer(to, CL_FALSE, first, bytes, s.data, nullptr, &s.done);
        slot.enqueued(s.done);
        events.push_back(s.done);
    }
}

std::size_t staged_copies::pieces() const
{
    return (d_to.bytes() + d_max_piece - 1) / d_max_piece;
}

void staged_copies::enqueue_read(std::size_t piece)
{
    auto& s = d_reads[piece % d_reads.size()];
    const std::size_t first = piece * d_max_piece;
    const std::size_t bytes = std::min(d_max_piece, d_to.bytes() - first);
    make_room(s, bytes);
    auto slot = d_device->admit_command(d_queue);
    d_queue.enqueueReadBuffer(d_from, CL_FALSE, first, bytes, s.data, nullptr, &s.done);
    slot.enqueued(s.done);
}

void staged_copies::begin_read(const cl::Buffer& from, const host_rows& to)
{
    replace(d_from, cl::Buffer(from));
    d_to = to;
    for (std::size_t i = 0; i < std::min(pieces(), d_reads.size()); ++i)
        enqueue_read(i);
}

void staged_copies::finish_read(std::vector<cl::Event>& events)
{
    auto* const data = static_cast<unsigned char*>(const_cast<void*>(d_to.data));
    for (std::size_t i = 0; i < pieces(); ++i) {
        auto& s = d_reads[i % d_reads.size()];
        const std::size_t first = i * d_max_piece;
        const std::size_t bytes = std::min(d_max_piece, d_to.bytes() - first);
        d_device->wait(s.done);
        events.push_back(s.done);
        each_part(
            d_to, first, bytes, [&](std::size_t at, std::size_t from_at, std::size_t n) {
                d_copies.add(data + at, s.data + from_at, n);
            });
        d_copies.run();
        if (i + d_reads.size() < pieces())
            enqueue_read(i + d_reads.size());
    }
    replace(d_from);
}

void write_now(const std::shared_ptr<const context>& device,
               const cl::CommandQueue& queue,
               const cl::Buffer& to,
               const void* data,
               std::size_t bytes)
{
    staged_copies copies(device, queue);
    std::vector<cl::Event> events;
    copies.write(to, { data, bytes, 1, bytes }, events);
    for (const auto& event : events)
        device->wait(event);
}

} // namespace cldsp
