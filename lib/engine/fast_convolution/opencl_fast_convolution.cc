// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Cuts calls into pieces, and gives the pieces in turns to pipelines.

#include "fast_convolution/opencl_fast_convolution.h"

#include "base/arithmetic.h"
#include "base/call_statistics.h"
#include "fast_convolution/block_pipeline.h"
#include "fast_convolution/channel_responses.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "fast_convolution/forward_transform.h"
#include "fast_convolution/fused_fold.h"
#include "fast_convolution/overlap_save.h"
#include "fft/vkfft_plan.h"
#include "filter/filter_executor.h"
#include "filter/variants.h"
#include "opencl/call_pieces.h"
#include "opencl/commands.h"
#include "opencl/kernel_groups.h"
#include "opencl/pinned_transfer.h"

#include <cldsp/errors.h>
#include <cldsp/logger.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

std::size_t longest(const std::vector<filter_channel>& channels)
{
    std::size_t taps = 0;
    for (const auto& c : channels)
        taps = std::max(taps, c.taps());
    return taps;
}

//! See make_opencl_fast_convolution().
class opencl_fast_convolution final : public filter_executor
{
public:
    opencl_fast_convolution(std::shared_ptr<context> device,
                            const std::string& variant,
                            const std::string& transfer,
                            const std::vector<filter_channel>& channels,
                            double accuracy,
                            std::size_t ifft_size,
                            const tuning_values& tuned,
                            tensor_mode mode);

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;
    void set_stream_memory(memory_region in, memory_region out) override
    {
        d_pipelines.set_stream_memory(in, out);
    }
    std::string device_name() const override { return d_device->name(); }
    std::string variant_name() const override { return d_variant; }
    std::string transfer_name() const override
    {
        return d_pipelines.first().transfer_name();
    }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }
    bool device_is_lost() const override { return d_pipelines.device_is_lost(); }

private:
    //! The sizes for taps of a certain length.
    struct layout {
        overlap_save_block block;
        pipeline_shape shape;
        bool real_responses; //!< whether those of the first channel are real
    };
    layout layout_for(std::size_t max_taps, const device_limits& limits) const;
    bool center_linear_phase(overlap_save_block& block) const;
    response_layout responses_for(const layout& sizes) const;
    void make(std::size_t max_taps);
    void provide_responses(const std::vector<std::size_t>& channels);
    bool fits_block() const;
    std::size_t outputs_per_piece(std::size_t outputs) const;
    double multiply_adds(std::size_t outputs) const;
    void take_active();
    std::vector<fused_fold::entry> ordered(const std::vector<cl_uint>& active) const;
    std::vector<cl_uint2> tile_rows(const std::vector<fused_fold::entry>& entries) const;
    void set_tables(const std::vector<cl_uint>& active);
    void turn_rotators(const filter_call& call, std::size_t first);

    std::shared_ptr<context> d_device;
    device_limits d_limits; //!< with groups that the compiled kernels may have
    const std::string d_variant, d_transfer;
    std::vector<filter_channel> d_channels;
    const double d_accuracy;
    const tuning_values d_tuned;
    const tensor_mode d_mode;
    const std::size_t d_ifft_size;    //!< that was asked for; 0: any
    const std::size_t d_planned_taps; //!< taps for which d_ifft_size was chosen and
                                      //!< values were tuned
    overlap_save_block d_block;
    pipeline_shape d_shape;
    std::shared_ptr<pinned_stream> d_stream; //!< of all pipelines
    pipeline_group<block_pipeline> d_pipelines;
    std::unique_ptr<channel_responses> d_responses; // uses the first pipeline
    std::vector<std::size_t> d_found; // the channels that are active in this call
    std::vector<cl_uint> d_active;    // those in d_tables
    bool d_changed =
        false; // whether channels have changed since their responses were made
    active_tables d_tables;
    std::vector<cl_uint4> d_rotators; // of the active channels
    call_statistics d_sums;
};

opencl_fast_convolution::opencl_fast_convolution(
    std::shared_ptr<context> device,
    const std::string& variant,
    const std::string& transfer,
    const std::vector<filter_channel>& channels,
    double accuracy,
    std::size_t ifft_size,
    const tuning_values& tuned,
    tensor_mode mode)
    : d_device(std::move(device)),
      d_limits(d_device->limits()),
      d_variant(variant),
      d_transfer(transfer),
      d_channels(channels),
      d_accuracy(accuracy),
      d_tuned(tuned),
      d_mode(mode),
      d_ifft_size(ifft_size),
      d_planned_taps(longest(channels)),
      d_stream(std::make_shared<pinned_stream>(d_device)),
      d_pipelines(d_device)
{
    if (channels.empty())
        throw_invalid("channels", "none", "one or more");
    check_accuracy(accuracy);
    if (!vkfft_plan::missing().empty())
        throw_invalid(
            "variant", "'" + variant + "'", "another one: " + vkfft_plan::missing());
    make(d_planned_taps);
    std::vector<std::size_t> all(channels.size());
    std::iota(all.begin(), all.end(), 0);
    provide_responses(all);
}

//! \throws std::invalid_argument for taps that are too long for the device
opencl_fast_convolution::layout
opencl_fast_convolution::layout_for(std::size_t max_taps,
                                    const device_limits& limits) const
{
    auto device = d_device->device();
    device.limits = limits;
    const auto& problem = d_channels[0].problem;
    auto tuned = d_tuned;
    std::size_t ifft_size = d_ifft_size;
    // The size was planned for the groups of the device.
    const bool is_too_large =
        limits.max_work_group_size < d_device->limits().max_work_group_size &&
        !ifft_sizes_of(d_variant, device, problem.decimation).contains(ifft_size);
    if (max_taps > d_planned_taps || is_too_large) {
        // These values were tuned for a shorter overlap, or for larger groups.
        for (const char* name : { "ifft_size", "items", "blocks", "values" })
            tuned.erase(name);
        ifft_size = 0;
    }
    const auto values = fast_convolution_values(
        d_variant,
        device,
        d_device->options(),
        { problem.input, problem.decimation, max_taps, d_channels.size() },
        ifft_size,
        tuned);
    const auto size_at = [&](const char* name) {
        return static_cast<std::size_t>(values.at(name));
    };
    auto block =
        make_fast_convolution_block(d_variant,
                                    device,
                                    problem.decimation,
                                    max_taps,
                                    ifft_size ? ifft_size : size_at("ifft_size"));
    auto shape = make_pipeline_shape(d_variant,
                                     device,
                                     block,
                                     problem.input,
                                     d_channels.size(),
                                     size_at("pipeline_kib") * 1024,
                                     d_mode);
    bool real_responses = false;
    if (shape.fold->tile_channels())
        real_responses = center_linear_phase(block);
    shape.take(values, device.limits);
    return { block, shape, real_responses };
}

//! Places the blocks so that the response of the first channel is real, if its filter has
//! linear phase and a middle tap. The responses of the other channels usually are real
//! then, too.
//! \returns whether that is so
bool opencl_fast_convolution::center_linear_phase(overlap_save_block& block) const
{
    auto centered = block;
    centered.center_taps();
    if (block.max_taps % 2 == 0 || d_channels[0].taps() != block.max_taps ||
        centered.overlap >= centered.ifft_size ||
        !find_linear_phase(d_channels[0].rotated()).is_linear)
        return false;
    block = centered;
    return true;
}

//! How the responses of a layout lie in memory.
response_layout opencl_fast_convolution::responses_for(const layout& sizes) const
{
    auto rows = sizes.shape.fold->responses(sizes.block);
    rows.real = sizes.real_responses;
    return rows;
}

//! Makes everything that depends on the longest taps: block and pipelines. There are no
//! responses yet.
void opencl_fast_convolution::make(std::size_t max_taps)
{
    std::unique_ptr<block_pipeline> first;
    std::unique_ptr<channel_responses> responses;
    const auto sizes = with_groups_that_run(d_limits, [&](const device_limits& limits) {
        auto fitting = layout_for(max_taps, limits);
        with_opencl_errors(*d_device, [&] {
            if (auto checked = fitting.shape.fold->checked(d_device))
                fitting.shape.fold = std::move(checked);
            first = std::make_unique<block_pipeline>(
                d_device, d_transfer, d_stream, fitting.block, fitting.shape);
            responses =
                std::make_unique<channel_responses>(d_device,
                                                    first->queue(),
                                                    fitting.block,
                                                    first->forward(),
                                                    d_accuracy,
                                                    fitting.shape.channels_per_group,
                                                    d_channels.size(),
                                                    responses_for(fitting));
        });
        d_limits = limits;
        return fitting;
    });
    if (sizes.shape.fold->by_rows() && first->uses_vkfft()) {
        const auto& block = sizes.block;
        const auto reason = forward_transform_missing(
            d_device->limits(), block.ifft_size, block.decimation);
        log_to(
            d_device->log(),
            log_level::debug,
            "VkFFT makes the forward transforms of " + std::to_string(block.fft_size) +
                " items for '" + d_variant + "' on device '" + d_device->name() + "': " +
                (reason.empty() ? "its registers are too few for a work-group" : reason));
    }
    d_responses = std::move(responses);
    d_block = sizes.block;
    d_shape = sizes.shape;
    d_pipelines.set(std::move(first), [this] {
        return std::make_unique<block_pipeline>(
            d_device, d_transfer, d_stream, d_block, d_shape);
    });
}

void opencl_fast_convolution::configure(std::size_t channel, const filter_channel& setup)
{
    if (channel >= d_channels.size())
        throw_invalid("channel",
                      std::to_string(channel),
                      "0 to " + std::to_string(d_channels.size() - 1));
    if (setup.taps() > d_block.max_taps)
        layout_for(setup.taps(), d_limits); // throws if the device cannot take as many
    // The response is computed when the channel is active, so that idle channels and free
    // slots cost nothing.
    d_channels[channel] = setup;
    d_responses->forget(channel);
    d_changed = true;
}

//! Computes the responses of some channels, where they are missing.
void opencl_fast_convolution::provide_responses(const std::vector<std::size_t>& channels)
{
    try {
        run_commands(*d_device, d_pipelines.first().queue(), 0, [&] {
            d_responses->provide(d_channels, channels);
        });
    } catch (...) {
        // A command may have failed after it was enqueued.
        for (const std::size_t channel : channels)
            d_responses->forget(channel);
        throw;
    }
}

//! Whether the block takes the taps of the active channels, and is not much longer than
//! the taps of all channels need.
bool opencl_fast_convolution::fits_block() const
{
    for (const std::size_t channel : d_found)
        if (d_channels[channel].taps() > d_block.max_taps)
            return false;
    return 2 * longest(d_channels) > d_block.max_taps;
}

//! The number of outputs in a piece of a call. A piece is a whole number of blocks, so
//! that cutting the call costs no further transform.
std::size_t opencl_fast_convolution::outputs_per_piece(std::size_t outputs) const
{
    const std::size_t blocks = (outputs + d_block.outputs() - 1) / d_block.outputs();
    std::size_t piece = std::min(blocks, d_shape.blocks);
    if (d_pipelines.overlaps()) {
        piece_sizes sizes;
        sizes.block_items = d_block.outputs() * d_block.decimation;
        sizes.block_bytes = sizes.block_items * sample_size(d_shape.input);
        sizes.block_output_bytes =
            d_block.outputs() * d_found.size() * sizeof(std::complex<float>);
        sizes.tile = d_shape.fold->tile_blocks();
        sizes.max_blocks = piece;
        sizes.max_output_bytes = max_outputs_of_piece;
        piece = overlapping_blocks(sizes, blocks);
    }
    return piece * d_block.outputs();
}

//! The rough number of multiply-adds of the transforms and of the fold between them.
double opencl_fast_convolution::multiply_adds(std::size_t outputs) const
{
    constexpr double a_transform = 64; // for each value
    const double blocks =
        static_cast<double>(outputs) / static_cast<double>(d_block.outputs()) + 1;
    return blocks * static_cast<double>(d_block.fft_size) *
           (a_transform + 2 * static_cast<double>(d_found.size()));
}

void opencl_fast_convolution::run(const filter_call& call)
{
    if (!call.outputs())
        return;
    find_active(call, d_channels.size(), d_found);
    if (d_found.empty())
        return;
    take_active();
    d_pipelines.run(
        call.outputs(),
        outputs_per_piece(call.outputs()),
        d_block.outputs(),
        multiply_adds(call.outputs()),
        [&](block_pipeline& free, std::size_t first, std::size_t outputs) {
            turn_rotators(call, first);
            free.enqueue(
                *d_responses, call, d_active, d_tables, d_rotators, first, outputs);
        },
        d_sums);
    d_sums.add_call(call.outputs());
}

//! Prepares the device for the channels that are active, if they have changed.
void opencl_fast_convolution::take_active()
{
    const bool same =
        std::equal(d_found.begin(), d_found.end(), d_active.begin(), d_active.end());
    if (same && !d_changed)
        return;
    if (!fits_block())
        make(longest(d_channels));
    provide_responses(d_found);
    d_changed = false;
    if (same && !d_shape.fold->by_rows())
        return;
    // More channels take longer. The first kernel of a call must not be longer than
    // the device allows.
    if (d_found.size() > d_active.size())
        d_pipelines.forget_pace();
    d_active.clear(); // nothing is known of the table if this fails
    const std::vector<cl_uint> fresh(d_found.begin(), d_found.end());
    run_commands(*d_device, d_pipelines.first().queue(), 0, [&] { set_tables(fresh); });
    d_active = fresh;
}

void opencl_fast_convolution::set_tables(const std::vector<cl_uint>& active)
{
    const auto set = [&](device_table& table, const auto& values) {
        table.set(d_device,
                  d_pipelines.first().queue(),
                  values.data(),
                  values.size() * sizeof(values[0]));
    };
    if (!d_shape.fold->by_rows())
        return set(d_tables.channels, active);
    const auto entries = ordered(active);
    set(d_tables.channels, entries);
    if (d_shape.fold->tile_channels())
        set(d_tables.tile_rows, tile_rows(entries));
}

//! The active channels in the order of their bins, for each group of responses apart.
std::vector<fused_fold::entry>
opencl_fast_convolution::ordered(const std::vector<cl_uint>& active) const
{
    std::vector<fused_fold::entry> entries;
    for (const cl_uint channel : active)
        entries.push_back({ channel, static_cast<cl_uint>(entries.size()) });
    auto next = entries.begin();
    for (const auto& group : d_responses->groups()) {
        const auto end = std::find_if(next, entries.end(), [&](const auto& one) {
            return one.channel >= group.first + group.channels;
        });
        std::sort(next, end, [&](const auto& a, const auto& b) {
            return std::pair(d_responses->first_bin(a.channel), a.channel) <
                   std::pair(d_responses->first_bin(b.channel), b.channel);
        });
        next = end;
    }
    return entries;
}

//! The rows of bins that each tile needs. A tile computes channels that are adjacent in
//! the order of the entries and belong to one group of responses.
std::vector<cl_uint2>
opencl_fast_convolution::tile_rows(const std::vector<fused_fold::entry>& entries) const
{
    const std::size_t channels = d_shape.fold->tile_channels();
    std::vector<cl_uint2> tiles;
    std::size_t next = 0;
    for (const auto& group : d_responses->groups()) {
        const auto in_group = [&](std::size_t i) {
            return i < entries.size() &&
                   entries[i].channel < group.first + group.channels;
        };
        while (in_group(next)) {
            std::size_t first = d_block.decimation, end = 0;
            for (std::size_t i = 0; i < channels && in_group(next); ++i, ++next) {
                const std::size_t channel = entries[next].channel;
                const std::size_t begin =
                    d_responses->first_bin(channel) / d_block.ifft_size;
                const std::size_t behind =
                    begin + d_responses->bins(channel) / d_block.ifft_size;
                const bool wraps = behind > d_block.decimation;
                first = std::min(first, wraps ? 0 : begin);
                end = std::max(end, wraps ? d_block.decimation : behind);
            }
            tiles.push_back({ { word(first), word(end) } });
        }
    }
    return tiles;
}

//! Sets the rotators to output \p first of the call. The kernels count outputs from
//! there, in 32 bits.
void opencl_fast_convolution::turn_rotators(const filter_call& call, std::size_t first)
{
    // Where rows are folded, the kernels count from the first value of a block, including
    // the discarded ones.
    const std::size_t lost = d_shape.fold->by_rows() ? d_block.lost_before() : 0;
    d_rotators.clear();
    for (const auto c : d_active) {
        const phase64 step = -d_channels[c].step * d_block.decimation;
        const phase64 phase =
            call.channels[c].phase + step * first + -step * lost + d_responses->turn(c);
        d_rotators.push_back({ { phase.high(), phase.low(), step.high(), step.low() } });
    }
}

} // namespace

std::unique_ptr<filter_executor>
make_opencl_fast_convolution(std::shared_ptr<context> device,
                             const std::string& variant,
                             const std::string& transfer,
                             const std::vector<filter_channel>& channels,
                             double accuracy,
                             std::size_t ifft_size,
                             const tuning_values& tuned,
                             tensor_mode mode)
{
    return make_on_device<opencl_fast_convolution>(
        device, variant, transfer, channels, accuracy, ifft_size, tuned, mode);
}

} // namespace cldsp
