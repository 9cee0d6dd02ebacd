// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The parser of all subcommands, and what their errors print and return.

#include "base/reason.h"
#include "command.h"
#include "output.h"
#include "program.h"
#include "suggestion.h"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <exception>
#include <iostream>
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

int parse_and_run(int argc, char** argv)
{
    CLI::App app(
        "Takes channels out of recordings; shows, measures and checks what gr-cldsp "
        "computes with.",
        "cldsp");
    app.set_version_flag("--version", "cldsp " CLDSP_VERSION);
    app.require_subcommand(1);
    app.footer("'cldsp COMMAND --help' tells a command's options. Exit status: 0 done, 1 "
               "failed or a problem was found, 2 wrong usage.");
    std::vector<command> commands;
    for (const auto add : { add_devices,
                            add_doctor,
                            add_roofline,
                            add_bench,
                            add_channelize,
                            add_convert,
                            add_tune,
                            add_wisdom })
        commands.push_back(add(app));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        const auto unknown = find_unknown_word(app, { argv + 1, argv + argc });
        // The parser's own message is that there is no command.
        if (e.get_exit_code() != 0 && unknown.is_command)
            std::cerr << "cldsp: there is no command '" << unknown.word
                      << "'; --help lists them\n";
        else if (app.exit(e) == 0)
            return success;
        if (!unknown.meant.empty())
            std::cerr << "cldsp: did you mean '" << unknown.meant << "'?\n";
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
        status = parse_and_run(argc, argv);
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
