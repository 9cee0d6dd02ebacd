// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that JSON values have the types and the texts of the library.

#include "base/json_value.h"

#include <nlohmann/json.hpp>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdint>
#include <string>

using namespace cldsp;

class qa_json_value : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_json_value);
    CPPUNIT_TEST(texts_are_those_of_the_library);
    CPPUNIT_TEST(values_have_their_types);
    CPPUNIT_TEST(what_is_no_json_has_no_value);
    CPPUNIT_TEST_SUITE_END();

public:
    void texts_are_those_of_the_library()
    {
        for (
            const std::string text :
            { R"({"b": [1, -2, 3.5, 1e300, true, null, "x\"\u00e9\n"], "a": {}, "c": []})",
              R"({"k": 1, "k": {"deep": [[{"z": 18446744073709551615}]]}})",
              R"("alone")",
              "0.1" }) {
            const auto expected = nlohmann::json::parse(text);
            const auto found = json_value::parse(text);
            CPPUNIT_ASSERT(found);
            CPPUNIT_ASSERT_EQUAL(expected.dump(), found->print());
            CPPUNIT_ASSERT_EQUAL(expected.dump(1), found->print(1));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("\"a\xef\xbf\xbd\""),
                             json_value("a\xff").print());
    }

    void values_have_their_types()
    {
        const auto all = json_value::parse(R"({"i": -3, "n": 7, "x": 0.5, "t": "z"})");
        CPPUNIT_ASSERT(all && all->is_object());
        CPPUNIT_ASSERT((*all)["i"].integer() == std::int64_t(-3));
        CPPUNIT_ASSERT(!(*all)["i"].count() && !(*all)["x"].integer());
        CPPUNIT_ASSERT((*all)["n"].count() == std::uint64_t(7));
        CPPUNIT_ASSERT((*all)["n"].number() == 7.0 && (*all)["x"].number() == 0.5);
        CPPUNIT_ASSERT((*all)["t"].text() == "z" && !(*all)["t"].number());
        CPPUNIT_ASSERT(!(*all)["missing"]["below"].text());
    }

    void what_is_no_json_has_no_value()
    {
        const auto nested = [](std::size_t depth) {
            return std::string(depth, '[') + std::string(depth, ']');
        };
        CPPUNIT_ASSERT(json_value::parse(nested(json_value::max_depth)));
        for (const auto& text : { nested(json_value::max_depth + 1),
                                  std::string(1000000, '['),
                                  std::string(),
                                  std::string("{\"a\":1"),
                                  std::string("1 2"),
                                  std::string("1e999"),
                                  std::string("\"\xff\"") })
            CPPUNIT_ASSERT(!json_value::parse(text));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_json_value, "qa_json_value");
