// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Random items and codes, and their correlations bit by bit.

#pragma once

#include "gemm_1bit/gemm_1bit_executor.h"
#include "tests/support/qa_support.h"

#include <cldsp/gemm_1bit.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace cldsp {

using gemm_1bit_code_list = std::vector<std::vector<std::uint8_t>>;

inline std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(count);
    for (auto& byte : bytes)
        byte = static_cast<std::uint8_t>(random() >> 11);
    return bytes;
}

inline gemm_1bit_code_list
random_codes(std::size_t bits, std::size_t count, unsigned seed)
{
    gemm_1bit_code_list codes;
    for (std::size_t i = 0; i < count; i++)
        codes.push_back(random_bytes(bits / 8, seed + static_cast<unsigned>(i)));
    return codes;
}

//! Random items and codes, and their correlations bit by bit.
class gemm_1bit_case
{
public:
    gemm_1bit_case(std::size_t bits_,
                   std::size_t codes_,
                   std::size_t items_,
                   unsigned seed = 1)
        : bits(bits_),
          count(items_),
          codes(random_codes(bits_, codes_, 100 * seed)),
          items(random_bytes(items_ * bits_ / 8, seed))
    {
    }

    std::string describe() const
    {
        return std::to_string(count) + " items with " + std::to_string(codes.size()) +
               " codes of " + std::to_string(bits) + " bits";
    }

    std::vector<std::int32_t> expected() const
    {
        const auto sign = [](const std::uint8_t* bytes, std::size_t k) {
            return bytes[k / 8] >> (7 - k % 8) & 1 ? 1 : -1;
        };
        std::vector<std::int32_t> result;
        for (std::size_t i = 0; i < count; i++)
            for (const auto& code : codes) {
                std::int32_t sum = 0;
                for (std::size_t k = 0; k < bits; k++)
                    sum += sign(items.data() + i * bits / 8, k) * sign(code.data(), k);
                result.push_back(sum);
            }
        return result;
    }

    //! The codes as executors take them.
    gemm_1bit_codes joined() const
    {
        gemm_1bit_codes all;
        all.bits = bits;
        all.count = codes.size();
        for (const auto& code : codes)
            all.bytes.insert(all.bytes.end(), code.begin(), code.end());
        return all;
    }

    //! Calls \p correlate with items that begin \p offset bytes into a buffer. The memory
    //! around the correlations is filled with a pattern that must not change.
    template <class Correlate>
    std::vector<std::int32_t> run(const Correlate& correlate,
                                  std::size_t offset = 0) const
    {
        constexpr std::size_t guard = 37;
        constexpr std::int32_t pattern = 0x5a5a5a5a;
        std::vector<std::uint8_t> in(offset, 0xff);
        in.insert(in.end(), items.begin(), items.end());
        std::vector<std::int32_t> out(count * codes.size() + 2 * guard, pattern);
        correlate(in.data() + offset, out.data() + guard);
        for (std::size_t i = 0; i < guard; i++)
            if (out[i] != pattern || out[out.size() - 1 - i] != pattern)
                throw std::runtime_error("an output was written outside of its place");
        return { out.begin() + guard, out.end() - guard };
    }

    std::vector<std::int32_t> run(gemm_1bit& engine, std::size_t offset = 0) const
    {
        return run(
            [&](const std::uint8_t* in, std::int32_t* out) {
                engine.correlate({ in, items.size() }, { out, count * codes.size() });
            },
            offset);
    }

    std::vector<std::int32_t> run(gemm_1bit_executor& executor,
                                  std::size_t offset = 0) const
    {
        return run([&](const std::uint8_t* in,
                       std::int32_t* out) { executor.run(in, count, out); },
                   offset);
    }

    void check(gemm_1bit_executor& executor,
               const std::string& what,
               std::size_t offset = 0) const
    {
        CPPUNIT_ASSERT_MESSAGE(what + ", " + describe(),
                               run(executor, offset) == expected());
    }

    void check(gemm_1bit& engine, std::size_t offset = 0) const
    {
        CPPUNIT_ASSERT_MESSAGE(describe() + " by " + engine.variant_name() + " on " +
                                   engine.device_name(),
                               run(engine, offset) == expected());
    }

    std::size_t bits, count;
    gemm_1bit_code_list codes;
    std::vector<std::uint8_t> items;
};

//! Sizes at every edge of words, vectors, tiles and counters; fewer sizes for a
//! simulator.
inline std::vector<gemm_1bit_case> gemm_1bit_cases()
{
    if (small_tests())
        return { { 8, 1, 1 },     { 40, 5, 3 },   { 72, 17, 2 },
                 { 1048, 18, 3 }, { 2112, 2, 1 }, { 31808, 1, 1 } };
    std::vector<gemm_1bit_case> cases = {
        { 8, 1, 1 },      { 8, 16, 16 },    { 16, 3, 5 },     { 24, 5, 7 },
        { 32, 4, 4 },     { 40, 15, 3 },    { 56, 17, 9 },    { 64, 16, 16 },
        { 72, 31, 2 },    { 120, 64, 64 },  { 128, 65, 63 },  { 512, 33, 17 },
        { 520, 127, 5 },  { 1016, 16, 64 }, { 1024, 17, 65 }, { 1032, 1, 127 },
        { 2040, 63, 1 },  { 4096, 65, 66 }, { 8184, 5, 4 },   { 15360, 3, 2 },
        { 15368, 17, 2 }, { 31744, 3, 2 },  { 31752, 17, 3 }, { 32760, 2, 2 },
        { 63488, 2, 1 },  { 65536, 18, 3 }, { 100008, 3, 2 },
    };
    std::mt19937 random(7);
    for (unsigned i = 0; i < 12; i++)
        cases.emplace_back(
            8 * (1 + random() % 400), 1 + random() % 90, 1 + random() % 90, 20 + i);
    return cases;
}

//! Engines on the first device under test, and the messages that they logged.
class gemm_1bit_fixture : public CppUnit::TestFixture
{
public:
    void setUp() override { use_profile(test_options().profile); }
    void tearDown() override { device()->inject_failure(injected_call::none); }

protected:
    void use_profile(const std::string& profile)
    {
        auto o = test_options();
        o.profile = profile;
        d_registry = std::make_unique<context_registry>(o);
    }

    std::shared_ptr<context> device() { return d_registry->get(test_device()); }

    gemm_options options(const std::string& device_text,
                         const std::string& variant = "auto")
    {
        gemm_options o;
        o.device = device_text;
        o.variant = variant;
        o.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        return o;
    }

    gemm_1bit make(const gemm_1bit_case& problem,
                   const std::string& device_text,
                   const std::string& variant = "auto")
    {
        return gemm_1bit(problem.codes,
                         problem.bits,
                         problem.count,
                         options(device_text, variant),
                         *d_registry);
    }
    gemm_1bit on_device(const gemm_1bit_case& problem,
                        const std::string& variant = "auto")
    {
        return make(problem, test_device().id(), variant);
    }

    bool logged(const std::string& text) const
    {
        for (const auto& line : d_log)
            if (line.find(text) != std::string::npos)
                return true;
        return false;
    }

    std::unique_ptr<context_registry> d_registry;
    std::vector<std::string> d_log;
};

} // namespace cldsp
