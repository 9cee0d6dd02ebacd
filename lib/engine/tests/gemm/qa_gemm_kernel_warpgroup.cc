// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of products on Hopper's matrix units, which are emulated elsewhere.

#include "gemm/gemm_parameters.h"
#include "tests/support/qa_matrix_units.h"

#include <cppunit/extensions/HelperMacros.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace cldsp;

/*!
 * Tests of the kernel for the matrix units of Hopper GPUs. On other devices its
 * instruction is OpenCL C that reads the same local memory and leaves the sums to the
 * same lanes, so that a word in a wrong place gives a wrong product. A GPU of this kind
 * runs the kernel itself in qa_gemm and qa_gemm_1bit.
 */
class qa_gemm_kernel_warpgroup : public matrix_unit_fixture
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_kernel_warpgroup, matrix_unit_fixture);
    CPPUNIT_TEST(several_tiles_and_steps);
    CPPUNIT_TEST(packed_matrices_that_are_too_large);
    CPPUNIT_TEST(every_tile_on_a_gpu);
    CPPUNIT_TEST(wide_products);
    CPPUNIT_TEST(wide_products_on_a_gpu);
    CPPUNIT_TEST(wrong_word_of_a_wide_product);
    CPPUNIT_TEST(sums_that_leave_the_units);
    CPPUNIT_TEST(wrong_place_is_refused);
    CPPUNIT_TEST(packed_words);
    CPPUNIT_TEST(choice_by_size);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST(devices_that_fit);
    CPPUNIT_TEST_SUITE_END();

public:
    qa_gemm_kernel_warpgroup() : matrix_unit_fixture("warpgroup") {}

    void several_tiles_and_steps()
    {
        for (const auto type : all_gemm_types) {
            if (!fits())
                return;
            auto tile = small_warpgroup_tile(type);
            tile.groups = 2;
            if (tile.local_memory() > device()->limits().local_memory)
                return;
            const auto check = with(type, tile);
            check.check({ 128, 64, 128 }, 1, 0, false, 0);
            check.check({ 150, 140, 300 }, 1, 1, true, 4);
            // More rows of tiles than a band has.
            check.check({ 1200, 65, 3 }, 1, 0);
        }
    }

    //! Where the packed form is larger than a buffer may be, another kernel computes.
    void packed_matrices_that_are_too_large()
    {
        if (!fits())
            return;
        for (const auto type : all_gemm_types)
            // Room for none, and for two blocks of A or of B.
            for (const std::size_t blocks : { 0, 2 }) {
                const auto check =
                    checks({ "warpgroup",
                             type,
                             [=](const gemm_kernel_args& args) {
                                 return make_gemm_kernel_warpgroup(
                                     args,
                                     { small_warpgroup_tile(type) },
                                     tensor_mode::emulated,
                                     blocks * warpgroup_blocks::bytes_each);
                             },
                             gemm_precision::exact,
                             true,
                             "room for " + std::to_string(blocks) + " blocks" });
                for (const gemm_shape& shape : { gemm_shape{ 5, 130, 7 },
                                                 gemm_shape{ 200, 6, 9 },
                                                 gemm_shape{ 6, 7, 8 } })
                    check.check_held(gemm_case(type, shape, 1, 1),
                                     gemm_case(type, { 20, 40, 35 }, 1, 0, 2));
            }
    }

    //! On a Hopper GPU, every set of parameters that "warpgroup" uses, with several steps
    //! for each stage, edges, offsets, factors and a B that is held.
    void every_tile_on_a_gpu()
    {
        if (!missing_warpgroup_reason(device()->device()).empty())
            return;
        const auto run =
            [&](gemm_type type, gemm_precision precision, const warpgroup_tile& tile) {
                const auto check = with(type, tile, precision, tensor_mode::native);
                check.check({ 256, 256, 1030 }, 1, 0, false, 0, 5);
                check.check({ 131, 259, 777 }, 1, 1, true, 3, 5);
                check.check({ 3, 5, 7 }, 1, 1, false, 1, 5);
            };
        for (const auto type : float_types) {
            for (const auto& tile : { warpgroup_tile{ 2, 128, 3, 2, true },
                                      warpgroup_tile{ 2, 64, 4, 2, true } })
                run(type, gemm_precision::exact, tile);
            for (const auto precision : less_precise)
                for (const auto& tile : { warpgroup_tile{ 2, 256, 4, 1, false },
                                          warpgroup_tile{ 2, 128, 6, 1, false },
                                          warpgroup_tile{ 2, 128, 6, 1, true } })
                    run(type, precision, tile);
        }
        for (const auto type : { gemm_type::f16, gemm_type::s8 })
            for (const auto& tile : { warpgroup_tile{ 2, 256, 4, 1, false },
                                      warpgroup_tile{ 2, 128, 6, 1, false },
                                      warpgroup_tile{ 2, 64, 8, 1, false } })
                run(type, gemm_precision::exact, tile);
    }

    //! B is not packed where A has few rows and columns.
    void wide_products()
    {
        use_logged_device();
        for (const auto precision : { gemm_precision::exact, gemm_precision::tf32 }) {
            if (!takes_wide_tiles())
                return;
            const auto check = wide(precision);
            for (const std::size_t n : { 1, 2, 15, 63, 64, 65, 200 })
                check.check(
                    { n % 32 + 1, n, 7 * n % 32 + 1 }, 1, 0, n % 2 == 0, n % 4, 3);
            check.check({ 32, 130, 32 }, { 0.3f, -0.8f }, { -0.5f, 0.25f }, false, 3, 3);
            check.check({ 31, 129, 17 }, 1, 1, true, 0, 3);
            // These do not suit the kernel, and are packed.
            check.check({ 33, 66, 5 }, 1, 0, true, 3, 3);
            check.check({ 3, 66, 33 }, 1, 1, true, 3, 3);
            check.check({ 3, 66, 5 }, 0, 1, false, 3, 3);
        }
        CPPUNIT_ASSERT_MESSAGE(d_log.empty() ? "" : d_log.back(), !logged(gives_up));
    }

    void wide_products_on_a_gpu()
    {
        if (!missing_warpgroup_reason(device()->device()).empty())
            return;
        use_logged_device();
        for (const auto precision : { gemm_precision::exact, gemm_precision::tf32 })
            for (const auto& tile : { warpgroup_wide_tile{ 2, 64, 4, 1 },
                                      warpgroup_wide_tile{ 2, 128, 4, 1 } }) {
                const auto check =
                    checks({ "warpgroup",
                             gemm_type::c32,
                             [=](const gemm_kernel_args& args) {
                                 return make_gemm_kernel_warpgroup(
                                     args,
                                     { { 2, 64, 4, 2, true } },
                                     tensor_mode::native,
                                     std::numeric_limits<std::size_t>::max(),
                                     { tile });
                             },
                             precision,
                             false,
                             "wide, " + std::to_string(tile.columns) + " columns" });
                const std::size_t m = tile.columns / 2;
                for (const std::size_t offset : { 0, 1, 2 }) {
                    // Several tiles for each work-group.
                    check.check({ m, 17000, 17 }, 1, 0, false, 0, offset);
                    check.check({ m - 3, 2001, 63 }, { 0.3f, -0.8f }, 1, true, 2, offset);
                    check.check({ m, 1500, 64 }, 1, 0, false, 2, offset);
                    check.check({ 1, 1, 1 }, 1, 1, false, 1, offset);
                    check.check({ 5, 1027, 16 }, 1, 1, false, 3, offset);
                }
            }
        CPPUNIT_ASSERT_MESSAGE(d_log.empty() ? "" : d_log.back(), !logged(gives_up));
    }

    //! A wrong product of this kernel is no error: the other one computes instead.
    void wrong_word_of_a_wide_product()
    {
        if (!takes_wide_tiles())
            return;
        use_changed_kernel("gemm_warpgroup",
                           "words[0][4 * slice + 1] = two.s2;",
                           "words[0][4 * slice + 1] = two.s0;");
        wide(gemm_precision::exact).check({ 30, 70, 20 });
        CPPUNIT_ASSERT(logged(gives_up));
        CPPUNIT_ASSERT(logged("wrong products"));
    }

    void sums_that_leave_the_units()
    {
        if (!fits())
            return;
        auto tile = small_warpgroup_tile(gemm_type::f16);
        tile.is_summed = true;
        with(gemm_type::f16, tile).check({ 5, 66, small_tests() ? 100 : 700U }, 1, 1);
        for (const auto& [type, precision] :
             { std::pair(gemm_type::f32, gemm_precision::tf32),
               std::pair(gemm_type::c32, gemm_precision::half) }) {
            tile = small_warpgroup_tile(type, precision);
            tile.is_summed = true;
            with(type, tile, precision).check({ 5, 66, 200 }, 1, 1);
        }
    }

    //! A driver that puts one word into a wrong place gives products that are not taken.
    void wrong_place_is_refused()
    {
        if (!fits())
            return;
        use_changed_kernel("gemm_warpgroup",
                           "(word / 4 ^ row % 8)",
                           "(word / 4 ^ row % 8 ^ (row == 5))");
        check_refused();
    }

    void packed_words()
    {
        const warpgroup_blocks blocks = { 130, 70, 2 };
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), blocks.blocks());
        CPPUNIT_ASSERT_EQUAL(std::size_t(3), blocks.steps());
        CPPUNIT_ASSERT_EQUAL(std::size_t(3 * 3 * 2 * 8192), blocks.bytes());
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), blocks.index(0, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(7), blocks.index(0, 7));
        // Row 1 exchanges neighbouring chunks.
        CPPUNIT_ASSERT_EQUAL(std::size_t(32 + 4), blocks.index(1, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(32 + 3), blocks.index(1, 7));
        CPPUNIT_ASSERT_EQUAL(std::size_t(8 * 32), blocks.index(8, 0));
        // The next 32 words are behind both parts of the first ones.
        CPPUNIT_ASSERT_EQUAL(std::size_t(2 * 2048), blocks.index(0, 32));
        CPPUNIT_ASSERT_EQUAL(std::size_t(3 * 2 * 2048), blocks.index(64, 0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), (warpgroup_blocks{ 1, 0, 1 }).steps());
    }

    void choice_by_size()
    {
        const warpgroup_tile wide = { 2, 256, 4, 1, false },
                             narrow = { 2, 64, 8, 1, false };
        CPPUNIT_ASSERT_EQUAL(std::size_t(32 * 16), wide.count(4096, 4096));
        CPPUNIT_ASSERT(wide.work(4096, 4096, 132) < narrow.work(4096, 4096, 132));
        CPPUNIT_ASSERT(narrow.work(1024, 1024, 132) < wide.work(1024, 1024, 132));
        // The local memory of a compute unit of Hopper GPUs, less what drivers take.
        const warpgroup_wide_tile beams = { 2, 128, 4, 1024 };
        CPPUNIT_ASSERT(beams.local_memory(2) <= 226 * 1024);
        CPPUNIT_ASSERT(beams.suits(64, 65536, 64) && !beams.suits(65, 65536, 64) &&
                       !beams.suits(64, 1000, 64) && !beams.suits(64, 65536, 65));
        // Four rounds for 512 tiles.
        CPPUNIT_ASSERT_EQUAL(std::size_t(128), beams.count(65536, 132));
        CPPUNIT_ASSERT_EQUAL(std::size_t(9), beams.count(1030, 132));
        for (const auto& tile : { wide, narrow })
            CPPUNIT_ASSERT(tile.local_memory() <= 226 * 1024 && tile.items() == 288);
    }

    void refused_parameters()
    {
        assert_refused({ "tiles", "empty" }, [&] {
            make_gemm_kernel_warpgroup(
                { device(), device()->make_queue(), gemm_type::f32 },
                {},
                tensor_mode::emulated);
        });
        device_limits large;
        large.max_work_group_size = large.max_work_item_sizes[0] = 1024;
        const auto refused = [&](const std::string& name, const warpgroup_tile& tile) {
            assert_refused({ name },
                           [&] { check_tile(tile, large, tensor_mode::native); });
        };
        const auto refused_wide = [&](const std::string& name,
                                      const warpgroup_wide_tile& tile) {
            assert_refused({ name },
                           [&] { check_tile(tile, 2, large, tensor_mode::native); });
        };
        refused_wide("groups", { 0, 64, 2, 1 });
        refused_wide("columns", { 1, 96, 2, 1 });
        refused_wide("steps", { 1, 64, 5, 1 });
        refused("groups", { 0, 64, 2, 1, false });
        refused("groups", { 1000, 64, 2, 1, false });
        refused("columns", { 1, 96, 2, 1, false });
        refused("columns", { 1, 256, 2, 1, true });
        refused("stages", { 1, 64, 9, 1, false });
        // A step could not be copied while another one is computed.
        refused("stages", { 1, 64, 1, 1, false });
        refused("parts", { 1, 64, 2, 3, false });
        large.max_work_group_size = 128;
        refused("work-items", { 1, 64, 2, 1, false });
        check_tile({ 1, 64, 2, 1, true }, large, tensor_mode::native);
        assert_refused({ "columns" }, [&] {
            with(gemm_type::s8, { 1, 96, 1, 1, false });
        });
    }

    void devices_that_fit()
    {
        device_limits limits;
        limits.max_work_group_size = 1024;
        limits.max_work_item_sizes[0] = 1024;
        limits.local_memory = 48 * 1024;
        const auto reason = [&](int capability) {
            return missing_warpgroup_reason("A GPU", capability, limits);
        };
        CPPUNIT_ASSERT(reason(90).empty());
        assert_names(reason(0), { "compute capability 9.0", "'A GPU' is none" });
        assert_names(reason(80), { "'A GPU' has 8.0" });
        assert_names(reason(100), { "'A GPU' has 10.0" }); // without this instruction
        assert_names(missing_warpgroup_reason("A GPU", 90, limits.lowered("vc4")),
                     { "288 work-items", "limits" });
        if (missing_warpgroup_reason(device()->device()).empty())
            return; // the tests of all variants then run it
        for (const auto type : all_gemm_types)
            assert_refused({ "variant", "'warpgroup'", "compute capability 9.0" }, [&] {
                gemm(type,
                     { 8, 8, 8 },
                     options(test_device().id(), "warpgroup"),
                     *d_registry);
            });
    }

private:
    //! Said of a kernel for wide products that is not used.
    static constexpr const char* gives_up = "packs each B";

    static warpgroup_wide_tile small_wide_tile() { return { 1, 64, 2, 1 }; }
    bool takes_wide_tiles()
    {
        return fits() && device()->limits().local_memory >=
                             small_wide_tile().local_memory(2) + 4096;
    }
    gemm_checks wide(gemm_precision precision)
    {
        return checks({ "warpgroup",
                        gemm_type::c32,
                        [](const gemm_kernel_args& args) {
                            return make_gemm_kernel_warpgroup(
                                args,
                                { small_warpgroup_tile(args.type, args.precision) },
                                tensor_mode::emulated,
                                std::numeric_limits<std::size_t>::max(),
                                { small_wide_tile() });
                        },
                        precision,
                        true,
                        "wide" });
    }

    gemm_checks with(gemm_type type,
                     const warpgroup_tile& tile,
                     gemm_precision precision = gemm_precision::exact,
                     tensor_mode mode = tensor_mode::emulated)
    {
        return checks(
            { "warpgroup",
              type,
              [=](const gemm_kernel_args& args) {
                  return make_gemm_kernel_warpgroup(args, { tile }, mode);
              },
              precision,
              mode == tensor_mode::emulated,
              std::to_string(tile.rows()) + "x" + std::to_string(tile.columns) });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_warpgroup,
                                      "qa_gemm_kernel_warpgroup");
