/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/call_statistics.h"
#include "gemm_1bit/gemm_1bit_kernel.h"
#include "opencl/commands.h"
#include "opencl/transfer.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

//! A variant and a transfer, joined; calls larger than the device's buffers are cut.
class opencl_gemm_1bit final : public gemm_1bit_executor
{
public:
    opencl_gemm_1bit(std::shared_ptr<context> device,
                     const std::string& variant,
                     const std::string& transfer,
                     const gemm_1bit_codes& codes,
                     const tuning_values& tuned)
        : d_device(std::move(device)), d_queue(d_device->make_queue())
    {
        checked(0, [&] {
            d_kernel =
                make_gemm_1bit_kernel(variant, { d_device, d_queue, codes.bits, tuned });
            d_transfer = make_device_transfer(transfer, d_device, d_queue);
        });
        set_codes(codes);
    }

    void set_codes(const gemm_1bit_codes& codes) override
    {
        d_item_bytes = codes.bytes_each();
        d_codes = codes.count;
        const auto& limits = d_device->limits();
        // With room before the data, where host memory is wrapped.
        const std::size_t room =
            std::min(limits.max_buffer - limits.base_address_alignment,
                     max_elements_per_call * sizeof(cl_int));
        d_max_items = room / std::max(d_item_bytes, d_codes * sizeof(cl_int));
        if (d_max_items == 0)
            throw_invalid(
                "codes",
                std::to_string(d_codes) + " of " + std::to_string(codes.bits) + " bits",
                "few and short enough for an item and its correlations to fit "
                "into buffers of " +
                    std::to_string(room) + " bytes on device '" + d_device->name() + "'");
        checked(0, [&] { d_kernel->set_codes(codes); });
    }

    void
    run(const std::uint8_t* items, std::size_t count, std::int32_t* correlations) override
    {
        double kernel_time = 0, transfer_time = 0;
        const double bytes = static_cast<double>(count) * static_cast<double>(d_codes) *
                             static_cast<double>(d_item_bytes);
        checked(bytes, [&] {
            for (std::size_t done = 0; done < count;) {
                const std::size_t piece = std::min(d_max_items, count - done);
                gemm_1bit_call call;
                call.count = piece;
                call.out_step = d_codes;
                call.items =
                    d_transfer->input(items + done * d_item_bytes, piece * d_item_bytes);
                call.out = d_transfer->output(correlations + done * d_codes,
                                              piece * d_codes * sizeof(cl_int));
                std::vector<cl::Event> events;
                d_kernel->enqueue(call, events);
                d_transfer->finish(events.back());
                for (const auto& event : events)
                    kernel_time += event_seconds(event);
                transfer_time += d_transfer->time();
                done += piece;
            }
        });
        d_sums.add_call(count * d_codes);
        d_sums.add_times(kernel_time, transfer_time);
    }

    void set_stream_memory(memory_region items, memory_region correlations) override
    {
        checked(0, [&] { d_transfer->set_stream_memory(items, correlations); });
    }
    std::string device_name() const override { return d_device->name(); }
    std::string variant_name() const override { return d_kernel->name(); }
    std::string transfer_name() const override { return d_transfer->name(); }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }
    bool device_is_lost() const override { return d_device->is_lost_after(d_queue); }

private:
    template <class Action>
    void checked(double multiply_adds, const Action& action) const
    {
        run_commands(*d_device, d_queue, multiply_adds, action);
    }

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    std::unique_ptr<gemm_1bit_kernel> d_kernel;
    std::unique_ptr<device_transfer> d_transfer;
    std::size_t d_item_bytes = 1, d_codes = 1, d_max_items = 1;
    call_statistics d_sums;
};

} // namespace

std::unique_ptr<gemm_1bit_executor> make_opencl_gemm_1bit(std::shared_ptr<context> device,
                                                          const std::string& variant,
                                                          const std::string& transfer,
                                                          const gemm_1bit_codes& codes,
                                                          const tuning_values& tuned)
{
    return make_on_device<opencl_gemm_1bit>(device, variant, transfer, codes, tuned);
}

} // namespace cldsp
