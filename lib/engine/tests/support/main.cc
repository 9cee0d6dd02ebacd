// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs all tests, one fixture or a single test, by their names.

#include <cppunit/BriefTestProgressListener.h>
#include <cppunit/CompilerOutputter.h>
#include <cppunit/TestResult.h>
#include <cppunit/TestResultCollector.h>
#include <cppunit/TestRunner.h>
#include <cppunit/extensions/TestFactoryRegistry.h>

#include <exception>
#include <iostream>
#include <memory>
#include <string>

namespace {

//! The tests that are registered without a name, or under \p name. The fixtures of other
//! names are not even constructed, because that would open devices.
std::unique_ptr<CppUnit::Test> registered_tests(const std::string& name)
{
    auto& registry = name.empty() ? CppUnit::TestFactoryRegistry::getRegistry()
                                  : CppUnit::TestFactoryRegistry::getRegistry(name);
    return std::unique_ptr<CppUnit::Test>(registry.makeTest());
}

//! The full name of the test that is called \p wanted without its namespaces; \p wanted
//! itself if there is none.
std::string full_name(const CppUnit::Test& test, const std::string& wanted)
{
    const std::string name = test.getName(), end = "::" + wanted;
    if (name.size() > end.size() &&
        name.compare(name.size() - end.size(), end.size(), end) == 0)
        return name;
    for (int i = 0; i < test.getChildTestCount(); ++i) {
        const auto found = full_name(*test.getChildTestAt(i), wanted);
        if (found != wanted)
            return found;
    }
    return wanted;
}

} // namespace

// Runs the tests that are registered without a name, or the fixture that the first
// argument names (qa_device), or one test of it (qa_device::limits).
int main(int argc, char** argv)
{
    CppUnit::TestResult result;
    CppUnit::TestResultCollector collector;
    CppUnit::BriefTestProgressListener progress;
    result.addListener(&collector);
    result.addListener(&progress);

    const std::string wanted = argc > 1 ? argv[1] : "";
    const auto fixture = wanted.substr(0, wanted.find("::"));
    auto tests = registered_tests(fixture);
    bool is_all = fixture == wanted;
    if (tests->countTestCases() == 0) {
        tests = registered_tests("");
        is_all = wanted.empty();
    }
    if (tests->countTestCases() == 0) {
        std::cerr << "there are no tests '" << wanted << "' here\n";
        return 2;
    }

    const auto name = is_all ? "" : full_name(*tests, wanted);
    CppUnit::TestRunner runner;
    runner.addTest(tests.release());
    try {
        runner.run(result, name);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 2;
    }

    CppUnit::CompilerOutputter(&collector, std::cerr).write();
    return collector.wasSuccessful() ? 0 : 1;
}
