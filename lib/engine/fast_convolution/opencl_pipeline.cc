// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Brings the outputs of a round to the call's memory, and adds up its times.

#include "fast_convolution/opencl_pipeline.h"

namespace cldsp {

opencl_pipeline::opencl_pipeline(std::shared_ptr<context> device,
                                 const std::string& transfer,
                                 std::shared_ptr<pinned_stream> stream,
                                 bool for_one_channel)
    : d_device(device),
      d_queue(device->make_queue()),
      d_is_single(for_one_channel),
      d_transfer(make_device_transfer(transfer, device, d_queue, std::move(stream))),
      d_values(device, CL_MEM_READ_ONLY),
      d_copies(device, d_queue)
{
}

void opencl_pipeline::finish()
{
    d_transfer_time = 0;
    if (d_is_single) {
        d_transfer->finish(d_kernels.back());
        d_transfer_time = d_transfer->time();
    } else {
        auto* place = d_places.data();
        for (std::size_t p = 0; p < d_parts; ++p) {
            auto& results = d_outputs[p];
            results.finish(place);
            place += results.channels();
            d_transfer_time += results.time();
        }
    }
    d_longest_kernel = 0;
    for (const auto& kernel : d_kernels)
        d_longest_kernel = std::max(d_longest_kernel, event_seconds(*d_device, kernel));
    for (const auto& written : d_writes)
        d_transfer_time += event_seconds(*d_device, written);
}

} // namespace cldsp
