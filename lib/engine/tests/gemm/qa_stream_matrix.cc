// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of streams that are multiplied by a matrix.

#include "gemm/stream_executor.h"
#include "opencl/matrix_units.h"
#include "tests/support/qa_gemm_engine_support.h"
#include "tests/support/qa_refused.h"

#include <cldsp/stream_matrix.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

namespace {

//! Random streams and their products. Behind each stream is memory that must not change.
struct streams : gemm_case {
    streams(gemm_type type_,
            std::size_t rows_,
            std::size_t columns_,
            std::size_t items_,
            unsigned seed = 1)
        : gemm_case(type_, { rows_, items_, columns_ }, 1, 0, seed, 40),
          type(type_),
          rows(rows_),
          columns(columns_),
          items(items_),
          y(c())
    {
    }

    template <class Engine>
    void run(Engine& engine, std::size_t first, std::size_t count)
    {
        run_streams(engine, first, count, y);
    }

    void check(const std::string& what) const
    {
        CPPUNIT_ASSERT_MESSAGE(what + ", " + describe() + ": " + std::to_string(error(y)),
                               error(y) <= bound());
    }

    gemm_type type;
    std::size_t rows, columns, items;
    matrix y;
};

class qa_stream_matrix : public gemm_fixture
{
    CPPUNIT_TEST_SUITE(qa_stream_matrix);
    CPPUNIT_TEST(every_instruction_set);
    CPPUNIT_TEST(many_threads);
    CPPUNIT_TEST(small_ones_stay_on_the_host);
    CPPUNIT_TEST(precision_is_a_permission);
    CPPUNIT_TEST(any_partition_of_the_stream);
    CPPUNIT_TEST(another_matrix);
    CPPUNIT_TEST(bad_arguments);
    CPPUNIT_TEST_SUITE_END();

    static constexpr gemm_type types[] = { gemm_type::f32, gemm_type::c32 };

    stream_matrix make(const streams& s, const std::string& device)
    {
        auto o = options(device);
        if (device == test_device().id())
            o.variant = on_device(s.type).variant_name();
        stream_matrix engine(s.type, s.rows, s.columns, s.items, o, *d_registry);
        engine.set_matrix(s.a_without_gaps().data());
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
                            host.set_matrix(s.a_without_gaps().data());
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
        CPPUNIT_ASSERT(make(s, test_device().id()).may_use_devices());
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
            engine.set_matrix(s.a_without_gaps().data());
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
            streams first(gemm_type::f32, 3, 4, 50), second(gemm_type::f32, 3, 4, 50, 2);
            auto a = first.a_without_gaps();
            auto engine = make(first, device);
            engine.set_matrix(a.data());
            std::fill(a.begin(), a.end(), std::uint8_t(0x7f)); // the engine has a copy
            first.run(engine, 0, 50);
            first.check("first");
            engine.set_matrix(second.a_without_gaps().data());
            second.run(engine, 0, 50);
            second.check("second");
        }
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
        refuses("float8", gemm_type::c32, 1, 1, 1, options("auto", "float8"));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_stream_matrix, "qa_stream_matrix");

} // namespace
