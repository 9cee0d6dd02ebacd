// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A shortage of memory for a program's own allocations.

#pragma once

#include <cstddef>
#include <string>

namespace cldsp {

//! Whose allocations are counted, and may fail: those that the engine's code asks for, by
//! itself or through the C and C++ libraries, or those of other libraries as well, such
//! as drivers.
enum class memory_users { engine, everybody };

/*!
 * While one exists, memory is short: allocations fail from the one with number \p first
 * on, which is counted from 1 in the whole process. This program's functions malloc() and
 * so on, which replace those of the C library, count them.
 */
class memory_shortage
{
public:
    //! \param first 0: allocations are only counted
    //! \param lasting false: only this allocation fails
    memory_shortage(std::size_t first, bool lasting, memory_users users);
    ~memory_shortage();
    memory_shortage(const memory_shortage&) = delete;
    memory_shortage& operator=(const memory_shortage&) = delete;

    //! Ends the shortage before the end of the object.
    static void end();
    //! The number of allocations since the last shortage began.
    static std::size_t allocations();
};

//! The number of allocations of the process that have not been freed.
long live_allocations();

/*!
 * In a handler of the signal that ends the process: the library that is responsible, of
 * the functions that are being called: the first one from within that is not a C or C++
 * library, "engine" for this program itself. Prints the functions to the file
 * \p descriptor.
 */
const char* guilty_library(int descriptor);

} // namespace cldsp
