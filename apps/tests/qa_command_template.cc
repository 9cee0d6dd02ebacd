// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows that no name of a channel becomes code in a shell command.

// The commands of `cldsp channelize --exec`: real shells run them, with names that would
// be code if a shell read them.

#include "channelize/command_template.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
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
    CPPUNIT_TEST(any_name_is_that_of_a_file);
    CPPUNIT_TEST(only_plain_names_elsewhere);
    CPPUNIT_TEST(plain_names_are_values);
    CPPUNIT_TEST(names_are_no_commands);
    CPPUNIT_TEST(refusals_tell_what_is_taken);
    CPPUNIT_TEST(other_braces_stay);
    CPPUNIT_TEST(numbers_stand_anywhere);
    CPPUNIT_TEST(first_words);
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

    void any_name_is_that_of_a_file()
    {
        const auto make = [&](const std::string& command, const std::string& end) {
            for (const std::string& name : nasty_names)
                for (const auto& shell : d_shells) {
                    const auto why = shell + " -c " + command + " with " + name;
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(
                        why, std::string(), printed(shell, command, name));
                    CPPUNIT_ASSERT_MESSAGE(
                        why, std::filesystem::remove(d_folder / (name + end)));
                    CPPUNIT_ASSERT_MESSAGE(why, std::filesystem::is_empty(d_folder));
                }
        };
        make("echo > {name}", "");
        make("echo >{name}", "");
        make("echo >> {name}.raw", ".raw");
        make("echo >| \"{name}.a b\"", ".a b");
        make("echo > '{name}.a b'", ".a b");
        make("X=it\\'s; echo 1> \"${PWD}/\"{name}'.'\"$Y\"", ".");
        make("> {name}; cat < {name}", "");
        make("if true; then { (echo x > {name}); }; fi", "");
        make("[ a = a ] && echo \"it's\" | cat > \\\n{name}", "");
    }

    void only_plain_names_elsewhere()
    {
        for (const std::string command : { "perl decode.pl {name}",
                                           "sudo -u radio {name}",
                                           "socat -u - CREATE:{name}",
                                           "echo rm {name} | sh",
                                           "decoder --log {name}.txt",
                                           "cat > a {name}",
                                           "cat > a; decoder {name}",
                                           "cat >& {name}",
                                           "cat <& {name}",
                                           "cat \\> {name}",
                                           "cat '>' {name}",
                                           "sh -c 'cat > {name}'",
                                           "sh -c \"cat > {name}\"",
                                           "X={name}",
                                           "cat <(cat > {name})",
                                           "cat >(cat > {name})",
                                           "cat > `date` > {name}",
                                           "cat > $(date) > {name}",
                                           "cat > \"$(date)\" > {name}",
                                           "cat > ${X:-y} > {name}",
                                           "echo $'\\'' > {name}",
                                           "x=1 # > {name}",
                                           "echo $((1 > {name}))",
                                           "echo $[1 > {name}]",
                                           "((1 > {name}))",
                                           "(\\\n(1 > {name}))",
                                           "a[1 > {name}]=2",
                                           "a[ 1 > {name}]=2",
                                           "a=([1 > {name}]=2)" })
            for (const std::string name : { "a|",
                                            "$(touch x)",
                                            "a!!SYSTEM:touch owned",
                                            "touch owned|",
                                            "a;b",
                                            "a'b",
                                            "a=b",
                                            "a,b",
                                            "a@b",
                                            "a\\b",
                                            "a[b]",
                                            "~a",
                                            " a",
                                            "a -e",
                                            "a .b",
                                            "\xff",
                                            "\xc2\xa0",
                                            "a\xe2\x80\xa8"
                                            "b" }) {
                CPPUNIT_ASSERT_MESSAGE(command, takes(command, "caf\xc3\xa9_19.1-a"));
                CPPUNIT_ASSERT_MESSAGE(command + " with " + name, !takes(command, name));
            }
        CPPUNIT_ASSERT(takes("sh -c 'cat > {name}'", "noaa 19"));
        CPPUNIT_ASSERT(!takes("cat > `echo {name}`", "noaa 19"));
    }

    void plain_names_are_values()
    {
        for (const std::string place :
             { "{name}", "\"{name}\"", "'{name}'", "$X{name}", "\"$X\"'{name}'" })
            for (const std::string before : { "",
                                              "# it's\n",
                                              "x=it\\'s; ",
                                              "x=\"it's \\\"\"; ",
                                              "x=\"${y:-\"its'\"}\"; " })
                for (const std::string name :
                     { "noaa-19_b.c", "caf\xc3\xa9", "two words" }) {
                    const auto command = before + "printf '<%s>' " + place;
                    if ((name == "two words" || place[0] == '$') &&
                        !takes(command, name)) // behind what is not followed
                        continue;
                    for (const auto& shell : d_shells)
                        CPPUNIT_ASSERT_EQUAL_MESSAGE(
                            command, "<" + name + ">", printed(shell, command, name));
                }
        for (const auto& shell : d_shells) {
            const auto both = [&](const std::string& command) {
                return printed(shell, command, "a-b");
            };
            CPPUNIT_ASSERT_EQUAL(std::string("a-b"), both("sh -c 'printf {name}'"));
            CPPUNIT_ASSERT_EQUAL(std::string("a-b"),
                                 both("printf \"`printf '{name}'`\""));
            CPPUNIT_ASSERT_EQUAL(std::string("a-b"), both("printf \"$(printf {name})\""));
            CPPUNIT_ASSERT_EQUAL(std::string("a-b"), both("printf ${X:-{name}}"));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("a; b"),
                             printed("sh", "printf %s \"$CLDSP_NAME\"", "a; b"));
    }

    void names_are_no_commands()
    {
        for (const std::string command : { "{name}",
                                           "cat | {name}",
                                           "\"{name}\" --rate {rate}",
                                           "''{name}",
                                           "$X{name}",
                                           "if {name}; then cat; fi",
                                           "x=1 {name}",
                                           "> x {name}",
                                           "2>x {name}",
                                           "$({name})",
                                           "echo \"` {name}`\"",
                                           "cat <({name})",
                                           "echo '$X{name}'",
                                           "echo \"\\$X{name}\"",
                                           "echo `date` $X{name}",
                                           // Its text may end, or continue, another one.
                                           "cat <<EOF\n{name}\nEOF",
                                           "cat <<EOF > {name}",
                                           "bash <<< \"cat > {name}\"",
                                           "x=`date`; cat << {name}",
                                           "echo -e '\\{name}' | sh",
                                           "printf \"\\\\x4{name}\"" })
            CPPUNIT_ASSERT_MESSAGE(command, !takes(command, "reboot"));
        for (const std::string command : { "cat > 'a", "cat > \"a" })
            CPPUNIT_ASSERT_MESSAGE(command, !takes(command, "a"));
    }

    void refusals_tell_what_is_taken()
    {
        for (const auto& [command, taken] :
             { std::pair<std::string, std::string>("decoder {name}", "- and blanks"),
               std::pair<std::string, std::string>("`echo {name}`", "without blanks") })
            try {
                command_template(command).check_name("a;b");
                CPPUNIT_FAIL(command);
            } catch (const std::invalid_argument& e) {
                const std::string why = e.what();
                for (const auto& text : { std::string("'a;b'"),
                                          taken,
                                          std::string("> {name}.raw"),
                                          std::string("--log \"$CLDSP_NAME.txt\"") })
                    CPPUNIT_ASSERT_MESSAGE(why, why.find(text) != std::string::npos);
            }
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
                                           "`echo ${rate}`",
                                           "cat <<EOF\n${rate}\nEOF",
                                           "echo $'a' ${rate}",
                                           "echo ${x:-'${rate}'}",
                                           "`echo \\${rate}`",
                                           "sh -c \"echo \\${rate}\"",
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

    void first_words()
    {
        for (const auto& [command, word] : std::map<std::string, std::string>{
                 { "decoder", "decoder" },
                 { "  ./a-b.sh --rate {rate}", "./a-b.sh" },
                 { "/usr/bin/tee>{name}", "/usr/bin/tee" },
                 { "cat|wc", "cat" },
                 { "if true; then cat; fi", "if" },
                 { ":", "" },
                 { "", "" },
                 { "A=1 decoder", "" },
                 { "'decoder' x", "" },
                 { "de\"code\"r", "" },
                 { "decoder{rate}", "" },
                 { "$DECODER x", "" },
                 { "(cd x; decoder)", "" },
                 { "decode() { cat; }; decode", "" },
                 { "decode () { cat; }; decode", "" },
                 { "2> log decoder", "" },
                 { "~/decoder", "" } })
            CPPUNIT_ASSERT_EQUAL_MESSAGE(
                command, word, command_template(command).first_word());
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
    std::filesystem::path d_folder, d_before;
    std::vector<std::string> d_shells;
};

CPPUNIT_TEST_SUITE_REGISTRATION(qa_command_template);
