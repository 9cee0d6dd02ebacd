// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The parser of all subcommands, and what their errors print and return.

#include "base/reason.h"
#include "command.h"
#include "help.h"
#include "output.h"
#include "program.h"
#include "suggestion.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace cldsp::app {

namespace {

//! Occupies the numbers of closed standard files, which later files would get otherwise.
//! A file that allows only the opposite makes reads and writes fail, as with a closed
//! one.
void occupy_closed_files()
{
    for (const int file : { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO })
        if (fcntl(file, F_GETFD) < 0)
            // The lowest free number is this one.
            [[maybe_unused]]
            const int occupied =
                open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int run_asked(const std::vector<command>& commands)
{
    for (const auto& c : commands)
        if (c.parser->parsed())
            return c.run();
    return bad_usage; // not reached: the parser requires a subcommand
}

//! The last command of the command line, or the program itself.
const CLI::App& last_command(const CLI::App& app)
{
    const CLI::App* last = &app;
    while (!last->get_subcommands().empty())
        last = last->get_subcommands().back();
    return *last;
}

//! Says what is wrong with a command line, and what helps.
void tell_bad_usage(const CLI::App& app,
                    const CLI::ParseError& e,
                    const std::vector<std::string>& words)
{
    const auto unknown = find_unknown_word(app, words);
    const auto& last = last_command(app);
    std::string parents;
    for (const auto* parent = last.get_parent(); parent; parent = parent->get_parent())
        parents = parent->get_name() + (parents.empty() ? "" : " ") + parents;
    if (unknown.word.empty() && last.get_require_subcommand_min() > 0 &&
        dynamic_cast<const CLI::RequiredError*>(&e)) {
        std::cerr << last.help(parents);
        return;
    }
    const auto names = parents + (parents.empty() ? "" : " ") + last.get_name();
    // The parser's own message about an unknown command is that there is no command.
    std::string text = e.what();
    if (!unknown.word.empty())
        text = (unknown.is_command ? "there is no command '" : "there is no option '") +
               unknown.word + "'";
    std::cerr << "cldsp: " + text +
                     (unknown.meant.empty()
                          ? "; '"
                          : ": did you mean '" + unknown.meant + "'? '") +
                     names + " --help' lists what there is\n";
}

//! The words of a command line. "help COMMAND" is what "COMMAND --help" is.
std::vector<std::string> words_of(int argc, char** argv)
{
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    return words;
}

int parse_and_run(const std::vector<std::string>& words)
{
    CLI::App app(
        "Takes channels out of recordings; shows, measures and checks what gr-cldsp "
        "computes with.",
        "cldsp");
    app.formatter(std::make_shared<help_format>());
    app.set_help_flag("-h,--help", "Print this help, and end");
    app.set_version_flag(
        "--version", "cldsp " CLDSP_VERSION, "Print the version, and end");
    app.require_subcommand(1);
    std::vector<command> commands;
    for (const auto add : { add_channelize,
                            add_devices,
                            add_doctor,
                            add_roofline,
                            add_bench,
                            add_tune,
                            add_convert,
                            add_wisdom })
        commands.push_back(add(app));
    app.footer("'cldsp help COMMAND' tells a command's options. Exit status: 0 done, 1 "
               "failed or a problem was found, 2 wrong usage.\n"
               "Example: cldsp channelize recording.cu8 --rate 2.4M --center 137.5M \\\n"
               "             --channel 137.1M,48k --demod fm");
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // backwards
    } catch (const CLI::ParseError& e) {
        const bool is_help = e.get_exit_code() == 0;
        // The parser gives the help of all commands for one that there is not.
        if (is_help && find_unknown_word(app, words).word.empty())
            return app.exit(e) == 0 ? success : failure;
        tell_bad_usage(app, e, words);
        return bad_usage;
    }
    return run_asked(commands);
}

} // namespace

int run_program(int argc, char** argv)
{
    occupy_closed_files();
    const printable_errors printable;
    int status = success;
    try {
        status = parse_and_run(words_of(argc, argv));
    } catch (const std::invalid_argument& e) {
        std::cerr << "cldsp: " << e.what() << "\n";
        status = bad_usage;
    } catch (const std::exception& e) {
        std::cerr << "cldsp: " << reason_of(e) << "\n";
        status = failure;
    }
    if (!std::cout.flush()) {
        std::cerr << "cldsp: the output could not be written\n";
        status = status == success ? failure : status;
    }
    return status;
}

} // namespace cldsp::app
