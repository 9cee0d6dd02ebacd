// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the host's direct filters on each instruction set, against the reference.

#include "direct/host_direct.h"
#include "direct/host_fir_simd.h"
#include "simd/samples.h"
#include "tests/support/qa_filter_of_one.h"
#include "tests/support/qa_host_fir_support.h"
#include "tests/support/qa_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <limits>

using namespace cldsp;

namespace {

//! One of the implementations that this machine can run.
struct way {
    std::string name;
    double limit; // dB
    std::unique_ptr<host_fir> fir;
};

std::vector<way> all_ways(const filter_channel& setup)
{
    std::vector<way> ways;
    for (const simd_kernels* kernels : available_simd_kernels())
        ways.push_back({ kernels->name, -120, make_host_fir_simd(setup, *kernels) });
    // VOLK sums up all products in one float.
    constexpr std::size_t max_volk_taps = 100000;
    if (setup.taps() <= max_volk_taps)
        ways.push_back({ "volk", -105, make_host_fir_volk(setup) });
    return ways;
}

std::string describe(const freq_xlating_fir_problem& p, const way& w)
{
    return w.name + ", " + sample_type_name(p.input) + ", " +
           std::to_string(p.taps.size()) + (p.has_real_taps() ? " real" : " complex") +
           " taps, decimation " + std::to_string(p.decimation);
}

void assert_below(double limit, double error, const std::string& what)
{
    CPPUNIT_ASSERT_MESSAGE(what + ": " + std::to_string(error) + " dB", error < limit);
}

void check(const freq_xlating_fir_problem& problem, std::size_t outputs)
{
    const stream s(problem, outputs);
    for (const way& w : all_ways(s.setup)) {
        const std::string what = describe(problem, w);
        const outputs_t whole = s.run(*w.fir);
        assert_below(w.limit, error_db(whole, s.expected), what);

        const outputs_t cut = s.run_in_cuts(*w.fir, 3);
        const std::vector<std::complex<double>> exact(whole.begin(), whole.end());
        // An output that is at another place of a tile is rounded differently: on AArch64
        // by up to -123 dB.
        assert_below(w.limit, error_db(cut, exact), what + ", in cuts");
    }
}

} // namespace

class qa_host_fir : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_host_fir);
    CPPUNIT_TEST(every_type_tap_count_and_decimation);
    CPPUNIT_TEST(many_taps_over_several_blocks);
    CPPUNIT_TEST(windows_far_apart);
    CPPUNIT_TEST(frequencies);
    CPPUNIT_TEST(reconfigured);
    CPPUNIT_TEST(nothing_outside_the_window_is_touched);
    CPPUNIT_TEST(nan_outside_the_window_stays_there);
    CPPUNIT_TEST(an_old_nan_does_not_return);
    CPPUNIT_TEST(unaligned_output);
    CPPUNIT_TEST(phasor_table);
    CPPUNIT_TEST(names_and_statistics);
    CPPUNIT_TEST_SUITE_END();

    void every_type_tap_count_and_decimation()
    {
        for (const sample_type type : all_sample_types())
            for (const bool real_taps : { true, false })
                for (const std::size_t decimation :
                     { 1, 2, 3, 4, 5, 7, 8, 10, 42, 63, 100 })
                    for (const std::size_t taps : { 1, 2, 3, 7, 8, 9, 16, 33, 101, 201 })
                        check(make_problem(type, decimation, taps, real_taps),
                              small_tests() ? 37 : 149);
    }

    void many_taps_over_several_blocks()
    {
        for (const sample_type type : all_sample_types()) {
            for (const bool real_taps : { true, false }) {
                check(make_problem(type, 42, 2429, real_taps), 700);
                check(make_problem(type, 1, 2429, real_taps), small_tests() ? 300 : 2000);
            }
        }
        check(make_problem(sample_type::fc32, 1, 5, true), 30000);
        check(make_problem(sample_type::cu8, 3, 20000, true), 50);
        // The rows of so large a decimation are long enough to need sums of their own.
        check(make_problem(sample_type::s16, 10800, 356401, true), 4);
    }

    void windows_far_apart()
    {
        for (const sample_type type : { sample_type::fc32, sample_type::s16 }) {
            for (const bool real_taps : { true, false }) {
                check(make_problem(type, 1000, 17, real_taps), 900);
                check(make_problem(type, 100000, 3, real_taps), 20);
            }
        }
    }

    void frequencies()
    {
        for (const double center_freq : { 0.0, 1008000.0, 504000.0, -1.0, 5e6 }) {
            for (const sample_type type : { sample_type::fc32, sample_type::f32 }) {
                auto problem = make_problem(type, 5, 40, true);
                problem.center_freq = center_freq;
                check(problem, 100);
            }
        }
    }

    void reconfigured()
    {
        const stream first(make_problem(sample_type::cs16, 5, 201, true), 100);
        auto other = make_problem(sample_type::cs16, 5, 33, false);
        other.center_freq = 400000;
        const stream second(other, 50);
        for (const way& w : all_ways(first.setup)) {
            first.run(*w.fir);
            w.fir->configure(second.setup);
            assert_below(w.limit, error_db(second.run(*w.fir), second.expected), w.name);
            w.fir->configure(first.setup);
            assert_below(w.limit, error_db(first.run(*w.fir), first.expected), w.name);
        }
    }

    void nothing_outside_the_window_is_touched()
    {
        for (const sample_type type : all_sample_types()) {
            for (const bool real_taps : { true, false }) {
                for (const std::size_t decimation : { 1, 3, 42 }) {
                    const stream s(make_problem(type, decimation, 37, real_taps), 53);
                    for (const bool at_end : { true, false }) {
                        const guarded_memory in(s.items.size(), at_end);
                        const guarded_memory out(s.outputs * 8, at_end);
                        std::memcpy(in.data(), s.items.data(), s.items.size());
                        for (const way& w : all_ways(s.setup))
                            w.fir->run(
                                s.call(in.data(),
                                       static_cast<std::complex<float>*>(out.data())));
                    }
                }
            }
        }
    }

    void nan_outside_the_window_stays_there()
    {
        constexpr std::size_t guard = 64; // floats
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (const sample_type type : { sample_type::fc32, sample_type::f32 }) {
            for (const bool real_taps : { true, false }) {
                for (const std::size_t decimation : { 1, 2, 5, 42 }) {
                    const stream s(make_problem(type, decimation, 35, real_taps), 61);
                    std::vector<float> in(s.items.size() / sizeof(float) + 2 * guard,
                                          nan);
                    std::memcpy(&in[guard], s.items.data(), s.items.size());
                    for (const way& w : all_ways(s.setup)) {
                        outputs_t out(s.outputs);
                        w.fir->run(s.call(&in[guard], out.data()));
                        assert_below(w.limit,
                                     error_db(out, s.expected),
                                     describe(s.setup.problem, w));
                    }
                }
            }
        }
    }

    void an_old_nan_does_not_return()
    {
        const stream s(make_problem(sample_type::fc32, 3, 35, true), 61);
        for (const way& w : all_ways(s.setup)) {
            std::vector<unsigned char> bad(2 * s.items.size(), 0xff);
            outputs_t out(2 * s.outputs);
            w.fir->run({ bad.data(), out.data(), s.outputs + 9, s.phase });
            CPPUNIT_ASSERT(std::isnan(out[0].real()));
            assert_below(w.limit, error_db(s.run(*w.fir), s.expected), w.name);
        }
    }

    void unaligned_output()
    {
        const stream s(make_problem(sample_type::fc32, 2, 50, false), 90);
        for (const way& w : all_ways(s.setup)) {
            for (std::size_t shift = 0; shift < 8; shift++) {
                outputs_t out(shift + s.outputs);
                w.fir->run(s.call(s.items.data(), out.data() + shift));
                out.erase(out.begin(), out.begin() + shift);
                assert_below(w.limit, error_db(out, s.expected), w.name);
            }
        }
    }

    void phasor_table()
    {
        outputs_t table(100000);
        const phase64 start = phase64::from_turns(0.123);
        const phase64 step = phase64::from_turns(-0.0612379);
        fill_phasors(table.data(), table.size(), start, step);
        std::vector<std::complex<double>> exact;
        for (std::size_t i = 0; i < table.size(); i++)
            exact.push_back((start + step * i).phasor());
        assert_below(-140, error_db(table, exact), "table");
    }

    void names_and_statistics()
    {
        const stream s(make_problem(sample_type::fc32, 2, 50, false), 90);
        for (const std::string variant : { "simd", "volk", "auto" }) {
            filter_of_one bank(
                make_host_direct(variant, { s.setup }, std::make_shared<thread_pool>(1)),
                s.setup);
            auto* const fir = &bank;
            const std::string name = variant == "auto" ? "simd" : variant;
            CPPUNIT_ASSERT_EQUAL(name, fir->variant_name());
            CPPUNIT_ASSERT_EQUAL(std::string("host"), fir->device_name());
            CPPUNIT_ASSERT_EQUAL(std::string("none"), fir->transfer_name());
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), fir->statistics().calls);
            fir->set_stream_memory({}, {});
            s.run(*fir);
            s.run(*fir);
            const run_statistics statistics = fir->statistics();
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(2), statistics.calls);
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(180), statistics.outputs);
            CPPUNIT_ASSERT(statistics.kernel_time > 0);
            CPPUNIT_ASSERT_EQUAL(0.0, statistics.transfer_time);
        }
        CPPUNIT_ASSERT_THROW(make_host_fir("float8", s.setup), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_host_fir, "qa_host_fir");
