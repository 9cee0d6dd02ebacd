// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Calls functions without the interpreter's lock, so that other threads run meanwhile.

#ifndef INCLUDED_CLDSP_WITHOUT_GIL_H
#define INCLUDED_CLDSP_WITHOUT_GIL_H

#include <pybind11/pybind11.h>
#include <memory>

// A function that plans, compiles, measures, reads a file or waits for another thread
// releases the interpreter's lock. Thus other Python threads can run meanwhile, even if a
// device hangs.

//! The call guard of a function that uses no Python object.
using without_gil_guard = pybind11::call_guard<pybind11::gil_scoped_release>;

//! Runs \p function, which uses no Python object, without the interpreter's lock.
template <class FUNCTION>
auto without_gil(const FUNCTION& function)
{
    const pybind11::gil_scoped_release released;
    return function();
}

//! Makes a Python constructor of \p make. The lock is held again when the object is
//! registered; with a call_guard it would not be.
template <class BLOCK, class... ARGS>
auto init_without_gil(std::shared_ptr<BLOCK> (*make)(ARGS...))
{
    return pybind11::init(
        [make](ARGS... args) { return without_gil([&] { return make(args...); }); });
}

#endif /* INCLUDED_CLDSP_WITHOUT_GIL_H */
