// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of calls in a child process that answer, throw, crash or hang.

#include "isolated.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace cldsp::app;
using ending = isolated_result::ending;

class qa_isolated : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_isolated);
    CPPUNIT_TEST(answers);
    CPPUNIT_TEST(exceptions);
    CPPUNIT_TEST(crashes);
    CPPUNIT_TEST(endings);
    CPPUNIT_TEST(hangs);
    CPPUNIT_TEST_SUITE_END();

    static constexpr double long_enough = 300;

    void answers()
    {
        // The text is longer than a pipe holds; the printed output is discarded.
        const std::string text(1 << 20, 'x');
        const auto result = call_isolated(
            [&] {
                std::cout << "printed" << std::endl;
                return text;
            },
            long_enough);
        CPPUNIT_ASSERT(result.answered());
        CPPUNIT_ASSERT(result.text == text);
        CPPUNIT_ASSERT(
            call_isolated([] { return std::string(); }, long_enough).answered());
    }

    void exceptions()
    {
        const auto result = call_isolated(
            []() -> std::string { throw std::runtime_error("no such thing"); },
            long_enough);
        CPPUNIT_ASSERT(result.how == ending::crashed);
        CPPUNIT_ASSERT_EQUAL(std::string("no such thing"), result.text);
    }

    void crashes()
    {
        const auto result =
            call_isolated([]() -> std::string { std::abort(); }, long_enough);
        CPPUNIT_ASSERT(result.how == ending::crashed);
        CPPUNIT_ASSERT(result.text.find("crashes") != std::string::npos);
    }

    void endings()
    {
        const auto result = call_isolated([]() -> std::string { _exit(3); }, long_enough);
        CPPUNIT_ASSERT(result.how == ending::crashed);
        CPPUNIT_ASSERT_EQUAL(std::string("ends the process"), result.text);
    }

    void hangs()
    {
        const auto result = call_isolated(
            []() -> std::string {
                for (;;)
                    pause();
            },
            0.2);
        CPPUNIT_ASSERT(result.how == ending::timed_out);
        CPPUNIT_ASSERT(result.text.find("no answer") != std::string::npos);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_isolated);
