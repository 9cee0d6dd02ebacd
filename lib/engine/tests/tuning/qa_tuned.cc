// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of finding tuned values again, for the same problem or a near one.

#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/tuned.h>

#include <nlohmann/json.hpp>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace cldsp;
using nlohmann::json;

class qa_tuned : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_tuned);
    CPPUNIT_TEST(answers_outlive_the_process);
    CPPUNIT_TEST(nothing_right_is_not_kept);
    CPPUNIT_TEST(a_stopped_tuning_does_not_replace_a_whole_one);
    CPPUNIT_TEST(distances);
    CPPUNIT_TEST(the_nearest_problem_answers);
    CPPUNIT_TEST(of_two_as_near_the_newer_answers);
    CPPUNIT_TEST(values_that_do_not_fit_are_passed_over);
    CPPUNIT_TEST(answers_of_other_places_are_not_taken);
    CPPUNIT_TEST(damaged_answers_are_passed_over);
    CPPUNIT_TEST(exported_answers_serve_elsewhere);
    CPPUNIT_TEST(places_are_told_apart);
    CPPUNIT_TEST_SUITE_END();

    static tuning_place place()
    {
        tuning_place p;
        p.family = "fir";
        p.device = "a GPU";
        p.driver = "1.2";
        p.kernel = "abc";
        return p;
    }

    static tuning_problem problem(double taps, double decimation = 8)
    {
        return { "fc32 real", { { "taps", taps }, { "decimation", decimation } } };
    }

    static tuning_result result(std::int64_t width, bool confirmed = true)
    {
        const tuning_space space({ { "width", { width } }, { "tile", { 3 } } });
        tuning_result r;
        r.strategy = "full";
        tuned_point point;
        point.point = space.at(0);
        r.points.push_back(point);
        r.best = 0;
        r.seconds = 1e-3;
        r.default_seconds = 2e-3;
        r.confirmed = confirmed;
        return r;
    }

    static std::int64_t
    width(wisdom& all, const tuning_problem& problem, const tuning_place& at = place())
    {
        const auto answer = recall_tuning(all, at, problem);
        return answer ? answer->values.at("width") : 0;
    }

    void answers_outlive_the_process()
    {
        const temporary_folder folder;
        wisdom one(folder.path(), {});
        CPPUNIT_ASSERT(remember_tuning(one, place(), problem(100), result(8)));
        auto failed = result(4);
        failed.default_seconds = std::numeric_limits<double>::infinity();
        CPPUNIT_ASSERT(remember_tuning(one, place(), problem(2000), failed));

        wisdom later(folder.path(), {});
        const auto answer = recall_tuning(later, place(), problem(100));
        CPPUNIT_ASSERT(answer && answer->exact() && answer->confirmed);
        CPPUNIT_ASSERT(
            (answer->values == tuning_values{ { "width", 8 }, { "tile", 3 } }));
        CPPUNIT_ASSERT_EQUAL(1e-3, answer->seconds);
        CPPUNIT_ASSERT_EQUAL(2e-3, answer->default_seconds);
        CPPUNIT_ASSERT_EQUAL(problem(100).text(), answer->problem.text());
        CPPUNIT_ASSERT(
            std::isinf(recall_tuning(later, place(), problem(2000))->default_seconds));
    }

    void nothing_right_is_not_kept()
    {
        wisdom one("", {});
        auto nothing = result(8);
        nothing.best.reset();
        CPPUNIT_ASSERT(!remember_tuning(one, place(), problem(100), nothing));
        CPPUNIT_ASSERT(one.all().empty());
    }

    void a_stopped_tuning_does_not_replace_a_whole_one()
    {
        wisdom one("", {});
        CPPUNIT_ASSERT(remember_tuning(one, place(), problem(100), result(4, false)));
        CPPUNIT_ASSERT(remember_tuning(one, place(), problem(100), result(5, false)));
        CPPUNIT_ASSERT(remember_tuning(one, place(), problem(100), result(6)));
        CPPUNIT_ASSERT(!remember_tuning(one, place(), problem(100), result(7, false)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(6), width(one, problem(100)));
        CPPUNIT_ASSERT(remember_tuning(one, place(), problem(100), result(8)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(8), width(one, problem(100)));
    }

    void distances()
    {
        CPPUNIT_ASSERT_EQUAL(0.0, *tuning_distance(problem(100), problem(100)));
        // The distance is 3 doublings of 1 + taps. With 2 doublings of 1 + taps and 1 of
        // 1 + decimation it is the root of the sum of their squares.
        CPPUNIT_ASSERT_DOUBLES_EQUAL(
            3, *tuning_distance(problem(99), problem(799)), 1e-12);
        CPPUNIT_ASSERT_DOUBLES_EQUAL(
            std::sqrt(5), *tuning_distance(problem(99, 0), problem(399, 1)), 1e-12);
        CPPUNIT_ASSERT(!tuning_distance(problem(99), problem(801)));
        CPPUNIT_ASSERT(!tuning_distance(problem(801), problem(99)));
        CPPUNIT_ASSERT(!tuning_distance(problem(99), problem(std::nan(""))));
        auto other = problem(99);
        other.type = "fc32 complex";
        CPPUNIT_ASSERT(!tuning_distance(problem(99), other));
        other = problem(99);
        other.numbers["items"] = 1;
        CPPUNIT_ASSERT(!tuning_distance(problem(99), other));
        CPPUNIT_ASSERT(!tuning_distance(other, problem(99)));
        other.numbers.erase("taps");
        CPPUNIT_ASSERT(!tuning_distance(problem(99), other));
    }

    void the_nearest_problem_answers()
    {
        wisdom one("", {});
        remember_tuning(one, place(), problem(100), result(4));
        remember_tuning(one, place(), problem(400), result(8));
        remember_tuning(one, place(), problem(400, 16), result(16));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4), width(one, problem(190)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(8), width(one, problem(210)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(16), width(one, problem(400, 13)));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), width(one, problem(10000)));
        const auto answer = recall_tuning(one, place(), problem(210));
        CPPUNIT_ASSERT(!answer->exact());
        CPPUNIT_ASSERT_EQUAL(problem(400).text(), answer->problem.text());
    }

    void of_two_as_near_the_newer_answers()
    {
        wisdom here("", {});
        // 1 + taps is 100 and 400, and 200 lies in the middle.
        remember_tuning(here, place(), problem(99), result(4));
        remember_tuning(here, place(), problem(399), result(8));
        auto exported = json::parse(here.export_text("tuning"));
        for (const std::int64_t newer : { 4, 8 }) {
            for (auto& entry : exported["tuning"])
                entry["time"] = entry["answer"]["values"]["width"] == newer ? 2000 : 1000;
            wisdom there("", {});
            there.import_text(exported.dump());
            CPPUNIT_ASSERT_EQUAL(newer, width(there, problem(199)));
        }
    }

    void values_that_do_not_fit_are_passed_over()
    {
        wisdom one("", {});
        remember_tuning(one, place(), problem(100), result(4));
        remember_tuning(one, place(), problem(120), result(8));
        remember_tuning(one, place(), problem(200), result(16));
        const auto at_least = [&](std::int64_t least) {
            const auto answer =
                recall_tuning(one, place(), problem(100), [&](const auto& values) {
                    return values.at("width") >= least;
                });
            return answer ? answer->values.at("width") : 0;
        };
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4), at_least(4));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(8), at_least(5));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(16), at_least(9));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), at_least(17));
    }

    void answers_of_other_places_are_not_taken()
    {
        wisdom one("", {});
        remember_tuning(one, place(), problem(100), result(4));
        auto change = place();
        change.family = "gemm";
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), width(one, problem(100), change));
        change = place();
        change.device = "another GPU";
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), width(one, problem(100), change));
        change = place();
        change.driver = "1.3";
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), width(one, problem(100), change));
        change = place();
        change.kernel = "abd";
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), width(one, problem(100), change));
    }

    void damaged_answers_are_passed_over()
    {
        wisdom one("", {});
        remember_tuning(one, place(), problem(100), result(4));
        const std::string key = one.all().at("tuning").begin()->first;
        const json whole = json::parse(one.find("tuning", key));
        const auto with = [&](const char* name, const json& value) {
            json changed = whole;
            if (value.is_null())
                changed.erase(name);
            else
                changed[name] = value;
            return changed.dump();
        };
        for (const std::string& text : { std::string("text"),
                                         std::string("[]"),
                                         std::string("{}"),
                                         with("values", nullptr),
                                         with("values", json::object()),
                                         with("values", 3),
                                         with("values", { { "width", 1.5 } }),
                                         with("values", { { "width", "wide" } }),
                                         with("numbers", nullptr),
                                         with("numbers", { { "taps", "many" } }),
                                         with("family", 7),
                                         with("device", nullptr) }) {
            one.store("tuning", key, text);
            CPPUNIT_ASSERT_MESSAGE(text, !recall_tuning(one, place(), problem(100)));
            CPPUNIT_ASSERT_MESSAGE(text, !recall_tuning(one, place(), problem(110)));
        }
        one.store("tuning", key, whole.dump());
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4), width(one, problem(100)));
    }

    void exported_answers_serve_elsewhere()
    {
        wisdom here("", {}), there("", {});
        remember_tuning(here, place(), problem(100), result(4));
        there.import_text(here.export_text("tuning"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t(4), width(there, problem(100)));
    }

    void places_are_told_apart()
    {
        auto options = test_options();
        const auto device = test_device();
        const tuning_place fir("fir", device, options, "freq_xlating_fir_cpu");
        CPPUNIT_ASSERT_EQUAL(std::string("fir"), fir.family);
        CPPUNIT_ASSERT(fir.device.find(device.name) != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(device.driver_version, fir.driver);
        CPPUNIT_ASSERT_EQUAL(std::size_t(16), fir.kernel.size());
        CPPUNIT_ASSERT(
            fir.kernel !=
            tuning_place("fir", device, options, "freq_xlating_fir_gpu").kernel);

        // A changed kernel has no answers yet; another profile counts as another device.
        const temporary_folder folder;
        folder.write("freq_xlating_fir_cpu.cl", "__kernel void f() {}");
        options.kernel_path = folder.path();
        options.profile = options.profile == "vc4" ? "cl12-min" : "vc4";
        const tuning_place other("fir", device, options, "freq_xlating_fir_cpu");
        CPPUNIT_ASSERT(fir.kernel != other.kernel);
        CPPUNIT_ASSERT(fir.device != other.device);

        // What was tuned on Mesa's radeonsi outlives an update of the kernel.
        auto before = device, after = device;
        before.name =
            "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 19.1.7, DRM 3.61, 6.12.48-amd64)";
        after.name =
            "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 19.1.7, DRM 3.62, 6.12.57-amd64)";
        CPPUNIT_ASSERT_EQUAL(
            std::string("AMD Radeon RX 6800 (radeonsi, navi21, LLVM 19.1.7)"),
            after.lasting_name());
        CPPUNIT_ASSERT_EQUAL(device.name, device.lasting_name());
        CPPUNIT_ASSERT_EQUAL(
            tuning_place("fir", before, options, "freq_xlating_fir_cpu").device,
            tuning_place("fir", after, options, "freq_xlating_fir_cpu").device);
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_tuned, "qa_tuned");
