// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of mixing by any phase curve, on every instruction set of this machine.

#include "base/phase_curve.h"
#include "simd/mixer.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_host_fir_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace cldsp;

//! The mixer on every instruction set that this machine has.
class qa_mixer : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_mixer);
    CPPUNIT_TEST(phasors_of_any_curve);
    CPPUNIT_TEST(every_angle);
    CPPUNIT_TEST(any_number_of_items_at_any_address);
    CPPUNIT_TEST(cuts_change_no_bit);
    CPPUNIT_TEST(neighbours_change_no_bit);
    CPPUNIT_TEST_SUITE_END();

    using outputs = std::vector<std::complex<float>>;

    std::mt19937_64 d_random{ 3 };

    phase128 any() { return { d_random(), d_random() }; }
    phase_curve any_curve()
    {
        return { static_cast<std::int64_t>(d_random() >> 20), any(), any(), any() };
    }

    static std::complex<double> phasor(const phase_curve& curve, std::int64_t item)
    {
        return std::conj(curve.at(item).rounded().phasor());
    }

    static void
    check_phasors(const phase_curve& curve, std::int64_t first, std::size_t items)
    {
        const outputs ones(items, 1.0f);
        for (const auto* kernels : available_mixer_kernels()) {
            outputs out(items);
            mix_to_zero(*kernels,
                        ones.data(),
                        sample_type::fc32,
                        curve,
                        first,
                        out.data(),
                        items);
            for (std::size_t i = 0; i < items; i++) {
                const double error =
                    std::abs(std::complex<double>(out[i]) -
                             phasor(curve, first + static_cast<std::int64_t>(i)));
                // CPPUNIT_ASSERT_MESSAGE would make the text of every item.
                if (!(error < 2e-7))
                    CPPUNIT_FAIL("item " + std::to_string(i) + ": " +
                                 std::to_string(error * 1e9) + "e-9");
            }
        }
    }

    void phasors_of_any_curve()
    {
        for (int i = 0; i < 50; i++) {
            const auto first = static_cast<std::int64_t>(d_random()) >> (2 + i % 40);
            check_phasors(any_curve(), first, 5000);
        }
        // Bends like those of a satellite's Doppler have few significant bits, or none,
        // in their upper 32 bits.
        for (const double bend : { 1e-9, -3e-11, 5e-13, 1e-15 })
            check_phasors(
                { 77, any(), any(), phase128::quotient(bend, 1) }, -1000, 50000);
    }

    //! One angle from each interval of 2^-20 of a turn, at a random place of its group.
    void every_angle()
    {
        check_phasors({ 0,
                        phase128(0x12345, 0),
                        phase128((std::uint64_t(1) << 44) + 0x123456789, 0),
                        phase128() },
                      0,
                      std::size_t(1) << 20);
    }

    static void mix_and_check(const void* in,
                              sample_type type,
                              const phase_curve& curve,
                              std::int64_t first,
                              std::size_t items)
    {
        for (const auto* kernels : available_mixer_kernels()) {
            const std::complex<float> untouched(12345, -54321);
            outputs out(items + 16, untouched);
            mix_to_zero(*kernels, in, type, curve, first, out.data(), items);
            for (std::size_t i = 0; i < items; i++) {
                const auto expected = sample_at(in, type, i) *
                                      phasor(curve, first + static_cast<std::int64_t>(i));
                const double error = std::abs(std::complex<double>(out[i]) - expected);
                if (!(error <= 4e-7 * std::max(1.0, std::abs(expected))))
                    CPPUNIT_FAIL(std::string(sample_type_name(type)) + " item " +
                                 std::to_string(i) + ": " + std::to_string(error));
            }
            for (std::size_t i = items; i < out.size(); i++)
                CPPUNIT_ASSERT(untouched == out[i]);
        }
    }

    //! Pages without access lie around the items, so that reading beyond the items would
    //! end the test.
    void any_number_of_items_at_any_address()
    {
        for (const auto type : all_sample_types())
            for (std::size_t items = 0; items < 700; items += items < 140 ? 1 : 61) {
                const auto bytes = noise(type, items, static_cast<unsigned>(items));
                const auto first = static_cast<std::int64_t>(d_random() % 1000) - 500;
                for (const bool at_end : { false, true }) {
                    const guarded_memory memory(std::max<std::size_t>(1, bytes.size()),
                                                at_end);
                    std::copy(bytes.begin(),
                              bytes.end(),
                              static_cast<unsigned char*>(memory.data()));
                    mix_and_check(memory.data(), type, any_curve(), first, items);
                }
            }
    }

    void cuts_change_no_bit()
    {
        constexpr std::size_t items = 6000;
        for (const auto type : all_sample_types()) {
            const auto bytes = noise(type, items, 5);
            const phase_curve curve = any_curve();
            const std::int64_t first = -1234;
            for (const auto* kernels : available_mixer_kernels()) {
                outputs whole(items), cut(items);
                mix_to_zero(
                    *kernels, bytes.data(), type, curve, first, whole.data(), items);
                for (int round = 0; round < 20; round++) {
                    std::size_t done = 0;
                    while (done < items) {
                        const std::size_t piece = std::min<std::size_t>(
                            items - done, d_random() % (1 + d_random() % 3000));
                        mix_to_zero(*kernels,
                                    bytes.data() + done * sample_size(type),
                                    type,
                                    curve,
                                    first + static_cast<std::int64_t>(done),
                                    cut.data() + done,
                                    piece);
                        done += piece;
                    }
                    CPPUNIT_ASSERT(std::memcmp(whole.data(), cut.data(), items * 8) == 0);
                }
            }
        }
    }

    //! A value that is no number stays in its place.
    void neighbours_change_no_bit()
    {
        outputs in(200, { 0.5f, -0.25f });
        const phase_curve curve = any_curve();
        for (const auto* kernels : available_mixer_kernels()) {
            outputs clean(in.size()), marred(in.size());
            mix_to_zero(*kernels,
                        in.data(),
                        sample_type::fc32,
                        curve,
                        7,
                        clean.data(),
                        in.size());
            for (std::size_t at = 0; at < in.size(); at++) {
                auto other = in;
                other[at] = { NAN, 1e30f };
                mix_to_zero(*kernels,
                            other.data(),
                            sample_type::fc32,
                            curve,
                            7,
                            marred.data(),
                            in.size());
                for (std::size_t i = 0; i < in.size(); i++)
                    CPPUNIT_ASSERT(i == at || clean[i] == marred[i]);
            }
        }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_mixer, "qa_mixer");
