// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tests of where the text of a kernel comes from.

#include "opencl/kernel_source.h"
#include "tests/support/qa_process.h"
#include "tests/support/qa_refused.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <string>

using namespace cldsp;

class qa_kernel_source : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_kernel_source);
    CPPUNIT_TEST(embedded_files_have_text);
    CPPUNIT_TEST(folder_comes_first);
    CPPUNIT_TEST(ladders_have_a_folder);
    CPPUNIT_TEST(variable_names_the_folder);
    CPPUNIT_TEST(file_is_read_each_time);
    CPPUNIT_TEST(unknown_lists_what_there_is);
    CPPUNIT_TEST(included_text_is_pasted_once);
    CPPUNIT_TEST(included_text_may_be_embedded);
    CPPUNIT_TEST(unknown_include_names_file_and_line);
    CPPUNIT_TEST(all_texts_follow_each_file);
    CPPUNIT_TEST(helpers_of_kernels_are_inlined);
    CPPUNIT_TEST(compilers_differ_in_one_text);
    CPPUNIT_TEST_SUITE_END();

    void embedded_files_have_text()
    {
        for (const auto& name : kernel_names())
            CPPUNIT_ASSERT(kernel_source(name).find("kernel") != std::string::npos);
    }

    void folder_comes_first()
    {
        const temporary_folder folder;
        for (const auto& name : kernel_names()) {
            const auto embedded = kernel_source(name);
            CPPUNIT_ASSERT_EQUAL(embedded, kernel_source(name, folder.path()));
            folder.write(name + ".cl", "edited");
            CPPUNIT_ASSERT_EQUAL(std::string("edited"),
                                 kernel_source(name, folder.path()));
        }
    }

    void ladders_have_a_folder()
    {
        const temporary_folder folder;
        std::filesystem::create_directory(folder.path() + "/ladder");
        folder.write("ladder/gemm_1bit.cl", "of the ladder");
        CPPUNIT_ASSERT_EQUAL(std::string("of the ladder"),
                             kernel_source("gemm_1bit", folder.path()));
        folder.write("gemm_1bit.cl", "edited");
        CPPUNIT_ASSERT_EQUAL(std::string("edited"),
                             kernel_source("gemm_1bit", folder.path()));
    }

    void variable_names_the_folder()
    {
        const temporary_folder folder, other;
        folder.write("toy.cl", "by variable");
        other.write("toy.cl", "by argument");
        setenv("CLDSP_KERNEL_PATH", folder.path().c_str(), 1);
        const auto by_variable = kernel_source("toy");
        const auto by_argument = kernel_source("toy", other.path());
        unsetenv("CLDSP_KERNEL_PATH");
        CPPUNIT_ASSERT_EQUAL(std::string("by variable"), by_variable);
        CPPUNIT_ASSERT_EQUAL(std::string("by argument"), by_argument);
    }

    void file_is_read_each_time()
    {
        const temporary_folder folder;
        folder.write("toy.cl", "one");
        CPPUNIT_ASSERT_EQUAL(std::string("one"), kernel_source("toy", folder.path()));
        folder.write("toy.cl", "two");
        CPPUNIT_ASSERT_EQUAL(std::string("two"), kernel_source("toy", folder.path()));
    }

    void unknown_lists_what_there_is()
    {
        auto words = kernel_names();
        words.push_back("'no_such_kernel'");
        assert_refused(words, [] { kernel_source("no_such_kernel"); });
    }

    void included_text_is_pasted_once()
    {
        const temporary_folder folder;
        folder.write(
            "toy.cl",
            "first\n#include \"b.clh\"\n#include \"a.clh\"\n"
            "/* #include \"a.clh\" */\n#include \"other.h\"\n#include \"b.clh\"");
        folder.write("a.clh", "of a\n#include \"b.clh\"\nend of a");
        folder.write("b.clh", "of b\n#include \"a.clh\"\n");
        CPPUNIT_ASSERT_EQUAL(std::string("first\n"
                                         "#line 1 \"b.clh\"\n"
                                         "of b\n"
                                         "#line 1 \"a.clh\"\n"
                                         "of a\n"
                                         "#line 3 \"a.clh\"\n"
                                         "end of a\n"
                                         "#line 3 \"b.clh\"\n"
                                         "#line 3 \"toy.cl\"\n"
                                         "#line 4 \"toy.cl\"\n"
                                         "/* #include \"a.clh\" */\n"
                                         "#include \"other.h\"\n"
                                         "#line 7 \"toy.cl\"\n"),
                             kernel_source("toy", folder.path()));
    }

    void included_text_may_be_embedded()
    {
        const temporary_folder folder;
        folder.write("toy.cl", "#include \"item_types.clh\"\n");
        const auto pasted = kernel_source("toy", folder.path());
        CPPUNIT_ASSERT(pasted.find("#define VALUE(p)") != std::string::npos);
        folder.write("item_types.clh", "edited");
        const auto edited = kernel_source("dft_bank", folder.path());
        CPPUNIT_ASSERT(edited.find("\nedited\n") != std::string::npos);
        CPPUNIT_ASSERT(edited.find("#define VALUE(p)") == std::string::npos);
    }

    void unknown_include_names_file_and_line()
    {
        const temporary_folder folder;
        folder.write("toy.cl", "#include \"a.clh\"\n");
        folder.write("a.clh", "\n\n#include \"no_such.clh\"\n");
        assert_refused({ "line 3", "a.clh", "'no_such.clh'", "item_types.clh" },
                       [&] { kernel_source("toy", folder.path()); });
    }

    void all_texts_follow_each_file()
    {
        const auto embedded = kernels_hash();
        const temporary_folder folder;
        const auto unchanged = kernels_hash(folder.path());
        CPPUNIT_ASSERT_EQUAL(embedded, kernels_hash());
        CPPUNIT_ASSERT_EQUAL(unchanged, kernels_hash(folder.path()));
        folder.write("complex.clh", "edited");
        const auto shared = kernels_hash(folder.path());
        CPPUNIT_ASSERT(shared != unchanged);
        folder.write("dft_bank.cl", "edited");
        CPPUNIT_ASSERT(kernels_hash(folder.path()) != shared);
    }

    //! Calls \p action with each embedded file but portable.clh, without its comments.
    template <class Action>
    static void for_each_other_text(const Action& action)
    {
        const std::regex comments(R"(/\*[^*]*\*+([^/*][^*]*\*+)*/|//[^\n]*)");
        for (auto text = embedded_texts; !text->file.empty(); text++)
            if (text->file != "portable.clh")
                action(std::string(text->file),
                       std::regex_replace(std::string(text->text), comments, ""));
    }

    void helpers_of_kernels_are_inlined()
    {
        // What begins a line, or an indented line of a macro, and goes on to a body.
        const std::regex function(
            R"(\n *((\w+[ *\n]+)+)(\w|##)+\([^;{}()]*(\([^;{}()]*\)[^;{}()]*)*\)[\s\\]*\{)");
        std::size_t helpers = 0;
        for_each_other_text([&](const std::string& file, const std::string& text) {
            for (std::sregex_iterator at(text.begin(), text.end(), function), end;
                 at != end;
                 ++at) {
                const std::string head = (*at)[1];
                if (head.find("__kernel") != head.npos ||
                    head.find("struct") != head.npos ||
                    head.find("reqd_work_group_size") != head.npos)
                    continue;
                CPPUNIT_ASSERT_MESSAGE(file + ": " + at->str(),
                                       head.find("HELPER ") != head.npos);
                helpers++;
            }
        });
        CPPUNIT_ASSERT(helpers > 100);
    }

    void compilers_differ_in_one_text()
    {
        const std::regex own(R"((^|\W)(fma|mad)\()");
        for_each_other_text([&](const std::string& file, const std::string& text) {
            // A roofline measures what the device has.
            if (file == "roofline.cl")
                return;
            CPPUNIT_ASSERT_MESSAGE(file, !std::regex_search(text, own));
        });
    }
};

CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(qa_kernel_source, "qa_kernel_source");
