// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the conversion of samples on every instruction set of this machine.

#include "simd/samples.h"
#include "tests/support/qa_fir_support.h"
#include "tests/support/qa_host_fir_support.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

using namespace cldsp;

//! The conversion of samples on every instruction set that this machine has.
class qa_sample_kernels : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_sample_kernels);
    CPPUNIT_TEST(every_value_of_every_type);
    CPPUNIT_TEST(any_number_of_items_at_any_address);
    CPPUNIT_TEST_SUITE_END();

    using outputs = std::vector<std::complex<float>>;

    //! Items as the kernels give them: real ones twice, (x, x).
    static std::complex<double>
    expected_at(const void* in, sample_type type, std::size_t index)
    {
        const auto value = sample_at(in, type, index);
        return is_complex(type) ? value
                                : std::complex<double>(value.real(), value.real());
    }

    static void check(const void* in,
                      sample_type type,
                      const outputs& phasors,
                      const outputs& out,
                      std::size_t items)
    {
        for (std::size_t i = 0; i < items; i++) {
            const auto expected =
                expected_at(in, type, i) *
                (phasors.empty() ? 1.0 : std::complex<double>(phasors[i]));
            const double error = std::abs(std::complex<double>(out[i]) - expected);
            // CPPUNIT_ASSERT_MESSAGE would make the text of every item.
            if (!(error <= 2e-7 * std::max(1.0, std::abs(expected))))
                CPPUNIT_FAIL(std::string(sample_type_name(type)) + " item " +
                             std::to_string(i) + ": " + std::to_string(error));
        }
    }

    //! Complex items are prepared once with phasors and once without; real items never
    //! have phasors.
    static void prepare_and_check(const void* in, sample_type type, std::size_t items)
    {
        outputs phasors(items);
        fill_phasors(
            phasors.data(), items, phase64::from_turns(0.3), phase64::from_turns(0.0123));
        for (const auto* kernels : available_sample_kernels())
            for (const bool moved : { false, true }) {
                if (moved && !is_complex(type))
                    continue;
                const std::complex<float> untouched(12345, -54321);
                outputs out(items + 16, untouched);
                kernels->prepare(in,
                                 type,
                                 moved ? reinterpret_cast<const float*>(phasors.data())
                                       : nullptr,
                                 reinterpret_cast<float*>(out.data()),
                                 items);
                check(in, type, moved ? phasors : outputs(), out, items);
                for (std::size_t i = items; i < out.size(); i++)
                    CPPUNIT_ASSERT(untouched == out[i]);
                if (is_complex(type))
                    continue;
                std::vector<float> floats(items + 16, 12345.0f);
                kernels->to_floats(in, type, floats.data(), items);
                for (std::size_t i = 0; i < items; i++)
                    CPPUNIT_ASSERT_EQUAL(out[i].real(), floats[i]);
                for (std::size_t i = items; i < floats.size(); i++)
                    CPPUNIT_ASSERT_EQUAL(12345.0f, floats[i]);
            }
    }

    void every_value_of_every_type()
    {
        // Every pattern of 16 bits occurs twice, so that both numbers of a pair take all
        // values. As many patterns of 24 bits follow, in which both 12-bit numbers take
        // all values.
        std::vector<unsigned char> bytes;
        for (unsigned i = 0; i < 65536; i++)
            for (const unsigned part : { i, i >> 8, i, i >> 8 })
                bytes.push_back(static_cast<unsigned char>(part));
        while (bytes.size() % 3)
            bytes.push_back(0);
        for (unsigned i = 0; i < 65536; i++)
            for (const unsigned part : { i, i >> 8, i >> 4 })
                bytes.push_back(static_cast<unsigned char>(part));
        for (const auto type : all_sample_types())
            if (type != sample_type::fc32 && type != sample_type::f32)
                prepare_and_check(bytes.data(), type, bytes.size() / sample_size(type));
    }

    //! Pages without access lie around the items, so that reading beyond the items would
    //! end the test.
    void any_number_of_items_at_any_address()
    {
        for (const auto type : all_sample_types())
            for (std::size_t items = 1; items < 70; items++) {
                const auto bytes = noise(type, items, static_cast<unsigned>(items));
                for (const bool at_end : { false, true }) {
                    const guarded_memory memory(bytes.size(), at_end);
                    std::copy(bytes.begin(),
                              bytes.end(),
                              static_cast<unsigned char*>(memory.data()));
                    prepare_and_check(memory.data(), type, items);
                }
            }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_sample_kernels, "qa_sample_kernels");
