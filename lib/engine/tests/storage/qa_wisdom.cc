// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of remembered measurements that several processes share.

#include "tests/support/qa_process.h"

#include <cldsp/wisdom.h>

#include <nlohmann/json.hpp>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <string>
#include <vector>

using namespace cldsp;
using nlohmann::json;

class qa_wisdom : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_wisdom);
    CPPUNIT_TEST(memory_alone);
    CPPUNIT_TEST(file_outlives_the_object);
    CPPUNIT_TEST(objects_stay_readable_and_texts_whole);
    CPPUNIT_TEST(answers_of_others_are_seen_and_kept);
    CPPUNIT_TEST(forgotten_answers_stay_away);
    CPPUNIT_TEST(oldest_answers_go);
    CPPUNIT_TEST(texts_of_any_bytes);
    CPPUNIT_TEST(no_answer_of_any_process_is_lost);
    CPPUNIT_TEST_SUITE_END();

    std::vector<std::string> d_log;

    logger log()
    {
        return [this](log_level, const std::string& text) { d_log.push_back(text); };
    }

    void memory_alone()
    {
        wisdom one("", log());
        CPPUNIT_ASSERT_EQUAL(std::string(), one.path());
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "problem"));
        one.store("plans", "problem", "this");
        one.store("plans", "problem", "that");
        CPPUNIT_ASSERT_EQUAL(std::string("that"), one.find("plans", "problem"));
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "other"));
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("fftw", "problem"));
        one.forget("plans", "problem");
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "problem"));
        CPPUNIT_ASSERT(d_log.empty());
    }

    void file_outlives_the_object()
    {
        const temporary_folder folder;
        const std::string deep = folder.path("made/when/needed");
        wisdom(deep, log()).store("plans", "problem", "answer");
        CPPUNIT_ASSERT_EQUAL(std::string("answer"),
                             wisdom(deep, log()).find("plans", "problem"));
        CPPUNIT_ASSERT(d_log.empty());
    }

    void objects_stay_readable_and_texts_whole()
    {
        const temporary_folder folder;
        const std::string object = R"({"rows":512,"variant":"rows"})";
        const std::string text = "(fftw-3.3.10 \"x\"\n  (a #x1 {b}))\n";
        wisdom one(folder.path(), log());
        one.store("plans", "a", object);
        one.store("fftw", "b", text);
        one.store("fftw", "c", "42");
        const json file = json::parse(folder.read("wisdom.json"));
        CPPUNIT_ASSERT(file.at("format") == wisdom::format);
        CPPUNIT_ASSERT(file.at("plans").at("a").at("answer").at("rows") == 512);
        CPPUNIT_ASSERT(file.at("fftw").at("b").at("answer") == text);
        wisdom other(folder.path(), log());
        CPPUNIT_ASSERT_EQUAL(object, other.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(text, other.find("fftw", "b"));
        CPPUNIT_ASSERT_EQUAL(std::string("42"), other.find("fftw", "c"));
    }

    void answers_of_others_are_seen_and_kept()
    {
        const temporary_folder folder;
        wisdom one(folder.path(), log()), other(folder.path(), log());
        one.store("plans", "a", "1");
        other.store("plans", "b", "2");
        CPPUNIT_ASSERT_EQUAL(std::string("2"), one.find("plans", "b"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), other.find("plans", "a"));
        one.store("plans", "c", "3");
        wisdom third(folder.path(), log());
        for (const char* key : { "a", "b", "c" })
            CPPUNIT_ASSERT(!third.find("plans", key).empty());
    }

    void forgotten_answers_stay_away()
    {
        const temporary_folder folder;
        wisdom one(folder.path(), log());
        one.store("plans", "a", "1");
        one.forget("plans", "a");
        CPPUNIT_ASSERT_EQUAL(std::string(), one.find("plans", "a"));
        CPPUNIT_ASSERT_EQUAL(std::string(),
                             wisdom(folder.path(), log()).find("plans", "a"));
    }

    void oldest_answers_go()
    {
        const temporary_folder folder;
        json plans = json::object();
        for (std::size_t i = 0; i < wisdom::max_answers; i++)
            plans["p" + std::to_string(i)] = { { "answer", "x" }, { "time", 1000 + i } };
        folder.write("wisdom.json",
                     json{ { "format", wisdom::format }, { "plans", plans } }.dump());
        wisdom one(folder.path(), log());
        one.store("plans", "new", "y");
        one.store("plans", "newer", "z");
        const json kept = json::parse(folder.read("wisdom.json")).at("plans");
        CPPUNIT_ASSERT_EQUAL(wisdom::max_answers, kept.size());
        CPPUNIT_ASSERT(!kept.contains("p0") && !kept.contains("p1"));
        CPPUNIT_ASSERT(kept.contains("p2") && kept.contains("new") &&
                       kept.contains("newer"));

        wisdom memory("", log());
        for (std::size_t i = 0; i < wisdom::max_answers + 10; i++)
            memory.store("plans", std::to_string(i), "x");
        std::size_t left = 0;
        for (std::size_t i = 0; i < wisdom::max_answers + 10; i++)
            left += !memory.find("plans", std::to_string(i)).empty();
        CPPUNIT_ASSERT_EQUAL(wisdom::max_answers, left);
    }

    void texts_of_any_bytes()
    {
        const temporary_folder folder;
        const std::string odd("\xff\xc3(\0\"\\", 6);
        wisdom one(folder.path(), log());
        one.store("plans", odd, odd);
        one.store("plans", "plain", "text");
        CPPUNIT_ASSERT_EQUAL(odd, one.find("plans", odd));
        CPPUNIT_ASSERT_EQUAL(std::string("text"),
                             wisdom(folder.path(), log()).find("plans", "plain"));
        CPPUNIT_ASSERT(d_log.empty());
    }

    void no_answer_of_any_process_is_lost()
    {
        constexpr int processes = 4, threads = 2, answers = 10;
        if (is_child()) {
            wisdom one(std::getenv("CLDSP_TEST_FOLDER"), {});
            in_threads(threads, [&](int thread) {
                for (int i = 0; i < answers; i++)
                    one.store("plans",
                              std::getenv("CLDSP_TEST_NUMBER") + std::string(" ") +
                                  std::to_string(thread) + " " + std::to_string(i),
                              "x");
            });
            return;
        }
        const temporary_folder folder;
        CPPUNIT_ASSERT(in_processes(processes,
                                    "qa_wisdom::no_answer_of_any_process_is_lost",
                                    { { "CLDSP_TEST_FOLDER", folder.path() } }));
        CPPUNIT_ASSERT_EQUAL(std::size_t(processes * threads * answers),
                             json::parse(folder.read("wisdom.json")).at("plans").size());
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_wisdom, "qa_wisdom");
