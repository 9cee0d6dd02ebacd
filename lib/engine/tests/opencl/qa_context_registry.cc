// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that each device has one context, whoever asks for it.

#include "tests/support/qa_support.h"

#include <cldsp/errors.h>
#include <cldsp/wisdom.h>

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace cldsp;

class qa_context_registry : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_context_registry);
    CPPUNIT_TEST(one_context_a_device);
    CPPUNIT_TEST(registries_share_nothing);
    CPPUNIT_TEST(context_outlives_the_registry);
    CPPUNIT_TEST(host_has_no_context);
    CPPUNIT_TEST(threads_get_one_context);
    CPPUNIT_TEST(answers_are_remembered);
    CPPUNIT_TEST_SUITE_END();

    void one_context_a_device()
    {
        auto registry = make_test_registry();
        CPPUNIT_ASSERT(registry.contexts().empty());
        for (const auto& device : test_devices()) {
            const auto first = registry.get(device);
            CPPUNIT_ASSERT(first == registry.get(device));
            CPPUNIT_ASSERT_EQUAL(device.id(), first->device().id());
        }
        CPPUNIT_ASSERT_EQUAL(test_devices().size(), registry.contexts().size());
    }

    void registries_share_nothing()
    {
        auto one = make_test_registry(), other = make_test_registry();
        CPPUNIT_ASSERT(one.get(test_device()) != other.get(test_device()));
    }

    void context_outlives_the_registry()
    {
        std::shared_ptr<context> kept;
        {
            auto registry = make_test_registry();
            kept = registry.get(test_device());
        }
        kept->make_queue().finish();
    }

    void host_has_no_context()
    {
        auto registry = make_test_registry();
        CPPUNIT_ASSERT_THROW(registry.get(device_info()), std::invalid_argument);
        CPPUNIT_ASSERT(registry.contexts().empty());
    }

    void threads_get_one_context()
    {
        auto registry = make_test_registry();
        const auto device = test_device();
        std::vector<std::shared_ptr<context>> got(4);
        std::vector<std::thread> threads;
        for (auto& one : got)
            threads.emplace_back([&] { one = registry.get(device); });
        for (auto& thread : threads)
            thread.join();
        for (const auto& one : got)
            CPPUNIT_ASSERT(one && one == got[0]);
    }

    void answers_are_remembered()
    {
        auto registry = make_test_registry();
        auto& all = registry.wisdom();
        CPPUNIT_ASSERT_EQUAL(std::string(), all.find("plans", "problem"));
        all.store("plans", "problem", "this");
        all.store("plans", "problem", "that");
        CPPUNIT_ASSERT_EQUAL(std::string("that"), all.find("plans", "problem"));
        CPPUNIT_ASSERT_EQUAL(std::string(), all.find("plans", "other"));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_context_registry, "qa_context_registry");
