// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One kernel and one transfer for each channel, in calls that fit the buffers.

#include "direct/opencl_direct.h"

#include "base/call_statistics.h"
#include "direct/fir_kernel.h"
#include "opencl/commands.h"
#include "opencl/kernel_pace.h"
#include "opencl/transfer.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

//! One channel: a kernel and a transfer. Calls that are larger than the device's buffers
//! are split.
class opencl_fir
{
public:
    opencl_fir(std::shared_ptr<context> device,
               const std::string& variant,
               const std::string& transfer,
               const filter_channel& channel,
               const tuning_values& tuned);

    void configure(const filter_channel& channel);
    void run(const fir_call& call);
    void set_stream_memory(memory_region in, memory_region out)
    {
        d_transfer->set_stream_memory(in, out);
    }
    std::size_t taps() const { return d_taps; }
    const std::string& variant_name() const { return d_kernel->name(); }
    const std::string& transfer_name() const { return d_transfer->name(); }
    //! Seconds of the last call's kernels and transfers, from profiling events.
    double kernel_time() const { return d_kernel_time; }
    double transfer_time() const { return d_transfer_time; }
    bool device_is_lost() const { return d_device->is_lost_after(d_queue); }

private:
    void take_shape(const filter_channel& channel);
    std::size_t max_outputs() const;
    template <class Action>
    void checked(double multiply_adds, const Action& action) const
    {
        run_commands(*d_device, d_queue, multiply_adds, action);
    }

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    std::unique_ptr<fir_kernel> d_kernel;
    std::unique_ptr<device_transfer> d_transfer;
    std::size_t d_item_bytes, d_decimation, d_taps = 0;
    phase64 d_output_step;
    kernel_pace d_pace; //!< counts outputs
    double d_kernel_time = 0, d_transfer_time = 0;
};

opencl_fir::opencl_fir(std::shared_ptr<context> device,
                       const std::string& variant,
                       const std::string& transfer,
                       const filter_channel& channel,
                       const tuning_values& tuned)
    : d_device(std::move(device)),
      d_queue(d_device->make_queue()),
      d_item_bytes(sample_size(channel.problem.input)),
      d_decimation(channel.problem.decimation),
      // The first kernel takes a few milliseconds on the slowest GPUs.
      d_pace(d_device->longest_kernel(), (std::size_t(1) << 20) / channel.taps())
{
    take_shape(channel);
    checked(0, [&] {
        d_kernel = make_fir_kernel(variant, { d_device, d_queue, channel, tuned });
        d_transfer = make_device_transfer(transfer, d_device, d_queue);
    });
}

void opencl_fir::take_shape(const filter_channel& channel)
{
    const std::size_t most = max_direct_taps(d_device->limits(), d_item_bytes);
    if (channel.taps() > most)
        throw_invalid("taps",
                      std::to_string(channel.taps()) + " of them",
                      "at most " + std::to_string(most) + " on device '" +
                          d_device->name() + "'");
    d_taps = channel.taps();
    d_output_step = -channel.step * d_decimation;
}

void opencl_fir::configure(const filter_channel& channel)
{
    take_shape(channel);
    checked(0, [&] { d_kernel->configure(channel); });
}

std::size_t opencl_fir::max_outputs() const
{
    return std::min(
        max_direct_outputs(d_device->limits(), d_item_bytes, d_taps, d_decimation),
        d_kernel->max_outputs());
}

void opencl_fir::run(const fir_call& call)
{
    const std::size_t most = max_outputs();
    d_kernel_time = d_transfer_time = 0;
    const double multiply_adds =
        static_cast<double>(call.outputs) * static_cast<double>(d_taps);
    checked(multiply_adds, [&] {
        for (std::size_t done = 0; done < call.outputs;) {
            const std::size_t outputs = d_pace.units(std::min(most, call.outputs - done));
            const std::size_t items = (outputs - 1) * d_decimation + d_taps;
            const auto* from = static_cast<const unsigned char*>(call.in) +
                               done * d_decimation * d_item_bytes;
            const auto in = d_transfer->input(from, items * d_item_bytes);
            const auto out = d_transfer->output(call.out + done,
                                                outputs * sizeof(std::complex<float>));
            const cl::Event kernel =
                d_kernel->enqueue(in, out, outputs, call.phase + d_output_step * done);
            d_transfer->start_result();
            d_transfer->finish(kernel);
            const double seconds = event_seconds(*d_device, kernel);
            d_pace.ran(outputs, seconds);
            d_kernel_time += seconds;
            d_transfer_time += d_transfer->time();
            done += outputs;
        }
    });
}

class opencl_direct final : public filter_executor
{
public:
    opencl_direct(std::shared_ptr<context> device,
                  const std::string& variant,
                  const std::string& transfer,
                  const std::vector<filter_channel>& channels,
                  const std::function<tuning_values(const filter_channel&)>& tuned)
        : d_device(std::move(device)),
          d_item_bytes(sample_size(channels.front().problem.input))
    {
        for (const auto& channel : channels)
            d_firs.push_back(
                std::make_unique<opencl_fir>(d_device,
                                             variant,
                                             transfer,
                                             channel,
                                             tuned ? tuned(channel) : tuning_values()));
    }

    void configure(std::size_t index, const filter_channel& channel) override
    {
        d_firs[index]->configure(channel);
    }
    void run(const filter_call& call) override
    {
        double kernel_time = 0, transfer_time = 0;
        find_active(call, d_firs.size(), d_active);
        if (d_active.empty())
            return;
        for (const std::size_t index : d_active) {
            auto& fir = *d_firs[index];
            fir.run(channel_of(call, index, fir.taps(), d_item_bytes));
            kernel_time += fir.kernel_time();
            transfer_time += fir.transfer_time();
        }
        d_sums.add_call(call.outputs());
        d_sums.add_times(kernel_time, transfer_time);
    }
    void set_stream_memory(memory_region in, memory_region out) override
    {
        for (auto& fir : d_firs)
            fir->set_stream_memory(in, d_firs.size() == 1 ? out : memory_region());
    }
    std::string device_name() const override { return d_device->name(); }
    std::string variant_name() const override { return d_firs.front()->variant_name(); }
    std::string transfer_name() const override { return d_firs.front()->transfer_name(); }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }
    bool device_is_lost() const override
    {
        return std::any_of(d_firs.begin(), d_firs.end(), [](const auto& fir) {
            return fir->device_is_lost();
        });
    }

private:
    std::shared_ptr<context> d_device;
    const std::size_t d_item_bytes;
    std::vector<std::unique_ptr<opencl_fir>> d_firs; // one per channel
    std::vector<std::size_t> d_active; // the channels that are active in this call
    call_statistics d_sums;
};

} // namespace

std::size_t max_direct_taps(const device_limits& limits, std::size_t item_bytes)
{
    return std::min((limits.max_buffer - limits.base_address_alignment) / item_bytes,
                    max_elements_per_call);
}

std::size_t max_direct_outputs(const device_limits& limits,
                               std::size_t item_bytes,
                               std::size_t taps,
                               std::size_t decimation)
{
    const std::size_t by_input =
        (max_direct_taps(limits, item_bytes) - taps) / decimation + 1;
    const std::size_t by_output =
        (limits.max_buffer - limits.base_address_alignment) / sizeof(std::complex<float>);
    return std::min({ by_input, by_output, max_elements_per_call });
}

std::unique_ptr<filter_executor>
make_opencl_direct(std::shared_ptr<context> device,
                   const std::string& variant,
                   const std::string& transfer,
                   const std::vector<filter_channel>& channels,
                   const std::function<tuning_values(const filter_channel&)>& tuned)
{
    return make_on_device<opencl_direct>(device, variant, transfer, channels, tuned);
}

} // namespace cldsp
