/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/stream_executor.h"
#include "opencl/matrix_units.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_refused.h"

#include <cldsp/gemm_reference.h>
#include <cldsp/stream_matrix.h>

#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Random streams, with memory behind them that must not change.
struct streams {
    static constexpr std::size_t room = 40; // floats

    streams(gemm_type type_, std::size_t rows_, std::size_t columns_, std::size_t items_)
        : type(type_), rows(rows_), columns(columns_), items(items_)
    {
        std::mt19937 random(static_cast<unsigned>(rows * 1000 + columns));
        std::uniform_real_distribution<float> uniform(-1, 1);
        a.resize(rows * columns * floats());
        x.resize(columns * items * floats());
        for (auto* values : { &a, &x })
            for (auto& value : *values)
                value = uniform(random);
        y.assign(rows, std::vector<float>(items * floats() + room, -77.0f));
    }

    std::size_t floats() const { return type == gemm_type::c32 ? 2 : 1; }

    template <class Engine>
    void run(Engine& engine, std::size_t first, std::size_t count)
    {
        std::vector<const void*> in;
        std::vector<void*> out;
        for (std::size_t k = 0; k < columns; k++)
            in.push_back(x.data() + (k * items + first) * floats());
        for (auto& stream : y)
            out.push_back(stream.data() + first * floats());
        engine.multiply(in.data(), out.data(), count);
    }

    void check(const std::string& what) const
    {
        const gemm_shape shape{ rows, items, columns };
        std::vector<float> together;
        for (const auto& stream : y) {
            together.insert(
                together.end(), stream.begin(), stream.begin() + items * floats());
            for (std::size_t i = items * floats(); i < stream.size(); i++)
                CPPUNIT_ASSERT_EQUAL_MESSAGE(what, -77.0f, stream[i]);
        }
        const double error = gemm_error(type,
                                        shape,
                                        1,
                                        { a.data(), columns },
                                        { x.data(), items },
                                        0,
                                        { together.data(), items },
                                        { together.data(), items });
        CPPUNIT_ASSERT_MESSAGE(
            what + " " + std::to_string(rows) + "x" + std::to_string(columns) + " " +
                std::to_string(items) + " items: " + std::to_string(error),
            error <= 2e-7 * (4 + std::sqrt(static_cast<double>(columns))));
    }

    gemm_type type;
    std::size_t rows, columns, items;
    std::vector<float> a, x;
    std::vector<std::vector<float>> y;
};

class qa_stream_matrix : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_stream_matrix);
    CPPUNIT_TEST(every_instruction_set);
    CPPUNIT_TEST(many_threads);
    CPPUNIT_TEST(on_a_device);
    CPPUNIT_TEST(small_ones_stay_on_the_host);
    CPPUNIT_TEST(precision_is_a_permission);
    CPPUNIT_TEST(any_partition_of_the_stream);
    CPPUNIT_TEST(another_matrix);
    CPPUNIT_TEST(a_lost_device_is_left_for_the_host);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

    static constexpr gemm_type types[] = { gemm_type::f32, gemm_type::c32 };

    stream_matrix make(const streams& s, const std::string& device)
    {
        auto o = options(device);
        if (device == test_device().id())
            o.variant = on_device(s.type).variant_name();
        stream_matrix engine(s.type, s.rows, s.columns, s.items, o, *d_registry);
        engine.set_matrix(s.a.data());
        return engine;
    }

public:
    void every_instruction_set()
    {
        const std::vector<std::size_t> sizes =
            small_tests() ? std::vector<std::size_t>{ 1, 3, 9 }
                          : std::vector<std::size_t>{ 1, 2, 3, 4, 5, 8, 9, 17, 40 };
        for (const auto* kernels : available_stream_matrix_kernels())
            for (const auto type : types)
                for (const auto rows : sizes)
                    for (const auto columns : sizes)
                        for (const std::size_t items : { 1, 31, 64, 700 }) {
                            streams s(type, rows, columns, items);
                            stream_matrix_host host(type, rows, columns, kernels);
                            host.set_matrix(s.a.data());
                            s.run(host, 0, items);
                            s.check(kernels->name);
                        }
    }

    void many_threads()
    {
        for (const auto type : types) {
            streams s(type, 20, 30, small_tests() ? 5001 : 20011);
            auto engine = make(s, "host");
            s.run(engine, 0, s.items);
            s.check("host");
            CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
            CPPUNIT_ASSERT_EQUAL(std::string("simd"), engine.variant_name());
            CPPUNIT_ASSERT_EQUAL(std::string("none"), engine.transfer_name());
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), engine.statistics().calls);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(20 * s.items),
                                 engine.statistics().outputs);
            CPPUNIT_ASSERT(engine.statistics().kernel_time > 0);
        }
    }

    void on_a_device()
    {
        for (const auto type : types) {
            streams s(type, 5, 3, 100);
            auto engine = make(s, test_device().id());
            s.run(engine, 0, 100);
            s.check("device");
            CPPUNIT_ASSERT_EQUAL(test_device().name, engine.device_name());
            CPPUNIT_ASSERT(engine.may_use_devices());
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), engine.statistics().calls);
            CPPUNIT_ASSERT(!engine.fell_back());
        }
    }

    void small_ones_stay_on_the_host()
    {
        streams s(gemm_type::f32, 2, 2, 100);
        auto engine = make(s, "auto");
        CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
        CPPUNIT_ASSERT_MESSAGE(engine.plan(),
                               engine.plan().find("gemm/simd on host") == 0);
        CPPUNIT_ASSERT(!engine.may_use_devices());
        CPPUNIT_ASSERT(!make(s, "host").may_use_devices());
        // For a large product the candidates are measured.
        streams large(gemm_type::f32, 16, 16, 8192);
        auto other = make(large, "auto");
        CPPUNIT_ASSERT_MESSAGE(other.plan(), other.plan().find("GFLOP/s") > 0);
        CPPUNIT_ASSERT(other.may_use_devices());
        large.run(other, 0, large.items);
        large.check("auto");
    }

    void precision_is_a_permission()
    {
        const auto why = [&](const std::string& device,
                             const std::string& variant,
                             const std::string& precision,
                             std::size_t items) {
            streams s(gemm_type::f32, 16, 16, items);
            auto o = options(device, variant);
            o.precision = precision;
            stream_matrix engine(s.type, s.rows, s.columns, s.items, o, *d_registry);
            engine.set_matrix(s.a.data());
            s.run(engine, 0, items);
            s.check(precision);
            return engine.chosen().exact_because;
        };
        CPPUNIT_ASSERT_EQUAL(std::string(), why("auto", "auto", "exact", 8192));
        CPPUNIT_ASSERT_EQUAL(std::string("the host multiplies small matrices"),
                             why("auto", "auto", "half", 100));
        CPPUNIT_ASSERT_EQUAL(std::string("no matrix units"),
                             why("host", "auto", "half", 100));
        CPPUNIT_ASSERT_EQUAL(std::string("variant 'simd' is always exact"),
                             why("host", "simd", "tf32", 100));
        if (!missing_tensor_reason(test_device()).empty())
            CPPUNIT_ASSERT_EQUAL(std::string("no matrix units"),
                                 why(test_device().id(), "auto", "tf32", 8192));
    }

    void any_partition_of_the_stream()
    {
        std::mt19937 random(3);
        for (const auto& device : { std::string("host"), test_device().id() }) {
            streams s(gemm_type::c32, 3, 4, small_tests() ? 100 : 1000);
            auto engine = make(s, device);
            std::uniform_int_distribution<std::size_t> size(0, 70);
            for (std::size_t done = 0; done < s.items;) {
                const std::size_t count = std::min(size(random), s.items - done);
                s.run(engine, done, count);
                done += count;
            }
            s.check(device);
        }
    }

    void another_matrix()
    {
        for (const auto& device : { std::string("host"), test_device().id() }) {
            streams s(gemm_type::f32, 3, 4, 50);
            auto engine = make(s, device);
            const auto a = s.a;
            std::fill(s.a.begin(), s.a.end(), 0.5f);
            s.run(engine, 0, 50); // with a copy of the first matrix
            std::vector<float> old = a;
            old.swap(s.a);
            s.check("copy");
            engine.set_matrix(old.data());
            s.run(engine, 0, 50);
            s.a = old;
            s.check("another");
        }
    }

    void a_lost_device_is_left_for_the_host()
    {
        streams s(gemm_type::c32, 5, 3, 200);
        auto engine = make(s, test_device().id());
        s.run(engine, 0, 100);
        device()->inject_failure(injected_call::enqueue);
        s.run(engine, 100, 100);
        device()->inject_failure(injected_call::none);
        s.check("lost");
        CPPUNIT_ASSERT(engine.fell_back());
        CPPUNIT_ASSERT_EQUAL(std::string("host"), engine.device_name());
        CPPUNIT_ASSERT(engine.plan().find("host instead") != std::string::npos);
        CPPUNIT_ASSERT(logged("the host goes on"));
    }

    void bad_arguments()
    {
        const auto refuses = [&](const std::string& word,
                                 gemm_type type,
                                 std::size_t rows,
                                 std::size_t columns,
                                 std::size_t items,
                                 const gemm_options& o) {
            assert_refused({ word }, [&] {
                stream_matrix(type, rows, columns, items, o, *d_registry);
            });
        };
        const auto f32 = gemm_type::f32;
        refuses("type", gemm_type::f16, 1, 1, 1, options("host"));
        refuses("type", gemm_type::s8, 1, 1, 1, options("host"));
        refuses("rows", f32, 0, 1, 1, options("host"));
        refuses("columns", f32, 1, 0, 1, options("host"));
        refuses("typical_items", f32, 1, 1, 0, options("host"));
        refuses("toaster", f32, 1, 1, 1, options("toaster"));
        refuses("espresso", f32, 1, 1, 1, options("auto", "espresso"));
        refuses("float8", gemm_type::c32, 1, 1, 1, options("auto", "float8"));
        refuses("naive", f32, 1, 1, 1, options("host", "naive"));
        refuses("simd", f32, 1, 1, 1, options(test_device().id(), "simd"));
        auto o = options("host");
        o.precision = "bf16";
        refuses("'exact', 'tf32' or 'half'", f32, 1, 1, 1, o);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_stream_matrix, "qa_stream_matrix");

} // namespace
