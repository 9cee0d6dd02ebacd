// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the transforms of blocks on a device, against sums in double precision.

#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/forward_transform.h"
#include "fft/stockham.h"
#include "simd/samples.h"
#include "tests/support/qa_fast_convolution_support.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

using complex_values = std::vector<std::complex<float>>;

//! Tests of the transforms of blocks against sums in double precision.
class qa_forward_transform : public fast_convolution_fixture
{
    CPPUNIT_TEST_SUITE(qa_forward_transform);
    CPPUNIT_TEST(every_number_of_kernels);
    CPPUNIT_TEST(every_type);
    CPPUNIT_TEST(every_shape_of_a_group);
    CPPUNIT_TEST(items_before_and_behind_a_call);
    CPPUNIT_TEST(sizes_for_any_limits);
    CPPUNIT_TEST(blocks_of_one_kernel_are_preferred);
    CPPUNIT_TEST(decimations_that_are_not_covered);
#ifdef CLDSP_HAVE_VKFFT
    CPPUNIT_TEST(vkfft_takes_the_others);
#endif
    CPPUNIT_TEST(roots_of_passes);
    CPPUNIT_TEST_SUITE_END();

    std::string variant() const override { return "fused_fold"; }

    //! The items of a call, the blocks that are cut out of them, and their transforms.
    struct stream {
        sample_type input;
        std::size_t items, lead, hop, blocks;
    };

    static std::vector<std::complex<double>>
    expected_block(const complex_values& values,
                   const stream& s,
                   std::size_t block,
                   const std::vector<std::complex<double>>& roots)
    {
        const std::size_t size = roots.size();
        std::vector<std::complex<double>> bins(size);
        for (std::size_t j = 0; j < size; ++j) {
            const std::size_t at = block * s.hop + j - s.lead; // wraps before the first
            if (at >= values.size())
                continue;
            for (std::size_t k = 0; k < size; ++k)
                bins[k] += std::complex<double>(values[at]) * roots[j * k % size];
        }
        return bins;
    }

    complex_values read(const cl::CommandQueue& queue, const cl::Buffer& buffer) const
    {
        complex_values values(buffer.getInfo<CL_MEM_SIZE>() / sizeof(values[0]));
        queue.enqueueReadBuffer(
            buffer, CL_TRUE, 0, values.size() * sizeof(values[0]), values.data());
        return values;
    }

    //! The error of all blocks relative to all bins, in dB. The buffer of the items has
    //! NaN around them, and that of the spectra NaN behind them, which must stay there.
    double error_of(const forward_transform_shape& shape, const stream& s) const
    {
        const auto queue = d_device->make_queue();
        const auto transform = make_forward_transform(d_device, queue, s.input, shape);
        CPPUNIT_ASSERT(transform);
        const std::size_t size = shape.fft_size(), guard = 5;
        const std::size_t bytes = sample_size(s.input), offset = guard * bytes;
        std::vector<unsigned char> memory((s.items + 2 * guard) * bytes, 0xff);
        const auto items = noise(s.input, s.items, 7);
        std::copy(items.data(), items.data() + s.items * bytes, memory.begin() + offset);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        complex_values spectra(s.blocks * size + 64, { nan, nan });
        const std::size_t spectra_bytes = spectra.size() * sizeof(spectra[0]);
        CPPUNIT_ASSERT(transform->spectra_bytes(s.blocks) <= spectra_bytes);

        const device_range in{ cl::Buffer(d_device->cl_context(),
                                          CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                          memory.size(),
                                          memory.data()),
                               offset };
        const cl::Buffer out(d_device->cl_context(),
                             CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                             spectra_bytes,
                             spectra.data());
        std::vector<cl::Event> events;
        transform->enqueue({ in, s.items, s.lead, s.hop, s.blocks }, out, events);
        CPPUNIT_ASSERT_EQUAL(1 + shape.row_kernels(), events.size());
        spectra = read(queue, out);
        d_device->check_commands(queue);
        for (std::size_t i = s.blocks * size; i < spectra.size(); ++i)
            CPPUNIT_ASSERT(std::isnan(spectra[i].real()));

        std::vector<std::complex<double>> roots;
        for (std::size_t k = 0; k < size; ++k)
            roots.push_back(std::polar(1.0,
                                       -2 * std::acos(-1.0) * static_cast<double>(k) /
                                           static_cast<double>(size)));
        complex_values values(s.items);
        convert_to_complex(items.data(), s.input, values.data(), s.items);
        double wrong = 0, power = 0;
        for (std::size_t b = 0; b < s.blocks; ++b) {
            const auto bins = expected_block(values, s, b, roots);
            for (std::size_t k = 0; k < size; ++k) {
                wrong += std::norm(bins[k] - std::complex<double>(spectra[b * size + k]));
                power += std::norm(bins[k]);
            }
        }
        CPPUNIT_ASSERT(power > 0);

        // A block that is there as complex floats has the same transform.
        values.resize(size);
        const std::size_t block_bytes = size * sizeof(values[0]);
        const cl::Buffer block(d_device->cl_context(),
                               CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               block_bytes,
                               values.data());
        const cl::Buffer spectrum(
            d_device->cl_context(), CL_MEM_READ_WRITE, transform->spectra_bytes(1));
        transform->enqueue_block(block, spectrum, events);
        const auto bins = read(queue, spectrum);
        d_device->check_commands(queue);
        const auto expected =
            expected_block(values, { sample_type::fc32, size, 0, size, 1 }, 0, roots);
        for (std::size_t k = 0; k < size; ++k)
            wrong += std::norm(expected[k] - std::complex<double>(bins[k]));
        return 10 * std::log10(wrong / power);
    }

    void check(const forward_transform_shape& shape, const stream& s) const
    {
        const double error = error_of(shape, s);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(shape.decimation) + " columns of " +
                                   std::to_string(shape.rows) + ", " +
                                   sample_type_name(s.input) + ": " +
                                   std::to_string(error) + " dB",
                               error < bound);
    }

    //! Checks the suggested sizes; returns the number of kernels, 0 if there are none.
    std::size_t check_suggested(std::size_t rows,
                                std::size_t decimation,
                                sample_type input = sample_type::fc32) const
    {
        const auto shape =
            suggested_forward_transform(d_device->limits(), rows, decimation);
        if (!shape)
            return 0;
        const std::size_t size = rows * decimation, hop = (rows / 2 + 1) * decimation;
        check(*shape, { input, 2 * hop + size - 3, decimation / 2, hop, 3 });
        return 1 + shape->row_kernels();
    }

public:
    void every_number_of_kernels()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), check_suggested(16, 1));
        CPPUNIT_ASSERT(check_suggested(2, 3) > 0);
        CPPUNIT_ASSERT(check_suggested(4, 10) > 0);
        if (smallest())
            return;
        CPPUNIT_ASSERT(check_suggested(32, 7) > 0);
        CPPUNIT_ASSERT(check_suggested(32, 12) > 0);
        if (small_tests())
            return;
        // Radices of 5, 3 and 2; a prime above 13; a decimation of two transforms.
        CPPUNIT_ASSERT(check_suggested(8, 30) > 0);
        const bool usual_device = d_device->limits().max_work_group_size >= 64;
        CPPUNIT_ASSERT_EQUAL(usual_device, check_suggested(16, 19) > 0);
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), check_suggested(4, 90));
        if (!usual_device)
            return;
        CPPUNIT_ASSERT(check_suggested(64, 42) > 0);
        CPPUNIT_ASSERT(check_suggested(2048, 1) == 1);
    }

    void every_type()
    {
        for (const auto type : all_sample_types())
            CPPUNIT_ASSERT(check_suggested(8, 6, type) > 0);
    }

    //! Sizes that the suggestions have only on other devices: two and three kernels where
    //! one fits, incomplete groups of columns and of blocks, and every size of a
    //! work-item's part.
    void every_shape_of_a_group()
    {
        const std::size_t rows = smallest() ? 4 : 32, decimation = 6;
        std::size_t tried = 0;
        for (const std::size_t values : { 4, 8, 16 })
            for (const std::size_t columns : { smallest() ? 1 : 4, 6 })
                for (const std::size_t blocks : { 1, 2 })
                    for (const bool whole : { false, true })
                        for (const std::size_t first : { 6, 3 }) {
                            forward_transform_shape shape;
                            shape.rows = rows;
                            shape.decimation = decimation;
                            shape.values = values;
                            shape.columns = columns;
                            shape.blocks = blocks;
                            shape.whole_blocks = whole;
                            shape.lengths[0] = first;
                            shape.lengths[1] = decimation / first;
                            const auto& limits = d_device->limits();
                            if (values > rows ||
                                shape.items() > limits.max_work_group_size ||
                                shape.local_bytes() > limits.local_memory ||
                                ((whole || blocks > 1) && columns < decimation) ||
                                (first < decimation && (whole || values != 8)) ||
                                (small_tests() && (values == 4 || blocks == 1)))
                                continue;
                            tried++;
                            check(shape,
                                  { sample_type::fc32,
                                    3 * rows * decimation,
                                    0,
                                    rows * decimation / 2,
                                    5 });
                        }
        CPPUNIT_ASSERT(tried > 0);
    }

    void items_before_and_behind_a_call()
    {
        const auto shape = suggested_forward_transform(d_device->limits(), 8, 6);
        CPPUNIT_ASSERT(shape);
        for (const std::size_t items : { 1, 40, 100 })
            for (const std::size_t lead : { 0, 5, 47 })
                check(*shape, { sample_type::cs16, items, lead, 24, 4 });
    }

    void sizes_for_any_limits()
    {
        device_limits limits = d_device->limits();
        for (const std::size_t group : { 1, 12, 64, 256, 1024 })
            for (const std::size_t memory : { 1024, 8192, 49152 })
                for (const std::size_t decimation :
                     { 1, 2, 7, 16, 42, 61, 64, 100, 256, 4096 })
                    for (std::size_t rows = 2; rows <= 16384; rows *= 2) {
                        limits.max_work_group_size = limits.max_work_item_sizes[0] =
                            group;
                        limits.local_memory = memory;
                        const auto shape =
                            suggested_forward_transform(limits, rows, decimation);
                        if (!shape)
                            continue;
                        CPPUNIT_ASSERT(shape->items() >= 1 && shape->items() <= group);
                        CPPUNIT_ASSERT(shape->local_bytes() <= memory);
                        CPPUNIT_ASSERT_EQUAL(std::size_t(0), rows % shape->values);
                        CPPUNIT_ASSERT(shape->columns <= decimation);
                        CPPUNIT_ASSERT(shape->blocks == 1 ||
                                       shape->columns == decimation);
                        CPPUNIT_ASSERT_EQUAL(decimation,
                                             shape->lengths[0] * shape->lengths[1]);
                        for (const std::size_t length : shape->lengths)
                            CPPUNIT_ASSERT(length <= max_row_values(limits));
                        CPPUNIT_ASSERT(!shape->whole_blocks ||
                                       shape->columns == decimation);
                    }
        limits.max_work_group_size = limits.max_work_item_sizes[0] = 1024;
        limits.local_memory = 49152;
        // These figures are those of the blocks of 2429 taps on a usual GPU.
        const auto two = suggested_forward_transform(limits, 512, 42);
        CPPUNIT_ASSERT(two && !two->whole_blocks && two->columns == 7);
        CPPUNIT_ASSERT_EQUAL(std::size_t(224), two->items());
        CPPUNIT_ASSERT(suggested_forward_transform(limits, 128, 42)->whole_blocks);
        CPPUNIT_ASSERT(suggested_forward_transform(limits, 4096, 1));
    }

    //! On a usual GPU a shorter block is chosen if its transform is a single kernel.
    void blocks_of_one_kernel_are_preferred()
    {
        auto gpu = d_device->device();
        gpu.kind = device_kind::gpu;
        gpu.limits.max_work_group_size = gpu.limits.max_work_item_sizes[0] = 1024;
        gpu.limits.local_memory = 49152;
        gpu.limits.max_buffer = std::size_t(4) << 30;
        const auto size = fast_convolution_size(variant(), gpu, 16, 281);
        CPPUNIT_ASSERT_EQUAL(std::size_t(256), size);
        CPPUNIT_ASSERT_EQUAL(
            std::size_t(0),
            suggested_forward_transform(gpu.limits, size, 16)->row_kernels());
        // Long taps need a longer block.
        CPPUNIT_ASSERT_EQUAL(std::size_t(512),
                             fast_convolution_size(variant(), gpu, 42, 2429));
    }

    void decimations_that_are_not_covered()
    {
        const auto& limits = d_device->limits();
        CPPUNIT_ASSERT(!suggested_forward_transform(limits, 4, 67));
        CPPUNIT_ASSERT(!suggested_forward_transform(limits, 4, 2 * 67));
        CPPUNIT_ASSERT(!suggested_forward_transform(limits, 4, 64 * 65));
        CPPUNIT_ASSERT(!suggested_forward_transform(limits, std::size_t(1) << 30, 1));
        CPPUNIT_ASSERT(forward_transform_missing(limits, 4, 67).find("67") !=
                       std::string::npos);
        CPPUNIT_ASSERT(forward_transform_missing(limits, 4, 6).empty());
    }

    //! A bank computes blocks that the kernels do not cover with VkFFT's transforms.
    void vkfft_takes_the_others()
    {
        if (!ifft_sizes_of(variant(), d_device->device(), 67).contains(4))
            return;
        const auto channels = make_channels(sample_type::cs16, 67, 100, 2, false);
        std::string logged;
        auto options = test_options();
        options.log = [&](log_level, const std::string& text) { logged += text; };
        const auto device = std::make_shared<context>(test_device(), options);
        const auto bank =
            make_opencl_fast_convolution(device, variant(), "copy", channels, 0, 4);
        CPPUNIT_ASSERT_MESSAGE(logged,
                               logged.find("VkFFT makes") != std::string::npos &&
                                   logged.find("decimation of 67") != std::string::npos);
        stream_case c(channels, small_tests() ? 20 : 60);
        c.run(*bank);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(c.error()), c.error() < bound);
        CPPUNIT_ASSERT_EQUAL(variant(), bank->variant_name());
    }

    void roots_of_passes()
    {
        CPPUNIT_ASSERT(stockham_radices(512, 16) ==
                       (std::vector<std::size_t>{ 16, 16, 2 }));
        CPPUNIT_ASSERT(stockham_radices(8, 16) == std::vector<std::size_t>{ 8 });
        const auto roots = stockham_roots({ 4, 2 });
        CPPUNIT_ASSERT_EQUAL(std::size_t(8), roots.size());
        for (std::size_t i = 0; i < 4; ++i)
            CPPUNIT_ASSERT(std::abs(roots[4 + i] - root_of_unity(i, 8)) < 1e-7F);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_forward_transform, "qa_forward_transform");

} // namespace
