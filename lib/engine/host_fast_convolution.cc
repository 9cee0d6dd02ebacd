/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "host_fast_convolution.h"

#include "host_fir.h"
#include "host_fir_simd.h"
#include "overlap_save_methods.h"
#include "thread_pool.h"

#include <cldsp/errors.h>

#include "aligned_vector.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace cldsp {

namespace {

// Nanoseconds of a tap of an output, as measured: what decides whether a call's rest is
// worth a block.
constexpr double direct_tap = 0.04;

// Channels that a thread takes at a time.
constexpr std::size_t channel_group = 16;

class host_fast_convolution final : public bank_executor
{
public:
    host_fast_convolution(const overlap_save_method& method,
                          const std::vector<fir_setup>& setups,
                          std::size_t rows,
                          double accuracy,
                          std::shared_ptr<thread_pool> pool);

    void configure(std::size_t channel, const fir_setup& setup) override;
    void run(const bank_call& call) override;
    void set_stream_memory(memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return d_method->name; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override;

private:
    struct channel_state {
        explicit channel_state(const fir_setup& s) : setup(s) {}
        fir_setup setup;
        aligned_vector<std::complex<float>> rotation; // of a block's outputs
        std::unique_ptr<host_fir> direct;             // empty until needed
    };

    void rebuild();
    void configure_blocks(std::size_t channel);
    bool rest_is_direct(std::size_t outputs) const;
    void run_blocks(const bank_call& call, std::size_t outputs);
    void run_direct(const bank_call& call, std::size_t first);
    void forward(const bank_call& call, std::size_t first, std::size_t slot);
    void compute(const bank_call& call,
                 std::size_t first,
                 std::size_t slot,
                 std::size_t channel,
                 std::size_t channels,
                 unsigned worker);

    const overlap_save_method* d_method;
    const std::size_t d_rows; // asked for; 0: any
    const std::shared_ptr<thread_pool> d_pool;
    const simd_kernels& d_kernels;
    overlap_save_shape d_shape;
    std::vector<channel_state> d_channels;
    std::unique_ptr<overlap_save> d_blocks;
    // A slot is a block in work.
    std::vector<std::unique_ptr<overlap_save_spectrum>> d_spectra;
    std::vector<aligned_vector<unsigned char>> d_edges; // a block that a call has in part
    // Of each thread.
    std::vector<std::unique_ptr<overlap_save_workspace>> d_workspaces;
    std::vector<host_fir_scratch> d_scratch;

    run_statistics d_totals;
    double d_seconds = 0;
};

host_fast_convolution::host_fast_convolution(const overlap_save_method& method,
                                             const std::vector<fir_setup>& setups,
                                             std::size_t rows,
                                             double accuracy,
                                             std::shared_ptr<thread_pool> pool)
    : d_method(&method),
      d_rows(rows),
      d_pool(std::move(pool)),
      d_kernels(*available_simd_kernels().front()),
      d_channels(setups.begin(), setups.end())
{
    const auto& problem = setups.front().problem;
    d_shape.input = problem.input;
    d_shape.decimation = problem.decimation;
    d_shape.channels = setups.size();
    d_shape.accuracy = accuracy;
    rebuild();
}

void host_fast_convolution::rebuild()
{
    d_shape.reach = 0;
    for (const auto& channel : d_channels)
        d_shape.reach = std::max(d_shape.reach, channel.setup.taps());
    d_shape.rows = d_rows;
    try {
        d_blocks = make_blocks(*d_method, d_shape);
    } catch (const std::invalid_argument&) {
        // New taps can be longer than a method covers; a stream goes on all the same.
        if (!d_blocks || d_method->name == "bins")
            throw;
        d_method = find_overlap_save_method("bins");
        d_shape.rows = 0;
        d_blocks = make_blocks(*d_method, d_shape);
    }

    const unsigned threads = d_pool ? d_pool->threads() : 1;
    d_spectra.clear();
    d_workspaces.clear();
    for (unsigned i = 0; i < threads; i++) {
        d_spectra.push_back(d_blocks->make_spectrum());
        d_workspaces.push_back(d_blocks->make_workspace());
    }
    d_edges.resize(threads);
    d_scratch.resize(threads);
    for (std::size_t c = 0; c < d_channels.size(); c++)
        configure_blocks(c);
}

void host_fast_convolution::configure_blocks(std::size_t channel)
{
    auto& c = d_channels[channel];
    d_blocks->configure(channel, c.setup);
    c.rotation.resize(d_blocks->block_outputs());
    fill_phasors(c.rotation.data(),
                 c.rotation.size(),
                 phase64(),
                 -c.setup.step * d_shape.decimation);
}

void host_fast_convolution::configure(std::size_t channel, const fir_setup& setup)
{
    auto& c = d_channels[channel];
    c.setup = setup;
    if (c.direct)
        c.direct->configure(setup);
    if (setup.taps() > d_shape.reach)
        rebuild();
    else
        configure_blocks(channel);
}

bool host_fast_convolution::rest_is_direct(std::size_t outputs) const
{
    double direct = 0;
    for (const auto& channel : d_channels)
        direct += static_cast<double>(channel.setup.taps()) *
                  (channel.setup.real_taps ? direct_tap : 2 * direct_tap);
    const double item = d_method->item_cost +
                        d_method->channel_cost * static_cast<double>(d_channels.size());
    return direct * static_cast<double>(outputs) <
           item * static_cast<double>(d_blocks->block_items());
}

void host_fast_convolution::run(const bank_call& call)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const std::size_t rest = call.outputs % d_blocks->block_outputs();
    const std::size_t direct = rest_is_direct(rest) ? rest : 0;
    run_blocks(call, call.outputs - direct);
    if (direct)
        run_direct(call, call.outputs - direct);
    d_seconds += std::chrono::duration<double>(clock::now() - start).count();
    d_totals.calls++;
    d_totals.outputs += call.outputs;
}

void host_fast_convolution::run_blocks(const bank_call& call, std::size_t outputs)
{
    bank_call blocks = call;
    blocks.outputs = outputs;
    const std::size_t size = d_blocks->block_outputs();
    const std::size_t channels = d_channels.size();
    if (!d_pool || d_pool->threads() == 1) {
        for (std::size_t first = 0; first < outputs; first += size) {
            forward(blocks, first, 0);
            compute(blocks, first, 0, 0, channels, 0);
        }
        return;
    }
    const std::size_t groups = (channels + channel_group - 1) / channel_group;
    for (std::size_t first = 0; first < outputs; first += size * d_spectra.size()) {
        const std::size_t slots =
            std::min(d_spectra.size(), (outputs - first + size - 1) / size);
        d_pool->parallel_for(slots, [&](std::size_t slot, unsigned) {
            forward(blocks, first + slot * size, slot);
        });
        d_pool->parallel_for(slots * groups, [&](std::size_t i, unsigned worker) {
            const std::size_t slot = i / groups;
            const std::size_t channel = i % groups * channel_group;
            compute(blocks,
                    first + slot * size,
                    slot,
                    channel,
                    std::min(channel_group, channels - channel),
                    worker);
        });
    }
}

//! Transforms the block of output \p first. What a block has beyond the call's items
//! meets no tap of any output that is asked for.
void host_fast_convolution::forward(const bank_call& call,
                                    std::size_t first,
                                    std::size_t slot)
{
    const std::size_t size = sample_size(d_shape.input);
    const std::size_t length = d_blocks->block_items();
    const std::size_t items = call.items(d_shape.decimation);
    const auto* in = static_cast<const unsigned char*>(call.in);

    // The taps can have become fewer since the blocks were made.
    const std::size_t newest = call.past + first * d_shape.decimation;
    const std::size_t missing =
        newest + 1 < d_shape.reach ? d_shape.reach - 1 - newest : 0;
    const std::size_t begin = newest + 1 + missing - d_shape.reach;
    if (missing == 0 && begin + length <= items) {
        d_blocks->forward(in + begin * size, *d_spectra[slot]);
        return;
    }
    auto& edge = d_edges[slot];
    edge.resize(length * size);
    const std::size_t count = std::min(length - missing, items - begin);
    std::fill_n(edge.begin(), missing * size, 0);
    std::copy_n(in + begin * size, count * size, edge.begin() + missing * size);
    std::fill(edge.begin() + (missing + count) * size, edge.end(), 0);
    d_blocks->forward(edge.data(), *d_spectra[slot]);
}

void host_fast_convolution::compute(const bank_call& call,
                                    std::size_t first,
                                    std::size_t slot,
                                    std::size_t channel,
                                    std::size_t channels,
                                    unsigned worker)
{
    const std::size_t outputs = std::min(d_blocks->block_outputs(), call.outputs - first);
    std::complex<float>* out[channel_group];
    for (std::size_t done = 0; done < channels; done += channel_group) {
        const std::size_t now = std::min(channel_group, channels - done);
        for (std::size_t i = 0; i < now; i++)
            out[i] = call.out[channel + done + i] + first;
        d_blocks->compute(
            channel + done, now, *d_spectra[slot], *d_workspaces[worker], out, outputs);
        for (std::size_t i = 0; i < now; i++) {
            const auto& c = d_channels[channel + done + i];
            const phase64 phase = call.phases[channel + done + i] -
                                  c.setup.step * d_shape.decimation * first;
            const std::complex<float> phasor(phase.phasor());
            d_kernels.rotate(reinterpret_cast<float*>(out[i]),
                             reinterpret_cast<const float*>(c.rotation.data()),
                             phasor.real(),
                             phasor.imag(),
                             outputs);
        }
    }
}

void host_fast_convolution::run_direct(const bank_call& call, std::size_t first)
{
    const auto run_channel = [&](std::size_t i, unsigned worker) {
        auto& c = d_channels[i];
        if (!c.direct)
            c.direct = make_plain_host_fir("auto", c.setup);
        const std::size_t advance = first * d_shape.decimation;
        const std::size_t oldest = call.past + advance - (c.setup.taps() - 1);
        const auto* in = static_cast<const unsigned char*>(call.in);
        c.direct->run({ in + oldest * sample_size(d_shape.input),
                        call.out[i] + first,
                        call.outputs - first,
                        call.phases[i] - c.setup.step * advance },
                      d_scratch[worker]);
    };
    if (d_pool) {
        d_pool->parallel_for(d_channels.size(), run_channel);
    } else {
        for (std::size_t i = 0; i < d_channels.size(); i++)
            run_channel(i, 0);
    }
}

run_statistics host_fast_convolution::statistics() const
{
    run_statistics result = d_totals;
    if (result.calls)
        result.kernel_time = d_seconds / static_cast<double>(result.calls);
    return result;
}

//! A bank of one channel as a filter.
class fast_convolution_fir final : public host_fir
{
public:
    fast_convolution_fir(const overlap_save_method& method,
                         const fir_setup& setup,
                         std::size_t rows,
                         double accuracy)
        : d_bank(method, { setup }, rows, accuracy, nullptr), d_taps(setup.taps())
    {
    }

    void configure(const fir_setup& setup) override
    {
        d_bank.configure(0, setup);
        d_taps = setup.taps();
    }
    std::string variant_name() const override { return d_bank.variant_name(); }

protected:
    void compute(const fir_call& call, host_fir_scratch&) override
    {
        std::complex<float>* out = call.out;
        d_bank.run({ call.in, d_taps - 1, &out, call.outputs, &call.phase });
    }

private:
    host_fast_convolution d_bank;
    std::size_t d_taps;
};

const overlap_save_method& method_of(const std::string& variant)
{
    const auto* method = find_overlap_save_method(variant);
    if (!method) {
        std::string known;
        for (const auto& m : overlap_save_methods())
            known += m.name + ", ";
        throw_invalid("variant",
                      "'" + variant + "'",
                      known + "or auto for fast convolution on the host");
    }
    return *method;
}

} // namespace

std::unique_ptr<fir_executor> make_host_fast_convolution(const std::string& variant,
                                                         const fir_setup& setup,
                                                         std::size_t rows,
                                                         double accuracy)
{
    return std::make_unique<fast_convolution_fir>(
        method_of(variant), setup, rows, accuracy);
}

std::unique_ptr<bank_executor>
make_host_fast_convolution_bank(const std::string& variant,
                                const std::vector<fir_setup>& setups,
                                std::size_t rows,
                                double accuracy,
                                std::shared_ptr<thread_pool> pool)
{
    return std::make_unique<host_fast_convolution>(
        method_of(variant), setups, rows, accuracy, std::move(pool));
}

} // namespace cldsp
