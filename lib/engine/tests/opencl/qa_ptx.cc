// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of the PTX for one GPU that is made of the general one.

#include "opencl/ptx.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <string>

using namespace cldsp;

class qa_ptx : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_ptx);
    CPPUNIT_TEST(target_and_marks);
    CPPUNIT_TEST(text_of_a_driver);
    CPPUNIT_TEST(other_binaries);
    CPPUNIT_TEST_SUITE_END();

public:
    void target_and_marks()
    {
        CPPUNIT_ASSERT_EQUAL(
            std::string(".version 9.0\n.target sm_90a\nadd;\nwgmma;\n"),
            ptx_for(".version 9.0\n.target sm_90\nadd;\n//@sm_90a wgmma;\n", "sm_90a"));
        // Marks of another architecture stay comments.
        CPPUNIT_ASSERT_EQUAL(
            std::string("\n.target sm_90a\n//@sm_100a x;\ny;\n"),
            ptx_for("\n.target sm_90\n//@sm_100a x;\n//@sm_90a y;\n", "sm_90a"));
    }

    void text_of_a_driver()
    {
        using namespace std::string_literals;
        const auto text = "//\n// Made for .target sm_90\n//\n\n.version 9.0\n"
                          ".target sm_90, texmode_independent\n"
                          "\t// begin inline asm\n\t//@sm_90a { wgmma a; }\n"
                          "\t// end inline asm\n\0\0"s;
        CPPUNIT_ASSERT_EQUAL("//\n// Made for .target sm_90\n//\n\n.version 9.0\n"
                             ".target sm_90a, texmode_independent\n"
                             "\t// begin inline asm\n\t{ wgmma a; }\n"
                             "\t// end inline asm\n"s,
                             ptx_for(text, "sm_90a"));
    }

    void other_binaries()
    {
        for (const std::string binary : { "",
                                          "\x7f"
                                          "ELF",
                                          "\n.target sm_80\n//@sm_90a x;\n",
                                          "\n.target sm_900\n//@sm_90a x;\n",
                                          "\n.target sm_90a\n//@sm_90a x;\n",
                                          "\n.target sm_90\nno mark\n",
                                          "\n.target sm_90",
                                          "// .target sm_90\n//@sm_90a x;\n" })
            CPPUNIT_ASSERT_EQUAL(std::string(), ptx_for(binary, "sm_90a"));
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_ptx, "qa_ptx");
