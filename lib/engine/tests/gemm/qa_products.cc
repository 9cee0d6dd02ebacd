// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests that every class of products passes: its choice, and the way to the host.

#include "tests/support/qa_correlator_support.h"
#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_refused.h"

#include <cldsp/correlator.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>
#include <cldsp/stream_matrix.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace cldsp;

namespace {

//! An engine with a problem of its own.
class product_engine
{
public:
    virtual ~product_engine() = default;
    //! Computes a small call, and compares its results with the reference.
    virtual void check() = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual chosen_plan chosen() const = 0;
    virtual std::string plan() const = 0;
    virtual run_statistics statistics() const = 0;
    virtual bool fell_back() const = 0;
};

template <class Engine>
class product_engine_of final : public product_engine
{
public:
    using checker = std::function<void(Engine&)>;
    product_engine_of(Engine engine, checker check)
        : d_engine(std::move(engine)), d_check(std::move(check))
    {
    }
    void check() override { d_check(d_engine); }
    std::string device_name() const override { return d_engine.device_name(); }
    std::string variant_name() const override { return d_engine.variant_name(); }
    std::string transfer_name() const override { return d_engine.transfer_name(); }
    chosen_plan chosen() const override { return d_engine.chosen(); }
    std::string plan() const override { return d_engine.plan(); }
    run_statistics statistics() const override { return d_engine.statistics(); }
    bool fell_back() const override { return d_engine.fell_back(); }

private:
    Engine d_engine;
    checker d_check;
};

using engine_ptr = std::unique_ptr<product_engine>;

template <class Engine>
engine_ptr with_check(Engine engine, typename product_engine_of<Engine>::checker check)
{
    return std::make_unique<product_engine_of<Engine>>(std::move(engine),
                                                       std::move(check));
}

//! One class of products, with one type.
struct product_class {
    std::string name;
    std::string algorithm; //!< in plans
    std::string unit;
    std::uint64_t outputs;             //!< of a call; 0: its calls are divided
    std::vector<std::string> variants; //!< for devices
    //! Makes an engine whose calls are small, or so large that a command that is left
    //! behind is seen; the results of these are not checked.
    std::function<engine_ptr(const gemm_options&, bool is_large)> make;
};

//! Tests that every class of products passes: the choice of an executor, what it tells of
//! itself, and the fallback from a lost device.
class qa_products : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_products);
    CPPUNIT_TEST(on_the_host);
    CPPUNIT_TEST(every_variant_of_the_devices);
    CPPUNIT_TEST(bad_options);
    CPPUNIT_TEST(auto_is_remembered);
    CPPUNIT_TEST(a_lost_device_at_every_call);
    CPPUNIT_TEST(broken_programs_leave_the_host);
    CPPUNIT_TEST(no_call_leaves_commands_behind);
    CPPUNIT_TEST_SUITE_END();

    //! The variants of a list that the device may be able to run.
    std::vector<std::string>
    fitting(const std::vector<gemm_variant_info>& variants,
            const std::function<bool(const gemm_variant_info&)>& is_wanted)
    {
        std::vector<std::string> names;
        for (const auto& variant : variants) {
            const bool has_images = device()->limits().images;
            if (variant.ladder == "host" || !variant.fits(device()->device()) ||
                !is_wanted(variant))
                continue;
            if (!has_images &&
                (variant.name == "image_buffer" || variant.name == "dual_image"))
                continue;
#ifndef CLDSP_HAVE_CLBLAST
            if (variant.name == "clblast")
                continue;
#endif
            names.push_back(variant.name);
        }
        return names;
    }

    product_class of_gemm(gemm_type type, bool is_held)
    {
        const gemm_shape shape{ 9, 17, 33 }, large{ 8, 700, 300 };
        return { "gemm of " + type_name(type) + (is_held ? ", held" : ""),
                 "gemm",
                 type == gemm_type::s8 ? "Gop/s" : "GFLOP/s",
                 shape.m * shape.n,
                 fitting(gemm_variants(),
                         [&](const auto& variant) { return variant.takes(type); }),
                 [=](gemm_options o, bool is_large) {
                     o.held_b = is_held;
                     const auto problem = std::make_shared<gemm_case>(
                         type, is_large ? large : shape, 1, is_held ? 0 : 1);
                     return with_check<gemm>(
                         gemm(type, is_large ? large : shape, o, *d_registry),
                         [=](gemm& engine) {
                             const auto result = problem->run(engine, is_held);
                             CPPUNIT_ASSERT_MESSAGE(
                                 problem->describe() + " by " + engine.variant_name(),
                                 is_large || problem->error(result) <= problem->bound());
                         });
                 } };
    }

    product_class of_streams(gemm_type type)
    {
        const gemm_shape shape{ 5, 100, 3 }, large{ 8, 3000, 30 };
        return { "stream_matrix of " + type_name(type),
                 "gemm",
                 "GFLOP/s",
                 shape.m * shape.n,
                 fitting(gemm_variants(),
                         [&](const auto& variant) { return variant.takes(type); }),
                 [=](const gemm_options& o, bool is_large) {
                     const auto& s = is_large ? large : shape;
                     const auto problem = std::make_shared<gemm_case>(type, s, 1, 0);
                     stream_matrix made(type, s.m, s.k, s.n, o, *d_registry);
                     made.set_matrix(problem->a_without_gaps().data());
                     return with_check<stream_matrix>(
                         std::move(made), [=](stream_matrix& engine) {
                             const auto result = problem->run_streams(engine, 0, s.n);
                             CPPUNIT_ASSERT_MESSAGE(
                                 problem->describe() + " by " + engine.variant_name(),
                                 is_large || problem->error(result) <= problem->bound());
                         });
                 } };
    }

    product_class of_bits()
    {
        return { "gemm_1bit",
                 "popcount",
                 "Gop/s",
                 20 * 6,
                 fitting(gemm_1bit_variants(), [](const auto&) { return true; }),
                 [=](const gemm_options& o, bool is_large) {
                     const auto problem =
                         is_large ? std::make_shared<gemm_1bit_case>(4096, 100, 300)
                                  : std::make_shared<gemm_1bit_case>(1048, 20, 6);
                     return with_check<gemm_1bit>(gemm_1bit(problem->codes,
                                                            problem->bits,
                                                            problem->count,
                                                            o,
                                                            *d_registry),
                                                  [=](gemm_1bit& engine) {
                                                      if (is_large)
                                                          problem->run(engine);
                                                      else
                                                          problem->check(engine);
                                                  });
                 } };
    }

    product_class of_antennas(sample_type type)
    {
        std::vector<std::string> variants = { "cpu_tile", "gpu_tile" };
        if (type == sample_type::cs8)
            for (const auto& variant : variants_of_matrix_units(device()->device()))
                variants.push_back(variant);
        return {
            std::string("correlator of ") + sample_type_name(type),
            "correlator",
            "GFLOP/s",
            0,
            variants,
            [=](const gemm_options& given, bool is_large) {
                const auto x = std::make_shared<antenna_array>(
                    type, is_large ? 30 : 5, is_large ? 1500 : 90);
                correlator_options o;
                o.device = given.device;
                o.variant = given.variant;
                o.log = given.log;
                const std::size_t integration = x->samples() / 3;
                return with_check<correlator>(
                    correlator(
                        type, x->antennas(), integration, x->samples(), o, *d_registry),
                    [=](correlator& engine) {
                        const auto got =
                            correlator_checks::run(engine, *x, { x->samples() });
                        if (!is_large)
                            correlator_checks::check(engine, *x, integration, got);
                    });
            }
        };
    }

    std::vector<product_class> classes()
    {
        return { of_gemm(gemm_type::f32, false), of_gemm(gemm_type::f32, true),
                 of_gemm(gemm_type::c32, true),  of_gemm(gemm_type::f16, false),
                 of_gemm(gemm_type::s8, true),   of_streams(gemm_type::f32),
                 of_streams(gemm_type::c32),     of_bits(),
                 of_antennas(sample_type::fc32), of_antennas(sample_type::cs8) };
    }

    //! One of each class and way of calling it, where the type does not matter.
    std::vector<product_class> classes_of_one_type()
    {
        return { of_gemm(gemm_type::f32, false),
                 of_gemm(gemm_type::f32, true),
                 of_streams(gemm_type::f32),
                 of_bits(),
                 of_antennas(sample_type::cs8) };
    }

    engine_ptr make(const product_class& products,
                    const std::string& device,
                    const std::string& variant = "auto",
                    bool is_large = false)
    {
        d_log.clear();
        return products.make(options(device, variant), is_large);
    }
    engine_ptr on_device(const product_class& products,
                         const std::string& variant,
                         bool is_large = false)
    {
        return make(products, test_device().id(), variant, is_large);
    }

    void check_statistics(const product_class& products, product_engine& engine)
    {
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), engine.statistics().calls);
        engine.check();
        engine.check();
        const auto s = engine.statistics();
        if (products.outputs) {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(products.name, std::uint64_t(2), s.calls);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(products.name, 2 * products.outputs, s.outputs);
        }
        CPPUNIT_ASSERT_MESSAGE(products.name,
                               s.calls >= 2 && s.outputs > 0 && s.kernel_time > 0 &&
                                   s.kernel_time < 60 && s.transfer_time >= 0 &&
                                   s.transfer_time < 60);
        if (engine.device_name() == "host")
            CPPUNIT_ASSERT_EQUAL(0.0, s.transfer_time);
    }

    static void check_is_on_host(const std::string& what, const product_engine& engine)
    {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, std::string("host"), engine.device_name());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, std::string("simd"), engine.variant_name());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, std::string("none"), engine.transfer_name());
    }

public:
    void on_the_host()
    {
        for (const auto& products : classes())
            for (const std::string variant : { "auto", "simd" }) {
                const auto engine = make(products, "host", variant);
                check_is_on_host(products.name, *engine);
                CPPUNIT_ASSERT_EQUAL(products.algorithm + "/simd on host",
                                     engine->chosen().engine());
                check_statistics(products, *engine);
                CPPUNIT_ASSERT(!engine->fell_back());
            }
    }

    void every_variant_of_the_devices()
    {
        for (const auto& products : classes()) {
            CPPUNIT_ASSERT(products.variants.size() >= 2);
            for (const auto& variant : products.variants) {
                const auto engine = on_device(products, variant);
                const std::string what = products.name + " by " + variant;
                CPPUNIT_ASSERT_EQUAL_MESSAGE(what, variant, engine->variant_name());
                CPPUNIT_ASSERT_EQUAL_MESSAGE(
                    what, test_device().name, engine->device_name());
                check_statistics(products, *engine);
                CPPUNIT_ASSERT_MESSAGE(what, !engine->fell_back());
            }
        }
    }

    void bad_options()
    {
        for (const auto& products : classes()) {
            const auto with = [&](const std::string& device, const std::string& variant) {
                return [=] { make(products, device, variant); };
            };
            assert_refused({ "device", "toaster" }, with("toaster", "auto"));
            assert_refused({ "device", "99:0" }, with("99:0", "auto"));
            assert_refused({ "variant", "espresso", "auto, " }, with("auto", "espresso"));
            for (const auto& variant : products.variants)
                assert_refused({ "variant", variant, "host" }, with("host", variant));
            assert_refused({ "variant", "simd" }, with(test_device().id(), "simd"));
            if (products.algorithm == "correlator")
                continue; // which has no other precision
            for (const std::string precision : { "", "auto", "TF32", "double", "bf16" })
                for (const std::string device : { "host", "auto" }) {
                    auto o = options(device);
                    o.precision = precision;
                    assert_refused({ "precision",
                                     "'" + precision + "'",
                                     "'exact', 'tf32' or 'half'" },
                                   [&] { products.make(o, false); });
                }
        }
    }

    void auto_is_remembered()
    {
        for (const auto& products : classes()) {
            const auto first = make(products, "auto");
            CPPUNIT_ASSERT_MESSAGE(first->plan(),
                                   first->plan().find(products.algorithm + "/" +
                                                      first->variant_name()) == 0);
            CPPUNIT_ASSERT_MESSAGE(first->plan(),
                                   first->plan().find('\n') == std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(products.name, logged("plan: "));
            first->check();
            CPPUNIT_ASSERT(!first->fell_back());
            const auto second = make(products, "auto");
            CPPUNIT_ASSERT_EQUAL(first->device_name(), second->device_name());
            if (first->chosen().predicted > 0 || first->chosen().measured > 0)
                CPPUNIT_ASSERT_MESSAGE(first->plan(),
                                       first->plan().find(products.unit) !=
                                           std::string::npos);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(second->plan(),
                                         first->chosen().measured > 0,
                                         second->chosen().remembered);
            second->check();
        }
    }

    void a_lost_device_at_every_call()
    {
        for (const auto& products : classes_of_one_type())
            for (const auto& variant : products.variants)
                for (const auto kind :
                     { injected_call::enqueue, injected_call::allocate })
                    for (int after = 0; after < 4; after++) {
                        const auto engine = on_device(products, variant);
                        const std::string what = products.name + " by " + variant +
                                                 " after " + std::to_string(after);
                        if (after % 2 == 1)
                            engine->check();
                        device()->inject_failure(kind, after);
                        engine->check();
                        device()->inject_failure(injected_call::none);
                        CPPUNIT_ASSERT_MESSAGE(what,
                                               engine->fell_back() || after > 0 ||
                                                   kind == injected_call::allocate);
                        if (engine->fell_back()) {
                            check_is_on_host(what, *engine);
                            CPPUNIT_ASSERT_MESSAGE(engine->plan(),
                                                   engine->plan().find("host instead") !=
                                                       std::string::npos);
                            CPPUNIT_ASSERT_MESSAGE(what, logged("the host goes on"));
                        }
                        engine->check();
                    }
    }

    void broken_programs_leave_the_host()
    {
        for (const auto& products : classes_of_one_type())
            for (const auto& variant : products.variants) {
                device()->inject_failure(injected_call::build);
                const auto engine = on_device(products, variant);
                const std::string what = products.name + " by " + variant;
                // A kernel that compiles at its first call may still have it from before.
                if (engine->fell_back()) {
                    check_is_on_host(what, *engine);
                    CPPUNIT_ASSERT_MESSAGE(what, logged("is left out"));
                    CPPUNIT_ASSERT_MESSAGE(what, logged("the host computes instead"));
                }
                CPPUNIT_ASSERT_MESSAGE(what, engine->fell_back() || variant == "clblast");
                engine->check();
                device()->inject_failure(injected_call::none);
            }
    }

    // A command left behind would read memory that its owner frees after the call has
    // returned.
    void no_call_leaves_commands_behind()
    {
        for (const auto& products : classes_of_one_type())
            for (const auto& variant : products.variants) {
                const auto engine = on_device(products, variant, true);
                for (int call = 0; call < 2; call++) {
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(products.name + " by " + variant,
                                                 std::size_t(0),
                                                 device()->commands_in_flight());
                    engine->check();
                }
                CPPUNIT_ASSERT_EQUAL(std::size_t(0), device()->commands_in_flight());
            }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_products, "qa_products");

} // namespace
