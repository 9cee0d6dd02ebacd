// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Sizes the fold for matrix units, tries these units once, and enqueues the fold.

#include "fast_convolution/tensor_fold.h"

#include "base/arithmetic.h"
#include "base/page_memory.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "opencl/commands.h"
#include "opencl/held_memory.h"

#include <cldsp/errors.h>
#include <cldsp/logger.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

namespace cldsp {

namespace {

constexpr std::size_t warp_size = 32;
constexpr std::size_t words_per_chunk = 16;

std::size_t max_items(const device_limits& limits)
{
    return std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]);
}

//! Sizes that fit into the local memory that NVIDIA's OpenCL reports, 48 KB.
tensor_fold_shape with_less_memory(tensor_fold_shape shape)
{
    shape.bins = std::min<std::size_t>(shape.bins, 4);
    shape.tiles = 2;
    shape.complex_chunks = shape.chunks;
    return shape;
}

} // namespace

std::size_t tensor_fold_shape::local_bytes() const
{
    const std::size_t exchange =
        2 * channels * blocks() * (bins + 1) * transform_value_bytes;
    const std::size_t copies =
        items() * stages * 2 * std::max(chunks, complex_chunks) * sizeof(cl_uint4);
    const std::size_t lanes = items() * 6 * sizeof(cl_uint);
    return exchange + copies + (mode == tensor_mode::emulated ? lanes : 0);
}

std::string tensor_fold_shape::build_options(bool real_gains) const
{
    const std::string text =
        "-DROWS=" + std::to_string(rows) + " -DBINS=" + std::to_string(bins) +
        " -DTILES=" + std::to_string(tiles) + " -DPARTS=" + std::to_string(parts) +
        " -DCHUNKS=" + std::to_string(real_gains ? chunks : complex_chunks) +
        " -DSTAGES=" + std::to_string(stages) +
        " -DEMULATE=" + std::to_string(mode == tensor_mode::emulated ? 1 : 0);
    return real_gains ? text + " -DREAL_GAINS" : text;
}

tensor_fold_shape suggested_tensor_fold(const device_limits& limits,
                                        std::size_t rows,
                                        std::size_t decimation,
                                        bool is_large,
                                        tensor_mode mode)
{
    tensor_fold_shape shape;
    shape.rows = rows;
    shape.mode = mode;
    shape.transform = suggested_fused_fold(limits, rows, 1, 1);
    const std::size_t chunks = divide_up(decimation, words_per_chunk);
    if (mode == tensor_mode::emulated) {
        // The emulation is slow, and so is its compilation.
        shape.bins = std::min<std::size_t>(rows, 2);
        shape.chunks = shape.complex_chunks = std::min<std::size_t>(chunks, 2);
        return shape;
    }
    // Measured on an NVIDIA H100: 12 fragments of bins, of both parts, leave registers
    // for two work-groups on a compute unit, and 24 for one, which reads each gain for
    // twice as many blocks.
    constexpr std::size_t max_bins = 8, max_chunks = 3;
    shape.bins = std::min(rows, max_bins);
    shape.tiles = is_large ? 4 : 2;
    shape.chunks = std::min(chunks, max_chunks);
    shape.complex_chunks = is_large ? shape.chunks : 2 * shape.chunks;
    shape.stages = 3;
    return may_use_large_tiles(limits, shape.items()) ? shape : with_less_memory(shape);
}

float rounded_gain(float gain)
{
    if (!std::isfinite(gain))
        return gain;
    std::uint32_t bits;
    std::memcpy(&bits, &gain, sizeof(bits));
    bits = (bits + 2) & ~std::uint32_t(3);
    std::memcpy(&gain, &bits, sizeof(bits));
    return gain;
}

tensor_fold::tensor_fold(std::shared_ptr<context> device,
                         const cl::CommandQueue& queue,
                         const tensor_fold_shape& shape)
    : separate_fold(std::move(device), queue, "tensor_fold", shape.transform),
      d_shape(shape)
{
    const auto& where = this->device()->device();
    if (shape.mode == tensor_mode::native) {
        const auto reason = missing_tensor_reason(where);
        if (!reason.empty())
            throw_invalid("variant", "'tensor_fold'", "another one: " + reason);
    }
    const bool has_memory = shape.local_bytes() <= where.limits.local_memory ||
                            (shape.mode == tensor_mode::native &&
                             may_use_large_tiles(where.limits, shape.items()));
    if (shape.items() > max_items(where.limits) || !has_memory)
        throw_invalid("variant",
                      "'tensor_fold'",
                      "another one on device '" + where.name +
                          "', whose work-groups are too small for its kernel");
    build("tensor_fold", "fold_by_products", shape);
}

const cl::Buffer& tensor_fold::enqueue_sums(const launch& what,
                                            std::vector<cl::Event>& events)
{
    reserve(what);
    enqueue_fold(what, events);
    return folded();
}

void tensor_fold::enqueue_fold(const launch& what, std::vector<cl::Event>& events)
{
    // A work-group reads its bins once for all its channels. So it computes as many
    // channels as leave enough groups to fill the device.
    constexpr std::size_t groups_of_a_unit = 2;
    const std::size_t tiles = divide_up(what.channels, tensor_fold_shape::channels);
    const std::size_t across = d_shape.rows / d_shape.bins;
    const std::size_t blocks = divide_up(what.blocks, d_shape.blocks());
    const std::size_t units = std::max<std::size_t>(1, device()->limits().compute_units);
    const std::size_t wanted = divide_up(groups_of_a_unit * units, across * blocks);
    const std::size_t tiles_per_group = divide_up(tiles, std::min(tiles, wanted));
    const std::size_t words = what.real_gains ? 1 : 2;
    constexpr std::size_t quad = 4;
    auto& fold = kernel(what.real_gains);
    set_args(fold,
             what.spectra,
             what.responses,
             word(what.stride * words / quad),
             word(tensor_fold_shape::bin_values(what.decimation) * words / quad),
             word(what.first_channel),
             what.order,
             word(what.first_active),
             word(what.channels),
             what.ranges,
             word(what.first_range),
             word(tiles_per_group),
             word(what.decimation),
             word(what.blocks),
             folded());
    events.push_back(enqueue_kernel(
        *device(),
        queue(),
        fold,
        cl::NDRange(across * d_shape.items(), blocks, divide_up(tiles, tiles_per_group)),
        cl::NDRange(d_shape.items(), 1, 1)));
}

namespace {

//! Numbers from -1 to 1 that look random.
class numbers
{
public:
    float next()
    {
        d_state = d_state * 1664525u + 1013904223u;
        return static_cast<float>(static_cast<std::int32_t>(d_state)) * 0x1p-31f;
    }

private:
    std::uint32_t d_state = 1;
};

//! The spectra and the gains of a trial.
class trial_values
{
public:
    trial_values(const tensor_fold_shape& shape, const tensor_fold_trial& trial)
        : d_shape(shape),
          d_trial(trial),
          d_bin_values(tensor_fold_shape::bin_values(trial.decimation)),
          d_spectra(2 * trial.blocks * trial.decimation * shape.rows),
          d_gains(floats() * trial.channels * stride())
    {
        numbers all;
        for (float& value : d_spectra)
            value = all.next();
        if (trial.has_nan) {
            const std::size_t block = 2 * trial.decimation * shape.rows;
            const std::uint32_t bits = 0x7fffffff; // the NaN that NVIDIA's GPUs make
            std::memcpy(&d_spectra[d_spectra.size() - block], &bits, sizeof(bits));
        }
        for (std::size_t i = 0; i < d_gains.size(); ++i) {
            const std::size_t row = i / floats() % d_bin_values;
            const float gain = all.next();
            if (row >= trial.first_row && row < trial.end_row)
                d_gains[i] = rounded_gain(gain);
        }
    }

    const std::vector<float>& spectra() const { return d_spectra; }
    const std::vector<float>& gains() const { return d_gains; }
    //! The number of values from one channel's gains to the next one's.
    std::size_t stride() const { return d_bin_values * d_shape.rows; }

    //! A sum in double precision.
    std::complex<double> sum(std::size_t channel, std::size_t block, std::size_t at) const
    {
        const float* gain = &d_gains[floats() * (channel * stride() + at * d_bin_values)];
        std::complex<double> all = 0;
        for (std::size_t r = 0; r < d_trial.decimation; ++r, gain += floats()) {
            const float* bin =
                &d_spectra[2 * ((block * d_trial.decimation + r) * d_shape.rows + at)];
            all += std::complex<double>(gain[0], d_trial.real_gains ? 0 : gain[1]) *
                   std::complex<double>(bin[0], bin[1]);
        }
        return all;
    }

private:
    std::size_t floats() const { return d_trial.real_gains ? 1 : 2; } //!< of a gain

    tensor_fold_shape d_shape;
    tensor_fold_trial d_trial;
    std::size_t d_bin_values;
    std::vector<float> d_spectra, d_gains;
};

} // namespace

double tensor_fold_error(const std::shared_ptr<context>& device,
                         const tensor_fold_shape& shape,
                         const tensor_fold_trial& trial)
{
    const auto queue = device->make_queue();
    tensor_fold fold(device, queue, shape);
    const trial_values values(shape, trial);
    const auto buffer = [&](const auto& all) {
        return held_memory<cl::Buffer>(
            *device,
            cl::Buffer(device->cl_context(),
                       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       all.size() * sizeof(all[0]),
                       const_cast<void*>(static_cast<const void*>(all.data()))));
    };
    std::vector<fused_fold::entry> order; // backwards
    for (std::size_t c = 0; c < trial.channels; ++c)
        order.push_back({ word(trial.channels - 1 - c), word(c) });
    const std::vector<cl_uint2> ranges(
        divide_up(trial.channels, tensor_fold_shape::channels),
        { { word(trial.first_row), word(trial.end_row) } });
    const auto spectra = buffer(values.spectra());
    const auto gains = buffer(values.gains());
    const auto entries = buffer(order);
    const auto rows = buffer(ranges);
    const page_memory sums(trial.channels * trial.blocks * shape.rows *
                           transform_value_bytes);
    run_commands(*device, queue, 0, [&] {
        std::vector<cl::Event> events;
        const auto& unused = entries.get();
        const auto& folded = fold.enqueue_sums({ spectra.get(),
                                                 gains.get(),
                                                 values.stride(),
                                                 trial.real_gains,
                                                 0,
                                                 entries.get(),
                                                 0,
                                                 trial.channels,
                                                 rows.get(),
                                                 0,
                                                 trial.decimation,
                                                 trial.blocks,
                                                 unused,
                                                 0,
                                                 0,
                                                 0,
                                                 unused,
                                                 0 },
                                               events);
        read_into(*device, queue, folded, sums);
    });

    double wrong = 0, largest = 0;
    const auto* found = sums.as<std::complex<float>>();
    for (std::size_t c = 0; c < trial.channels; ++c)
        for (std::size_t b = 0; b < trial.blocks; ++b)
            for (std::size_t at = 0; at < shape.rows; ++at) {
                // The bins of the first and of the last work-group.
                if (at >= shape.bins && at < shape.rows - shape.bins)
                    continue;
                const std::complex<double> got =
                    found[(c * trial.blocks + b) * shape.rows + at];
                const auto right = values.sum(order[c].channel, b, at);
                if (!std::isfinite(std::abs(got)))
                    return infinity;
                largest = std::max(largest, std::abs(right));
                wrong = std::max(wrong, std::abs(got - right));
            }
    return largest > 0 ? wrong / largest : wrong;
}

void check_tensor_fold(const std::shared_ptr<context>& device,
                       const tensor_fold_shape& shape)
{
    // Far above the rounding of floats, far below that of tf32.
    constexpr double max_error = 2e-6;
    tensor_fold_trial trial;
    trial.channels = 2 * tensor_fold_shape::channels + 5;
    trial.blocks = shape.blocks() + 1;
    trial.decimation = shape.chunks * words_per_chunk + 3;
    trial.end_row = trial.decimation;
    for (const bool real_gains : { false, true }) {
        trial.real_gains = real_gains;
        if (!(tensor_fold_error(device, shape, trial) <= max_error))
            throw_invalid("variant",
                          "'tensor_fold'",
                          "another one: the matrix units of device '" + device->name() +
                              "' give wrong sums");
    }
}

tensor_fold_shape checked_tensor_fold(const std::shared_ptr<context>& device,
                                      const tensor_fold_shape& suggested)
{
    const auto smaller = with_less_memory(suggested);
    if (suggested.mode == tensor_mode::emulated ||
        smaller.local_bytes() == suggested.local_bytes()) {
        check_tensor_fold(device, suggested);
        return suggested;
    }
    try {
        check_tensor_fold(device, suggested);
        return suggested;
    } catch (const std::exception& e) {
        log_to(device->log(),
               log_level::debug,
               "'tensor_fold' takes smaller tiles on device '" + device->name() +
                   "': " + e.what());
    }
    check_tensor_fold(device, smaller);
    return smaller;
}

namespace {

class tensor_sizes final : public fold_sizes
{
public:
    explicit tensor_sizes(const tensor_fold_shape& shape) : d_shape(shape) {}

    std::size_t tile_channels() const override { return tensor_fold_shape::channels; }
    std::size_t tile_blocks() const override { return d_shape.blocks(); }
    response_layout responses(const overlap_save_block& block) const override
    {
        response_layout layout;
        layout.whole_rows = true;
        layout.all_rows = tensor_fold_shape::bin_values(block.decimation);
        layout.by_bins = true;
        return layout;
    }
    std::shared_ptr<const fold_sizes>
    checked(const std::shared_ptr<context>& device) const override
    {
        return std::make_shared<const tensor_sizes>(checked_tensor_fold(device, d_shape));
    }
    std::unique_ptr<channel_fold> make(const std::shared_ptr<context>& device,
                                       const cl::CommandQueue& queue,
                                       const overlap_save_block&,
                                       const pipeline_shape&) const override
    {
        return std::make_unique<separate_channels>(
            std::make_unique<tensor_fold>(device, queue, d_shape));
    }

private:
    const tensor_fold_shape d_shape;
};

class the_tensor_fold final : public opencl_fast_convolution_variant
{
public:
    the_tensor_fold()
        : opencl_fast_convolution_variant(
              "tensor_fold", "as tiled_fold; the matrix units of NVIDIA GPUs fold")
    {
    }

    std::shared_ptr<const fold_sizes>
    fold_sizes_for(const fold_problem& problem) const override
    {
        return std::make_shared<const tensor_sizes>(
            suggested_tensor_fold(problem.limits,
                                  problem.block.ifft_size,
                                  problem.block.decimation,
                                  problem.is_large,
                                  problem.mode));
    }
    bool may_gain(const filter_task& task, const plan_place& place) const override
    {
        return opencl_fast_convolution_variant::may_gain(task, place) &&
               task.shape.channels >= min_tiled_channels &&
               missing_tensor_reason(place.device).empty();
    }
    device_channel_work work(const plan_shape& shape,
                             const device_info& device,
                             std::size_t ifft_size) const override
    {
        if (!ifft_sizes_of(name, device, shape.decimation).contains(ifft_size))
            return vkfft_variant().work(shape, device, ifft_size);
        const auto tile = suggested_tensor_fold(
            device.limits, ifft_size, shape.decimation, false, tensor_mode::native);
        // A work-group reads the bins of its blocks once for many tiles of channels.
        const channel_bytes bytes(shape, ifft_size);
        return { bytes.bins / static_cast<double>(tile.blocks()) + 3 * bytes.outputs, 2 };
    }
};

} // namespace

const opencl_fast_convolution_variant& tensor_fold_variant()
{
    static const auto& variant = *new the_tensor_fold;
    return variant;
}

} // namespace cldsp
