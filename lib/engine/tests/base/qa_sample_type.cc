// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the scaling of samples of every type, against the definition.

#include <cldsp/sample_type.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <string>

using namespace cldsp;

class qa_sample_type : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_sample_type);
    CPPUNIT_TEST(properties);
    CPPUNIT_TEST(silent_bytes);
    CPPUNIT_TEST(floats_are_kept);
    CPPUNIT_TEST(real_integers_are_not_scaled);
    CPPUNIT_TEST(pairs_are_scaled_to_one);
    CPPUNIT_TEST(packed_pairs_as_a_radio_packs_them);
    CPPUNIT_TEST(every_packed_value);
    CPPUNIT_TEST(conversion_rounds_the_exact_value);
    CPPUNIT_TEST_SUITE_END();

    using pair = std::complex<double>;

    void properties()
    {
        struct {
            sample_type type;
            const char* name;
            std::size_t size;
            bool complex;
        } const expected[] = {
            { sample_type::fc32, "fc32", 8, true },
            { sample_type::f32, "f32", 4, false },
            { sample_type::s16, "s16", 2, false },
            { sample_type::cu8, "cu8", 2, true },
            { sample_type::cs8, "cs8", 2, true },
            { sample_type::cs16, "cs16", 4, true },
            { sample_type::s8, "s8", 1, false },
            { sample_type::cs12, "cs12", 3, true },
        };
        CPPUNIT_ASSERT_EQUAL(std::size(expected), all_sample_types().size());
        for (std::size_t i = 0; i < std::size(expected); i++) {
            const auto& e = expected[i];
            CPPUNIT_ASSERT(all_sample_types()[i] == e.type);
            CPPUNIT_ASSERT_EQUAL(std::string(e.name),
                                 std::string(sample_type_name(e.type)));
            CPPUNIT_ASSERT_EQUAL(e.size, sample_size(e.type));
            CPPUNIT_ASSERT_EQUAL(e.complex, is_complex(e.type));
        }
    }

    //! Items of these bytes are at most half a step away from 0.
    void silent_bytes()
    {
        for (const auto type : all_sample_types()) {
            const std::vector<unsigned char> item(sample_size(type), silent_byte(type));
            const double one = item_format_of(type).one;
            CPPUNIT_ASSERT(std::abs(sample_at(item.data(), type, 0).real()) <= 0.5 / one);
            CPPUNIT_ASSERT_EQUAL(type != sample_type::cu8,
                                 sample_at(item.data(), type, 0) == 0.0);
        }
    }

    void floats_are_kept()
    {
        const float values[] = { 1.5f, -2.25f, 1e30f, -1e-30f };
        CPPUNIT_ASSERT(pair(1e30f, -1e-30f) == sample_at(values, sample_type::fc32, 1));
        CPPUNIT_ASSERT(pair(-2.25, 0) == sample_at(values, sample_type::f32, 1));
    }

    void real_integers_are_not_scaled()
    {
        const std::int16_t values[] = { 32767, -32768 };
        CPPUNIT_ASSERT(pair(32767, 0) == sample_at(values, sample_type::s16, 0));
        CPPUNIT_ASSERT(pair(-32768, 0) == sample_at(values, sample_type::s16, 1));
        const std::int8_t bytes[] = { 127, -128 };
        CPPUNIT_ASSERT(pair(127, 0) == sample_at(bytes, sample_type::s8, 0));
        CPPUNIT_ASSERT(pair(-128, 0) == sample_at(bytes, sample_type::s8, 1));
    }

    void pairs_are_scaled_to_one()
    {
        const std::uint8_t cu8[] = { 0, 255, 127, 128 };
        CPPUNIT_ASSERT(pair(-1, 1) == sample_at(cu8, sample_type::cu8, 0));
        CPPUNIT_ASSERT(pair(-0.5 / 127.5, 0.5 / 127.5) ==
                       sample_at(cu8, sample_type::cu8, 1));
        const std::int8_t cs8[] = { -128, 127, 0, 64 };
        CPPUNIT_ASSERT(pair(-1, 127.0 / 128) == sample_at(cs8, sample_type::cs8, 0));
        CPPUNIT_ASSERT(pair(0, 0.5) == sample_at(cs8, sample_type::cs8, 1));
        const std::int16_t cs16[] = { -32768, 32767, 16384, 0 };
        CPPUNIT_ASSERT(pair(-1, 32767.0 / 32768) ==
                       sample_at(cs16, sample_type::cs16, 0));
        CPPUNIT_ASSERT(pair(0.5, 0) == sample_at(cs16, sample_type::cs16, 1));
    }

    //! Bytes as libbladeRF packs these pairs.
    void packed_pairs_as_a_radio_packs_them()
    {
        const std::uint8_t bytes[] = { 0x00, 0x00, 0x00, 0x01, 0xf0, 0xff, 0x00, 0xf8,
                                       0x7f, 0x23, 0xc1, 0xdc, 0xff, 0x0f, 0x80, 0xff,
                                       0x17, 0x00, 0x00, 0x0c, 0x40, 0x2a, 0x60, 0xfd };
        const pair values[] = { { 0, 0 },          { 1, -1 },     { -2048, 2047 },
                                { 0x123, -0x234 }, { -1, -2048 }, { 2047, 1 },
                                { -1024, 1024 },   { 42, -42 } };
        std::complex<float> converted[std::size(values)];
        convert_samples(bytes, sample_type::cs12, converted, std::size(values));
        for (std::size_t i = 0; i < std::size(values); i++) {
            CPPUNIT_ASSERT(values[i] / 2048.0 == sample_at(bytes, sample_type::cs12, i));
            CPPUNIT_ASSERT(values[i] / 2048.0 == pair(converted[i]));
        }
    }

    void every_packed_value()
    {
        // Each value once as I and, in another order, once as Q.
        std::vector<std::uint8_t> bytes;
        for (unsigned i = 0; i < 4096; i++) {
            const unsigned q = i * 1001 % 4096;
            bytes.push_back(static_cast<std::uint8_t>(i));
            bytes.push_back(static_cast<std::uint8_t>(i >> 8 | q << 4));
            bytes.push_back(static_cast<std::uint8_t>(q >> 4));
        }
        std::vector<std::complex<float>> converted(4096);
        convert_samples(bytes.data(), sample_type::cs12, converted.data(), 4096);
        for (unsigned i = 0; i < 4096; i++) {
            const auto value = [](unsigned bits) {
                return (static_cast<int>(bits) - (bits < 2048 ? 0 : 4096)) / 2048.0;
            };
            const pair exact(value(i), value(i * 1001 % 4096));
            CPPUNIT_ASSERT(exact == sample_at(bytes.data(), sample_type::cs12, i));
            CPPUNIT_ASSERT(exact == pair(converted[i]));
        }
    }

    void conversion_rounds_the_exact_value()
    {
        // Every pattern of 16 bits twice, so that all values of every integer type occur.
        std::vector<std::uint16_t> patterns;
        for (std::uint32_t i = 0; i < 65536; i++) {
            patterns.push_back(i);
            patterns.push_back(i);
        }
        for (const sample_type type : all_sample_types()) {
            if (type == sample_type::fc32 || type == sample_type::f32)
                continue;
            const std::size_t items =
                patterns.size() * sizeof(std::uint16_t) / sample_size(type);
            std::vector<std::complex<float>> converted(items);
            convert_samples(patterns.data(), type, converted.data(), items);
            for (std::size_t i = 0; i < items; i++) {
                const pair exact = sample_at(patterns.data(), type, i);
                CPPUNIT_ASSERT_EQUAL(static_cast<float>(exact.real()),
                                     converted[i].real());
                CPPUNIT_ASSERT_EQUAL(static_cast<float>(exact.imag()),
                                     converted[i].imag());
            }
        }

        const float floats[] = { 0.1f, -3e7f, 5.0f, 1e-3f };
        std::complex<float> converted[4];
        convert_samples(floats, sample_type::fc32, converted, 2);
        CPPUNIT_ASSERT(std::complex<float>(5.0f, 1e-3f) == converted[1]);
        convert_samples(floats, sample_type::f32, converted, 4);
        CPPUNIT_ASSERT(std::complex<float>(1e-3f, 0) == converted[3]);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_sample_type, "qa_sample_type");
