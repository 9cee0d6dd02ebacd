// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The entry of the command.

#include "program.h"

int main(int argc, char** argv) { return cldsp::app::run_program(argc, argv); }
