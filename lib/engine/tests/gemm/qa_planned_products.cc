// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of products that start at once, and move to another engine between two calls.

#include "tests/support/qa_gemm_1bit_support.h"
#include "tests/support/qa_refused.h"
#include "tests/support/qa_support.h"

#include <cldsp/correlator.h>
#include <cldsp/gemm.h>
#include <cldsp/gemm_1bit.h>
#include <cldsp/planned_engine.h>
#include <cldsp/stream_matrix.h>
#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

namespace {

//! The products of this test are so large that no class of them leaves them to the host.
constexpr std::size_t rows = 24, columns = 40, typical_items = 2000;
constexpr std::size_t code_bytes = 32, antennas = 20;

gemm make_gemm(const gemm_options& options, context_registry& registry)
{
    return { gemm_type::f32, { typical_items, rows, columns }, options, registry };
}
stream_matrix make_streams(const gemm_options& options, context_registry& registry)
{
    return { gemm_type::f32, rows, columns, typical_items, options, registry };
}
gemm_1bit make_bits(const gemm_options& options, context_registry& registry)
{
    return {
        random_codes(8 * code_bytes, rows, 1), 8 * code_bytes, 500, options, registry
    };
}
correlator make_correlator(const gemm_options& given, context_registry& registry)
{
    correlator_options options;
    options.device = given.device;
    options.variant = given.variant;
    options.at_once = given.at_once;
    options.stopped = given.stopped;
    options.log = given.log;
    return { sample_type::cs8, antennas, 64, 4096, options, registry };
}

//! What every engine says of itself, after it was made.
struct first_plan {
    std::string name;
    chosen_plan plan;
    bool fell_back;
};

template <class Engine>
first_plan plan_of(const std::string& name, const Engine& engine)
{
    return { name, engine.chosen(), engine.fell_back() };
}

//! A stream of whole numbers, which makes all sums exact, in calls of random lengths,
//! with random changes of the matrix; and its products by a plain loop.
class random_stream
{
public:
    static constexpr std::size_t max_items = 40;

    explicit random_stream(unsigned seed) : d_random(seed) {}

    std::size_t items() { return 1 + d_random() % max_items; }
    bool one_in(unsigned count) { return d_random() % count == 0; }
    std::vector<float> numbers(std::size_t count)
    {
        std::vector<float> all(count);
        for (auto& one : all)
            one = static_cast<float>(static_cast<int>(d_random() % 201) - 100);
        return all;
    }
    std::uint8_t byte() { return static_cast<std::uint8_t>(d_random() >> 11); }
    std::vector<std::uint8_t> bytes(std::size_t count)
    {
        std::vector<std::uint8_t> all(count);
        for (auto& one : all)
            one = byte();
        return all;
    }

private:
    std::mt19937 d_random;
};

//! Chooses engines again in another thread, one after the other, until it is destroyed.
template <class Planned>
class restless
{
public:
    explicit restless(Planned& engine)
        : d_thread([this, &engine] {
              while (!d_ends) {
                  if (engine.waits())
                      std::this_thread::yield();
                  else
                      engine.choose_again();
              }
          })
    {
    }
    ~restless()
    {
        d_ends = true;
        d_thread.join();
    }

private:
    std::atomic<bool> d_ends{ false };
    std::thread d_thread;
};

class qa_planned_products : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_planned_products);
    CPPUNIT_TEST(at_once_nothing_is_opened_or_measured);
    CPPUNIT_TEST(what_only_the_host_can_do_is_final);
    CPPUNIT_TEST(bad_names_are_refused_at_once);
    CPPUNIT_TEST(planning_can_be_stopped);
    CPPUNIT_TEST(what_is_planned_is_what_waiting_gives);
    CPPUNIT_TEST(matrices_change_while_engines_do);
    CPPUNIT_TEST(streams_change_while_engines_do);
    CPPUNIT_TEST(codes_change_while_engines_do);
    CPPUNIT_TEST(integrations_change_while_engines_do);
    CPPUNIT_TEST_SUITE_END();

    std::unique_ptr<context_registry> d_registry;
    const std::string d_device = test_device().id();
    const std::size_t d_changes = small_tests() ? 60 : 1000;

    static gemm_options options_of(const std::string& device, const std::string& variant)
    {
        gemm_options options;
        options.device = device;
        options.variant = variant;
        options.at_once = true;
        return options;
    }

    std::vector<first_plan> first_plans(const gemm_options& options)
    {
        return { plan_of("gemm", make_gemm(options, *d_registry)),
                 plan_of("stream_matrix", make_streams(options, *d_registry)),
                 plan_of("gemm_1bit", make_bits(options, *d_registry)),
                 plan_of("correlator", make_correlator(options, *d_registry)) };
    }

    void check_is_untouched(const std::string& what) const
    {
        CPPUNIT_ASSERT_MESSAGE(what, d_registry->contexts().empty());
        CPPUNIT_ASSERT_MESSAGE(what, d_registry->wisdom().entries().empty());
    }

    //! Whose first engine runs at once, and whose later ones run by turns on the device
    //! and on the host.
    template <class Engine>
    std::unique_ptr<planned_engine<Engine, gemm_options>>
    in_turn(const std::function<Engine(const gemm_options&, context_registry&)>& make)
    {
        const auto count = std::make_shared<std::atomic<int>>(0);
        return std::make_unique<planned_engine<Engine, gemm_options>>(
            [=](const gemm_options& given) {
                auto options = given;
                if (!options.at_once && (*count)++ % 2 == 0) {
                    options.device = d_device;
                    options.variant = "cpu_tile";
                } else if (!options.at_once) {
                    options.device = "host";
                }
                return make(options, *d_registry);
            },
            options_of("auto", "auto"));
    }

public:
    void setUp() override
    {
        d_registry = std::make_unique<context_registry>(test_options());
    }

    void at_once_nothing_is_opened_or_measured()
    {
        for (const auto* variant : { "auto", "cpu_tile", "gpu_tile" })
            for (const auto& device : { std::string("auto"), d_device })
                for (const auto& first : first_plans(options_of(device, variant))) {
                    const auto what = first.name + " by " + variant + " on " + device;
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(
                        what, std::string("host"), first.plan.device);
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(
                        what, std::string("simd"), first.plan.variant);
                    CPPUNIT_ASSERT_MESSAGE(what, first.plan.provisional);
                    CPPUNIT_ASSERT_MESSAGE(what, first.plan.reason.empty());
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, 0.0, first.plan.measured);
                    CPPUNIT_ASSERT_MESSAGE(what, !first.fell_back);
                    check_is_untouched(what);
                }
    }

    void what_only_the_host_can_do_is_final()
    {
        for (const auto& options :
             { options_of("host", "auto"), options_of("auto", "simd") })
            for (const auto& first : first_plans(options)) {
                CPPUNIT_ASSERT_MESSAGE(first.name, !first.plan.provisional);
                CPPUNIT_ASSERT_EQUAL(std::string("host"), first.plan.device);
                check_is_untouched(first.name);
            }
        const stream_matrix small(
            gemm_type::f32, 2, 2, 100, options_of("auto", "auto"), *d_registry);
        CPPUNIT_ASSERT(!small.chosen().provisional && !small.may_use_devices());
        const auto large = make_streams(options_of("auto", "auto"), *d_registry);
        CPPUNIT_ASSERT(large.may_use_devices());
    }

    void bad_names_are_refused_at_once()
    {
        const auto with = [&](const std::string& device, const std::string& variant) {
            return [=] { first_plans(options_of(device, variant)); };
        };
        assert_refused({ "device", "toaster" }, with("toaster", "auto"));
        assert_refused({ "device", "99:0" }, with("99:0", "auto"));
        assert_refused({ "variant", "espresso", "auto, " }, with("auto", "espresso"));
        assert_refused({ "variant", "cpu_tile", "host" }, with("host", "cpu_tile"));
        assert_refused({ "variant", "simd", d_device }, with(d_device, "simd"));
    }

    void planning_can_be_stopped()
    {
        auto options = options_of("auto", "auto");
        options.at_once = false;
        options.stopped = [] { return true; };
        CPPUNIT_ASSERT_THROW(make_gemm(options, *d_registry), planning_stopped);
        CPPUNIT_ASSERT_THROW(make_streams(options, *d_registry), planning_stopped);
        CPPUNIT_ASSERT_THROW(make_bits(options, *d_registry), planning_stopped);
        CPPUNIT_ASSERT_THROW(make_correlator(options, *d_registry), planning_stopped);
    }

    void what_is_planned_is_what_waiting_gives()
    {
        const auto at_once = options_of(d_device, "cpu_tile");
        planned_engine<gemm, gemm_options> engine(
            [this](const gemm_options& options) {
                return make_gemm(options, *d_registry);
            },
            at_once);
        engine.resume_planning();
        while (!engine.renew())
            std::this_thread::yield();
        auto waiting = at_once;
        waiting.at_once = false;
        CPPUNIT_ASSERT_EQUAL(make_gemm(waiting, *d_registry).chosen().engine(),
                             engine->chosen().engine());
        CPPUNIT_ASSERT_EQUAL(d_device, engine->chosen().device);
    }

    void matrices_change_while_engines_do()
    {
        const auto engine = in_turn<gemm>(make_gemm);
        random_stream random(1);
        std::vector<float> b = random.numbers(columns * rows);
        (*engine)->hold_b(columns, rows, { b.data(), rows });
        const restless chooser(*engine);
        while (engine->renewals() < d_changes) {
            engine->renew(
                [](gemm& next, const gemm& present) { next.hold_b_of(present); });
            if (random.one_in(4)) {
                b = random.numbers(columns * rows);
                (*engine)->hold_b(columns, rows, { b.data(), rows });
            }
            const std::size_t items = random.items();
            const auto a = random.numbers(items * columns);
            std::vector<float> c(items * rows, -1);
            (*engine)->multiply_held(
                items, 1, { a.data(), columns }, 0, { c.data(), rows });
            for (std::size_t i = 0; i < items; i++)
                for (std::size_t j = 0; j < rows; j++) {
                    float sum = 0;
                    for (std::size_t k = 0; k < columns; k++)
                        sum += a[i * columns + k] * b[k * rows + j];
                    CPPUNIT_ASSERT_EQUAL(sum, c[i * rows + j]);
                }
        }
    }

    void streams_change_while_engines_do()
    {
        const auto engine = in_turn<stream_matrix>(make_streams);
        random_stream random(2);
        std::vector<float> a = random.numbers(rows * columns);
        (*engine)->set_matrix(a.data());
        const restless chooser(*engine);
        while (engine->renewals() < d_changes) {
            const bool renewed = engine->renew(), other = random.one_in(4);
            if (other)
                a = random.numbers(rows * columns);
            if (renewed || other)
                (*engine)->set_matrix(a.data());
            const std::size_t items = random.items();
            const auto x = random.numbers(columns * items);
            std::vector<float> y(rows * items, -1);
            std::vector<const void*> in;
            std::vector<void*> out;
            for (std::size_t k = 0; k < columns; k++)
                in.push_back(x.data() + k * items);
            for (std::size_t l = 0; l < rows; l++)
                out.push_back(y.data() + l * items);
            (*engine)->multiply(in.data(), out.data(), items);
            for (std::size_t l = 0; l < rows; l++)
                for (std::size_t i = 0; i < items; i++) {
                    float sum = 0;
                    for (std::size_t k = 0; k < columns; k++)
                        sum += a[l * columns + k] * x[k * items + i];
                    CPPUNIT_ASSERT_EQUAL(sum, y[l * items + i]);
                }
        }
    }

    void codes_change_while_engines_do()
    {
        const auto engine = in_turn<gemm_1bit>(make_bits);
        random_stream random(3);
        constexpr std::size_t kinds = 20;
        std::vector<gemm_1bit_case> cases;
        std::vector<std::vector<std::int32_t>> expected;
        for (unsigned i = 0; i < kinds; i++) {
            cases.emplace_back(8 * code_bytes, rows, random.items(), i + 1);
            expected.push_back(cases.back().expected());
        }
        const restless chooser(*engine);
        while (engine->renewals() < d_changes) {
            engine->renew(); // it has the first codes
            for (int calls = 0; calls < 2; calls++) {
                const std::size_t which = random.byte() % kinds;
                (*engine)->set_codes(cases[which].codes);
                std::vector<std::int32_t> got(expected[which].size());
                (*engine)->correlate(
                    { cases[which].items.data(), cases[which].items.size() },
                    { got.data(), got.size() });
                CPPUNIT_ASSERT(got == expected[which]);
            }
        }
    }

    void integrations_change_while_engines_do()
    {
        const auto engine = in_turn<correlator>(make_correlator);
        random_stream random(4);
        const restless chooser(*engine);
        using value = std::complex<float>;
        while (engine->renewals() < d_changes) {
            engine->renew();
            const std::size_t length = 1 + random.byte() % 50, count = 2;
            (*engine)->set_integration(length);
            const auto x = random.bytes(antennas * length * count * 2);
            const auto at = [&](std::size_t a, std::size_t t) {
                const auto* from = x.data() + 2 * (a * length * count + t);
                return value(static_cast<std::int8_t>(from[0]),
                             static_cast<std::int8_t>(from[1]));
            };
            std::vector<value> out((*engine)->visibilities() * count);
            // The stream is cut anywhere, and renewed only where an integration begins.
            for (std::size_t done = 0, outputs = 0; done < length * count;) {
                const std::size_t left = length * count - done;
                const std::size_t samples = 1 + random.byte() % left;
                std::vector<const void*> in;
                for (std::size_t a = 0; a < antennas; a++)
                    in.push_back(x.data() + 2 * (a * length * count + done));
                outputs +=
                    (*engine)->process({ in.data(), 1 },
                                       samples,
                                       out.data() + outputs * (*engine)->visibilities());
                done += samples;
                if ((*engine)->position() == 0 && engine->renew())
                    (*engine)->set_integration(length);
            }
            const value* got = out.data();
            for (std::size_t n = 0; n < count; n++)
                for (std::size_t i = 0; i < antennas; i++)
                    for (std::size_t j = 0; j <= i; j++, got++) {
                        value sum = 0; // whole numbers, and exact
                        for (std::size_t t = n * length; t < (n + 1) * length; t++)
                            sum += at(i, t) * std::conj(at(j, t));
                        CPPUNIT_ASSERT_EQUAL(sum / value(128 * 128), *got);
                    }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_planned_products, "qa_planned_products");

} // namespace
