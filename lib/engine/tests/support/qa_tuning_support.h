// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the tests of tunable kernels have in common.

#pragma once

#include "opencl/kernel_source.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_support.h"

#include <cldsp/tuned.h>
#include <cldsp/tuner.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstddef>
#include <random>
#include <string>

namespace cldsp {

//! The first device under test, with the limits of a profile.
inline device_info lowered(const context_options& options)
{
    auto device = test_device();
    device.limits = device.limits.lowered(options.profile);
    return device;
}

//! Options for a search of random points without a time limit.
inline tuning_options random_search(std::size_t points)
{
    tuning_options o;
    o.strategy = "random";
    o.evaluations = points;
    o.seconds = 600;
    return o;
}

/*!
 * The text of a kernel that is as fast as the right one, but whose products are all too
 * large.
 *
 * \param factor by which they are, as a literal of OpenCL
 */
inline std::string with_wrong_products(const std::string& kernel,
                                       const std::string& factor)
{
    std::string text;
    // A kernel multiplies and adds by the one that is fast on the device.
    for (const std::string function : { "fma", "mad" })
        text += "#undef " + function + "\n#define " + function +
                "(a, b, c) ((a) * (b) * " + factor + " + (c))\n";
    return text + kernel_source(kernel);
}

//! Stores values as if a tuning had found them.
inline void remember(context_registry& registry,
                     const device_tunable& kernel,
                     const tuning_values& values)
{
    tuning_result result;
    tuned_point point;
    point.point = kernel.space().find(values, kernel.default_point()).value();
    result.points.push_back(point);
    result.best = 0;
    result.confirmed = true;
    remember_tuning(registry.wisdom(), kernel.place(), kernel.problem(), result);
}

//! The base class of the tests of tunable kernels. It gives each test its own cache
//! folder.
class tuning_fixture : public CppUnit::TestFixture
{
protected:
    const temporary_folder d_folder;

    context_options options() const
    {
        auto o = test_options();
        o.disk_cache = true;
        o.cache_folder = d_folder.path();
        o.wisdom_file = true;
        return o;
    }

    //! Options with other values as the defaults of a family.
    context_options spoiled(const std::string& family, const tuning_values& values) const
    {
        auto o = options();
        o.tuning_defaults[family] = values;
        return o;
    }

    //! The one of some random points of which the least is unrolled, and which is
    //! therefore compiled soonest.
    static tuning_point cheap_point(const tuning_space& space)
    {
        const auto unrolled = [](const tuning_point& point) {
            double product = 1;
            for (const auto& [name, value] : point.by_name())
                product *= static_cast<double>(value);
            return product;
        };
        std::mt19937 random(3);
        auto best = space.at(random() % space.size());
        for (int i = 0; i < 20; i++) {
            const auto other = space.at(random() % space.size());
            if (unrolled(other) < unrolled(best))
                best = other;
        }
        return best;
    }

    //! Asserts that a point gives right results and takes some time.
    static void check_point(device_tunable& kernel, const tuning_point& point)
    {
        const auto trial = kernel.prepare(point);
        const double error = trial->check();
        CPPUNIT_ASSERT_MESSAGE(kernel.family() + " " + point.text() + ": " +
                                   std::to_string(error),
                               error <= kernel.tolerance());
        CPPUNIT_ASSERT(trial->run() > 0);
    }
    //! Asserts that of a point other than the default, which most other tests run.
    static void check_another_point(device_tunable& kernel)
    {
        check_point(kernel, cheap_point(kernel.space()));
    }

    //! Asserts that a search from slow values, which are the default, finds none that are
    //! slower. How much faster the others are depends on the machine and on what else it
    //! does; qa_tuner shows with kernels of known times that the fastest wins. Each point
    //! is a compilation.
    static void check_mended(device_tunable& kernel,
                             const tuning_values& slow,
                             std::size_t points = 4)
    {
        for (const auto& [name, value] : slow)
            CPPUNIT_ASSERT_EQUAL(value, kernel.default_point()[name]);
        const bool few = small_tests() || !test_options().profile.empty();
        const auto result = tune(kernel, random_search(few ? 3 : points));
        // Kernels for CPU devices may need more registers than another device has.
        if (test_device().kind == device_kind::cpu)
            for (const auto& p : result.points)
                CPPUNIT_ASSERT_MESSAGE(p.point.text() + ": " + p.failure, p.good());
        CPPUNIT_ASSERT(result.best && result.confirmed);
        CPPUNIT_ASSERT_MESSAGE(result.text(), result.speedup() >= 1);
    }

    //! Asserts that wrong points are skipped, and that nothing is stored for them.
    static void check_all_wrong(device_tunable& kernel, context_registry& registry)
    {
        const auto result =
            tune_and_remember(kernel, random_search(2), registry.wisdom());
        CPPUNIT_ASSERT(!result.best);
        CPPUNIT_ASSERT_EQUAL(result.points.size(), result.failed);
        for (const auto& p : result.points)
            CPPUNIT_ASSERT_MESSAGE(p.failure,
                                   p.failure.find("something else") != std::string::npos);
        CPPUNIT_ASSERT(
            !recall_tuning(registry.wisdom(), kernel.place(), kernel.problem()));
    }

    static std::size_t compiled(context_registry& registry)
    {
        return registry.get(test_device())->programs_compiled();
    }

    //! The number of remembered plans.
    static std::size_t plans(context_registry& registry)
    {
        const auto all = registry.wisdom().all("plans");
        return all.empty() ? 0 : all.at("plans").size();
    }
};

} // namespace cldsp
