/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/fir_transfer_base.h"

#include "opencl/buffer.h"
#include "opencl/staging.h"

namespace cldsp {

namespace {

class copied : public fir_transfer_base
{
public:
    copied(const std::string& name,
           std::shared_ptr<context> device,
           cl::CommandQueue queue)
        : fir_transfer_base(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device),
          d_copies(device, queue, true)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        d_in.reserve(bytes);
        d_copies.write(d_in.buffer(), { data, bytes, 1, bytes }, d_events);
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        return result_in(d_out, data, bytes);
    }
    void finish(const cl::Event&) override
    {
        d_copies.begin_read(d_out.buffer(),
                            { d_result, d_result_bytes, 1, d_result_bytes });
        d_queue.flush();
        d_copies.finish_read(d_events);
        add_event_times();
    }

private:
    device_buffer d_in, d_out; // a kernel may add to what an earlier one gave
    staged_copies d_copies;
};

} // namespace

std::unique_ptr<fir_transfer> make_copied_transfer(const std::string& name,
                                                   std::shared_ptr<context> device,
                                                   const cl::CommandQueue& queue)
{
    return std::make_unique<copied>(name, std::move(device), queue);
}

} // namespace cldsp
