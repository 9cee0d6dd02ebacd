// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of products on matrix units, whose instructions are emulated elsewhere.

#include "gemm/gemm_parameters.h"
#include "gemm/gemm_problem.h"
#include "gemm/typical_product.h"
#include "opencl/kernel_source.h"
#include "tests/support/qa_matrix_units.h"

#include <cppunit/extensions/HelperMacros.h>
#include <cmath>
#include <cstring>
#include <vector>

using namespace cldsp;

namespace {

// The groups of 4 warps copy whole tiles without checks; the others check every copy.
constexpr gemm_tensor_parameters four_warps = { 64, 64, 32, 32, 2 };
constexpr gemm_tensor_parameters wide_warp = { 16, 64, 16, 64, 3 };
constexpr gemm_tensor_parameters deep_warps = { 32, 32, 16, 32, 4 };

float rounded_to_tf32(float value)
{
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits = (bits + 0x1000u) & 0xffffe000u;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

/*!
 * Computes products on the host with factors that are rounded as matrix units round them.
 * If it is wrong, it takes the first two terms of each sum with the other one's factor of
 * A.
 */
class rounded_products final : public gemm_executor
{
public:
    rounded_products(gemm_type type, gemm_precision precision, bool wrong)
        : gemm_executor({ "units of the test", "tensor", "copy" }),
          d_floats(type == gemm_type::c32 ? 2 : 1),
          d_precision(precision),
          d_wrong(wrong),
          d_host(make_host_gemm(type))
    {
    }

    void multiply(const gemm_call& call) override
    {
        const auto& s = call.shape;
        auto a = rounded(call.a, s.m, s.k);
        const auto b = rounded(call.b, s.k, s.n);
        if (d_wrong)
            for (std::size_t row = 0; row < s.m; row++) {
                const auto first = a.begin() + row * s.k * d_floats;
                std::swap_ranges(first, first + d_floats, first + d_floats);
            }
        auto with_rounded = call;
        with_rounded.a = { a.data(), s.k };
        with_rounded.b = { b.data(), s.n };
        d_host->multiply(with_rounded);
    }
    void hold_b(std::size_t, std::size_t, const_gemm_matrix) override {}
    void multiply_held(const gemm_call& call) override { multiply(call); }
    gemm_precision precision() const override { return d_precision; }

private:
    std::vector<float>
    rounded(const const_gemm_matrix& m, std::size_t rows, std::size_t columns) const
    {
        const auto* from = static_cast<const float*>(m.data);
        std::vector<float> to;
        for (std::size_t row = 0; row < rows; row++)
            for (std::size_t i = 0; i < columns * d_floats; i++) {
                const float value = from[row * m.leading * d_floats + i];
                to.push_back(d_precision == gemm_precision::half
                                 ? from_half(to_half(value))
                                 : rounded_to_tf32(value));
            }
        return to;
    }

    std::size_t d_floats;
    gemm_precision d_precision;
    bool d_wrong;
    std::unique_ptr<gemm_executor> d_host;
};

} // namespace

/*!
 * Tests of the kernel for matrix units. On devices without them, it runs with its
 * instruction replaced by OpenCL C in which the lanes of a warp exchange their fragments,
 * so that a value in a wrong lane gives a wrong product.
 */
class qa_gemm_kernel_tensor : public matrix_unit_fixture
{
    CPPUNIT_TEST_SUB_SUITE(qa_gemm_kernel_tensor, matrix_unit_fixture);
    CPPUNIT_TEST(other_tiles);
    CPPUNIT_TEST(halves_beyond_a_tile);
    CPPUNIT_TEST(long_sums_of_halves);
    CPPUNIT_TEST(packed_bytes);
    CPPUNIT_TEST(range_of_each_precision);
    CPPUNIT_TEST(wrong_lane_is_refused);
    CPPUNIT_TEST(trials_of_less_precise_products);
    CPPUNIT_TEST(ways_that_options_permit);
    CPPUNIT_TEST(reason_of_exact_products);
    CPPUNIT_TEST(choice_by_size);
    CPPUNIT_TEST(refused_parameters);
    CPPUNIT_TEST(device_without_matrix_units);
    CPPUNIT_TEST(old_nvidia_device);
    CPPUNIT_TEST_SUITE_END();

public:
    qa_gemm_kernel_tensor() : matrix_unit_fixture("tensor") {}

    //! Each set of parameters is compiled for each type: some run one, some another.
    void other_tiles()
    {
        for (const auto& product : products()) {
            if (!product.is_emulated)
                continue;
            const auto type = product.type;
            const bool is_wide = type == gemm_type::f32 || type == gemm_type::f16;
            if (product.precision != gemm_precision::exact) {
                if (is_wide == (product.precision == gemm_precision::half))
                    with(product, wide_warp).check({ 32, 64, 50 }, 1, 0, false, 3, 4);
                else
                    with(product, four_warps).check({ 68, 72, 36 }, 1, 1, false, 3, 5);
                continue;
            }
            // Whole tiles and steps, and steps that end within a tile.
            const auto whole = with(product, four_warps);
            whole.check({ 64, 64, 32 }, 1, 0, false, 0);
            whole.check({ 68, 72, 36 }, 1, 1, true, 4);
            // With four stages the copies are two steps ahead. Emulated warps wait at
            // barriers where those of a GPU signal to each other;
            // qa_gemm::tiles_of_matrix_units runs those.
            const auto other = with(product, is_wide ? wide_warp : deep_warps);
            for (const std::size_t size : { 1, 7, 17, 33, 70 })
                other.check({ size, size, size }, 1, 0, size % 2 == 0);
            other.check({ 1, 35, 18 }, 1, 1, true);
            other.check({ 32, 64, 256 }, 1, 1, false, 0);
        }
    }

    //! Several tiles of halves are packed, and rows that are longer than a group.
    void halves_beyond_a_tile()
    {
        if (!fits())
            return;
        const auto check = emulated(gemm_type::f16);
        check.check({ 2, 33, 131 }, 1, 0, false, 2);
        check.check({ 3, 1, 515 }, 1, 0, true, 0);
        check.check({ 5, 70, 64 }, 1, 1, false, 1);
    }

    //! These sums leave the matrix unit after 8192 terms.
    void long_sums_of_halves()
    {
        if (!fits() || small_tests())
            return;
        const auto check = emulated(gemm_type::f16);
        check.check({ 2, 3, 8192 });
        check.check({ 2, 3, 8193 });
        check.check({ 3, 2, 20000 }, 1, 1);
    }

    //! Rows of A that are whole words or not, and B in tiles of words.
    void packed_bytes()
    {
        if (!fits())
            return;
        const auto check = emulated(gemm_type::s8);
        for (const std::size_t k : { 4, 5, 6, 7, 8 })
            for (const std::size_t gap : { 0, 1, 4 })
                check.check({ 3, 2, k }, 1, 0, k % 2 == 0, gap);
        check.check({ 2, 33, 259 }, 1, 0, false, 2);
        check.check({ 3, 1, 1030 }, 1, 0, true, 0);
        check.check({ 5, 70, 128 }, 1, 1, false, 1);
    }

    void range_of_each_precision()
    {
        if (!fits())
            return;
        const float large = 70000, small = 1e-6f, tiny = 1e-8f, huge = 1e30f;
        const auto product = [&](float factor, gemm_precision precision) {
            const auto kernel = emulated(gemm_type::f32, precision);
            page_memory a(sizeof(float)), b(sizeof(float)), c(sizeof(float));
            *a.as<float>() = factor;
            *b.as<float>() = 1;
            multiply(kernel, { 1, 1, 1 }, a, b, c);
            return *c.as<float>();
        };
        for (const float factor : { large, small, tiny, huge, 1 / huge }) {
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                factor, product(factor, gemm_precision::exact), 1e-6f * factor);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(
                factor, product(factor, gemm_precision::tf32), 0x1p-11f * factor);
        }
        const auto half = [&](float factor) {
            return product(factor, gemm_precision::half);
        };
        CPPUNIT_ASSERT_EQUAL(std::numeric_limits<float>::infinity(), half(large));
        CPPUNIT_ASSERT_EQUAL(-std::numeric_limits<float>::infinity(), half(-large));
        CPPUNIT_ASSERT_EQUAL(65504.0f, half(65519));
        CPPUNIT_ASSERT_DOUBLES_EQUAL(small, half(small), 0x1p-25);
        CPPUNIT_ASSERT_EQUAL(0.0f, half(tiny));
    }

    //! A driver that puts one value into a wrong lane gives products that are not taken.
    void wrong_lane_is_refused()
    {
        if (!fits())
            return;
        use_changed_kernel("gemm_tensor",
                           "warp[lane * 6 + i] = a[i];",
                           "warp[lane * 6 + i] = a[lane == 5 ? i ^ 1 : i];");
        check_refused();
    }

    //! The planner's comparison with the host takes rounded factors for right, and a
    //! factor in a wrong place for wrong.
    void trials_of_less_precise_products()
    {
        for (const auto type : float_types)
            for (const auto precision : less_precise)
                for (const std::size_t k : { 2, 3, 5, 64, 1000 })
                    for (const std::size_t size : { 1, 2, 9 }) {
                        const typical_product product(type, { size, size, k });
                        const auto error = [&](bool wrong) {
                            rounded_products executor(type, precision, wrong);
                            product.spoil();
                            product.run(executor);
                            return product.error(executor);
                        };
                        const auto what = type_name(type) + " " +
                                          precision_name(precision) + " " +
                                          std::to_string(size) + " " + std::to_string(k);
                        CPPUNIT_ASSERT_MESSAGE(what + ": " + error(false).text(),
                                               error(false).is_right());
                        if (size > 1)
                            CPPUNIT_ASSERT_MESSAGE(what + ", wrong",
                                                   !error(true).is_right());
                    }
    }

    void ways_that_options_permit()
    {
        const auto ways = [&](gemm_type type,
                              const std::string& variant,
                              const std::string& precision,
                              bool has_units) {
            auto o = options("auto", variant);
            o.precision = precision;
            std::string text;
            for (const auto& way : ways_on(test_device(), type, o, has_units))
                text += way.variant->name + " " +
                        (way.precision.empty() ? "exact" : way.precision) + ", ";
            return text;
        };
        const std::string own = tile_for(test_device()) + " exact, ";
        for (const auto type : float_types) {
            CPPUNIT_ASSERT_EQUAL(own, ways(type, "auto", "exact", false));
            CPPUNIT_ASSERT_EQUAL(own, ways(type, "auto", "tf32", false));
            CPPUNIT_ASSERT_EQUAL(own + "tensor exact, ",
                                 ways(type, "auto", "exact", true));
            CPPUNIT_ASSERT_EQUAL(own + "tensor exact, tensor tf32, ",
                                 ways(type, "auto", "tf32", true));
            CPPUNIT_ASSERT_EQUAL(std::string("tensor half, "),
                                 ways(type, "tensor", "half", true));
            CPPUNIT_ASSERT_EQUAL(std::string("naive exact, "),
                                 ways(type, "naive", "half", true));
            CPPUNIT_ASSERT_EQUAL(std::string(), ways(type, "simd", "half", true));
        }
        CPPUNIT_ASSERT_EQUAL(own, ways(gemm_type::f16, "auto", "half", false));
        CPPUNIT_ASSERT_EQUAL(own + "tensor exact, ",
                             ways(gemm_type::f16, "auto", "half", true));
        CPPUNIT_ASSERT_EQUAL(std::string("tensor exact, "),
                             ways(gemm_type::f16, "tensor", "half", true));
        assert_refused({ "precision", "'bf16'", "'exact', 'tf32' or 'half'" },
                       [&] { ways(gemm_type::f16, "auto", "bf16", true); });
        const device_info host;
        auto o = options("auto");
        o.precision = "half";
        CPPUNIT_ASSERT_EQUAL(std::size_t(1),
                             ways_on(host, gemm_type::f32, o, true).size());
    }

    void reason_of_exact_products()
    {
        const auto plans = [&](const std::string& variant,
                               const std::string& precision,
                               bool has_units) {
            auto o = options("auto", variant);
            o.precision = precision;
            std::vector<plan_candidate> candidates;
            for (const auto& way : ways_on(test_device(), gemm_type::f32, o, has_units))
                candidates.push_back(candidate_of(way, test_device()));
            explain_exact(candidates,
                          permitted_precision(gemm_type::f32, o),
                          gemm_operation_options(o));
            std::vector<std::string> texts;
            for (const auto& c : candidates)
                texts.push_back(c.as_plan().text());
            return texts;
        };
        CPPUNIT_ASSERT(plans("auto", "exact", true).at(1).find("exact") ==
                       std::string::npos);
        assert_names(plans("auto", "tf32", false).at(0), { "; exact: no matrix units" });
        assert_names(plans("naive", "tf32", true).at(0),
                     { "; exact: variant 'naive' is always exact" });
        const auto measured = plans("auto", "tf32", true);
        assert_names(measured.at(1), { "; exact: matrix units with tf32 were slower" });
        assert_names(measured.at(2), { "gemm/tensor/", ", precision tf32" });
        CPPUNIT_ASSERT(measured.at(2).find("exact") == std::string::npos);
    }

    void choice_by_size()
    {
        for (const auto type : all_gemm_types) {
            const auto choices = gemm_tensor_parameters::defaults(type);
            const auto warp_for = [&](const gemm_shape& shape) {
                return choices[gemm_tensor_parameters::best_of(choices, type, shape, 132)]
                    .warp_rows;
            };
            CPPUNIT_ASSERT_EQUAL(std::size_t(64), warp_for({ 4096, 4096, 4096 }));
            CPPUNIT_ASSERT_EQUAL(std::size_t(32), warp_for({ 64, 64, 64 }));
            for (const auto& p : choices)
                CPPUNIT_ASSERT(p.local_memory(type) <= 48 * 1024 && p.items() <= 256);
        }
    }

    void refused_parameters()
    {
        const auto refused = [&](const std::vector<gemm_tensor_parameters>& choices) {
            CPPUNIT_ASSERT_THROW(make_gemm_kernel_tensor(
                                     { device(), device()->make_queue(), gemm_type::f32 },
                                     choices,
                                     tensor_mode::emulated),
                                 std::invalid_argument);
        };
        refused({});
        refused({ { 0, 64, 32, 32, 2 } });
        refused({ { 64, 64, 24, 32, 2 } });
        refused({ { 64, 64, 32, 16, 2 } });
        refused({ { 48, 64, 32, 32, 2 } });
        refused({ { 64, 96, 32, 64, 2 } });
        refused({ { 64, 64, 32, 32, 1 } });
        refused({ { 64, 64, 32, 32, 5 } });
        refused({ { 512, 64, 32, 32, 2 } });
    }

    void device_without_matrix_units()
    {
        if (missing_tensor_reason(device()->device()).empty())
            return; // the other tests of variants then run it
        for (const auto type : all_gemm_types)
            try {
                gemm(type,
                     { 8, 8, 8 },
                     options(test_device().id(), "tensor"),
                     *d_registry);
                CPPUNIT_FAIL("no error");
            } catch (const std::invalid_argument& e) {
                const std::string text = e.what();
                CPPUNIT_ASSERT_MESSAGE(
                    text,
                    text.find("compute capability 8.0") != std::string::npos &&
                        text.find(device()->name()) != std::string::npos);
            }
        // With "auto" another variant computes.
        const gemm engine(
            gemm_type::f32, { 64, 64, 64 }, options(test_device().id()), *d_registry);
        CPPUNIT_ASSERT(engine.variant_name() != "tensor");
    }

    void old_nvidia_device()
    {
        device_limits limits;
        limits.max_work_group_size = 1024;
        limits.max_work_item_sizes[0] = 1024;
        const auto reason = missing_tensor_reason("A GPU", 75, limits);
        CPPUNIT_ASSERT_MESSAGE(reason,
                               reason.find("'A GPU' has 7.5") != std::string::npos);
        CPPUNIT_ASSERT(missing_tensor_reason("A GPU", 80, limits).empty());
        CPPUNIT_ASSERT(missing_tensor_reason("A GPU", 120, limits).empty());
        const auto groups = missing_tensor_reason("A GPU", 90, limits.lowered("vc4"));
        CPPUNIT_ASSERT_MESSAGE(groups,
                               groups.find("128 work-items") != std::string::npos &&
                                   groups.find("at most 12") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(0, device_info().compute_capability);
    }

private:
    //! The ways to compute products on a device, as if it had the matrix units of
    //! "tensor", or none.
    static std::vector<operation_way<gemm_problem>> ways_on(const device_info& device,
                                                            gemm_type type,
                                                            const gemm_options& o,
                                                            bool has_units)
    {
        const auto& tensor = gemm_tensor_variant();
        static const gemm_variant with(tensor.info, tensor.make_kernel, suits_any);
        static const gemm_variant without(tensor.info, tensor.make_kernel, suits_none);
        variant_table<gemm_problem> table;
        const gemm_variant* named = nullptr;
        for (const auto* variant : gemm_problem::variants()) {
            if (variant == &gemm_warpgroup_variant())
                continue;
            if (variant == &tensor)
                variant = has_units ? &with : &without;
            if (variant->name == o.variant)
                named = variant;
            table.push_back(variant);
        }
        const gemm_problem problem(type, {}, false, permitted_precision(type, o));
        return open_ways(problem, named, device, table);
    }

    //! A product with other parameters.
    gemm_checks with(gemm_product product, const gemm_tensor_parameters& p)
    {
        product.details = "group " + std::to_string(p.group_rows) + "x" +
                          std::to_string(p.group_columns);
        product.make = [=](const gemm_kernel_args& args) {
            return make_gemm_kernel_tensor(args, { p }, tensor_mode::emulated);
        };
        return checks(product);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_gemm_kernel_tensor, "qa_gemm_kernel_tensor");
