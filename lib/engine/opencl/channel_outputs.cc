/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/channel_outputs.h"

#include "opencl/fir_transfer.h"
#include "opencl/queue_window.h"

#include <chrono>
#include <cstring>

namespace cldsp {

using clock = std::chrono::steady_clock;

channel_outputs::channel_outputs(std::shared_ptr<context> device,
                                 const cl::CommandQueue& queue)
    : d_device(device),
      d_queue(queue),
      d_in_place(device->limits().host_unified_memory),
      d_results(device),
      d_staging(device)
{
}

const cl::Buffer& channel_outputs::reserve(std::size_t channels, std::size_t outputs)
{
    d_channels = channels;
    d_outputs = outputs;
    d_time = 0;
    const std::size_t bytes = channels * outputs * sizeof(std::complex<float>);
    if (d_in_place) {
        d_staging.unmap(); // a round that failed may have left it mapped
        d_staging.reserve(bytes);
        return d_staging.buffer();
    }
    if (!d_staging.is_mapped() || d_staging.capacity() < bytes) {
        d_staging.reserve(bytes);
        d_at = d_staging.map(d_queue, CL_MAP_READ, 0, d_staging.capacity());
    }
    d_results.reserve(bytes);
    return d_results.buffer();
}

void channel_outputs::enqueue()
{
    const std::size_t bytes = d_channels * d_outputs * sizeof(std::complex<float>);
    if (d_in_place) {
        d_at = d_staging.map(d_queue, CL_MAP_READ, 0, bytes, nullptr, &d_done);
        return;
    }
    replace(d_done);
    auto slot = d_device->admit_command(d_queue);
    d_queue.enqueueReadBuffer(
        d_results.buffer(), CL_FALSE, 0, bytes, d_at, nullptr, &d_done);
    slot.enqueued(d_done);
}

void channel_outputs::finish(std::complex<float>* const* out)
{
    d_device->wait(d_done);
    d_time = event_seconds(d_done);
    const auto start = clock::now();
    const auto* from = static_cast<const std::complex<float>*>(d_at);
    for (std::size_t c = 0; c < d_channels; ++c)
        std::memcpy(out[c], from + c * d_outputs, d_outputs * sizeof(*from));
    if (d_in_place)
        d_staging.unmap();
    d_time += std::chrono::duration<double>(clock::now() - start).count();
}

} // namespace cldsp
