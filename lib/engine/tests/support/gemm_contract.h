// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What every kernel of a matrix product must do, and the list of these kernels.

#pragma once

#include "gemm/gemm_parameters.h"
#include "gemm/host_gemm.h"
#include "gemm/host_gemm_simd.h"
#include "opencl/matrix_units.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_refused.h"

#include <cldsp/errors.h>

#include <cppunit/extensions/HelperMacros.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

// The contract that every kernel of a matrix product keeps, and the list of those under
// it.

namespace cldsp {

constexpr gemm_type all_gemm_types[] = {
    gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8
};
constexpr gemm_type float_types[] = { gemm_type::f32, gemm_type::c32 };
constexpr gemm_precision less_precise[] = { gemm_precision::tf32, gemm_precision::half };

//! One kernel with one type of elements.
struct gemm_product {
    std::string variant; //!< the engine's name
    gemm_type type = gemm_type::f32;
    std::function<std::unique_ptr<gemm_kernel>(const gemm_kernel_args&)> make = {};
    gemm_precision precision = gemm_precision::exact;
    //! Whether OpenCL C replaces the instruction of matrix units, which takes long.
    bool is_emulated = false;
    std::string details = {};                                 //!< for messages
    std::function<std::unique_ptr<host_gemm>()> on_host = {}; //!< instead of make

    //! Whether it differs from another one only in how it rounds, so that fewer checks
    //! are enough.
    bool is_rounded() const { return precision != gemm_precision::exact; }

    std::string name() const
    {
        return variant + (is_emulated ? ", emulated" : "") +
               (details.empty() ? "" : ", " + details) + ", " + type_name(type) + " " +
               precision_name(precision);
    }
};

// Small tiles, because an emulated fragment takes as long as a small product.
constexpr gemm_tensor_parameters small_tensor_tile = { 32, 32, 16, 32, 2 };
inline warpgroup_tile
small_warpgroup_tile(gemm_type type, gemm_precision precision = gemm_precision::exact)
{
    const bool is_exact = (type == gemm_type::f32 || type == gemm_type::c32) &&
                          precision == gemm_precision::exact;
    return { 1, 64, 1, is_exact ? 2U : 1U, is_exact };
}

//! Whether a device can run what replaces a variant's matrix units.
inline bool can_emulate(const std::string& variant, const device_limits& limits)
{
    const auto tile = small_warpgroup_tile(gemm_type::f32);
    return limits.max_work_group_size >=
               (variant == "tensor" ? tensor_group_items : tile.items() + 32) &&
           limits.local_memory >= tile.local_memory();
}

//! The emulated kernels of a variant for matrix units, in every precision.
inline std::vector<gemm_product> emulated_products(const std::string& variant)
{
    std::vector<gemm_product> all;
    for (const auto type : all_gemm_types)
        for (const auto precision :
             { gemm_precision::exact, gemm_precision::tf32, gemm_precision::half }) {
            if (precision != gemm_precision::exact && type != gemm_type::f32 &&
                type != gemm_type::c32)
                continue;
            const auto make =
                [=](const gemm_kernel_args& args) -> std::unique_ptr<gemm_kernel> {
                if (variant == "tensor")
                    return make_gemm_kernel_tensor(
                        args, { small_tensor_tile }, tensor_mode::emulated);
                return make_gemm_kernel_warpgroup(
                    args,
                    { small_warpgroup_tile(type, precision) },
                    tensor_mode::emulated);
            };
            all.push_back({ variant, type, make, precision, true });
        }
    return all;
}

/*!
 * The kernels under the contract: those of the engine's list for which \p is_wanted
 * holds, with each type that they take. A device without matrix units runs what replaces
 * them.
 */
inline std::vector<gemm_product>
gemm_products(const device_info& device,
              const std::function<bool(const gemm_variant_info&)>& is_wanted)
{
    std::vector<gemm_product> all;
    for (const auto& variant : gemm_variants()) {
        if (variant.ladder == "host" || !is_wanted(variant))
            continue;
        const auto make = [name = variant.name](const gemm_kernel_args& args) {
            return make_gemm_kernel(name, args);
        };
        if (variant.fits(device))
            for (const auto type : variant.types)
                all.push_back({ variant.name, type, make });
        if ((variant.name == "tensor" || variant.name == "warpgroup") &&
            can_emulate(variant.name, device.limits))
            for (auto& product : emulated_products(variant.name))
                all.push_back(std::move(product));
    }
    return all;
}

//! The host's kernels of every instruction set of this machine, in one thread and three.
inline std::vector<gemm_product> host_gemm_products()
{
    std::vector<gemm_product> all;
    for (const host_gemm_set* set : available_host_gemm_sets())
        for (const auto type : all_gemm_types)
            for (const unsigned threads : { 1, 3 }) {
                gemm_product product;
                product.variant = "simd";
                product.type = type;
                product.details = set->name + (", threads " + std::to_string(threads));
                product.on_host = [=] {
                    return std::make_unique<host_gemm>(type, *set, threads);
                };
                all.push_back(std::move(product));
            }
    return all;
}

//! A kernel under test, and comparisons with the double-precision reference.
class gemm_checks
{
public:
    //! \param device not used by products of the host
    explicit gemm_checks(gemm_product product, std::shared_ptr<context> device = nullptr)
        : d_product(std::move(product)), d_device(std::move(device))
    {
        if (is_on_host()) {
            d_host = d_product.on_host();
            return;
        }
        d_queue = d_device->make_queue();
        d_kernel = d_product.make(
            { d_device, d_queue, d_product.type, {}, d_product.precision });
    }

    const gemm_product& product() const { return d_product; }
    gemm_type type() const { return d_product.type; }
    bool is_on_host() const { return static_cast<bool>(d_product.on_host); }
    bool is_emulated() const { return d_product.is_emulated; }
    bool is_brief() const { return small_tests() || d_product.is_rounded(); }
    context& device() const { return *d_device; }
    const cl::CommandQueue& queue() const { return d_queue; }
    gemm_kernel& kernel() const { return *d_kernel; }

    gemm_case::matrix
    run(const gemm_case& test, bool hold = false, std::size_t offset = 0) const
    {
        return is_on_host() ? test.run_host(*d_host, hold)
                            : test.run(*d_kernel, *d_device, d_queue, hold, offset);
    }
    //! Computes with the B that is held.
    gemm_case::matrix run_held(const gemm_case& test) const
    {
        return is_on_host() ? test.run_held_on_host(*d_host)
                            : test.run_held(*d_kernel, *d_device, d_queue);
    }

    void check_result(const gemm_case& test,
                      const gemm_case::matrix& result,
                      const std::string& how = "") const
    {
        const double error = test.error(result);
        // A comparison with NaN is false.
        CPPUNIT_ASSERT_MESSAGE(d_product.name() + ": " + test.describe() + how + ": " +
                                   std::to_string(error),
                               error <= test.bound(d_product.precision));
    }
    void check(const gemm_shape& shape,
               std::complex<float> alpha = 1,
               std::complex<float> beta = 0,
               bool hold = false,
               std::size_t gap = 3,
               std::size_t offset = 0) const
    {
        const auto seed =
            static_cast<unsigned>(shape.m + 131 * shape.n + 17161 * shape.k);
        const gemm_case test(type(), shape, alpha, beta, seed, gap);
        check_result(test,
                     run(test, hold, offset),
                     std::string(hold ? ", held" : "") + ", gap " + std::to_string(gap) +
                         ", offset " + std::to_string(offset));
    }

    //! A B that is held stays as it is in calls with another B, and is replaced by it.
    void check_held(const gemm_case& held, const gemm_case& other) const
    {
        check_result(held, run(held, true), ", to be held");
        check_result(other, run(other), ", beside one that is held");
        check_result(held, run_held(held), ", held");
        check_result(other, run(other, true), ", to be held instead");
        check_result(other, run_held(other), ", held instead");
    }

private:
    gemm_product d_product;
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    std::unique_ptr<gemm_kernel> d_kernel;
    std::unique_ptr<host_gemm> d_host;
};

//! The tests that every kernel passes. Those of one family are in a fixture of their own,
//! with what only this family has.
class gemm_contract : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(gemm_contract);
    CPPUNIT_TEST(sizes_at_every_edge);
    CPPUNIT_TEST(long_and_random_sizes);
    CPPUNIT_TEST(factors);
    CPPUNIT_TEST(offsets_and_gaps);
    CPPUNIT_TEST(numbers_that_are_none);
    CPPUNIT_TEST(bytes_of_full_scale);
    CPPUNIT_TEST(one_held_matrix_for_many_calls);
    CPPUNIT_TEST(nothing_held);
    CPPUNIT_TEST(without_products);
    CPPUNIT_TEST(calls_in_a_row);
    CPPUNIT_TEST(failures);
    CPPUNIT_TEST(sizes_beyond_the_kernels);
    CPPUNIT_TEST(other_types_are_refused);
    CPPUNIT_TEST_SUITE_END_ABSTRACT();

protected:
    virtual std::vector<gemm_product> products() = 0;

    //! The kernels of a family on the device under test.
    std::vector<gemm_product>
    of_device(const std::function<bool(const gemm_variant_info&)>& is_wanted)
    {
        return gemm_products(device()->device(), is_wanted);
    }

    //! Gives the device other limits.
    void limit(const std::function<void(device_limits&)>& change)
    {
        device_info info = device()->device();
        change(info.limits);
        d_limited = std::make_shared<context>(info, test_options());
    }
    std::shared_ptr<context> where() { return d_limited ? d_limited : device(); }

    gemm_checks checks(const gemm_product& product)
    {
        return product.on_host ? gemm_checks(product) : gemm_checks(product, where());
    }

    //! Runs a test of every kernel that is wanted. A device may lack images, which some
    //! of these need, and a build CLBlast; tests of these say so.
    template <class Test>
    void each(const Test& test,
              const std::function<bool(const gemm_product&)>& is_wanted = {})
    {
        for (const auto& product : products())
            if (is_there(product.variant) && (!is_wanted || is_wanted(product)))
                test(checks(product));
    }
    //! The same for kernels of devices, which need no rounding.
    template <class Test>
    void each_on_device(const Test& test)
    {
        each(test, [](const gemm_product& product) {
            return !product.on_host && !product.is_rounded();
        });
    }

    static bool uses_images(const std::string& variant)
    {
        return variant == "image_buffer" || variant == "dual_image";
    }
    bool is_there(const std::string& variant)
    {
        if (uses_images(variant))
            return where()->limits().images;
#ifdef CLDSP_HAVE_CLBLAST
        return variant != "clblast" || test_options().profile.empty();
#else
        return variant != "clblast";
#endif
    }

public:
    void sizes_at_every_edge()
    {
        each([](const gemm_checks& c) {
            const auto sizes =
                c.is_emulated() ? std::vector<std::size_t>{ 1, 7, 33, 65 } : gemm_sizes();
            const std::size_t count = sizes.size();
            for (std::size_t i = 0; i < count; i++)
                c.check({ sizes[i], sizes[i], sizes[i] }, 1, 0, i % 2 == 1);
            // Half of the pairs of two sizes, with gaps, offsets and a B that is held in
            // turn.
            for (std::size_t i = 0; i < count && !c.product().is_rounded(); i++)
                for (std::size_t j = i % 2; j < count; j += 2)
                    c.check({ sizes[i], sizes[j], sizes[(3 * i + j / 2) % count] },
                            1,
                            static_cast<float>(j / 2 % 2),
                            (i + j / 2) % 3 == 0,
                            (i + j / 2) % 4,
                            (i + j) % 5);
            c.check({ 16, 16, 16 }); // whole vectors
        });
    }

    //! Sizes beyond a group's tiles and a block of terms, and sizes without any pattern.
    void long_and_random_sizes()
    {
        each([](const gemm_checks& c) {
            const bool is_slow = small_tests() || c.is_emulated();
            const std::size_t many = is_slow ? 270 : 1030, tiles = is_slow ? 130 : 300;
            c.check({ 3, 2, many }, 1.5f, -0.5f);
            if (c.is_brief())
                return;
            c.check({ 1, 1, 2 * many }, 1, 0, true);
            c.check({ tiles, 5, 9 }, 1, 1, true);
            c.check({ 5, tiles, 9 }, -0.75f, 1);
            if (c.is_emulated())
                return;
            std::mt19937 random(7);
            std::uniform_int_distribution<std::size_t> size(1, 130);
            for (int i = 0; i < 8; i++) {
                const gemm_shape shape{ size(random), size(random), size(random) };
                c.check(shape, 1.5f, -0.5f, i % 2 == 1, size(random), i);
            }
        });
    }

    //! Every alpha with every beta. C is no number where beta is 0, nor are A and B where
    //! alpha is 0: see gemm_case.
    void factors()
    {
        each([](const gemm_checks& c) {
            std::vector<std::complex<float>> factors = { 0, 1, -1, 0.37f };
            if (c.type() == gemm_type::s8)
                factors = { 0, 1 };
            if (c.type() == gemm_type::c32)
                factors.insert(factors.end(), { { 0, 1 }, { -0.3f, 0.8f } });
            // Some of these have each factor, and half of each factor's a B that is held.
            const std::size_t count = factors.size();
            const std::size_t step = !c.is_brief() || count == 2 ? 1 : count == 4 ? 3 : 5;
            for (std::size_t i = step - 1; i < count * count; i += step)
                c.check({ 13, 21, 9 },
                        factors[i / count],
                        factors[i % count],
                        (i / count + i % count) % 2 == 1);
        });
    }

    //! Rows with and without an alignment of 16 bytes, in whole and partial tiles.
    void offsets_and_gaps()
    {
        const auto whole =
            small_tests() ? gemm_shape{ 32, 32, 16 } : gemm_shape{ 64, 32, 16 };
        const auto partial =
            small_tests() ? gemm_shape{ 9, 33, 5 } : gemm_shape{ 33, 65, 17 };
        each([&](const gemm_checks& c) {
            for (const std::size_t offset : { 0, 4, 5 })
                for (const std::size_t gap : { 0, 3, 8 }) {
                    if (c.is_brief() && offset % 2 != gap % 2)
                        continue;
                    // An emulated kernel computes one of them.
                    const bool is_even = (offset + gap) % 2 == 0;
                    if (is_even || !c.is_emulated())
                        c.check(whole, 1, 1, false, gap, offset);
                    if (!is_even || !c.is_emulated())
                        c.check(partial, 1, 0, true, gap, offset);
                }
        });
    }

    //! An element that is infinite or no number, whatever its bits are, spoils the row of
    //! C that is made of a row of A, or the column of a column of B, and nothing else.
    void numbers_that_are_none()
    {
        each(
            [](const gemm_checks& c) {
                const gemm_shape shape = { 6, 9, 7 };
                const gemm_case clean(c.type(), shape, 1, 1);
                const auto before = c.run(clean);
                const std::size_t row = 4, column = 5, term = 2;
                const auto check = [&](const gemm_case& test, bool is_row, bool hold) {
                    const auto after = c.run(test, hold);
                    for (std::size_t i = 0; i < shape.m; i++)
                        for (std::size_t j = 0; j < shape.n; j++) {
                            const bool is_spoilt = is_row ? i == row : j == column;
                            const auto at = (i * after.leading + j) * after.element;
                            CPPUNIT_ASSERT_MESSAGE(
                                c.product().name() + ", element " + std::to_string(i) +
                                    "," + std::to_string(j),
                                is_spoilt
                                    ? !test.is_finite(after, i, j)
                                    : std::equal(after.bytes.begin() + at,
                                                 after.bytes.begin() + at + after.element,
                                                 before.bytes.begin() + at));
                        }
                };
                for (const std::uint32_t bits : { 0x7fc00000U,
                                                  0x7fffffffU,
                                                  0xffffffffU,
                                                  0x7ffff000U,
                                                  0x7f800001U,
                                                  0x7f800000U }) {
                    auto test = clean;
                    test.set_a(row, term, bits);
                    check(test, true, false);
                    test = clean;
                    test.set_b(term, column, bits);
                    check(test, false, true);
                }
            },
            [](const gemm_product& product) { return product.type != gemm_type::s8; });
    }

    void bytes_of_full_scale()
    {
        each(
            [](const gemm_checks& c) {
                gemm_case test(c.type(), { 17, 33, small_tests() ? 65 : 1025U }, 1, 0);
                test.fill_bytes(-128);
                c.check_result(test, c.run(test));
            },
            [](const gemm_product& product) { return product.type == gemm_type::s8; });
    }

    void one_held_matrix_for_many_calls()
    {
        each([](const gemm_checks& c) {
            const gemm_case other(c.type(), { 20, 6, 5 }, 1, 0, 3);
            if (small_tests()) {
                c.check_held(gemm_case(c.type(), { 7, 20, 9 }, 1, 1), other);
                return;
            }
            const gemm_case held(c.type(), { 17, 70, 19 }, 1, 1);
            c.check_held(held, gemm_case(c.type(), { 20, 40, 135 }, 1, 0, 2));
            if (!c.is_emulated())
                c.check_held(held, other);
        });
    }

    void nothing_held()
    {
        each(
            [](const gemm_checks& c) {
                CPPUNIT_ASSERT_THROW_MESSAGE(
                    c.product().name(),
                    c.run_held(gemm_case(c.type(), { 1, 1, 1 }, 1, 0)),
                    std::logic_error);
            },
            [](const gemm_product& product) { return !product.is_rounded(); });
    }

    //! No matrices are needed if nothing is multiplied.
    void without_products()
    {
        each_on_device([](const gemm_checks& c) {
            std::vector<std::uint8_t> bytes(6 * result_size(c.type()), 0xff);
            gemm_device_call call;
            call.shape = { 2, 3, 4 };
            call.alpha = 0;
            call.c.leading = 3;
            call.c.buffer =
                cl::Buffer(c.device().cl_context(), CL_MEM_READ_WRITE, bytes.size());
            c.queue().enqueueWriteBuffer(
                call.c.buffer, CL_TRUE, 0, bytes.size(), bytes.data());
            c.kernel().enqueue(call);
            c.queue().enqueueReadBuffer(
                call.c.buffer, CL_TRUE, 0, bytes.size(), bytes.data());
            CPPUNIT_ASSERT_MESSAGE(c.product().name(),
                                   bytes == std::vector<std::uint8_t>(bytes.size(), 0));
        });
    }

    //! Calls without a wait in between, in growing and falling sizes.
    void calls_in_a_row()
    {
        each_on_device([](const gemm_checks& c) {
            std::vector<std::pair<gemm_case, gemm_device_call>> all;
            for (const std::size_t size : { 5, 17, 9, 20, 3 }) {
                const gemm_shape shape = { size, size + 1, size + 2 };
                gemm_case test(c.type(), shape, 1, 1, static_cast<unsigned>(size));
                auto call = test.upload(c.device(), c.queue());
                all.emplace_back(std::move(test), std::move(call));
            }
            // The B of the last call is held while the other calls run.
            const auto& last = all.back().second;
            c.kernel().hold_b(last.shape.k, last.shape.n, last.b);
            for (std::size_t i = 0; i + 1 < all.size(); i++)
                c.kernel().enqueue(all[i].second);
            c.kernel().enqueue_held(last);
            for (const auto& [test, call] : all)
                c.check_result(test, test.download(c.queue(), call), ", in a row");
        });
    }

    //! A call that the driver refuses throws, and the next one computes.
    void failures()
    {
        for (const auto& product : products()) {
            if (product.on_host || product.is_rounded() || !is_there(product.variant))
                continue;
            const gemm_case test(product.type, { 9, 5, 6 }, 1, 0);
            for (const auto what : { injected_call::enqueue, injected_call::allocate })
                for (int after = 0; after < 3; after++)
                    for (const bool hold : { false, true }) {
                        // Making these takes long. Those of halves pack both matrices.
                        if (product.is_emulated && product.type != gemm_type::f16 &&
                            (after > 0 || hold))
                            continue;
                        const auto c = checks(product);
                        c.device().inject_failure(what, after);
                        bool failed = false;
                        try {
                            c.run(test, hold);
                        } catch (const opencl_error&) {
                            failed = true;
                        }
                        c.device().inject_failure(injected_call::none);
                        if (what == injected_call::enqueue && after == 0)
                            CPPUNIT_ASSERT_MESSAGE(product.name(), failed);
                        c.check_result(test, c.run(test, hold), ", after a failure");
                    }
        }
    }

    //! Kernels count in 32 bits, but for those that take offsets in 64.
    void sizes_beyond_the_kernels()
    {
        each_on_device([](const gemm_checks& c) {
            const auto refuses =
                [&](const std::function<void(gemm_device_call&)>& change) {
                    auto call = gemm_case(c.type(), { 2, 2, 2 }, 1, 0)
                                    .upload(c.device(), c.queue());
                    change(call);
                    CPPUNIT_ASSERT_THROW_MESSAGE(c.product().name(),
                                                 c.kernel().enqueue(call),
                                                 std::invalid_argument);
                };
            const std::size_t size = std::size_t(1) << 31, large = 16 * size;
            refuses([&](gemm_device_call& call) { call.shape.m = size; });
            refuses([&](gemm_device_call& call) { call.shape.n = size; });
            refuses([&](gemm_device_call& call) { call.shape.k = size; });
            if (c.product().variant == "cpu_tile" || c.product().variant == "clblast")
                return;
            for (auto matrix :
                 { &gemm_device_call::a, &gemm_device_call::b, &gemm_device_call::c }) {
                refuses([&](gemm_device_call& call) { (call.*matrix).offset = large; });
                refuses([&](gemm_device_call& call) { (call.*matrix).leading = large; });
            }
        });
    }

    void other_types_are_refused()
    {
        std::set<std::string> names;
        for (const auto& product : products())
            if (!product.on_host)
                names.insert(product.variant);
        for (const auto& variant : gemm_variants())
            for (const auto type : all_gemm_types)
                if (names.count(variant.name) && !variant.takes(type))
                    assert_refused(
                        { "variant", variant.name, "matrices of " + type_name(type) },
                        [&] {
                            make_gemm_kernel(variant.name,
                                             { where(), where()->make_queue(), type });
                        });
    }

private:
    std::shared_ptr<context> d_limited;
};

} // namespace cldsp
