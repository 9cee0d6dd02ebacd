// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that a program without SoapySDR or ZeroMQ refuses them in one clear line.

// Tests of the files that replace radio_source.cc and zmq_sink.cc where a library is not
// installed: each function throws one clear line. The program of this test is always
// linked with these files.

#include "channelize/byte_sink.h"
#include "channelize/radio_source.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>
#include <string>

using namespace cldsp::app;

class qa_left_out : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_left_out);
    CPPUNIT_TEST(radios);
    CPPUNIT_TEST(zeromq);
    CPPUNIT_TEST_SUITE_END();

    template <class F>
    void refused(const F& action, const std::string& package)
    {
        try {
            action();
            CPPUNIT_FAIL("it was not refused");
        } catch (const std::runtime_error& e) {
            const std::string text = e.what();
            CPPUNIT_ASSERT(text.find(package) != std::string::npos);
            CPPUNIT_ASSERT(text.find('\n') == std::string::npos);
        }
    }

    void radios()
    {
        refused([] { open_radio({}, false); }, "libsoapysdr-dev");
        refused([] { list_radios("", false); }, "libsoapysdr-dev");
    }

    void zeromq()
    {
        refused([] { make_zmq_sink("tcp://*:5555", 8, true); }, "libzmq3-dev");
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_left_out);
