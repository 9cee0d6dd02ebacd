// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that copies past the caches write their own bytes and no others.

#include "base/streaming_copy.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cldsp {

class qa_streaming_copy : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_streaming_copy);
    CPPUNIT_TEST(any_alignment_and_length);
    CPPUNIT_TEST_SUITE_END();

public:
    //! The bytes arrive, and those before and behind them stay as they are.
    void any_alignment_and_length()
    {
        constexpr unsigned char kept = 0xa5;
        constexpr std::size_t room = 1000;
        std::vector<unsigned char> from(room);
        for (std::size_t i = 0; i < room; i++)
            from[i] = static_cast<unsigned char>(i * 7 + i / 256);
        for (std::size_t to_offset = 0; to_offset < 65; to_offset++)
            for (const std::size_t from_offset : { 0, 1, 8, 31 })
                for (const std::size_t bytes :
                     { 0, 1, 15, 16, 63, 64, 65, 127, 128, 200, 777 }) {
                    std::vector<unsigned char> to(room, kept), expected = to;
                    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_offset),
                                bytes,
                                expected.begin() +
                                    static_cast<std::ptrdiff_t>(to_offset));
                    streaming_copy(
                        to.data() + to_offset, from.data() + from_offset, bytes);
                    CPPUNIT_ASSERT(to == expected);
                }
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_streaming_copy, "qa_streaming_copy");

} // namespace cldsp
