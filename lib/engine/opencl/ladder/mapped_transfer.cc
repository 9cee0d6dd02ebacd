// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The transfer through mapped staging buffers on devices that use the host's memory.

#include "opencl/buffer.h"
#include "opencl/pinned_transfer.h"
#include "opencl/transfer_round.h"

#include <cstring>

namespace cldsp {

namespace {

//! "mapped" for devices that work on the host's memory: the kernel uses the staging
//! buffers directly.
class staged_in_place : public transfer_round
{
public:
    staged_in_place(const std::string& name,
                    std::shared_ptr<context> device,
                    cl::CommandQueue queue)
        : transfer_round(name, device, queue),
          d_in(device, CL_MEM_READ_ONLY),
          d_out(device)
    {
    }

    device_range input(const void* data, std::size_t bytes) override
    {
        start_round();
        timed([&] {
            d_in.unmap(); // a round that failed may have left it mapped
            d_out.unmap();
            d_in.reserve(bytes);
            std::memcpy(
                d_in.map(d_queue, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes), data, bytes);
            d_in.unmap();
        });
        return { d_in.buffer(), 0 };
    }
    device_range output(void* data, std::size_t bytes) override
    {
        return result_in(d_out, data, bytes);
    }
    void finish(const cl::Event& kernel) override
    {
        d_queue.flush();
        d_device->wait(kernel);
        timed([&] {
            std::memcpy(d_result,
                        d_out.map(d_queue, CL_MAP_READ, 0, d_result_bytes),
                        d_result_bytes);
            d_out.unmap();
        });
    }

private:
    mapped_buffer d_in, d_out;
};

} // namespace

std::unique_ptr<device_transfer> make_mapped_transfer(const std::string& name,
                                                      std::shared_ptr<context> device,
                                                      const cl::CommandQueue& queue)
{
    if (shares_memory(device->device()))
        return std::make_unique<staged_in_place>(name, std::move(device), queue);
    return make_pinned_transfer(name, std::move(device), queue, nullptr);
}

} // namespace cldsp
