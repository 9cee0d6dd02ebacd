// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tables of what is chosen for products on devices with other limits.

#include "correlator/correlator_kernel.h"
#include "gemm/gemm_kernel_cpu.h"
#include "gemm/gemm_tuning.h"
#include "gemm/opencl_gemm.h"
#include "gemm_1bit/gemm_1bit_tuning.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "opencl/matrix_units.h"
#include "tests/support/qa_limits.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

constexpr gemm_type all_types[] = {
    gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8
};

//! What is chosen for products and correlators on devices with other limits. No device is
//! used.
class qa_limits_of_products : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_limits_of_products);
    CPPUNIT_TEST(parts_of_a_product);
    CPPUNIT_TEST(every_part_fits);
    CPPUNIT_TEST(tiles_for_gpus);
    CPPUNIT_TEST(fitted_to_corners);
    CPPUNIT_TEST(sets_of_tiles_for_gpus);
    CPPUNIT_TEST(blocks_for_cpus);
    CPPUNIT_TEST(tiles_of_bits);
    CPPUNIT_TEST(codes_in_a_buffer);
    CPPUNIT_TEST(tiles_of_correlators);
    CPPUNIT_TEST(matrix_units);
    CPPUNIT_TEST(spaces_of_the_tuner);
    CPPUNIT_TEST_SUITE_END();

public:
    void parts_of_a_product()
    {
        lines_of_choices lines;
        for (const std::size_t most : { 600, 131072 })
            for (const auto& shape : { gemm_shape{ 5, 3, 17 },
                                       { 20, 30, 20 },
                                       { 20, 30, 21 },
                                       { 600, 700, 3 },
                                       { 3000, 5, 200 },
                                       { 5, 3000, 200 },
                                       { 2, 3, 600 } })
                for (const bool is_held : { false, true }) {
                    const auto part = largest_gemm_part(shape, most, is_held);
                    lines.add(most,
                              shape.m,
                              shape.n,
                              shape.k,
                              is_held ? "held" : "call",
                              part.rows,
                              part.columns);
                }
        lines.check(R"(
600 5 3 17 call 5 3
600 5 3 17 held 5 3
600 20 30 20 call 20 30
600 20 30 20 held 20 30
600 20 30 21 call 20 28
600 20 30 21 held 20 30
600 600 700 3 call 25 13
600 600 700 3 held 1 700
600 3000 5 200 call 3 3
600 3000 5 200 held 3 5
600 5 3000 200 call 3 3
600 5 3000 200 held 1 3000
600 2 3 600 call 1 1
600 2 3 600 held 1 3
131072 5 3 17 call 5 3
131072 5 3 17 held 5 3
131072 20 30 20 call 20 30
131072 20 30 20 held 20 30
131072 20 30 21 call 20 30
131072 20 30 21 held 20 30
131072 600 700 3 call 256 256
131072 600 700 3 held 187 700
131072 3000 5 200 call 512 5
131072 3000 5 200 held 512 5
131072 5 3000 200 call 5 512
131072 5 3000 200 held 5 3000
131072 2 3 600 call 2 3
131072 2 3 600 held 2 3
)");
    }

    void every_part_fits()
    {
        for (const std::size_t most : { 1, 7, 64, 1000, 131072 })
            for (const std::size_t m : { 1, 3, 255, 256, 257, 5000 })
                for (const std::size_t n : { 1, 3, 255, 256, 257, 5000 })
                    for (const std::size_t k : { std::size_t(1), most / 3 + 1, most }) {
                        const auto part = largest_gemm_part({ m, n, k }, most, false);
                        CPPUNIT_ASSERT(part.rows >= 1 && part.rows <= m);
                        CPPUNIT_ASSERT(part.columns >= 1 && part.columns <= n);
                        CPPUNIT_ASSERT(part.rows * k <= most && part.columns * k <= most);
                        CPPUNIT_ASSERT(part.rows * part.columns <= most);
                        const auto held = largest_gemm_part({ m, n, k }, most, true);
                        CPPUNIT_ASSERT(held.columns == n && held.rows >= 1);
                        CPPUNIT_ASSERT(held.rows == 1 || held.rows * n <= most);
                    }
    }

    void tiles_for_gpus()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const auto type : all_types)
                for (const auto& wanted : gemm_gpu_parameters::defaults(type)) {
                    const auto p = wanted.fitted(type, device_with_limits(name).limits);
                    lines.add(name, static_cast<int>(type), text(p));
                }
        lines.check(R"(
gpu 0 16 16 8 8 16
gpu 0 16 16 4 4 16
gpu 0 8 8 4 4 16
gpu 1 8 16 8 4 16
gpu 1 16 8 4 4 16
gpu 1 8 8 4 2 16
gpu 2 16 16 8 8 16
gpu 2 16 16 4 4 16
gpu 2 8 8 4 4 16
gpu 3 16 16 8 8 16
gpu 3 16 16 4 4 16
gpu 3 8 8 4 4 16
cpu 0 16 16 8 8 16
cpu 0 16 16 4 4 16
cpu 0 8 8 4 4 16
cpu 1 8 16 8 4 16
cpu 1 16 8 4 4 16
cpu 1 8 8 4 2 16
cpu 2 16 16 8 8 16
cpu 2 16 16 4 4 16
cpu 2 8 8 4 4 16
cpu 3 16 16 8 8 16
cpu 3 16 16 4 4 16
cpu 3 8 8 4 4 16
vc4 0 4 2 8 8 16
vc4 0 4 2 4 4 16
vc4 0 4 2 4 4 16
vc4 1 4 2 8 4 16
vc4 1 4 2 4 4 16
vc4 1 4 2 4 2 16
vc4 2 4 2 8 8 16
vc4 2 4 2 4 4 16
vc4 2 4 2 4 4 16
vc4 3 4 2 8 8 16
vc4 3 4 2 4 4 16
vc4 3 4 2 4 4 16
v3d 0 8 4 8 4 16
v3d 0 8 4 4 4 16
v3d 0 8 4 4 4 16
v3d 1 8 4 4 4 16
v3d 1 8 4 4 4 16
v3d 1 8 4 4 2 16
v3d 2 8 4 8 4 16
v3d 2 8 4 4 4 16
v3d 2 8 4 4 4 16
v3d 3 8 4 8 4 16
v3d 3 8 4 4 4 16
v3d 3 8 4 4 4 16
cl12-min 0 1 1 8 4 8
cl12-min 0 1 1 4 4 8
cl12-min 0 1 1 4 4 8
cl12-min 1 1 1 4 2 8
cl12-min 1 1 1 4 2 8
cl12-min 1 1 1 4 2 8
cl12-min 2 1 1 8 4 8
cl12-min 2 1 1 4 4 8
cl12-min 2 1 1 4 4 8
cl12-min 3 1 1 8 4 8
cl12-min 3 1 1 4 4 8
cl12-min 3 1 1 4 4 8
)");
    }

    //! Tiles whose memory and work-items are just those of the device stay as they are.
    void fitted_to_corners()
    {
        lines_of_choices lines;
        const auto gpu = device_with_limits("gpu").limits;
        for (const auto type : { gemm_type::f32, gemm_type::c32 })
            for (const auto& p : gemm_gpu_parameters::defaults(type)) {
                const std::size_t bytes = p.local_memory(type);
                CPPUNIT_ASSERT_EQUAL(text(p),
                                     text(p.fitted(type, with_local_memory(gpu, bytes))));
                CPPUNIT_ASSERT_EQUAL(text(p),
                                     text(p.fitted(type, with_groups(gpu, p.items()))));
                auto narrow = gpu, low = gpu;
                narrow.max_work_item_sizes[0] = p.group_columns - 1;
                low.max_work_item_sizes[1] = p.group_rows - 1;
                lines.add(bytes,
                          text(p.fitted(type, with_local_memory(gpu, bytes - 1))),
                          text(p.fitted(type, with_groups(gpu, p.items() - 1))),
                          text(p.fitted(type, narrow)),
                          text(p.fitted(type, low)));
            }
        lines.check(R"(
33280 16 16 8 8 8 16 8 8 8 16 16 8 8 8 16 8 16 8 8 16
16896 16 16 4 4 8 16 8 4 4 16 16 8 4 4 16 8 16 4 4 16
8704 8 8 4 4 8 8 4 4 4 16 8 4 4 4 16 4 8 4 4 16
33280 8 16 8 4 8 8 8 8 4 16 8 8 8 4 16 4 16 8 4 16
25088 16 8 4 4 8 8 8 4 4 16 16 4 4 4 16 8 8 4 4 16
12800 8 8 4 2 8 8 4 4 2 16 8 4 4 2 16 4 8 4 2 16
)");
    }

    void sets_of_tiles_for_gpus()
    {
        lines_of_choices lines;
        const context_options options;
        for (const auto& name : devices_with_limits()) {
            const auto device = device_with_limits(name);
            for (const std::size_t size : { 8, 100, 2000 }) {
                const auto values = untuned_gemm_values("gpu_tile",
                                                        device.limits,
                                                        options,
                                                        gemm_type::f32,
                                                        { size, size, size });
                lines.add(name,
                          size,
                          values.at("group_rows"),
                          values.at("group_columns"),
                          values.at("item_rows"),
                          values.at("item_columns"),
                          values.at("depth"));
            }
        }
        lines.check(R"(
gpu 8 8 8 4 4 16
gpu 100 8 8 4 4 16
gpu 2000 16 16 8 8 16
cpu 8 8 8 4 4 16
cpu 100 8 8 4 4 16
cpu 2000 16 16 8 8 16
vc4 8 4 2 4 4 16
vc4 100 4 2 8 8 16
vc4 2000 4 2 8 8 16
v3d 8 8 4 4 4 16
v3d 100 8 4 8 4 16
v3d 2000 8 4 8 4 16
cl12-min 8 1 1 8 4 8
cl12-min 100 1 1 8 4 8
cl12-min 2000 1 1 8 4 8
)");
    }

    void blocks_for_cpus()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const auto type : all_types) {
                const auto limits = device_with_limits(name).limits;
                const gemm_cpu_blocking blocking(
                    type,
                    gemm_cpu_parameters(type, limits.native_vector_width_float),
                    limits);
                for (const auto& shape :
                     { gemm_shape{ 3, 2, 5 }, { 70, 90, 50 }, { 600, 700, 900 } }) {
                    const auto tile = blocking.tile_for(shape);
                    const auto b = blocking.cut(shape, tile, false);
                    CPPUNIT_ASSERT((b.sum_floats + b.packed_floats) * sizeof(float) <=
                                   limits.local_memory);
                    lines.add(name,
                              static_cast<int>(type),
                              shape.m,
                              tile.width,
                              tile.rows,
                              blocking.has_scratch(tile) ? "scratch" : "packed",
                              b.rows,
                              b.columns,
                              b.k,
                              b.sum_floats,
                              b.packed_floats);
                }
            }
        lines.check(R"(
gpu 0 3 4 4 scratch 4 16 5 64 80
gpu 0 70 4 6 scratch 72 16 50 96 800
gpu 0 600 4 6 scratch 96 16 450 1536 7200
gpu 1 3 4 4 scratch 4 8 5 64 80
gpu 1 70 4 6 scratch 72 8 50 96 800
gpu 1 600 4 6 scratch 150 8 450 2400 7200
gpu 2 3 4 4 scratch 4 16 5 64 80
gpu 2 70 4 6 scratch 72 16 50 96 800
gpu 2 600 4 6 scratch 96 16 450 1536 7200
gpu 3 3 4 4 scratch 4 16 5 64 80
gpu 3 70 4 6 scratch 72 16 50 96 800
gpu 3 600 4 6 scratch 96 16 450 96 7200
cpu 0 3 4 4 scratch 4 8 5 32 40
cpu 0 70 8 6 scratch 72 16 50 96 800
cpu 0 600 8 6 scratch 300 16 900 96 14400
cpu 1 3 4 4 scratch 4 4 5 32 40
cpu 1 70 8 5 scratch 70 8 50 80 800
cpu 1 600 8 5 scratch 600 8 900 80 14400
cpu 2 3 4 4 scratch 4 8 5 32 40
cpu 2 70 8 6 scratch 72 16 50 96 800
cpu 2 600 8 6 scratch 300 16 900 96 14400
cpu 3 3 4 4 scratch 4 8 5 32 40
cpu 3 70 8 6 scratch 72 16 50 96 800
cpu 3 600 8 6 scratch 300 16 900 96 14400
vc4 0 3 4 4 scratch 4 16 5 64 80
vc4 0 70 4 6 scratch 72 16 50 96 800
vc4 0 600 4 6 scratch 300 16 450 4800 7200
vc4 1 3 4 4 scratch 4 8 5 64 80
vc4 1 70 4 6 scratch 72 8 50 96 800
vc4 1 600 4 6 scratch 300 8 450 4800 7200
vc4 2 3 4 4 scratch 4 16 5 64 80
vc4 2 70 4 6 scratch 72 16 50 96 800
vc4 2 600 4 6 scratch 300 16 450 4800 7200
vc4 3 3 4 4 scratch 4 16 5 64 80
vc4 3 70 4 6 scratch 72 16 50 96 800
vc4 3 600 4 6 scratch 600 16 450 96 7200
v3d 0 3 4 4 scratch 4 16 5 64 80
v3d 0 70 4 6 scratch 72 16 50 96 800
v3d 0 600 4 6 scratch 150 16 225 2400 3600
v3d 1 3 4 4 scratch 4 8 5 64 80
v3d 1 70 4 6 scratch 72 8 50 96 800
v3d 1 600 4 6 scratch 150 8 225 2400 3600
v3d 2 3 4 4 scratch 4 16 5 64 80
v3d 2 70 4 6 scratch 72 16 50 96 800
v3d 2 600 4 6 scratch 150 16 225 2400 3600
v3d 3 3 4 4 scratch 4 16 5 64 80
v3d 3 70 4 6 scratch 72 16 50 96 800
v3d 3 600 4 6 scratch 600 16 225 96 3600
cl12-min 0 3 4 4 packed 3 16 5 0 0
cl12-min 0 70 4 6 packed 70 16 50 0 0
cl12-min 0 600 4 6 packed 600 16 900 0 0
cl12-min 1 3 4 4 packed 3 8 5 0 0
cl12-min 1 70 4 6 packed 70 8 50 0 0
cl12-min 1 600 4 6 packed 600 8 900 0 0
cl12-min 2 3 4 4 packed 3 16 5 0 0
cl12-min 2 70 4 6 packed 70 16 50 0 0
cl12-min 2 600 4 6 packed 600 16 900 0 0
cl12-min 3 3 4 4 packed 3 16 5 0 0
cl12-min 3 70 4 6 packed 70 16 50 0 0
cl12-min 3 600 4 6 packed 600 16 900 0 0
)");
        // A panel of 16 floats, of 32 terms and 16 tiles of 6 rows.
        const gemm_cpu_parameters p(gemm_type::f32, 8);
        constexpr std::size_t bytes = (32 + 16 * 6) * 16 * sizeof(float);
        const auto has_scratch = [&](std::size_t memory) {
            const auto limits =
                with_local_memory(device_with_limits("cpu").limits, memory);
            return gemm_cpu_blocking(gemm_type::f32, p, limits).has_scratch(p);
        };
        CPPUNIT_ASSERT(has_scratch(bytes));
        CPPUNIT_ASSERT(!has_scratch(bytes - 1));
    }

    void tiles_of_bits()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits()) {
            const auto limits = device_with_limits(name).limits;
            const gemm_1bit_gpu_parameters p(limits);
            CPPUNIT_ASSERT(p.fits(limits));
            for (const std::string variant : { "cpu_tile", "gpu_tile" }) {
                const auto parameters = *gemm_1bit_parameters(variant, limits, 64);
                CPPUNIT_ASSERT_EQUAL(
                    std::string(),
                    parameters.space().why_not(parameters.usual(), tuning_point()));
            }
            lines.add(name, gemm_1bit_cpu_parameters(limits).codes, text(p));
        }
        const auto gpu = device_with_limits("gpu").limits;
        const gemm_1bit_gpu_parameters p(gpu);
        const std::size_t bytes = (p.items() + 1 + p.codes()) * p.depth * 4;
        for (const std::size_t memory : { bytes, bytes - 1, std::size_t(71) })
            lines.add(memory,
                      text(gemm_1bit_gpu_parameters(with_local_memory(gpu, memory))));
        for (const std::size_t items : { 256, 255, 1 })
            lines.add(items, text(gemm_1bit_gpu_parameters(with_groups(gpu, items))));
        for (const int dimension : { 0, 1 })
            for (const std::size_t items : { 16, 15 }) {
                auto limits = gpu;
                limits.max_work_item_sizes[dimension] = items;
                lines.add(dimension, items, text(gemm_1bit_gpu_parameters(limits)));
            }
        lines.check(R"(
gpu 4 16 16 4 4 16
cpu 4 16 16 4 4 16
vc4 4 4 2 4 4 16
v3d 4 8 4 4 4 16
cl12-min 4 1 1 4 4 16
8256 16 16 4 4 16
8255 16 8 4 4 16
71 1 1 4 4 2
256 16 16 4 4 16
255 16 8 4 4 16
1 1 1 4 4 16
0 16 16 16 4 4 16
0 15 8 8 4 4 16
1 16 16 16 4 4 16
1 15 16 8 4 4 16
)");
    }

    void codes_in_a_buffer()
    {
        auto limits = device_with_limits("cl12-min").limits;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1) << 20,
                             gemm_1bit_kernel::max_table_bytes(limits));
        limits.max_buffer = std::size_t(1) << 40;
        CPPUNIT_ASSERT(gemm_1bit_kernel::max_table_bytes(limits) < std::size_t(1) << 33);
    }

    void tiles_of_correlators()
    {
        lines_of_choices lines;
        for (const auto& name : devices_with_limits())
            for (const std::size_t antennas : { 1, 64, 65 }) {
                const correlator_gpu_tile tile(device_with_limits(name).limits, antennas);
                lines.add(name, antennas, tile.group, tile.depth, tile.local_bytes());
            }
        const auto gpu = device_with_limits("gpu").limits;
        const correlator_gpu_tile whole(gpu, 65);
        for (const std::size_t less : { 0, 1 }) {
            lines.add(less, correlator_gpu_tile(with_groups(gpu, 256 - less), 65).group);
            for (const int dimension : { 0, 1 }) {
                auto limits = gpu;
                limits.max_work_item_sizes[dimension] = 16 - less;
                lines.add(less, dimension, correlator_gpu_tile(limits, 65).group);
            }
            const auto memory = with_local_memory(gpu, whole.local_bytes() - less);
            lines.add(less, "bytes", correlator_gpu_tile(memory, 65).group);
            const auto little = with_local_memory(gpu, 2 * 16 * 5 * 2 * 4 - less);
            const correlator_gpu_tile smallest(little, 65);
            lines.add(less, "bytes", smallest.group, smallest.depth);
        }
        lines.check(R"(
gpu 1 8 16 8448
gpu 64 8 16 8448
gpu 65 16 16 16640
cpu 1 8 16 8448
cpu 64 8 16 8448
cpu 65 16 16 16640
vc4 1 2 16 2304
vc4 64 2 16 2304
vc4 65 2 16 2304
v3d 1 4 16 4352
v3d 64 4 16 4352
v3d 65 4 16 4352
cl12-min 1 1 8 640
cl12-min 64 1 8 640
cl12-min 65 1 8 640
0 16
0 0 16
0 1 16
0 bytes 16
0 bytes 1 16
1 8
1 0 8
1 1 8
1 bytes 8
1 bytes 1 8
)");
    }

    void matrix_units()
    {
        const auto gpu = device_with_limits("gpu").limits;
        const auto tensor = [](int capability, const device_limits& limits) {
            return missing_tensor_reason("a GPU", capability, limits);
        };
        CPPUNIT_ASSERT_EQUAL(std::string(), tensor(80, with_groups(gpu, 128)));
        assert_names(tensor(80, with_groups(gpu, 127)),
                     { "of 128 work-items", "at most 127" });
        assert_names(tensor(75, gpu), { "8.0 or later", "'a GPU' has 7.5" });
        assert_names(tensor(0, gpu), { "'a GPU' is none" });
        auto narrow = gpu;
        narrow.max_work_item_sizes[0] = 127;
        assert_names(tensor(80, narrow), { "at most 127" });

        const auto warpgroup = [](int capability, const device_limits& limits) {
            return missing_warpgroup_reason("a GPU", capability, limits);
        };
        CPPUNIT_ASSERT_EQUAL(std::string(), warpgroup(90, with_groups(gpu, 288)));
        assert_names(warpgroup(90, with_groups(gpu, 287)), { "of 288 work-items" });
        assert_names(warpgroup(90, with_local_memory(gpu, 48 * 1024 - 1)),
                     { "limits of device 'a GPU' are lower" });
        assert_names(warpgroup(100, gpu), { "9.0", "has 10.0" });

        // Tiles that just fit, and that do not.
        const warpgroup_tile tile{ 1, 64, 2, 1, false };
        const std::size_t bytes = tile.local_memory(), items = tile.items();
        const auto refused =
            [&](const char* what, std::size_t group, std::size_t memory) {
                const auto limits = with_local_memory(with_groups(gpu, group), memory);
                check_tile(tile, limits, tensor_mode::native);
                assert_refused({ what },
                               [&] { check_tile(tile, limits, tensor_mode::emulated); });
            };
        check_tile(tile,
                   with_local_memory(with_groups(gpu, items), bytes),
                   tensor_mode::emulated);
        refused("local memory", items, bytes - 1);
        assert_refused({ "work-items", "160" }, [&] {
            check_tile(tile, with_groups(gpu, items - 1), tensor_mode::native);
        });
        const warpgroup_wide_tile wide{ 1, 64, 1, 1 };
        check_tile(wide,
                   1,
                   with_local_memory(with_groups(gpu, 128), wide.local_memory(1)),
                   tensor_mode::emulated);
        assert_refused({ "local memory" }, [&] {
            check_tile(wide,
                       1,
                       with_local_memory(gpu, wide.local_memory(1) - 1),
                       tensor_mode::emulated);
        });
        assert_refused({ "work-items", "128" }, [&] {
            check_tile(wide, 1, with_groups(gpu, 127), tensor_mode::native);
        });
    }

    void spaces_of_the_tuner()
    {
        lines_of_choices lines;
        const context_options options;
        for (const auto& name : devices_with_limits()) {
            const auto device = device_with_limits(name);
            for (const std::string variant : { "cpu_tile", "gpu_tile" }) {
                for (const auto type : { gemm_type::f32, gemm_type::c32 }) {
                    const auto parameters =
                        *gemm_parameters(variant, device.limits, type);
                    const auto space = parameters.space();
                    CPPUNIT_ASSERT_EQUAL(
                        std::string(), space.why_not(parameters.usual(), tuning_point()));
                    add(lines, name, variant, space);
                }
                for (const std::size_t bits : { 64, 1 << 22 }) {
                    add(lines,
                        name,
                        variant,
                        gemm_1bit_parameters(variant, device.limits, bits)->space());
                }
            }
        }
        lines.check(R"(
gpu cpu_tile 4914 to 16 16 3 1024 2048
gpu cpu_tile 2394 to 16 16 1 1024 2048
gpu cpu_tile 600 to 16 496 512 67108864
gpu cpu_tile 600 to 16 496 512 67108864
gpu gpu_tile 1258 to 64 16 16 4 4
gpu gpu_tile 2403 to 64 16 8 4 4
gpu gpu_tile 3750 to 64 16 8 4 16
gpu gpu_tile 3750 to 64 16 8 4 16
cpu cpu_tile 4914 to 16 16 3 1024 2048
cpu cpu_tile 2394 to 16 16 1 1024 2048
cpu cpu_tile 600 to 16 496 512 67108864
cpu cpu_tile 600 to 16 496 512 67108864
cpu gpu_tile 1715 to 64 64 16 4 32
cpu gpu_tile 3332 to 64 64 8 4 32
cpu gpu_tile 4067 to 64 64 8 4 16
cpu gpu_tile 4067 to 64 64 8 4 16
vc4 cpu_tile 4914 to 16 16 3 1024 2048
vc4 cpu_tile 2394 to 16 16 1 1024 2048
vc4 cpu_tile 600 to 16 496 512 67108864
vc4 cpu_tile 600 to 16 496 512 67108864
vc4 gpu_tile 350 to 8 1 16 4 32
vc4 gpu_tile 676 to 8 1 8 4 32
vc4 gpu_tile 830 to 8 1 8 4 16
vc4 gpu_tile 830 to 8 1 8 4 16
v3d cpu_tile 4914 to 16 16 3 1024 2048
v3d cpu_tile 2394 to 16 16 1 1024 2048
v3d cpu_tile 600 to 16 496 512 67108864
v3d cpu_tile 600 to 16 496 512 67108864
v3d gpu_tile 657 to 32 1 16 4 4
v3d gpu_tile 1239 to 32 1 8 4 4
v3d gpu_tile 1729 to 32 1 8 4 16
v3d gpu_tile 1729 to 32 1 8 4 16
cl12-min cpu_tile 4914 to 16 16 3 1024 2048
cl12-min cpu_tile 2394 to 16 16 1 1024 2048
cl12-min cpu_tile 600 to 16 496 512 67108864
cl12-min cpu_tile 150 to 2 496 512 67108864
cl12-min gpu_tile 11 to 1 1 16 4 4
cl12-min gpu_tile 27 to 1 1 8 4 4
cl12-min gpu_tile 71 to 1 1 8 4 16
cl12-min gpu_tile 41 to 1 1 2 8 16
)");
        // No panel of codes as long as these fits a buffer.
        const auto small = device_with_limits("cl12-min");
        gemm_1bit_parameters("cpu_tile", small.limits, 1 << 22)->space();
        CPPUNIT_ASSERT_THROW(
            gemm_1bit_parameters("cpu_tile", small.limits, (1 << 22) + 64)->space(),
            std::invalid_argument);
    }

private:
    static std::string text(const gemm_gpu_parameters& p)
    {
        return words(p.group_rows, p.group_columns, p.item_rows, p.item_columns, p.depth);
    }
    static std::string text(const gemm_1bit_gpu_parameters& p)
    {
        return words(p.group_codes, p.group_items, p.each_codes, p.each_items, p.depth);
    }
    static void add(lines_of_choices& lines,
                    const std::string& device,
                    const std::string& variant,
                    const tuning_space& space)
    {
        std::string last;
        const auto point = space.at(space.size() - 1);
        for (const auto value : point.in_order())
            last += " " + std::to_string(value);
        lines.add(device, variant, space.size(), "to" + last);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_limits_of_products, "qa_limits_of_products");

} // namespace
