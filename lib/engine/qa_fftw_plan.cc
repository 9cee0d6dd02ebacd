/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fftw_plan.h"

#include <cldsp/phase.h>
#include <cldsp/reference.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <thread>

using namespace cldsp;

namespace {

using values_t = fftw_vector<std::complex<float>>;

values_t noise(std::size_t size)
{
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    values_t values(size);
    for (auto& value : values)
        value = { uniform(random), uniform(random) };
    return values;
}

std::vector<std::complex<double>> dft(const values_t& in, fftw_direction direction)
{
    const double sign = direction == fftw_direction::forward ? -1 : 1;
    const auto size = static_cast<double>(in.size());
    std::vector<std::complex<double>> out(in.size());
    for (std::size_t k = 0; k < in.size(); k++)
        for (std::size_t i = 0; i < in.size(); i++) {
            const auto turns = static_cast<double>(k * i % in.size()) / size;
            out[k] +=
                std::complex<double>(in[i]) * phase64::from_turns(sign * turns).phasor();
        }
    return out;
}

void check(const fftw_plan& plan, std::size_t size, fftw_direction direction)
{
    const values_t in = noise(size);
    const values_t copy = in;
    values_t out(size);
    plan.execute(in.data(), out.data());
    CPPUNIT_ASSERT(in == copy);
    const std::vector<std::complex<float>> values(out.begin(), out.end());
    CPPUNIT_ASSERT(error_db(values, dft(in, direction)) < -125);
}

} // namespace

class qa_fftw_plan : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_fftw_plan);
    CPPUNIT_TEST(transforms);
    CPPUNIT_TEST(shared);
    CPPUNIT_TEST(from_many_threads);
    CPPUNIT_TEST(wisdom);
    CPPUNIT_TEST(damaged_wisdom);
    CPPUNIT_TEST(memory_is_aligned);
    CPPUNIT_TEST(bad_sizes);
    CPPUNIT_TEST_SUITE_END();

    void transforms()
    {
        for (const auto direction : { fftw_direction::forward, fftw_direction::backward })
            for (const std::size_t size : { 1, 2, 61, 64, 420 })
                check(*fftw_plan::get(size, direction), size, direction);
    }

    void shared()
    {
        const auto one = fftw_plan::get(48, fftw_direction::forward);
        CPPUNIT_ASSERT(one == fftw_plan::get(48, fftw_direction::forward));
        CPPUNIT_ASSERT(one != fftw_plan::get(48, fftw_direction::backward));
        CPPUNIT_ASSERT(one != fftw_plan::get(49, fftw_direction::forward));
    }

    void from_many_threads()
    {
        std::vector<std::thread> threads;
        std::vector<std::shared_ptr<const fftw_plan>> found(8);
        for (std::size_t i = 0; i < found.size(); i++)
            threads.emplace_back([i, &found] {
                for (std::size_t size = 90; size < 100; size++)
                    found[i] = fftw_plan::get(size, fftw_direction::forward);
            });
        for (auto& thread : threads)
            thread.join();
        for (const auto& transform : found)
            CPPUNIT_ASSERT(transform == found[0]);
        check(*found[0], 99, fftw_direction::forward);
    }

    void wisdom()
    {
        fftw_plan::get(77, fftw_direction::forward);
        const std::string text = export_fftw_wisdom();
        CPPUNIT_ASSERT(!text.empty());
        CPPUNIT_ASSERT(import_fftw_wisdom(text));
        CPPUNIT_ASSERT_EQUAL(text, export_fftw_wisdom());
        check(*fftw_plan::get(77, fftw_direction::forward), 77, fftw_direction::forward);
    }

    void damaged_wisdom()
    {
        fftw_plan::get(77, fftw_direction::forward);
        const std::string text = export_fftw_wisdom();
        for (const std::string& damaged : { std::string(),
                                            std::string("{}"),
                                            std::string(10000, '('),
                                            text.substr(0, text.size() / 2),
                                            text.substr(1) })
            CPPUNIT_ASSERT(!import_fftw_wisdom(damaged));
        CPPUNIT_ASSERT_EQUAL(text, export_fftw_wisdom());
    }

    void memory_is_aligned()
    {
        const values_t values(5);
        CPPUNIT_ASSERT(fftw_plan::is_aligned(values.data()));
        // On other processors FFTW may take any address, as on arm64.
#if defined(__x86_64__)
        CPPUNIT_ASSERT(!fftw_plan::is_aligned(values.data() + 1));
#endif
    }

    void bad_sizes()
    {
        for (const std::size_t size : { std::size_t(0), std::size_t(1) << 31 })
            CPPUNIT_ASSERT_THROW(fftw_plan::get(size, fftw_direction::forward),
                                 std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_fftw_plan);
