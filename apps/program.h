// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the command line, and runs the subcommand that it names.

#pragma once

namespace cldsp::app {

//! Reads the command line and runs the subcommand that it names, errors included.
//! \return the exit status, see command.h
int run_program(int argc, char** argv);

} // namespace cldsp::app
