// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of what is decided about a recording before its first sample.

// Tests of what is decided about a recording before its first sample: times, what names
// of files say, and where the samples of a WAV file end, also in files of many GiB. Also
// tested are the heads that are written, and numbers with units.

#include "channelize/datetime.h"
#include "channelize/file_name.h"
#include "channelize/quantity.h"
#include "channelize/sample_format.h"
#include "channelize/wav.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace cldsp::app;

namespace {

//! A file that is zero but for some texts at their places.
struct sparse_file {
    std::uint64_t size = 0;
    std::map<std::uint64_t, std::string> texts;

    std::size_t operator()(std::uint64_t at, unsigned char* to, std::size_t bytes) const
    {
        const std::uint64_t left = at < size ? size - at : 0;
        bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left));
        std::fill_n(to, bytes, 0);
        for (const auto& [begin, text] : texts)
            for (std::size_t i = 0; i < text.size(); i++)
                if (begin + i >= at && begin + i < at + bytes)
                    to[begin + i - at] = static_cast<unsigned char>(text[i]);
        return bytes;
    }
};

//! The chunk of a text, with its size.
std::string chunk_of(const std::string& tag, const std::string& text)
{
    std::string all = tag;
    for (int i = 0; i < 4; i++)
        all += static_cast<char>(text.size() >> (8 * i) & 0xff);
    return all + text;
}

constexpr std::uint64_t gib = std::uint64_t(1) << 30;

} // namespace

class qa_formats : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_formats);
    CPPUNIT_TEST(times_are_read);
    CPPUNIT_TEST(other_texts_are_no_times);
    CPPUNIT_TEST(times_move);
    CPPUNIT_TEST(names_of_programs);
    CPPUNIT_TEST(other_names_say_nothing);
    CPPUNIT_TEST(samples_end_with_the_file);
    CPPUNIT_TEST(sizes_that_wrapped);
    CPPUNIT_TEST(chunks_are_no_samples);
    CPPUNIT_TEST(too_many_chunks_are_samples);
    CPPUNIT_TEST(heads_are_read_again);
    CPPUNIT_TEST(numbers_have_units);
    CPPUNIT_TEST(absurd_values);
    CPPUNIT_TEST_SUITE_END();

    void times_are_read()
    {
        const std::string same = "2025-02-03T04:05:06.25Z";
        for (const char* text :
             { "2025-02-03T04:05:06.25Z",
               "2025-02-03T04:05:06.250000+00:00",
               "2025-02-02T23:05:06.25-05:00",
               "2025-02-03T09:35:06,25+0530",
               "2025-02-03T05:05:06.25+01",
               "2025-02-03 04:05:06.25Z",
               "2025-02-03t04:05:06.25z",
               "2025-02-03 04:05:06.25 UTC",
               "2025-02-03T04:05:06.25000000099999999999999999999Z" }) {
            const auto found = parse_datetime(text);
            CPPUNIT_ASSERT_MESSAGE(text, found);
            CPPUNIT_ASSERT_EQUAL(same, short_datetime_text(found->time));
            CPPUNIT_ASSERT(found->has_zone);
        }
        CPPUNIT_ASSERT(!parse_datetime("2025-02-03T04:05:06.25")->has_zone);
        // A second is inserted at times.
        CPPUNIT_ASSERT_EQUAL(
            std::string("2017-01-01T00:00:00Z"),
            short_datetime_text(parse_datetime("2016-12-31T23:59:60Z")->time));
        CPPUNIT_ASSERT_EQUAL(
            std::string("1970-01-01T00:00:00.000000001Z"),
            short_datetime_text(parse_datetime("1970-01-01T00:00:00.000000001Z")->time));
    }

    void other_texts_are_no_times()
    {
        for (const char* text : { "",
                                  "now",
                                  "2025",
                                  "2025-02-03",
                                  "2025-02-30T00:00:00Z",
                                  "2023-02-29T00:00:00Z",
                                  "2025-13-01T00:00:00Z",
                                  "2025-00-01T00:00:00Z",
                                  "2025-02-03T24:00:01Z",
                                  "2025-02-03T04:60:06Z",
                                  "2025-02-03T04:05:06.Z",
                                  "2025-02-03T04:05:06Zulu",
                                  "2025-02-03T04:05:06+24:00",
                                  "2025-02-03T04:05:06+1",
                                  "-025-02-03T04:05:06Z",
                                  "2025-02-03T04:05Z" })
            CPPUNIT_ASSERT_MESSAGE(text, !parse_datetime(text));
    }

    void times_move()
    {
        const std::string begin = "2025-03-01T00:00:00Z";
        CPPUNIT_ASSERT_EQUAL(std::string("2025-02-28T23:59:59.750000000Z"),
                             later_datetime(begin, -0.25));
        CPPUNIT_ASSERT_EQUAL(std::string("2025-03-01T00:00:01.000000000Z"),
                             later_datetime(begin, 0.9999999999));
        for (const double seconds : { 1e13,
                                      -1e11,
                                      std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN() })
            CPPUNIT_ASSERT_EQUAL(std::string(), later_datetime(begin, seconds));
        CPPUNIT_ASSERT_EQUAL(std::string("1969-12-31T23:59:59.999999999Z"),
                             datetime_text(utc_of(-1)));
    }

    void names_of_programs()
    {
        struct {
            const char *file, *program;
            double rate, center;
            const char *datetime, *type;
        } const names[] = {
            { "/a.b/gqrx_20250203_040506_446100000_2400000_fc.raw",
              "gqrx",
              2.4e6,
              446.1e6,
              "2025-02-03T04:05:06Z",
              "cf32" },
            { "SDRSharp_20250203_040506Z_446100000Hz_IQ.wav",
              "SDR#",
              0,
              446.1e6,
              "2025-02-03T04:05:06Z",
              "" },
            { "net HDSDR_20250203_040506Z_7255kHz_RF.wav",
              "HDSDR",
              0,
              7.255e6,
              "2025-02-03T04:05:06Z",
              "" },
            { "SDRuno_20250203_040506Z_88110kHz.wav",
              "SDRuno",
              0,
              88.11e6,
              "2025-02-03T04:05:06Z",
              "" },
            { "SDRconnect_IQ_20250203_040506_137110000HZ.wav",
              "SDRconnect",
              0,
              137.11e6,
              "",
              "" },
            { "baseband_446100000Hz_04-05-06_03-02-2025.wav",
              "SDR++",
              0,
              446.1e6,
              "",
              "" },
            { "g001_446.1M_2400k.cu8", "rtl_433", 2.4e6, 446.1e6, "", "" },
            { "250k_FSK_433.92M.cs16", "rtl_433", 250e3, 433.92e6, "", "" },
        };
        for (const auto& name : names) {
            const auto found = read_file_name(name.file);
            CPPUNIT_ASSERT_EQUAL(std::string(name.program), found.program);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(name.rate, found.rate.value_or(0), 1e-3);
            CPPUNIT_ASSERT_DOUBLES_EQUAL(name.center, found.center.value_or(0), 1e-3);
            CPPUNIT_ASSERT_EQUAL(std::string(name.datetime), found.datetime);
            CPPUNIT_ASSERT_EQUAL(std::string(name.type), found.type);
        }
    }

    void other_names_say_nothing()
    {
        for (const char* name : { "",
                                  "-",
                                  "x.wav",
                                  "pass_48kHz.wav",
                                  "137.1M_48k.wav",
                                  "band_10m_48k.cu8",
                                  "noise_250k.cu8",
                                  "433.92M.cu8",
                                  "gqrx_20251303_040506_446100000_2400000_fc.raw",
                                  "gqrx_20250203_040506_446100000.wav",
                                  "SDRSharp_20250203_040506Z_446100000Hz_AF.wav",
                                  "SDRSharp_20250203_040506Z_0Hz_IQ.wav",
                                  "baseband_x_446100000Hz.wav" })
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                name, std::string(), read_file_name(name).program);
    }

    void check(const sparse_file& file,
               std::uint64_t said,
               std::uint64_t bytes,
               wav_rest behind)
    {
        const auto extent = wav_extent_of(said, file.size, file, 4);
        CPPUNIT_ASSERT_EQUAL(bytes, extent.bytes);
        CPPUNIT_ASSERT(extent.behind == behind);
    }

    void samples_end_with_the_file()
    {
        check({ 4000, {} }, 4000, 4000, wav_rest::nothing);
        check({ 4003, {} }, 4000, 4000, wav_rest::nothing);
        check({ 4004, {} }, 4000, 4004, wav_rest::samples);
        check({ 4004, {} }, 0, 4004, wav_rest::samples);
        check({ 300 * gib, {} }, 400, 300 * gib, wav_rest::samples);
    }

    void sizes_that_wrapped()
    {
        const std::string text = chunk_of("LIST", "INFOabcd");
        for (const std::uint64_t true_bytes : { 4 * gib + 400, 20 * gib + 400 }) {
            check({ true_bytes, {} }, 400, true_bytes, wav_rest::samples);
            check({ true_bytes + text.size(), { { true_bytes, text } } },
                  400,
                  true_bytes,
                  wav_rest::samples);
        }
    }

    void chunks_are_no_samples()
    {
        const std::string even = chunk_of("LIST", "INFOabcd");
        const std::string odd = chunk_of("bext", "abc");
        const std::string filled = odd + std::string(1, '\0');
        for (const auto& text : { even,
                                  odd,
                                  filled,
                                  even + odd,
                                  filled + even,
                                  odd + even,
                                  chunk_of("id3 ", ""),
                                  even + "abc",
                                  std::string(1, '\0') + even,
                                  std::string(1, '\0') + odd })
            check(
                { 4000 + text.size(), { { 4000, text } } }, 4000, 4000, wav_rest::chunks);
        // The size reaches beyond the file, or the ID has other characters.
        const std::string more = even.substr(0, even.size() - 1);
        for (const auto& text : { more, chunk_of("ab\x7f!", "text"), even + more + even })
            check({ 4000 + text.size(), { { 4000, text } } },
                  4000,
                  4000 + text.size(),
                  wav_rest::samples);
        const std::string head("LIST\0\0\0\x02", 8);
        const sparse_file long_chunk{ 4008 + gib / 32, { { 4000, head } } };
        check(long_chunk, 4000, 4000, wav_rest::chunks);
        CPPUNIT_ASSERT(wav_rest_of(
                           [&](std::uint64_t ahead, unsigned char* to, std::size_t n) {
                               return long_chunk(4000 + ahead, to, n);
                           },
                           4,
                           wav_stream_rest) == wav_rest::samples);
        const std::string other = chunk_of("RIFF", "WAVE");
        check({ 4400, { { 4000, other } } }, 4000, 4000, wav_rest::another_file);
        check({ 4400 + even.size(), { { 4000, even + other } } },
              4000,
              4000,
              wav_rest::another_file);
    }

    void too_many_chunks_are_samples()
    {
        for (const std::uint64_t chunks : { 100, 100000 }) {
            const std::uint64_t end = 4000 + 8 * chunks;
            std::uint64_t reads = 0;
            const auto peek = [&](std::uint64_t at, unsigned char* to, std::size_t n) {
                reads++;
                n = at < end ? std::min<std::size_t>(n, end - at) : 0;
                for (std::size_t i = 0; i < n; i++)
                    to[i] = at + i >= 4000 && (at + i) % 8 < 4 ? 'a' : 0;
                return n;
            };
            const auto behind = wav_extent_of(4000, end, peek, 4).behind;
            CPPUNIT_ASSERT(behind ==
                           (chunks == 100 ? wav_rest::chunks : wav_rest::samples));
            CPPUNIT_ASSERT(reads < 100000);
        }
    }

    static recording read_again(const std::string& head)
    {
        std::size_t at = 0;
        return read_wav_head(
            [&](unsigned char* to, std::size_t bytes) {
                CPPUNIT_ASSERT(at + bytes <= head.size());
                std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(at), bytes, to);
                at += bytes;
            },
            "head");
    }

    void heads_are_read_again()
    {
        for (const bool is_float : { false, true })
            for (const unsigned channels : { 1u, 2u })
                for (const bool may_be_long : { false, true }) {
                    const wav_format form{ channels, is_float, 48000, may_be_long };
                    const std::size_t item = channels * (is_float ? 4 : 2);
                    for (const std::uint64_t items : { std::uint64_t(0), 7 * gib }) {
                        const auto head = wav_head(form, items * item);
                        const auto found = read_again(head);
                        CPPUNIT_ASSERT_EQUAL(std::uint64_t(head.size()), found.begin);
                        CPPUNIT_ASSERT_EQUAL(item, found.format.item_bytes());
                        CPPUNIT_ASSERT_EQUAL(is_float, found.format.is_float());
                        CPPUNIT_ASSERT_EQUAL(wav_head(form, 8).size(), head.size());
                        // A plain head says of a long file that it goes to the end.
                        if (items == 0 || may_be_long)
                            CPPUNIT_ASSERT_EQUAL(items * item, found.bytes.value());
                        else
                            CPPUNIT_ASSERT(!found.bytes);
                    }
                    CPPUNIT_ASSERT(!read_again(wav_stream_head(form)).bytes);
                }
    }

    void numbers_have_units()
    {
        const auto seconds = [](const char* text) {
            return parse_seconds(text, "--time", "us");
        };
        for (const auto& [text, value] :
             std::map<const char*, double>{ { "75", 75e-6 },
                                            { "75u", 75e-6 },
                                            { "75us", 75e-6 },
                                            { "75\u00b5s", 75e-6 },
                                            { "0.075ms", 75e-6 },
                                            { "75e-6s", 75e-6 } })
            CPPUNIT_ASSERT_DOUBLES_EQUAL(value, seconds(text), 1e-15);
        CPPUNIT_ASSERT_EQUAL(90.0, parse_seconds("90", "--time", "s"));
        for (const char* text :
             { "", "us", "75m", "75k", "75Hz", "75 us", "nan", "inf", "0x10", "1e999" })
            CPPUNIT_ASSERT_THROW_MESSAGE(text, seconds(text), std::invalid_argument);
        for (const auto& [text, value] :
             std::map<const char*, double>{ { "2.4M", 2.4e6 },
                                            { "2.4MS/s", 2.4e6 },
                                            { "-12.5kHz", -12.5e3 },
                                            { "12K", 12e3 },
                                            { "1.2GHz", 1.2e9 },
                                            { "1e6", 1e6 },
                                            { "96S/s", 96 } })
            CPPUNIT_ASSERT_DOUBLES_EQUAL(value, parse_hertz(text, "--rate"), 1e-6);
        for (const char* text :
             { "", "M", "1Mk", "1u", "75us", "1m", "nan", "0x10", "1HzHz" })
            CPPUNIT_ASSERT_THROW_MESSAGE(
                text, parse_hertz(text, "--rate"), std::invalid_argument);
    }

    void absurd_values()
    {
        std::vector<float> numbers(1001, -1e6f);
        CPPUNIT_ASSERT(!has_absurd_value(numbers.data(), 0));
        CPPUNIT_ASSERT(!has_absurd_value(numbers.data(), numbers.size()));
        const float infinity = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (const float value : { 1.1e6f, -1.1e6f, infinity, -infinity, nan, -nan })
            for (const std::size_t place : { std::size_t(0), numbers.size() - 1 }) {
                numbers[place] = value;
                CPPUNIT_ASSERT(has_absurd_value(numbers.data(), numbers.size()));
                numbers[place] = 0;
            }
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_formats);
