/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_memory.h"

#include <cstdint>
#include <utility>

namespace cldsp {

namespace {

cl::Event* next(std::vector<cl::Event>& events)
{
    events.emplace_back();
    return &events.back();
}

} // namespace

gemm_memory::gemm_memory(std::shared_ptr<context> device,
                         cl::CommandQueue queue,
                         std::size_t element,
                         bool lasting)
    : d_device(std::move(device)),
      d_queue(std::move(queue)),
      d_element(element),
      d_coherent(d_device->device().kind == device_kind::cpu),
      d_copy(d_device),
      d_copies(d_device, d_queue, lasting),
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
    d_copies.write(result.buffer,
                   { block.data, row, block.rows, block.leading * d_element },
                   events);
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
    if (!d_is_shared) {
        d_copies.begin_read(d_copy.buffer(),
                            { block.data,
                              block.columns * d_element,
                              block.rows,
                              block.leading * d_element });
        return;
    }
    if (d_coherent)
        return;
    d_shared.map(d_queue,
                 CL_MAP_READ,
                 d_shared_offset,
                 block.bytes(d_element),
                 nullptr,
                 next(events));
    d_shared.unmap(next(events));
}

bool gemm_memory::finish(std::vector<cl::Event>& events)
{
    if (!d_is_shared)
        d_copies.finish_read(events);
    else if (!d_coherent)
        d_device->wait(events.back());
    return !d_is_shared || !d_coherent;
}

void gemm_memory::release() noexcept { d_shared.forget(); }

} // namespace cldsp
