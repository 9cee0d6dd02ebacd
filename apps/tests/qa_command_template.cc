/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The commands of `cldsp channelize --exec`: real shells run them, with names that would
// be code if a shell read them.

#include "channelize/command_template.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

using namespace cldsp::app;

namespace {

const std::vector<std::string> nasty_names = {
    "$(touch x)",
    "`touch x`",
    "; touch x ;",
    "'; touch x; '",
    "\"; touch x; \"",
    "\" $(touch x) \"",
    "${IFS}",
    "\\",
    "a\\'b",
    "it's a \"name\"",
    "& touch x &",
    ") touch x (",
    "}; touch x; {",
    "#",
    "* ?",
    "a[$(touch x)]",
    "$((1))",
    "{rate}{name}",
    "CLDSP_NAME",
    "EOF",
    "!!",
    "~",
    "caf\xc3\xa9 \xff",
};

command_values values_of(const std::string& name)
{
    return { name, "8000", "-2500.5", "4000", "cf32", 3 };
}

//! What a shell prints that runs a command for a channel. It runs in the current folder.
std::string
printed(const std::string& shell, const std::string& command, const std::string& name)
{
    const command_template made(command);
    made.check_name(name);
    for (const auto& variable : command_template::variables(values_of(name)))
        setenv(variable.name.c_str(), variable.value.c_str(), 1);
    setenv("CLDSP_TEST_TEXT", made.text(values_of(name)).c_str(), 1);
    std::string text;
    FILE* const out = popen((shell + " -c \"$CLDSP_TEST_TEXT\" 2>&1").c_str(), "r");
    CPPUNIT_ASSERT(out);
    char bytes[4096];
    for (std::size_t n; (n = fread(bytes, 1, sizeof bytes, out)) > 0;)
        text.append(bytes, n);
    pclose(out);
    return text;
}

//! Whether a command takes a name.
bool takes(const std::string& command, const std::string& name)
{
    try {
        command_template(command).check_name(name);
        return true;
    } catch (const std::invalid_argument& e) {
        const std::string why = e.what();
        CPPUNIT_ASSERT_MESSAGE(why, why.find("--exec") != std::string::npos);
        return false;
    }
}

} // namespace

class qa_command_template : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(qa_command_template);
    CPPUNIT_TEST(names_are_values_in_all_quotes);
    CPPUNIT_TEST(names_are_values_for_other_programs);
    CPPUNIT_TEST(names_that_may_be_code_are_refused);
    CPPUNIT_TEST(places_that_cannot_be_safe_are_refused);
    CPPUNIT_TEST(other_braces_stay);
    CPPUNIT_TEST(numbers_stand_anywhere);
    CPPUNIT_TEST(long_texts);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        char pattern[] = "/tmp/cldsp-test-XXXXXX";
        CPPUNIT_ASSERT(mkdtemp(pattern));
        d_folder = pattern;
        d_before = std::filesystem::current_path();
        std::filesystem::current_path(d_folder);
        for (const char* shell : { "sh", "bash" })
            if (std::system((std::string(shell) + " -c : 2> /dev/null").c_str()) == 0)
                d_shells.emplace_back(shell);
    }
    void tearDown() override
    {
        std::filesystem::current_path(d_before);
        std::filesystem::remove_all(d_folder);
    }

    void names_are_values_in_all_quotes()
    {
        const std::string print = "printf '<%s>\\n' ";
        check(print + "{name}", "<", ">\n");
        check(print + "\"{name}\"", "<", ">\n");
        check(print + "'{name}'", "<", ">\n");
        check(print + "a.{name}.b", "<a.", ".b>\n");
        check(print + "\"a.{name}.b\"", "<a.", ".b>\n");
        check(print + "'a.{name}.b'", "<a.", ".b>\n");
        check(print + "a'b'\"c\"{name}'d'", "<abc", "d>\n");
        check("# it's {name}\n" + print + "{name}", "<", ">\n");
        check("x=it\\'s; " + print + "{name}", "<", ">\n");
        check("x=\"it's \\\"\"; " + print + "'{name}'", "<", ">\n");
        check("x=\"${y:-\"its'\"}\"; " + print + "'{name}'", "<", ">\n");
        check(print + "\"$(printf %s {name})\"", "<", ">\n");
        check(print + "\"$(printf %s \"{name}\")\"", "<", ">\n");
        check(print + "\"$(printf %s '{name}')\"", "<", ">\n");
        check(print + "\"$(case a in a) printf %s '{name}';; esac)\"", "<", ">\n");
        check("x=`echo \"it's\"`; " + print + "'{name}'", "<", ">\n");
        check("echo $((1 << 2)) > /dev/null; " + print + "'{name}'", "<", ">\n");
        check("if true; then " + print + "\"{name}\"; fi", "<", ">\n");
        check("X={name}; " + print + "\"$X\"", "<", ">\n");
        check("for n in {name} b; do " + print + "\"$n\"; done", "<", ">\n<b>\n");
        check("f() { " + print + "{name}; }; f other", "<", ">\n");
    }

    void names_are_values_for_other_programs()
    {
        check("sh -c 'printf \"<%s>\" \"$1\"' sh {name}", "<", ">");
        check("sh -c 'printf \"<%s>\" \"$CLDSP_NAME\"'", "<", ">");
        check("X={name} sh -c 'printf \"<%s>\" \"$X\"'", "<", ">");
        check("env X={name} sh -c 'printf \"<%s>\" \"$X\"'", "<", ">");
        check("cat <<EOF\n<$CLDSP_NAME>\nEOF", "<", ">\n");
        // In all of these, the name is that of a file, which no program reads as code.
        for (const std::string& name : nasty_names)
            for (const auto& shell : d_shells)
                for (const std::string place :
                     { "{name}.a b", "\"{name}.a b\"", "'{name}.a b'" }) {
                    printed(
                        shell, "echo > " + (place[0] == '{' ? "{name}" : place), name);
                    const auto made = d_folder / (name + (place[0] == '{' ? "" : ".a b"));
                    CPPUNIT_ASSERT_MESSAGE(name, std::filesystem::remove(made));
                    CPPUNIT_ASSERT_MESSAGE(name, std::filesystem::is_empty(d_folder));
                }
    }

    void names_that_may_be_code_are_refused()
    {
        const std::vector<std::string> commands = {
            "sh -c \"cat > {name}\"",
            "sh -c 'cat > {name}'",
            "bash -o pipefail -c 'cat > \"{name}\"'",
            "env X=1 sudo -u radio bash -lc 'cat > {name}'",
            "/bin/sh -c 'cat > {name}'",
            "'s'h -c 'cat > {name}'",
            "eval 'cat > {name}'",
            "x=1 eval 'cat > {name}'",
            "true && eval 'cat > {name}'",
            "command eval 'cat > {name}'",
            "$(eval 'echo {name}')",
            "ssh host cat '> {name}'",
            "xargs -I@ sh -c 'cat > {name}'",
            "awk '{print \"{name}\"}'",
            "sed s,^,{name},",
            "sed 's/^/{name} /'",
            "python3 -c 'print(\"{name}\")'",
            "perl -pe 's/^/{name} /'",
            "decoder --exec={name}",
            "decoder -e {name}",
            "socat - SYSTEM:{name}",
            "[[ {name} -eq 1 ]]",
            "test -v {name}",
            "printf -v {name} 1",
            "read {name}",
            "decoder --then 'mv a {name}'",
        };
        for (const auto& command : commands) {
            CPPUNIT_ASSERT_MESSAGE(command, takes(command, "noaa-19 137.1_MHz"));
            CPPUNIT_ASSERT_MESSAGE(command, takes(command, "caf\xc3\xa9"));
            for (const std::string name : { "$(touch x)",
                                            "`touch x`",
                                            ";touch x",
                                            "\" x",
                                            "' x",
                                            "a[$(touch x)]",
                                            ",e",
                                            "a > b",
                                            "a -e",
                                            "a\\b",
                                            "a&b",
                                            "a|b",
                                            "a=b" })
                CPPUNIT_ASSERT_MESSAGE(command + " with " + name, !takes(command, name));
        }
        // Some programs run a file whose name begins like this.
        for (const std::string name : { "|touch x", "+!touch x", "@x", "!x" }) {
            CPPUNIT_ASSERT_MESSAGE(name, !takes("sox - {name}.wav", name));
            CPPUNIT_ASSERT_MESSAGE(name, takes("sox - out/{name}.wav", name));
            CPPUNIT_ASSERT_MESSAGE(name, takes("cat > {name}", name));
        }
    }

    void places_that_cannot_be_safe_are_refused()
    {
        for (const std::string command : { "{name}",
                                           "cat | {name}",
                                           "\"{name}\" --rate {rate}",
                                           "if {name}; then cat; fi",
                                           "sudo {name}",
                                           "timeout 10 {name}",
                                           "x=1 {name}",
                                           "$({name})",
                                           "echo `cat > {name}`",
                                           "echo \"`cat > {name}`\"",
                                           "echo $(( {name} ))",
                                           "(( {name} ))",
                                           "echo ${X:-{name}}",
                                           "echo \"${X:-{name}}\"",
                                           "cat <<EOF\n{name}\nEOF",
                                           "cat <<'EOF'\n{name}\nEOF",
                                           "echo $'it\\'s' '{name}'",
                                           "eval {name}",
                                           "sh -c {name}",
                                           "sh {name}",
                                           ". {name}",
                                           "ssh host {name}",
                                           "sh -c 'cat; {name}'",
                                           "sh -c 'if true; then {name}; fi'",
                                           "sh -c 'nice {name}'",
                                           "xargs {name}" })
            CPPUNIT_ASSERT_MESSAGE(command, !takes(command, "reboot"));
        for (const std::string command :
             { "cat > 'a", "cat > \"a", "cat > \"$(echo 'a)\"" })
            CPPUNIT_ASSERT_MESSAGE(command, !takes(command, "a"));
    }

    void other_braces_stay()
    {
        for (const std::string command : { "awk '{print}'",
                                           "echo ${f} $${",
                                           "echo {1..3} {a,b} {}",
                                           "echo {{",
                                           "{ cat; }",
                                           "awk '{{print}}'",
                                           "find . -exec cat {} \\;",
                                           "echo {speed} {NAME} {na me}",
                                           "echo ${name} ${rate} '${name}'",
                                           "echo \\{name}",
                                           "{name",
                                           "echo name}" }) {
            const command_template made(command);
            CPPUNIT_ASSERT_EQUAL(command, made.text(values_of("$(touch x)")));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("echo {name} '{rate}' \"{index}\""),
                             command_template("echo {{name}} '{{rate}}' \"{{index}}\"")
                                 .text(values_of("a")));
        CPPUNIT_ASSERT_EQUAL(
            std::string("echo $$8000 {8000"),
            command_template("echo $${rate} {{rate}").text(values_of("a")));
        // A word that may be a mistake is told.
        const auto others = [](const char* text) {
            return command_template(text).other_words();
        };
        CPPUNIT_ASSERT(others("cat {speed} \"{nmae}.a\"") ==
                       std::vector<std::string>({ "{speed}", "{nmae}" }));
        CPPUNIT_ASSERT(others("awk '{print}' ${f} {a,b} {name} {}").empty());
    }

    void numbers_stand_anywhere()
    {
        for (const std::string command : { "echo {rate}",
                                           "echo \"{rate}\"",
                                           "echo '{rate}'",
                                           "echo `echo {rate}`",
                                           "echo $(({rate}))",
                                           "echo ${X:-{rate}}",
                                           "cat <<EOF\n{rate}\nEOF",
                                           "eval 'echo {rate}'",
                                           "sh -c \"echo {rate}\"",
                                           "awk 'BEGIN {print {rate}}'",
                                           "if [ {rate} = 8000 ]; then echo {rate}; fi" })
            for (const auto& shell : d_shells)
                CPPUNIT_ASSERT_EQUAL_MESSAGE(
                    command, std::string("8000\n"), printed(shell, command, "a"));
        CPPUNIT_ASSERT_EQUAL(
            std::string("-2500.5 4000 cf32 3\n"),
            printed("sh", "echo {frequency} {bandwidth} {type} {index}", "a"));
    }

    void long_texts()
    {
        constexpr std::size_t count = 100000;
        const auto repeated = [&](const std::string& text) {
            std::string all;
            for (std::size_t i = 0; i < count; i++)
                all += text;
            return all;
        };
        for (const std::string text :
             { "a", "{", "$(", "${", "$((", "(", "`\\", "{a}", "{{a" }) {
            const std::string command = "echo {" + repeated(text);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                text, command, command_template(command).text(values_of("x")));
        }
        CPPUNIT_ASSERT_EQUAL(
            5 + 4 * count,
            command_template("echo " + repeated("{rate}")).text(values_of("x")).size());
    }

private:
    //! Runs a command with every name. It has to print the name between two texts, and to
    //! make no file.
    void
    check(const std::string& command, const std::string& begin, const std::string& end)
    {
        for (const std::string& name : nasty_names) {
            if (name[0] == '!' && !takes(command, name))
                continue; // at the beginning of an argument
            for (const auto& shell : d_shells) {
                CPPUNIT_ASSERT_EQUAL_MESSAGE(shell + " -c " + command,
                                             begin + name + end,
                                             printed(shell, command, name));
                CPPUNIT_ASSERT_MESSAGE(command, std::filesystem::is_empty(d_folder));
            }
        }
    }

    std::filesystem::path d_folder, d_before;
    std::vector<std::string> d_shells;
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_command_template);
