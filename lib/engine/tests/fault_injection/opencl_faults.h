/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cldsp {

//! What goes wrong.
enum class fault_kind {
    none,
    one,     //!< the call is refused and does not reach the driver
    late,    //!< as one, and so is every later wait; a command runs when somebody asks
             //!< how far it is
    sticky,  //!< so is every later call of the same function
    lost,    //!< so is every later call of any function; what is in flight ends before
    release, //!< an object is not released, and the driver says so
    event,   //!< the command is taken, does not run, and its event tells a failure
    events,  //!< so do all later commands
    hang,    //!< the command is taken and never ends
    nonsense //!< this kernel and all later ones are told to have run, and have not
};

//! One fault: the \p call -th call of a function, counted from 1.
struct fault {
    std::string function;
    std::uint64_t call = 0;
    fault_kind kind = fault_kind::none;
    int code = -5; //!< that the driver gives; CL_OUT_OF_RESOURCES

    //! "clFinish:2:one", which parse() reads.
    std::string text() const;
    //! \throws std::invalid_argument
    static fault parse(const std::string& text);
    //! Whether the kind has a meaning for the function.
    bool possible() const;
};

const std::vector<std::string>& fault_kind_names(); //!< but for "none"
//! \throws std::invalid_argument
fault_kind find_fault_kind(const std::string& name);

/*!
 * A fault that waits for its call while this object lives; one at a time.
 *
 * A program that is linked with opencl_faults.cc has all of its calls of OpenCL go
 * through there, those of libraries as well, because its own functions go before a
 * library's.
 */
class armed_fault
{
public:
    explicit armed_fault(const fault& what);
    ~armed_fault();
    armed_fault(const armed_fault&) = delete;
    armed_fault& operator=(const armed_fault&) = delete;

    bool struck() const; //!< the call has come
    //! How often each function was called.
    std::map<std::string, std::uint64_t> calls() const;
};

//! Lets all commands end that have reached the driver, also of queues that are released.
void settle_commands();

} // namespace cldsp
