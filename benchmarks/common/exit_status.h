// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Turns an exception of a program into its message and its exit status.

#pragma once

#include <exception>
#include <iostream>

namespace cldsp::bench {

//! The exit status of a program: the result of \p run, or 2 if it throws an exception,
//! whose text goes to the standard error output.
template <class Run>
int exit_status(const Run& run)
{
    try {
        return run();
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
        return 2;
    }
}

} // namespace cldsp::bench
