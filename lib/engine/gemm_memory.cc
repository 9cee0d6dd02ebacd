/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_memory.h"

#include <cstdint>
#include <utility>

namespace cldsp {

namespace {

using coordinates = cl::array<cl::size_type, 3>;

cl::Event* next(std::vector<cl::Event>& events)
{
    events.emplace_back();
    return &events.back();
}

} // namespace

gemm_memory::gemm_memory(std::shared_ptr<context> device,
                         cl::CommandQueue queue,
                         std::size_t element)
    : d_device(std::move(device)),
      d_queue(std::move(queue)),
      d_element(element),
      d_coherent(d_device->device().kind == device_kind::cpu),
      d_copy(d_device),
      d_shared(d_device)
{
}

bool gemm_memory::can_share(const gemm_block& block) const
{
    const auto& limits = d_device->limits();
    if (!d_coherent && !limits.host_unified_memory)
        return false;
    const std::size_t before =
        reinterpret_cast<std::uintptr_t>(block.data) % limits.base_address_alignment;
    // Elsewhere than on a CPU a cache line that is not the matrix's alone may be stale.
    if (d_coherent ? before % d_element != 0 : before != 0)
        return false;
    return block.bytes(d_element) + before <= limits.max_buffer;
}

gemm_device_matrix gemm_memory::put(const gemm_block& block,
                                    bool shared,
                                    bool content,
                                    std::vector<cl::Event>& events)
{
    d_is_shared = shared;
    if (shared)
        return share(block, events);

    gemm_device_matrix result;
    result.leading = block.columns;
    const std::size_t row = block.columns * d_element;
    d_copy.reserve(block.rows * row);
    result.buffer = d_copy.buffer();
    if (!content)
        return result;
    auto slot = d_device->admit_command();
    if (block.leading == block.columns)
        d_queue.enqueueWriteBuffer(result.buffer,
                                   CL_FALSE,
                                   0,
                                   block.rows * row,
                                   block.data,
                                   nullptr,
                                   next(events));
    else
        d_queue.enqueueWriteBufferRect(result.buffer,
                                       CL_FALSE,
                                       coordinates{ 0, 0, 0 },
                                       coordinates{ 0, 0, 0 },
                                       coordinates{ row, block.rows, 1 },
                                       row,
                                       0,
                                       block.leading * d_element,
                                       0,
                                       block.data,
                                       nullptr,
                                       next(events));
    slot.enqueued(events.back());
    return result;
}

gemm_device_matrix gemm_memory::share(const gemm_block& block,
                                      std::vector<cl::Event>& events)
{
    // From the boundary before the data on, which kernels do not touch.
    const std::size_t before = reinterpret_cast<std::uintptr_t>(block.data) %
                               d_device->limits().base_address_alignment;
    d_shared.forget();
    d_shared.wrap({ static_cast<const unsigned char*>(block.data) - before,
                    block.bytes(d_element) + before });
    d_shared_offset = before;
    if (!d_coherent) {
        // "Invalidate" keeps the driver from putting stale data over the host's. What is
        // room alone is brought over too, for the gaps between rows are the caller's.
        d_shared.map(d_queue,
                     CL_MAP_WRITE_INVALIDATE_REGION,
                     before,
                     block.bytes(d_element),
                     nullptr,
                     next(events));
        d_shared.unmap(next(events));
    }
    return { d_shared.buffer(), before / d_element, block.leading };
}

void gemm_memory::get(const gemm_block& block, std::vector<cl::Event>& events)
{
    void* const data = const_cast<void*>(block.data);
    const std::size_t row = block.columns * d_element;
    if (d_is_shared) {
        if (!d_coherent) {
            d_shared.map(d_queue,
                         CL_MAP_READ,
                         d_shared_offset,
                         block.bytes(d_element),
                         nullptr,
                         next(events));
            d_shared.unmap(next(events));
        }
        return;
    }
    auto slot = d_device->admit_command();
    if (block.leading == block.columns)
        d_queue.enqueueReadBuffer(
            d_copy.buffer(), CL_FALSE, 0, block.rows * row, data, nullptr, next(events));
    else
        d_queue.enqueueReadBufferRect(d_copy.buffer(),
                                      CL_FALSE,
                                      coordinates{ 0, 0, 0 },
                                      coordinates{ 0, 0, 0 },
                                      coordinates{ row, block.rows, 1 },
                                      row,
                                      0,
                                      block.leading * d_element,
                                      0,
                                      data,
                                      nullptr,
                                      next(events));
    slot.enqueued(events.back());
}

void gemm_memory::release() noexcept { d_shared.forget(); }

} // namespace cldsp
