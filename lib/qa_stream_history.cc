/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stream_history.h"
#include <cppunit/extensions/HelperMacros.h>
#include <numeric>
#include <vector>

namespace {

class qa_stream_history : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_stream_history);
    CPPUNIT_TEST(starts_with_zeros);
    CPPUNIT_TEST(keeps_the_newest_in_any_cut);
    CPPUNIT_TEST(skips_through_more_than_it_keeps);
    CPPUNIT_TEST(forgets_at_reset);
    CPPUNIT_TEST_SUITE_END();

    static constexpr std::size_t keep = 10;
    gr::cldsp::stream_history history{ sizeof(int), keep, 1 };
    int next = 1;

    void append(std::size_t count)
    {
        std::vector<int> items(count);
        std::iota(items.begin(), items.end(), next);
        next += count;
        history.append(items.data(), count);
    }

    // The last items of 0, ..., 0, 1, 2, ... up to the newest one.
    void check(std::size_t count)
    {
        const auto* items = static_cast<const int*>(history.newest(count));
        for (std::size_t i = 0; i < count; i++)
            CPPUNIT_ASSERT_EQUAL(std::max(0, next - int(count - i)), items[i]);
    }

    void starts_with_zeros() { check(keep); }

    void keeps_the_newest_in_any_cut()
    {
        for (std::size_t i = 0; i < 200; i++) {
            const std::size_t count = i * 7 % (history.max_append() + 1);
            append(count);
            check(keep + count);
        }
    }

    void skips_through_more_than_it_keeps()
    {
        std::vector<int> items(1000);
        std::iota(items.begin(), items.end(), next);
        next += items.size();
        history.skip_through(items.data(), items.size());
        check(keep);
    }

    void forgets_at_reset()
    {
        append(keep);
        history.reset();
        next = 1;
        check(keep);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_stream_history);

} // namespace
