// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tables of what is chosen for filters on devices with other limits.

#include "direct/gpu_layout.h"
#include "direct/opencl_direct.h"
#include "direct/opencl_direct_variant.h"
#include "fast_convolution/dft_bank.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "fast_convolution/tensor_fold.h"
#include "fft/vkfft_plan.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! What is chosen for filters on devices with other limits. No device is used.
class qa_limits_of_filters : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_limits_of_filters);
    CPPUNIT_TEST(calls_of_direct_filters);
    CPPUNIT_TEST(groups_of_direct_filters);
    CPPUNIT_TEST(blocks);
    CPPUNIT_TEST(refused_blocks);
    CPPUNIT_TEST(pipelines);
    CPPUNIT_TEST(forward_transforms);
    CPPUNIT_TEST(fused_folds);
    CPPUNIT_TEST(tiled_folds);
    CPPUNIT_TEST(tensor_folds);
    CPPUNIT_TEST(dft_banks);
    CPPUNIT_TEST(spaces_of_the_tuner);
    CPPUNIT_TEST(tuned_values_above_the_limits);
    CPPUNIT_TEST_SUITE_END();

    static filter_channel channel(std::size_t taps, std::size_t decimation)
    {
        return filter_channel(
            make_fir_problem(sample_type::fc32, decimation, taps, true));
    }

    //! The number of points of a space, and the values of its first and last one.
    static std::string text(const tuning_space& space)
    {
        std::string all = std::to_string(space.size());
        for (const std::size_t i : { std::size_t(0), space.size() - 1 }) {
            all += ":";
            const auto point = space.at(i);
            for (const auto value : point.in_order())
                all += " " + std::to_string(value);
        }
        return all;
    }
    //! The space of a search, in which the usual configuration lies.
    static std::string text_of_valid(const kernel_parameters& parameters,
                                     const std::vector<std::int64_t>& groups = {})
    {
        const auto space = parameters.also("group", groups).space();
        CPPUNIT_ASSERT_EQUAL(std::string(),
                             space.why_not(parameters.usual(), tuning_point()));
        return text(space);
    }
    static std::string text(const forward_transform_shape& s)
    {
        return words(s.rows,
                     "x",
                     s.decimation,
                     "values",
                     s.values,
                     "columns",
                     s.columns,
                     "blocks",
                     s.blocks,
                     s.whole_blocks ? "whole" : "parts",
                     s.lengths[0],
                     s.lengths[1]);
    }
    static std::string text(const fused_fold_shape& s)
    {
        return words(s.rows,
                     "items",
                     s.items,
                     "channels",
                     s.channels,
                     "blocks",
                     s.blocks,
                     "values",
                     s.values,
                     s.long_sums ? "long" : "short");
    }
    static std::string text(const tiled_fold_shape& s)
    {
        return words(s.rows,
                     "lanes",
                     s.lanes,
                     "channels",
                     s.item_channels,
                     "x",
                     s.teams,
                     "blocks",
                     s.blocks,
                     "step",
                     s.step);
    }
    static std::string text(const dft_bank_shape& s)
    {
        return words(s.size,
                     "items",
                     s.items,
                     "outputs",
                     s.outputs,
                     "parts",
                     s.parts,
                     "window",
                     s.window);
    }

public:
    void calls_of_direct_filters()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const std::size_t item : { 1, 3, 8 }) {
                const auto limits = device_with_limits(name).limits;
                lines.add(name,
                          item,
                          max_direct_taps(limits, item),
                          max_direct_outputs(limits, item, 1, 1),
                          max_direct_outputs(limits, item, 1000, 42));
            }
        // The first outputs too many for the items, and for themselves.
        device_limits small;
        small.base_address_alignment = 64;
        small.max_buffer = 64 + 80;
        for (const std::size_t taps : { 1, 9, 10 })
            for (const std::size_t decimation : { 1, 3, 10 })
                lines.add("small",
                          taps,
                          decimation,
                          max_direct_outputs(small, 8, taps, decimation),
                          max_direct_outputs(small, 1, taps, decimation));
        lines.check(R"(
gpu 1 268435456 268435456 6391297
gpu 3 268435456 268435456 6391297
gpu 8 268435456 268435456 6391297
cpu 1 268435456 268435456 6391297
cpu 3 268435456 268435456 6391297
cpu 8 268435456 268435456 6391297
vc4 1 67108736 8388592 1597804
vc4 3 22369578 8388592 532586
vc4 8 8388592 8388592 199705
v3d 1 268435456 134217664 6391297
v3d 3 268435456 134217664 6391297
v3d 8 134217664 134217664 3195635
cl12-min 1 1048448 131056 24940
cl12-min 3 349482 131056 8298
cl12-min 8 131056 131056 3097
small 1 1 10 10
small 1 3 4 10
small 1 10 1 8
small 9 1 2 10
small 9 3 1 10
small 9 10 1 8
small 10 1 1 10
small 10 3 1 10
small 10 10 1 8
)");
    }

    void groups_of_direct_filters()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const auto& [taps, decimation] :
                 { std::pair<std::size_t, std::size_t>{ 37, 1 },
                   { 128, 4 },
                   { 127, 4 },
                   { 128, 3 },
                   { 512, 4 } }) {
                const auto limits = device_with_limits(name).limits;
                const auto l = suggested_gpu_layout(channel(taps, decimation), limits);
                lines.add(name,
                          taps,
                          decimation,
                          l.sums_in_group ? "sums" : "outputs",
                          l.group,
                          l.outputs,
                          l.chunk);
            }
        // Sums of 32 and of 64 work-items that just fit the local memory, or just do not.
        for (const auto& [taps, bytes] :
             { std::pair<std::size_t, std::size_t>{ 128, 1024 },
               { 128, 1023 },
               { 512, 2048 },
               { 512, 2047 },
               { 512, 31 } }) {
            const auto limits =
                with_local_memory(device_with_limits("gpu").limits, bytes);
            lines.add(taps, bytes, suggested_gpu_layout(channel(taps, 4), limits).group);
        }
        for (const std::size_t items : { 1, 31, 32, 63, 64 }) {
            auto limits = with_groups(device_with_limits("gpu").limits, items);
            const auto all = suggested_gpu_layout(channel(512, 4), limits).group;
            limits.max_work_group_size = 1024;
            const auto first = suggested_gpu_layout(channel(512, 4), limits).group;
            lines.add(items, all, first);
        }
        lines.check(R"(
gpu 37 1 outputs 64 4 64
gpu 128 4 sums 32 4 64
gpu 127 4 outputs 64 4 64
gpu 128 3 outputs 64 4 64
gpu 512 4 sums 64 4 64
cpu 37 1 outputs 64 4 64
cpu 128 4 sums 32 4 64
cpu 127 4 outputs 64 4 64
cpu 128 3 outputs 64 4 64
cpu 512 4 sums 64 4 64
vc4 37 1 outputs 8 4 64
vc4 128 4 sums 8 4 64
vc4 127 4 outputs 8 4 64
vc4 128 3 outputs 8 4 64
vc4 512 4 sums 8 4 64
v3d 37 1 outputs 32 4 64
v3d 128 4 sums 32 4 64
v3d 127 4 outputs 32 4 64
v3d 128 3 outputs 32 4 64
v3d 512 4 sums 32 4 64
cl12-min 37 1 outputs 1 4 64
cl12-min 128 4 sums 1 4 64
cl12-min 127 4 outputs 1 4 64
cl12-min 128 3 outputs 1 4 64
cl12-min 512 4 sums 1 4 64
128 1024 32
128 1023 16
512 2048 64
512 2047 32
512 31 1
1 1 1
31 16 16
32 32 32
63 32 32
64 64 64
)");
    }

    void blocks()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const std::string variant : { "vkfft", "fused_fold" })
                for (const auto& [taps, decimation] :
                     { std::pair<std::size_t, std::size_t>{ 9, 2 },
                       { 60, 7 },
                       { 2429, 42 } }) {
                    const auto device = device_with_limits(name);
                    const auto sizes = ifft_sizes_of(variant, device, decimation);
                    std::string chosen;
                    try {
                        chosen = words(
                            fast_convolution_size(variant, device, decimation, taps),
                            fast_convolution_size(
                                variant, device, decimation, taps, 100, 500));
                    } catch (const std::invalid_argument&) {
                        chosen = "refused";
                    }
                    lines.add(name, variant, taps, decimation, sizes.most, chosen);
                }
        lines.check(R"(
gpu vkfft 9 2 268435456 64 256
gpu vkfft 60 7 76695844 128 64
gpu vkfft 2429 42 12782640 1024 192
gpu fused_fold 9 2 4096 128 256
gpu fused_fold 60 7 4096 256 512
gpu fused_fold 2429 42 4096 512 256
cpu vkfft 9 2 268435456 64 256
cpu vkfft 60 7 76695844 96 64
cpu vkfft 2429 42 12782640 192 192
cpu fused_fold 9 2 4096 128 256
cpu fused_fold 60 7 4096 256 512
cpu fused_fold 2429 42 4096 512 256
vc4 vkfft 9 2 192 64 24
vc4 vkfft 60 7 54 48 48
vc4 vkfft 2429 42 9 refused
vc4 fused_fold 9 2 128 64 32
vc4 fused_fold 60 7 128 128 64
vc4 fused_fold 2429 42 128 128 128
v3d vkfft 9 2 512 48 256
v3d vkfft 60 7 146 96 64
v3d vkfft 2429 42 24 refused
v3d fused_fold 9 2 256 128 256
v3d fused_fold 60 7 256 32 64
v3d fused_fold 2429 42 256 256 256
cl12-min vkfft 9 2 16 16 16
cl12-min vkfft 60 7 4 refused
cl12-min vkfft 2429 42 0 refused
cl12-min fused_fold 9 2 16 16 16
cl12-min fused_fold 60 7 16 16 16
cl12-min fused_fold 2429 42 16 refused
)");
    }

    void refused_blocks()
    {
        const auto refused = [](const std::string& name,
                                const std::string& variant,
                                std::size_t taps,
                                std::size_t ifft_size,
                                const std::vector<std::string>& words) {
            assert_refused(words, [&, of = device_with_limits(name)] {
                make_fast_convolution_block(variant, of, 2, taps, ifft_size);
            });
        };
        refused("gpu", "vkfft", 9, 4, { "ifft_size", "is 4", "more than 4 for 9 taps" });
        refused(
            "cl12-min", "vkfft", 9, 65537, { "ifft_size", "at most 65536 on device" });
        refused("cl12-min", "vkfft", 200, 0, { "taps", "200", "may have 32 items" });
        refused("gpu", "fused_fold", 9, 24, { "a power of two from 2 to" });
        refused("vc4", "fused_fold", 9, 256, { "a power of two from 2 to 128" });
        refused("cl12-min", "tiled_fold", 9, 32, { "a power of two from 2 to 16" });
        const auto small = device_with_limits("cl12-min");
        make_fast_convolution_block("vkfft", small, 2, 9, 65536);
        make_fast_convolution_block("fused_fold", small, 2, 9, 16);
        CPPUNIT_ASSERT_EQUAL(std::size_t(32), vkfft_plan::max_length(small.limits));
        CPPUNIT_ASSERT_EQUAL(std::size_t(63 * 32),
                             vkfft_plan::max_length(with_groups(small.limits, 63)));
        CPPUNIT_ASSERT(vkfft_plan::max_length(with_groups(small.limits, 64)) >
                       std::size_t(1) << 30);
    }

    void pipelines()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const std::string variant :
                 { "vkfft", "fused_fold", "tiled_fold", "tensor_fold" })
                for (const std::size_t channels : { 1, 20000 }) {
                    const auto device = device_with_limits(name);
                    const auto block =
                        make_fast_convolution_block(variant, device, 2, 9, 16);
                    const auto p = make_pipeline_shape(variant,
                                                       device,
                                                       block,
                                                       sample_type::fc32,
                                                       channels,
                                                       usual_pipeline_bytes(device));
                    lines.add(name,
                              variant,
                              channels,
                              usual_pipeline_bytes(device),
                              p.channels_per_group,
                              p.blocks,
                              p.group,
                              p.fold_blocks);
                }
        lines.check(R"(
gpu vkfft 1 33554432 1 65535 64 4
gpu vkfft 20000 33554432 20000 3 64 1
gpu fused_fold 1 33554432 1 65535 64 1
gpu fused_fold 20000 33554432 20000 52 64 1
gpu tiled_fold 1 33554432 1 65535 64 1
gpu tiled_fold 20000 33554432 20000 52 64 1
gpu tensor_fold 1 33554432 1 65535 64 1
gpu tensor_fold 20000 33554432 20000 52 64 1
cpu vkfft 1 4194304 1 16384 64 4
cpu vkfft 20000 4194304 20000 1 64 1
cpu fused_fold 1 4194304 1 16384 64 1
cpu fused_fold 20000 4194304 20000 6 64 1
cpu tiled_fold 1 4194304 1 16384 64 1
cpu tiled_fold 20000 4194304 20000 6 64 1
cpu tensor_fold 1 4194304 1 16384 64 1
cpu tensor_fold 20000 4194304 20000 6 64 1
vc4 vkfft 1 33554432 1 65535 8 4
vc4 vkfft 20000 33554432 20000 3 8 1
vc4 fused_fold 1 33554432 1 65535 8 1
vc4 fused_fold 20000 33554432 20000 13 8 1
vc4 tiled_fold 1 33554432 1 65535 8 1
vc4 tiled_fold 20000 33554432 20000 13 8 1
vc4 tensor_fold 1 33554432 1 65535 8 1
vc4 tensor_fold 20000 33554432 20000 13 8 1
v3d vkfft 1 33554432 1 65535 32 4
v3d vkfft 20000 33554432 20000 3 32 1
v3d fused_fold 1 33554432 1 65535 32 1
v3d fused_fold 20000 33554432 20000 52 32 1
v3d tiled_fold 1 33554432 1 65535 32 1
v3d tiled_fold 20000 33554432 20000 52 32 1
v3d tensor_fold 1 33554432 1 65535 32 1
v3d tensor_fold 20000 33554432 20000 52 32 1
cl12-min vkfft 1 524288 1 2048 1 4
cl12-min vkfft 20000 524288 4096 1 1 1
cl12-min fused_fold 1 524288 1 2048 1 1
cl12-min fused_fold 20000 524288 4096 1 1 1
cl12-min tiled_fold 1 524288 1 2048 1 1
cl12-min tiled_fold 20000 524288 4096 1 1 1
cl12-min tensor_fold 1 524288 1 2048 1 1
cl12-min tensor_fold 20000 524288 4096 1 1 1
)");
    }

    void forward_transforms()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const auto& [rows, decimation] :
                 { std::pair<std::size_t, std::size_t>{ 16, 2 },
                   { 32, 7 },
                   { 64, 42 },
                   { 256, 16 },
                   { 512, 42 },
                   { 8192, 1 },
                   { 16, 67 } }) {
                const auto limits = device_with_limits(name).limits;
                const auto s = suggested_forward_transform(limits, rows, decimation);
                const auto missing = forward_transform_missing(limits, rows, decimation);
                CPPUNIT_ASSERT_EQUAL(s.has_value(), missing.empty());
                lines.add(
                    name, rows, decimation, s ? text(*s) : missing.substr(0, 20) + "...");
            }
        lines.check(R"(
gpu 16 2 16 x 2 values 16 columns 2 blocks 64 whole 2 1
gpu 32 7 32 x 7 values 16 columns 7 blocks 8 whole 7 1
gpu 64 42 64 x 42 values 16 columns 42 blocks 1 whole 42 1
gpu 256 16 256 x 16 values 16 columns 16 blocks 1 whole 16 1
gpu 512 42 512 x 42 values 16 columns 7 blocks 1 parts 42 1
gpu 8192 1 the local memory is ...
gpu 16 67 a decimation of 67 i...
cpu 16 2 16 x 2 values 16 columns 2 blocks 64 whole 2 1
cpu 32 7 32 x 7 values 16 columns 7 blocks 8 whole 7 1
cpu 64 42 64 x 42 values 16 columns 42 blocks 1 whole 42 1
cpu 256 16 256 x 16 values 16 columns 16 blocks 1 whole 16 1
cpu 512 42 512 x 42 values 16 columns 7 blocks 1 parts 42 1
cpu 8192 1 8192 x 1 values 16 columns 1 blocks 1 parts 1 1
cpu 16 67 a decimation of 67 i...
vc4 16 2 16 x 2 values 16 columns 2 blocks 4 whole 2 1
vc4 32 7 32 x 7 values 16 columns 4 blocks 1 parts 7 1
vc4 64 42 64 x 42 values 16 columns 3 blocks 1 parts 7 6
vc4 256 16 a work-group is too ...
vc4 512 42 a work-group is too ...
vc4 8192 1 a work-group is too ...
vc4 16 67 a decimation of 67 i...
v3d 16 2 16 x 2 values 8 columns 2 blocks 8 whole 2 1
v3d 32 7 32 x 7 values 8 columns 7 blocks 1 whole 7 1
v3d 64 42 64 x 42 values 8 columns 4 blocks 1 parts 7 6
v3d 256 16 256 x 16 values 8 columns 1 blocks 1 parts 16 1
v3d 512 42 512 x 42 values 16 columns 1 blocks 1 parts 7 6
v3d 8192 1 a work-group is too ...
v3d 16 67 a decimation of 67 i...
cl12-min 16 2 16 x 2 values 16 columns 1 blocks 1 parts 2 1
cl12-min 32 7 a work-group is too ...
cl12-min 64 42 a work-group is too ...
cl12-min 256 16 a work-group is too ...
cl12-min 512 42 a work-group is too ...
cl12-min 8192 1 a work-group is too ...
cl12-min 16 67 a decimation of 67 i...
)");
        check_one_byte_less_for_transforms();
    }

    void fused_folds()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits()) {
            const auto limits = device_with_limits(name).limits;
            const std::size_t most = max_fused_rows(limits);
            lines.add(name, "most", most);
            for (const std::size_t rows : { std::size_t(2), std::size_t(16), most })
                for (const auto& [decimation, channels] :
                     { std::pair<std::size_t, std::size_t>{ 1, 1 }, { 65, 9 } }) {
                    const auto s =
                        suggested_fused_fold(limits, rows, decimation, channels);
                    CPPUNIT_ASSERT(s.fits(limits));
                    lines.add(name, decimation, channels, text(s));
                }
        }
        lines.check(R"(
gpu most 4096
gpu 1 1 2 items 2 channels 1 blocks 4 values 2 short
gpu 65 9 2 items 2 channels 4 blocks 4 values 2 long
gpu 1 1 16 items 16 channels 1 blocks 8 values 8 short
gpu 65 9 16 items 16 channels 4 blocks 4 values 8 long
gpu 1 1 4096 items 256 channels 1 blocks 1 values 16 short
gpu 65 9 4096 items 256 channels 1 blocks 1 values 16 long
cpu most 4096
cpu 1 1 2 items 2 channels 1 blocks 4 values 2 short
cpu 65 9 2 items 2 channels 4 blocks 4 values 2 long
cpu 1 1 16 items 16 channels 1 blocks 8 values 8 short
cpu 65 9 16 items 16 channels 4 blocks 4 values 8 long
cpu 1 1 4096 items 256 channels 1 blocks 1 values 16 short
cpu 65 9 4096 items 256 channels 1 blocks 1 values 16 long
vc4 most 128
vc4 1 1 2 items 2 channels 1 blocks 4 values 2 short
vc4 65 9 2 items 2 channels 4 blocks 4 values 2 long
vc4 1 1 16 items 8 channels 1 blocks 4 values 8 short
vc4 65 9 16 items 8 channels 4 blocks 2 values 8 long
vc4 1 1 128 items 8 channels 1 blocks 1 values 16 short
vc4 65 9 128 items 8 channels 1 blocks 1 values 16 long
v3d most 256
v3d 1 1 2 items 2 channels 1 blocks 4 values 2 short
v3d 65 9 2 items 2 channels 4 blocks 4 values 2 long
v3d 1 1 16 items 16 channels 1 blocks 8 values 8 short
v3d 65 9 16 items 16 channels 4 blocks 4 values 8 long
v3d 1 1 256 items 32 channels 1 blocks 2 values 8 short
v3d 65 9 256 items 32 channels 2 blocks 1 values 8 long
cl12-min most 16
cl12-min 1 1 2 items 1 channels 1 blocks 4 values 2 short
cl12-min 65 9 2 items 1 channels 4 blocks 2 values 2 long
cl12-min 1 1 16 items 1 channels 1 blocks 1 values 16 short
cl12-min 65 9 16 items 1 channels 1 blocks 1 values 16 long
cl12-min 1 1 16 items 1 channels 1 blocks 1 values 16 short
cl12-min 65 9 16 items 1 channels 1 blocks 1 values 16 long
)");
        // At the corners.
        const auto limits = device_with_limits("gpu").limits;
        const auto s = suggested_fused_fold(limits, 256, 42, 64);
        CPPUNIT_ASSERT(s.fits(with_local_memory(limits, s.local_bytes())));
        CPPUNIT_ASSERT(!s.fits(with_local_memory(limits, s.local_bytes() - 1)));
        CPPUNIT_ASSERT(s.fits(with_groups(limits, s.items)));
        CPPUNIT_ASSERT(!s.fits(with_groups(limits, s.items - 1)));
        const auto less = suggested_fused_fold(
            with_local_memory(limits, s.local_bytes() - 1), 256, 42, 64);
        CPPUNIT_ASSERT(less.local_bytes() < s.local_bytes());
        CPPUNIT_ASSERT(less.fits(with_local_memory(limits, s.local_bytes() - 1)));
    }

    void tiled_folds()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const std::size_t decimation : { 1, 7, 42 })
                for (const std::size_t channels : { 1, 9, 200 }) {
                    const auto device = device_with_limits(name);
                    const auto s = suggested_tiled_fold(
                        device.kind, device.limits, 16, decimation, channels);
                    CPPUNIT_ASSERT(s.items() <= device.limits.max_work_group_size);
                    lines.add(name, decimation, channels, text(s));
                }
        lines.check(R"(
gpu 1 1 16 lanes 16 channels 1 x 1 blocks 8 step 1
gpu 1 9 16 lanes 16 channels 4 x 2 blocks 8 step 1
gpu 1 200 16 lanes 16 channels 4 x 8 blocks 8 step 1
gpu 7 1 16 lanes 16 channels 1 x 1 blocks 8 step 7
gpu 7 9 16 lanes 16 channels 4 x 2 blocks 8 step 7
gpu 7 200 16 lanes 16 channels 4 x 16 blocks 8 step 4
gpu 42 1 16 lanes 16 channels 1 x 1 blocks 8 step 7
gpu 42 9 16 lanes 16 channels 4 x 2 blocks 8 step 11
gpu 42 200 16 lanes 16 channels 4 x 16 blocks 8 step 14
cpu 1 1 16 lanes 16 channels 1 x 1 blocks 2 step 1
cpu 1 9 16 lanes 16 channels 2 x 2 blocks 2 step 1
cpu 1 200 16 lanes 16 channels 2 x 2 blocks 2 step 1
cpu 7 1 16 lanes 16 channels 1 x 1 blocks 2 step 2
cpu 7 9 16 lanes 16 channels 2 x 2 blocks 2 step 2
cpu 7 200 16 lanes 16 channels 2 x 2 blocks 2 step 2
cpu 42 1 16 lanes 16 channels 1 x 1 blocks 2 step 2
cpu 42 9 16 lanes 16 channels 2 x 2 blocks 2 step 2
cpu 42 200 16 lanes 16 channels 2 x 2 blocks 2 step 2
vc4 1 1 16 lanes 8 channels 1 x 1 blocks 8 step 1
vc4 1 9 16 lanes 4 channels 4 x 2 blocks 8 step 1
vc4 1 200 16 lanes 1 channels 4 x 8 blocks 8 step 1
vc4 7 1 16 lanes 8 channels 1 x 1 blocks 8 step 7
vc4 7 9 16 lanes 4 channels 4 x 2 blocks 8 step 7
vc4 7 200 16 lanes 1 channels 4 x 8 blocks 8 step 7
vc4 42 1 16 lanes 8 channels 1 x 1 blocks 8 step 7
vc4 42 9 16 lanes 4 channels 4 x 2 blocks 8 step 11
vc4 42 200 16 lanes 1 channels 4 x 8 blocks 8 step 14
v3d 1 1 16 lanes 16 channels 1 x 1 blocks 2 step 1
v3d 1 9 16 lanes 16 channels 2 x 2 blocks 2 step 1
v3d 1 200 16 lanes 16 channels 2 x 2 blocks 2 step 1
v3d 7 1 16 lanes 16 channels 1 x 1 blocks 2 step 2
v3d 7 9 16 lanes 16 channels 2 x 2 blocks 2 step 2
v3d 7 200 16 lanes 16 channels 2 x 2 blocks 2 step 2
v3d 42 1 16 lanes 16 channels 1 x 1 blocks 2 step 2
v3d 42 9 16 lanes 16 channels 2 x 2 blocks 2 step 2
v3d 42 200 16 lanes 16 channels 2 x 2 blocks 2 step 2
cl12-min 1 1 16 lanes 1 channels 1 x 1 blocks 8 step 1
cl12-min 1 9 16 lanes 1 channels 4 x 1 blocks 8 step 1
cl12-min 1 200 16 lanes 1 channels 4 x 1 blocks 8 step 1
cl12-min 7 1 16 lanes 1 channels 1 x 1 blocks 8 step 7
cl12-min 7 9 16 lanes 1 channels 4 x 1 blocks 8 step 4
cl12-min 7 200 16 lanes 1 channels 4 x 1 blocks 8 step 4
cl12-min 42 1 16 lanes 1 channels 1 x 1 blocks 8 step 7
cl12-min 42 9 16 lanes 1 channels 4 x 1 blocks 8 step 6
cl12-min 42 200 16 lanes 1 channels 4 x 1 blocks 8 step 6
)");
        for (const auto kind : { device_kind::gpu, device_kind::cpu })
            check_corners(
                device_with_limits("gpu").limits,
                [&](const device_limits& limits) {
                    return suggested_tiled_fold(kind, limits, 64, 42, 64);
                },
                [](const auto& a, const auto& b) { return text(a) == text(b); });
    }

    void tensor_folds()
    {
        lines_of_choices lines;
        const auto add = [&](const std::string& name, const device_limits& limits) {
            for (const bool is_large : { false, true })
                for (const std::size_t decimation : { 7, 42 }) {
                    const auto s = suggested_tensor_fold(
                        limits, 64, decimation, is_large, tensor_mode::native);
                    lines.add(name,
                              decimation,
                              is_large ? "large" : "small",
                              s.bins,
                              s.tiles,
                              s.chunks,
                              s.complex_chunks,
                              s.local_bytes());
                }
        };
        const auto gpu = device_with_limits("gpu").limits;
        for (const auto& name : devices_with_limits())
            add(name, device_with_limits(name).limits);
        add("48 KiB less a byte", with_local_memory(gpu, 48 * 1024 - 1));
        lines.check(R"(
gpu 7 small 8 2 1 2 67584
gpu 42 small 8 2 3 6 165888
gpu 7 large 8 4 1 1 61440
gpu 42 large 8 4 3 3 110592
cpu 7 small 8 2 1 2 67584
cpu 42 small 8 2 3 6 165888
cpu 7 large 8 4 1 1 61440
cpu 42 large 8 4 3 3 110592
vc4 7 small 4 2 1 1 22528
vc4 42 small 4 2 3 3 47104
vc4 7 large 4 2 1 1 22528
vc4 42 large 4 2 3 3 47104
v3d 7 small 4 2 1 1 22528
v3d 42 small 4 2 3 3 47104
v3d 7 large 4 2 1 1 22528
v3d 42 large 4 2 3 3 47104
cl12-min 7 small 4 2 1 1 22528
cl12-min 42 small 4 2 3 3 47104
cl12-min 7 large 4 2 1 1 22528
cl12-min 42 large 4 2 3 3 47104
48 KiB less a byte 7 small 4 2 1 1 22528
48 KiB less a byte 42 small 4 2 3 3 47104
48 KiB less a byte 7 large 4 2 1 1 22528
48 KiB less a byte 42 large 4 2 3 3 47104
)");
        const auto s = suggested_tensor_fold(gpu, 64, 42, true, tensor_mode::native);
        CPPUNIT_ASSERT(may_use_large_tiles(with_groups(gpu, s.items()), s.items()));
        CPPUNIT_ASSERT(!may_use_large_tiles(with_groups(gpu, s.items() - 1), s.items()));
    }

    void dft_banks()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits()) {
            const auto limits = device_with_limits(name).limits;
            lines.add(name, "most", max_dft_bank_size(limits));
            for (const std::size_t size : { 2, 12, 60 })
                for (const auto& [taps, decimation] :
                     { std::pair<std::size_t, std::size_t>{ 9, 2 }, { 600, 42 } })
                    lines.add(name,
                              taps,
                              decimation,
                              text(suggested_dft_bank(limits, size, decimation, taps)));
        }
        // The largest transform in some local memory, with one byte more or less.
        const auto gpu = device_with_limits("gpu").limits;
        for (const std::size_t bytes : { 135, 136, 137, 152 })
            lines.add(bytes, max_dft_bank_size(with_local_memory(gpu, bytes)));
        for (const std::size_t items : { 1, 2 })
            lines.add(items, max_dft_bank_size(with_groups(gpu, items)));
        lines.check(R"(
gpu most 5782
gpu 9 2 2 items 8 outputs 32 parts 4 window 71
gpu 600 42 2 items 8 outputs 32 parts 4 window 1902
gpu 9 2 12 items 32 outputs 32 parts 2 window 0
gpu 600 42 12 items 32 outputs 32 parts 2 window 1902
gpu 9 2 60 items 128 outputs 32 parts 2 window 0
gpu 600 42 60 items 128 outputs 32 parts 2 window 1902
cpu most 16384
cpu 9 2 2 items 8 outputs 32 parts 4 window 71
cpu 600 42 2 items 8 outputs 32 parts 4 window 1902
cpu 9 2 12 items 32 outputs 32 parts 2 window 0
cpu 600 42 12 items 32 outputs 32 parts 2 window 1902
cpu 9 2 60 items 128 outputs 32 parts 2 window 0
cpu 600 42 60 items 128 outputs 32 parts 2 window 1902
vc4 most 768
vc4 9 2 2 items 8 outputs 32 parts 4 window 71
vc4 600 42 2 items 8 outputs 32 parts 4 window 1902
vc4 9 2 12 items 8 outputs 8 parts 1 window 0
vc4 600 42 12 items 8 outputs 8 parts 1 window 894
vc4 9 2 60 items 8 outputs 2 parts 1 window 0
vc4 600 42 60 items 8 outputs 2 parts 1 window 642
v3d most 2048
v3d 9 2 2 items 8 outputs 32 parts 4 window 0
v3d 600 42 2 items 8 outputs 32 parts 4 window 0
v3d 9 2 12 items 32 outputs 32 parts 2 window 0
v3d 600 42 12 items 32 outputs 32 parts 2 window 0
v3d 9 2 60 items 32 outputs 8 parts 1 window 0
v3d 600 42 60 items 32 outputs 8 parts 1 window 0
cl12-min most 64
cl12-min 9 2 2 items 1 outputs 8 parts 1 window 23
cl12-min 600 42 2 items 1 outputs 8 parts 1 window 0
cl12-min 9 2 12 items 1 outputs 1 parts 1 window 0
cl12-min 600 42 12 items 1 outputs 1 parts 1 window 0
cl12-min 9 2 60 items 1 outputs 1 parts 1 window 0
cl12-min 600 42 60 items 1 outputs 1 parts 1 window 0
135 15
136 16
137 16
152 18
1 64
2 128
)");
        const auto suggest = [](const device_limits& limits) {
            return suggested_dft_bank(limits, 12, 7, 60);
        };
        const auto s = suggest(gpu);
        CPPUNIT_ASSERT(s.window > 0);
        CPPUNIT_ASSERT_EQUAL(text(s),
                             text(suggest(with_local_memory(gpu, s.local_bytes()))));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0),
                             suggest(with_local_memory(gpu, s.local_bytes() - 1)).window);
        CPPUNIT_ASSERT(suggest(with_groups(gpu, s.items - 1)).items < s.items);
    }

    void spaces_of_the_tuner()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits()) {
            const auto device = device_with_limits(name);
            for (const auto* variant :
                 { &opencl_direct_cpu_tile(), &opencl_direct_gpu_tile() }) {
                const auto parameters =
                    *variant->parameters(device.limits, channel(200, 4));
                lines.add(name, variant->name, text_of_valid(parameters, { 3, 12, 13 }));
            }
            for (const std::string variant : { "vkfft", "fused_fold", "tiled_fold" }) {
                const auto parameters = fast_convolution_parameters(
                    variant, device, { sample_type::fc32, 2, 9, 5 }, 0, 4096);
                lines.add(name, variant, text_of_valid(parameters));
            }
        }
        lines.check(R"(
gpu cpu_tile 7350: 4 1 1 2048 2000: 16 16 6 49152 120000
gpu gpu_tile 980: 0 1 1 16: 1 1024 6 256
gpu vkfft 1440: 5 32768 1 1: 4096 32768 256 8
gpu fused_fold 324: 8 32768 1 1 8: 4096 32768 512 1 8
gpu tiled_fold 10: 8 32768: 4096 32768
cpu cpu_tile 7350: 4 1 1 2048 2000: 16 16 6 49152 120000
cpu gpu_tile 1000: 0 1 1 16: 1 1024 16 256
cpu vkfft 1440: 5 4096 1 1: 4096 4096 256 8
cpu fused_fold 447: 8 4096 1 1 8: 4096 4096 512 16 16
cpu tiled_fold 10: 8 4096: 4096 4096
vc4 cpu_tile 7350: 4 1 1 2048 2000: 16 16 6 49152 120000
vc4 gpu_tile 400: 0 1 1 16: 1 8 16 256
vc4 vkfft 352: 5 32768 1 1: 192 32768 8 8
vc4 fused_fold 143: 8 32768 1 1 8: 128 32768 8 16 16
vc4 tiled_fold 5: 8 32768: 128 32768
v3d cpu_tile 7350: 4 1 1 2048 2000: 16 16 6 49152 120000
v3d gpu_tile 600: 0 1 1 16: 1 32 16 256
v3d vkfft 672: 5 32768 1 1: 512 32768 32 8
v3d fused_fold 228: 8 32768 1 1 8: 256 32768 32 4 16
v3d tiled_fold 6: 8 32768: 256 32768
cl12-min cpu_tile 7350: 4 1 1 2048 2000: 16 16 6 49152 120000
cl12-min gpu_tile 72: 0 1 1 16: 1 1 16 256
cl12-min vkfft 32: 5 512 1 1: 16 512 1 8
cl12-min fused_fold 8: 8 512 1 1 8: 16 512 1 8 16
cl12-min tiled_fold 2: 8 512: 16 512
)");
    }

    //! Values that were tuned for another device are passed over.
    void tuned_values_above_the_limits()
    {
        const context_options options;
        const auto setup = channel(200, 4);
        const auto gpu = device_with_limits("gpu"), vc4 = device_with_limits("vc4");
        const auto taken = [&](const device_info& device, const tuning_values& tuned) {
            const auto parameters =
                *opencl_direct_gpu_tile().parameters(device.limits, setup);
            return parameters.chosen(options, tuned) != parameters.usual();
        };
        CPPUNIT_ASSERT(taken(gpu, { { "group", 16 } }));
        CPPUNIT_ASSERT(taken(vc4, { { "group", 4 } }));
        CPPUNIT_ASSERT(!taken(vc4, { { "group", 16 } }));
        const fast_convolution_problem problem{ sample_type::fc32, 2, 9, 5 };
        const auto block = [&](const device_info& device, std::int64_t ifft_size) {
            return fast_convolution_values("vkfft",
                                           device,
                                           options,
                                           problem,
                                           64,
                                           { { "ifft_size", ifft_size } })
                .at("ifft_size");
        };
        CPPUNIT_ASSERT_EQUAL(std::int64_t(192), block(vc4, 192));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(64), block(vc4, 224));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(224), block(gpu, 224));
    }

private:
    //! Columns that just fit the local memory, and that do not.
    static void check_one_byte_less_for_transforms()
    {
        const auto gpu = device_with_limits("gpu").limits;
        const auto suggest = [&](std::size_t bytes, std::size_t decimation) {
            return suggested_forward_transform(
                with_local_memory(gpu, bytes), 64, decimation);
        };
        const std::size_t whole = suggest(gpu.local_memory, 7)->local_bytes();
        CPPUNIT_ASSERT_EQUAL(text(*suggest(gpu.local_memory, 7)),
                             text(*suggest(whole, 7)));
        CPPUNIT_ASSERT(suggest(whole - 1, 7)->local_bytes() < whole);
        // One column of 64 values and 3 places of padding.
        constexpr std::size_t column = 67 * 8;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), suggest(column, 7)->columns);
        CPPUNIT_ASSERT(!suggest(column - 1, 7));
        assert_names(forward_transform_missing(with_local_memory(gpu, column - 1), 64, 7),
                     { "local memory", "column of 64 values" });
        // A column of 64 values takes four work-items at least.
        CPPUNIT_ASSERT(suggested_forward_transform(with_groups(gpu, 4), 64, 7));
        CPPUNIT_ASSERT(!suggested_forward_transform(with_groups(gpu, 3), 64, 7));
        assert_names(forward_transform_missing(with_groups(gpu, 3), 64, 7),
                     { "work-group", "column of 64 values" });
        CPPUNIT_ASSERT_EQUAL(std::size_t(64), max_row_values(with_groups(gpu, 64)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(16), max_row_values(with_groups(gpu, 63)));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_limits_of_filters, "qa_limits_of_filters");

} // namespace
