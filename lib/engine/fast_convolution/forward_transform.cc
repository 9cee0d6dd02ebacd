// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Divides a block into rows and columns for the kernels, or leaves it to VkFFT.

#include "fast_convolution/forward_transform.h"

#include "base/arithmetic.h"
#include "fft/stockham.h"
#include "fft/vkfft_plan.h"
#include "opencl/buffer.h"
#include "opencl/device_table.h"
#include "opencl/item_options.h"
#include "opencl/kernel_groups.h"
#include "opencl/queue_window.h"

#include <algorithm>
#include <complex>
#include <utility>

namespace cldsp {

namespace {


std::size_t max_items(const device_limits& limits)
{
    return std::max<std::size_t>(
        1, std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]));
}

//! The bytes of local memory of a column, as PLACES in the kernel.
std::size_t column_bytes(std::size_t rows)
{
    const std::size_t last = rows - 1;
    return ((last + last / 16 + 1) | 1) * transform_value_bytes;
}

//! The radices of a transform in the registers of a work-item: odd primes, then powers of
//! two.
std::vector<std::size_t> row_radices(std::size_t length)
{
    std::vector<std::size_t> radices;
    for (std::size_t prime = 3; prime <= length; prime += 2)
        for (; length % prime == 0; length /= prime)
            radices.push_back(prime);
    for (const std::size_t radix : { 8, 4, 2 })
        for (; length % radix == 0; length /= radix)
            radices.push_back(radix);
    return radices;
}

//! The values of a column that a work-item has in registers.
std::size_t column_values(const device_limits& limits, std::size_t rows)
{
    const std::size_t few = std::min(rows, few_stockham_values);
    return has_few_registers(limits) && rows / few <= max_items(limits)
               ? few
               : std::min(rows, max_stockham_radix);
}

//! Splits the transform of a row, so that a work-item has as few values as possible if it
//! cannot have all of them. Returns whether that is possible.
bool split_row(forward_transform_shape& shape, std::size_t most)
{
    shape.lengths[0] = shape.decimation;
    if (shape.decimation <= most)
        return true;
    for (std::size_t first = most; first > 1 && first * first >= shape.decimation;
         --first)
        if (shape.decimation % first == 0) {
            shape.lengths[0] = first;
            shape.lengths[1] = shape.decimation / first;
        }
    return shape.lengths[0] <= most;
}

class vkfft_forward_transform final : public forward_transform
{
public:
    vkfft_forward_transform(const std::shared_ptr<context>& device,
                            const cl::CommandQueue& queue,
                            const cl::Program& program,
                            std::size_t fft_size,
                            std::size_t max_blocks,
                            std::size_t group)
        : d_device(device),
          d_queue(queue),
          d_fft_size(fft_size),
          d_group(group),
          d_plan(device, queue, fft_direction::forward, fft_size, max_blocks)
    {
        replace(d_gather, cl::Kernel(program, "gather"));
        check_group_size(*d_device, d_gather, d_group, "vkfft");
    }

    std::size_t spectra_bytes(std::size_t blocks) const override
    {
        return d_plan.rows_touched(blocks) * d_fft_size * transform_value_bytes;
    }

    void enqueue(const forward_items& what,
                 const cl::Buffer& spectra,
                 std::vector<cl::Event>& events) override
    {
        set_args(d_gather,
                 what.in.buffer,
                 word(what.in.offset),
                 word(what.items),
                 word(what.lead),
                 word(what.hop),
                 word(d_fft_size),
                 spectra);
        events.push_back(
            enqueue_kernel(*d_device,
                           d_queue,
                           d_gather,
                           cl::NDRange(round_up(d_fft_size, d_group), what.blocks),
                           cl::NDRange(d_group, 1)));
        d_plan.enqueue(spectra, what.blocks, events);
    }

    void enqueue_block(const cl::Buffer& values,
                       const cl::Buffer& spectrum,
                       std::vector<cl::Event>& events) override
    {
        auto slot = d_device->admit_command(d_queue);
        events.emplace_back();
        d_queue.enqueueCopyBuffer(values,
                                  spectrum,
                                  0,
                                  0,
                                  d_fft_size * transform_value_bytes,
                                  nullptr,
                                  &events.back());
        slot.enqueued(events.back());
        d_plan.enqueue(spectrum, 1, events);
    }

private:
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    std::size_t d_fft_size, d_group;
    vkfft_plan d_plan;
    cl::Kernel d_gather;
};

class own_forward_transform final : public forward_transform
{
public:
    own_forward_transform(std::shared_ptr<context> device,
                          const cl::CommandQueue& queue,
                          sample_type input,
                          const forward_transform_shape& shape)
        : d_device(std::move(device)),
          d_queue(queue),
          d_shape(shape),
          d_input(input),
          d_between(d_device)
    {
        replace(d_columns, kernel(input, 0, "transform_columns"));
        if (d_input != sample_type::fc32)
            replace(d_complex_columns, kernel(sample_type::fc32, 0, "transform_columns"));
        for (const auto& columns : { d_columns, d_complex_columns })
            if (columns())
                check_group_size(
                    *d_device, columns, d_shape.items(), "forward_transform");
        for (std::size_t i = 0; i < shape.row_kernels(); ++i) {
            replace(d_rows[i], kernel(input, i, "transform_rows"));
            d_row_groups[i] = row_group(d_rows[i]);
            set(d_row_roots[i], roots_of_unity(shape.lengths[i]));
        }
        if (!shape.row_kernels())
            set(d_row_roots[0], roots_of_unity(shape.lengths[0]));
        set(d_roots, stockham_roots(stockham_radices(shape.rows, shape.values)));
        set_turns();
        set_twiddles();
    }

    std::size_t spectra_bytes(std::size_t blocks) const override
    {
        return blocks * d_shape.fft_size() * transform_value_bytes;
    }

    void enqueue(const forward_items& what,
                 const cl::Buffer& spectra,
                 std::vector<cl::Event>& events) override
    {
        transform(d_columns, what, spectra, events);
    }

    void enqueue_block(const cl::Buffer& values,
                       const cl::Buffer& spectrum,
                       std::vector<cl::Event>& events) override
    {
        const std::size_t size = d_shape.fft_size();
        const device_range in{ values, 0 };
        const forward_items what{ in, size, 0, size, 1 };
        transform(d_input == sample_type::fc32 ? d_columns : d_complex_columns,
                  what,
                  spectrum,
                  events);
    }

private:
    //! The most work-items of a work-group that transforms rows.
    static constexpr std::size_t max_row_group = 128;

    cl::Kernel kernel(sample_type input, std::size_t row_kernel, const char* name) const
    {
        return cl::Kernel(d_device->build("forward_transform",
                                          d_shape.build_options(input, row_kernel)),
                          name);
    }

    void set(device_table& table, const std::vector<std::complex<float>>& values)
    {
        table.set(
            d_device, d_queue, values.data(), values.size() * transform_value_bytes);
    }

    //! The roots by which the bins of each column are multiplied, as products of two.
    void set_turns()
    {
        std::vector<std::complex<float>> turns;
        const std::size_t size = d_shape.fft_size();
        for (std::size_t b = 0; b < d_shape.decimation; ++b) {
            for (std::size_t k = 0; k < d_shape.values; ++k)
                turns.push_back(root_of_unity(b * k * d_shape.team(), size));
            for (std::size_t t = 0; t < d_shape.team(); ++t)
                turns.push_back(root_of_unity(b * t, size));
        }
        set(d_turns, turns);
    }

    //! Computes the twiddle factors between the two transforms of rows.
    void set_twiddles()
    {
        std::vector<std::complex<float>> twiddles;
        for (std::size_t n = 0; n < d_shape.lengths[1]; ++n)
            for (std::size_t k = 0; k < d_shape.lengths[0]; ++k)
                twiddles.push_back(root_of_unity(n * k, d_shape.decimation));
        set(d_twiddles, twiddles);
    }

    void transform(cl::Kernel& columns,
                   const forward_items& what,
                   const cl::Buffer& spectra,
                   std::vector<cl::Event>& events)
    {
        const bool two = d_shape.row_kernels() == 2;
        if (two)
            d_between.reserve(spectra_bytes(what.blocks));
        const cl::Buffer& first = two ? d_between.buffer() : spectra;
        set_args(columns,
                 what.in.buffer,
                 word(what.in.offset),
                 word(what.items),
                 word(what.lead),
                 word(what.hop),
                 word(what.blocks),
                 d_roots.buffer(),
                 d_turns.buffer(),
                 d_row_roots[0].buffer(),
                 first);
        events.push_back(enqueue_kernel(
            *d_device,
            d_queue,
            columns,
            cl::NDRange(divide_up(d_shape.decimation, d_shape.columns) * d_shape.items(),
                        divide_up(what.blocks, d_shape.blocks)),
            cl::NDRange(d_shape.items(), 1)));
        for (std::size_t i = 0; i < d_shape.row_kernels(); ++i) {
            const std::size_t transforms =
                what.blocks * d_shape.fft_size() / d_shape.lengths[i];
            set_args(d_rows[i],
                     first,
                     i ? spectra : first,
                     d_row_roots[i].buffer(),
                     d_twiddles.buffer(),
                     word(transforms));
            const std::size_t group = d_row_groups[i];
            events.push_back(enqueue_kernel(*d_device,
                                            d_queue,
                                            d_rows[i],
                                            cl::NDRange(round_up(transforms, group)),
                                            cl::NDRange(group)));
        }
    }

    //! The work-items in a group of a kernel that transforms rows: as many as the
    //! registers of the device allow.
    std::size_t row_group(const cl::Kernel& rows) const
    {
        return group_up_to(*d_device, rows, max_row_group);
    }

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    forward_transform_shape d_shape;
    sample_type d_input;
    device_table d_roots, d_turns, d_twiddles, d_row_roots[2];
    device_buffer d_between; //!< the rows between their two transforms
    cl::Kernel d_columns, d_rows[2];
    std::size_t d_row_groups[2] = {}; //!< the work-items of a group of d_rows
    cl::Kernel d_complex_columns; //!< for blocks of complex floats, if items are others
};

} // namespace

std::size_t forward_transform_shape::local_bytes() const
{
    return columns * blocks * column_bytes(rows);
}

std::size_t forward_transform_shape::row_kernels() const
{
    if (whole_blocks || decimation == 1)
        return 0;
    return lengths[1] > 1 ? 2 : 1;
}

std::string forward_transform_shape::build_options(sample_type input,
                                                   std::size_t row_kernel) const
{
    const auto macro = [](const char* name, std::size_t value) {
        return std::string(" -D") + name + "=" + std::to_string(value);
    };
    std::string text = item_options(input) + macro("ROWS", rows) +
                       macro("DECIMATION", decimation) + macro("VALUES", values) +
                       macro("COLUMNS", columns) + macro("BLOCKS", blocks) +
                       stockham_options(stockham_radices(rows, values));
    if (decimation == 1)
        return text;
    auto radices = row_radices(lengths[row_kernel]);
    radices.resize(4, 1);
    text += macro("LENGTH", lengths[row_kernel]) + macro("RADIX_1", radices[0]) +
            macro("RADIX_2", radices[1]) + macro("RADIX_3", radices[2]) +
            macro("RADIX_4", radices[3]);
    if (whole_blocks)
        return text + " -DWHOLE_BLOCKS";
    if (lengths[1] == 1)
        return text;
    return row_kernel ? text + macro("OUTER", lengths[0])
                      : text + macro("INNER", lengths[1] * rows) + " -DTWIDDLE";
}

std::size_t max_row_values(const device_limits& limits)
{
    // Devices with small work-groups have few registers.
    return limits.max_work_group_size >= 64 ? 64 : 16;
}

std::string forward_transform_missing(const device_limits& limits,
                                      std::size_t rows,
                                      std::size_t decimation)
{
    const std::size_t values = column_values(limits, rows);
    if (rows / values > max_items(limits) ||
        stockham_radices(rows, values).size() > max_stockham_passes)
        return "a work-group is too small for a column of " + std::to_string(rows) +
               " values";
    if (column_bytes(rows) > limits.local_memory)
        return "the local memory is too small for a column of " + std::to_string(rows) +
               " values";
    const std::size_t most = max_row_values(limits);
    forward_transform_shape shape;
    shape.decimation = decimation;
    if (!split_row(shape, most))
        return "a decimation of " + std::to_string(decimation) + " is neither at most " +
               std::to_string(most) + " nor a product of two such numbers";
    return {};
}

std::optional<forward_transform_shape> suggested_forward_transform(
    const device_limits& limits, std::size_t rows, std::size_t decimation)
{
    // Measured on an NVIDIA H200, in ps per item: one kernel for whole blocks of 16
    // columns of 256 values takes 6.4, two take 10. Of two kernels for 42 columns of 512
    // values, that of the columns takes 7.4 with 224 or 256 work-items, and 8.3 with 96
    // or 128.
    constexpr std::size_t usual_items = 256, small_group = 128, max_whole_items = 512;
    constexpr std::size_t usual_local = std::size_t(32) << 10;
    const std::size_t items = max_items(limits);
    forward_transform_shape shape;
    shape.rows = rows;
    shape.decimation = decimation;
    shape.values = column_values(limits, rows);
    const std::size_t row_values = max_row_values(limits);
    const std::size_t column = column_bytes(rows);
    if (!forward_transform_missing(limits, rows, decimation).empty())
        return {};
    split_row(shape, row_values);

    shape.columns = decimation;
    shape.whole_blocks = decimation > 1;
    if (decimation <= row_values && shape.items() <= std::min(items, max_whole_items) &&
        shape.local_bytes() <= limits.local_memory) {
        const std::size_t most = std::min(items, small_group) / shape.items();
        const std::size_t fitting =
            std::min(usual_local, limits.local_memory) / shape.local_bytes();
        shape.blocks =
            power_of_two_up_to(std::max<std::size_t>(1, std::min(most, fitting)));
        return shape;
    }
    shape.whole_blocks = false;
    const std::size_t most = std::max<std::size_t>(
        1,
        std::min({ decimation,
                   std::min(items, usual_items) / shape.team(),
                   std::min(usual_local, limits.local_memory) / column }));
    // All groups of columns have about the same size.
    shape.columns = divide_up(decimation, divide_up(decimation, most));
    return shape;
}

std::unique_ptr<forward_transform>
make_forward_transform(const std::shared_ptr<context>& device,
                       const cl::CommandQueue& queue,
                       sample_type input,
                       const forward_transform_shape& shape)
{
    return std::make_unique<own_forward_transform>(device, queue, input, shape);
}

std::unique_ptr<forward_transform>
make_vkfft_forward_transform(const std::shared_ptr<context>& device,
                             const cl::CommandQueue& queue,
                             const cl::Program& program,
                             std::size_t fft_size,
                             std::size_t max_blocks,
                             std::size_t group)
{
    return std::make_unique<vkfft_forward_transform>(
        device, queue, program, fft_size, max_blocks, group);
}

} // namespace cldsp
