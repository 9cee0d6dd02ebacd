/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fir_transfer_base.h"

#include "buffer.h"

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
          d_out(device)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        d_in.reserve(bytes);
        write(d_in.buffer(), data, bytes);
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        return result_in(d_out, data, bytes);
    }
    void finish(const cl::Event&) override
    {
        read_result(d_out.buffer(), d_result, d_result_bytes);
        add_event_times();
    }

private:
    device_buffer d_in, d_out; // a kernel may add to what an earlier one gave
};

} // namespace

std::unique_ptr<fir_transfer> make_copied_transfer(const std::string& name,
                                                   std::shared_ptr<context> device,
                                                   const cl::CommandQueue& queue)
{
    return std::make_unique<copied>(name, std::move(device), queue);
}

} // namespace cldsp
