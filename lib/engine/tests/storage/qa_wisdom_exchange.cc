// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of listing, export, import, merging and clearing of measurements.

#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"

#include <cldsp/wisdom.h>

#include <nlohmann/json.hpp>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <system_error>
#include <cstdlib>
#include <stdexcept>
#include <string>

using namespace cldsp;
using nlohmann::json;

// Tests of listing, export, import, merging and clearing.
class qa_wisdom_exchange : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_wisdom_exchange);
    CPPUNIT_TEST(all_answers_are_listed);
    CPPUNIT_TEST(an_export_is_imported_elsewhere);
    CPPUNIT_TEST(one_kind_is_exported);
    CPPUNIT_TEST(the_younger_answer_wins);
    CPPUNIT_TEST(texts_that_cannot_be_imported);
    CPPUNIT_TEST(an_import_that_cannot_be_written_is_told);
    CPPUNIT_TEST(kinds_are_cleared);
    CPPUNIT_TEST(everything_is_cleared);
    CPPUNIT_TEST(imports_of_several_processes_are_all_kept);
    CPPUNIT_TEST_SUITE_END();

    static std::string dated(const std::string& answers)
    {
        return "{\"format\": " + std::to_string(wisdom::format) + ", " + answers + "}";
    }

    void all_answers_are_listed()
    {
        const temporary_folder folder;
        wisdom one(folder.path(), {});
        one.store("plans", "a", "1");
        wisdom(folder.path(), {}).store("tuning", "b", "2");
        const auto all = one.all();
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), all.size());
        CPPUNIT_ASSERT_EQUAL(std::string("1"), all.at("plans").at("a").text);
        CPPUNIT_ASSERT_EQUAL(std::string("2"), all.at("tuning").at("b").text);
        CPPUNIT_ASSERT(all.at("tuning").at("b").time > 1700000000);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), one.all("tuning").size());
        CPPUNIT_ASSERT(one.all("nothing").empty());
        const auto list = one.entries();
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), list.size());
        CPPUNIT_ASSERT_EQUAL(std::string("tuning b 2"),
                             list[1].kind + " " + list[1].key + " " + list[1].text);
        CPPUNIT_ASSERT_EQUAL(all.at("tuning").at("b").time, list[1].time);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), one.entries("plans").size());
    }

    void an_export_is_imported_elsewhere()
    {
        const temporary_folder here, there;
        wisdom from(here.path(), {}), to(there.path(), {});
        from.store("plans", "a", R"({"rows":512})");
        from.store("fftw", "b", "(fftw \"x\"\n)");
        const auto result = to.import_text(from.export_text());
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), result.added);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), result.replaced + result.kept);
        wisdom later(there.path(), {});
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"rows":512})"), later.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::string("(fftw \"x\"\n)"), later.find("fftw", "b"));
        // The answers keep their age, and a second import finds nothing new.
        CPPUNIT_ASSERT_EQUAL(from.all().at("plans").at("a").time,
                             later.all().at("plans").at("a").time);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2),
                             later.import_text(here.read("wisdom.json")).kept);
        // Wisdom that exists only in memory can be exchanged, too.
        wisdom memory("", {});
        CPPUNIT_ASSERT_EQUAL(std::size_t(2),
                             memory.import_text(there.read("wisdom.json")).added);
        CPPUNIT_ASSERT_EQUAL(from.export_text(), memory.export_text());
    }

    void one_kind_is_exported()
    {
        wisdom one("", {});
        one.store("plans", "a", "1");
        one.store("tuning", "b", "2");
        const json text = json::parse(one.export_text("tuning"));
        CPPUNIT_ASSERT(text.contains("tuning") && !text.contains("plans"));
        CPPUNIT_ASSERT(text.at("format") == wisdom::format);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1),
                             json::parse(wisdom("", {}).export_text()).size());
    }

    void the_younger_answer_wins()
    {
        const temporary_folder folder;
        folder.write("wisdom.json",
                     dated(R"("tuning": {"a": {"answer": "mine", "time": 100},
                              "b": {"answer": "mine", "time": 100},
                              "c": {"answer": "mine", "time": 100}})"));
        wisdom one(folder.path(), {});
        const auto result =
            one.import_text(dated(R"("tuning": {"a": {"answer": "other", "time": 99},
                              "b": {"answer": "other", "time": 101},
                              "c": {"answer": "other", "time": 100},
                              "d": {"answer": "other", "time": 5}})"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), result.added);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), result.replaced);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), result.kept);
        wisdom later(folder.path(), {});
        for (auto* w : { &one, &later }) {
            CPPUNIT_ASSERT_EQUAL(std::string("mine"), w->find("tuning", "a"));
            CPPUNIT_ASSERT_EQUAL(std::string("other"), w->find("tuning", "b"));
            CPPUNIT_ASSERT_EQUAL(std::string("mine"), w->find("tuning", "c"));
            CPPUNIT_ASSERT_EQUAL(std::string("other"), w->find("tuning", "d"));
        }
    }

    void texts_that_cannot_be_imported()
    {
        const temporary_folder folder;
        wisdom one(folder.path(), {});
        one.store("plans", "a", "1");
        const std::string before = folder.read("wisdom.json");
        const auto refused = [&](const std::string& text, const std::string& says) {
            assert_refused({ says }, [&] { one.import_text(text); });
            CPPUNIT_ASSERT_EQUAL(before, folder.read("wisdom.json"));
        };
        refused("", "damaged");
        refused("[]", "damaged");
        refused(before.substr(0, before.size() / 2), "damaged");
        refused("{}", "no format");
        refused(R"({"format": 2, "plans": {}})", "format is 2");
        refused(R"({"format": 0, "plans": {}})", "format is 0");
    }

    void an_import_that_cannot_be_written_is_told()
    {
        const std::string text = dated(R"("plans": {"a": {"answer": "1", "time": 9}})");
        // Not even root can make a folder there.
        wisdom nowhere("/proc/cldsp", {});
        CPPUNIT_ASSERT_THROW(nowhere.import_text(text), std::system_error);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), nowhere.find("plans", "a"));

        const temporary_folder folder;
        folder.write("wisdom.json", R"({"format": 2})");
        wisdom newer(folder.path(), {});
        CPPUNIT_ASSERT_THROW(newer.import_text(text), std::runtime_error);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"format": 2})"), folder.read("wisdom.json"));
    }

    void kinds_are_cleared()
    {
        const temporary_folder folder;
        wisdom one(folder.path(), {});
        one.store("plans", "a", "1");
        wisdom(folder.path(), {}).store("tuning", "b", "2");
        wisdom(folder.path(), {}).store("tuning", "c", "3");
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), one.clear("nothing"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), one.clear("tuning"));
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("tuning", "b"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"),
                             wisdom(folder.path(), {}).find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::string(),
                             wisdom(folder.path(), {}).find("tuning", "c"));
    }

    void everything_is_cleared()
    {
        for (const std::string other : { "not JSON at all", R"({"format": 2})", "" }) {
            const temporary_folder folder;
            wisdom one(folder.path(), {});
            one.store("plans", "a", "1");
            one.store("tuning", "b", "2");
            if (!other.empty())
                folder.write("wisdom.json", other);
            CPPUNIT_ASSERT_EQUAL(std::size_t(2), one.clear());
            CPPUNIT_ASSERT(one.all().empty());
            CPPUNIT_ASSERT(wisdom(folder.path(), {}).all().empty());
            one.store("plans", "c", "3");
            CPPUNIT_ASSERT_EQUAL(std::string("3"),
                                 wisdom(folder.path(), {}).find("plans", "c"));
        }
        const temporary_folder empty;
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), wisdom(empty.path(), {}).clear());
        CPPUNIT_ASSERT(empty.read("wisdom.json").empty());
    }

    void imports_of_several_processes_are_all_kept()
    {
        constexpr int processes = 2, imports = 10;
        if (is_child()) {
            wisdom one(std::getenv("CLDSP_TEST_FOLDER"), {});
            const std::string number = std::getenv("CLDSP_TEST_NUMBER");
            for (int i = 0; i < imports; i++) {
                const std::string key = number + " " + std::to_string(i);
                one.import_text(dated("\"tuning\": {\"" + key +
                                      "\": {\"answer\": \"x\", \"time\": 1}}"));
                one.store("tuning", key + " stored", "y");
            }
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(
            in_processes(processes,
                         "qa_wisdom_exchange::imports_of_several_processes_are_all_kept",
                         { { "CLDSP_TEST_FOLDER", folder.path() } }));
        CPPUNIT_ASSERT_EQUAL(std::size_t(processes * imports * 2),
                             json::parse(folder.read("wisdom.json")).at("tuning").size());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_wisdom_exchange, "qa_wisdom_exchange");
