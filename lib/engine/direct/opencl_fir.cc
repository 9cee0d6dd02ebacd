/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/call_sums.h"
#include "filter/fir_executor.h"
#include "direct/fir_kernel.h"
#include "opencl/fir_transfer.h"
#include "opencl/kernel_pace.h"
#include "opencl/commands.h"
#include "direct/opencl_fir.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

//! A rung and a transfer, joined; calls larger than the device's buffers are cut.
class opencl_fir : public fir_executor
{
public:
    opencl_fir(std::shared_ptr<context> device,
               const std::string& variant,
               const std::string& transfer,
               const fir_setup& setup,
               const tuning_values& tuned);

    void configure(const fir_setup& setup) override;
    void run(const fir_call& call) override;
    void set_stream_memory(memory_region in, memory_region out) override
    {
        d_transfer->set_stream_memory(in, out);
    }
    std::string device_name() const override { return d_device->name(); }
    std::string variant_name() const override { return d_kernel->name(); }
    std::string transfer_name() const override { return d_transfer->name(); }
    run_statistics statistics() const override { return d_sums.averages(); }
    bool device_is_lost() const override
    {
        return d_device->is_lost_after(d_queue);
    }

private:
    void take_shape(const fir_setup& setup);
    std::size_t max_items() const;
    std::size_t max_outputs() const;
    template <class Action>
    void checked(double multiply_adds, const Action& action) const
    {
        run_commands(*d_device, d_queue, multiply_adds, action);
    }

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    std::unique_ptr<fir_kernel> d_kernel;
    std::unique_ptr<fir_transfer> d_transfer;
    std::size_t d_item_bytes, d_decimation, d_taps = 0;
    phase64 d_output_step;
    kernel_pace d_pace; //!< in outputs
    call_sums d_sums;
};

opencl_fir::opencl_fir(std::shared_ptr<context> device,
                       const std::string& variant,
                       const std::string& transfer,
                       const fir_setup& setup,
                       const tuning_values& tuned)
    : d_device(std::move(device)),
      d_queue(d_device->make_queue()),
      d_item_bytes(sample_size(setup.problem.input)),
      d_decimation(setup.problem.decimation),
      // A few milliseconds on the slowest GPUs.
      d_pace(d_device->longest_kernel(), (std::size_t(1) << 20) / setup.taps())
{
    const std::string automatic =
        d_device->device().kind == device_kind::cpu ? "cpu_tile" : "gpu_tile";
    take_shape(setup);
    checked(0, [&] {
        d_kernel = make_fir_kernel(variant == "auto" ? automatic : variant,
                                   { d_device, d_queue, setup, tuned });
        d_transfer = make_fir_transfer(transfer, d_device, d_queue);
    });
}

void opencl_fir::take_shape(const fir_setup& setup)
{
    if (setup.taps() > max_items())
        throw_invalid("taps",
                      std::to_string(setup.taps()) + " of them",
                      "at most " + std::to_string(max_items()) + " on device '" +
                          d_device->name() + "'");
    d_taps = setup.taps();
    d_output_step = -setup.step * d_decimation;
}

void opencl_fir::configure(const fir_setup& setup)
{
    take_shape(setup);
    checked(0, [&] { d_kernel->configure(setup); });
}

//! Items that a buffer holds, with room before them where host memory is wrapped.
std::size_t opencl_fir::max_items() const
{
    const auto& limits = d_device->limits();
    return std::min((limits.max_buffer - limits.base_address_alignment) / d_item_bytes,
                    max_elements_per_call);
}

//! Outputs of a call whose items and outputs fit into the device's buffers.
std::size_t opencl_fir::max_outputs() const
{
    const auto& limits = d_device->limits();
    const std::size_t by_input = (max_items() - d_taps) / d_decimation + 1;
    const std::size_t by_output =
        (limits.max_buffer - limits.base_address_alignment) / sizeof(std::complex<float>);
    return std::min(
        { by_input, by_output, max_elements_per_call, d_kernel->max_outputs() });
}

void opencl_fir::run(const fir_call& call)
{
    const std::size_t most = max_outputs();
    double kernel_time = 0, transfer_time = 0;
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
            d_transfer->finish(kernel);
            const double seconds = event_seconds(kernel);
            d_pace.ran(outputs, seconds);
            kernel_time += seconds;
            transfer_time += d_transfer->time();
            done += outputs;
        }
    });
    d_sums.add_call(call.outputs);
    d_sums.add_times(kernel_time, transfer_time);
}

} // namespace

std::unique_ptr<fir_executor> make_opencl_fir(std::shared_ptr<context> device,
                                              const std::string& variant,
                                              const std::string& transfer,
                                              const fir_setup& setup,
                                              const tuning_values& tuned)
{
    return make_on_device<opencl_fir>(device, variant, transfer, setup, tuned);
}

} // namespace cldsp
