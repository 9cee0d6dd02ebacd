/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cldsp::app {

//! What a shell is told.
enum exit_status { success = 0, failure = 1, bad_usage = 2 };

//! A subcommand as main() runs it once the command line is read.
struct command {
    CLI::App* parser; //!< knows whether it was asked for
    /*!
     * Returns the exit status. \throws std::invalid_argument for what the user asked and
     * cannot be had, which is a bad usage; anything else it throws is a failure
     */
    std::function<int()> run;
};

//! Each adds one subcommand with its options to the command line.
command add_bench(CLI::App& app);
command add_devices(CLI::App& app);
command add_doctor(CLI::App& app);
command add_roofline(CLI::App& app);
command add_tune(CLI::App& app);
command add_wisdom(CLI::App& app);

} // namespace cldsp::app
