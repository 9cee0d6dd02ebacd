// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A subcommand with its options, and the list of all subcommands.

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cldsp::app {

//! The exit status that the program returns to the shell.
enum exit_status { success = 0, failure = 1, bad_usage = 2 };

//! A subcommand that run_program() runs after the command line has been read.
struct command {
    CLI::App* parser; //!< knows whether the subcommand was given
    /*!
     * Runs the subcommand and returns the exit status.
     * \throws std::invalid_argument if the user asked for something that does not exist,
     * which counts as wrong usage; any other exception counts as a failure
     */
    std::function<int()> run;
};

//! Each of these functions adds one subcommand with its options to the command line.
command add_bench(CLI::App& app);
command add_channelize(CLI::App& app);
command add_convert(CLI::App& app);
command add_devices(CLI::App& app);
command add_doctor(CLI::App& app);
command add_roofline(CLI::App& app);
command add_tune(CLI::App& app);
command add_wisdom(CLI::App& app);

} // namespace cldsp::app
