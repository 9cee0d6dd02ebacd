// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kinds of failure that a call of OpenCL can have.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cldsp {

//! The kinds of failure.
enum class fault_kind {
    none,
    //! The call is refused and does not reach the driver.
    one,
    //! The call and every later wait are refused; a command runs when its status is
    //! queried.
    late,
    //! The call and every later call of the same function are refused.
    sticky,
    //! The call and every later call of any function are refused; the commands in flight
    //! end before.
    lost,
    //! An object is not released, and the driver reports that.
    release,
    //! The command is accepted but does not run, and its event reports a failure.
    event,
    //! The same failure as event, for this command and all later ones.
    events,
    //! The command is accepted and never ends.
    hang,
    //! This kernel and all later ones are reported as complete but have not run.
    nonsense
};

//! One fault: the \p call -th call of a function, counted from 1.
struct fault {
    std::string function;
    std::uint64_t call = 0;
    fault_kind kind = fault_kind::none;
    int code = -5; //!< the error that the driver returns; CL_OUT_OF_RESOURCES

    //! The fault as text, such as "clFinish:2:one", which parse() reads.
    std::string text() const;
    //! \throws std::invalid_argument
    static fault parse(const std::string& text);
    //! Whether the kind of fault makes sense for the function.
    bool possible() const;
};

const std::vector<std::string>& fault_kind_names(); //!< all names except "none"
//! \throws std::invalid_argument
fault_kind find_fault_kind(const std::string& name);

/*!
 * A fault that waits for its call while this object lives. Only one fault can wait at a
 * time.
 *
 * In a program that is linked with opencl_faults.cc all calls of OpenCL go through
 * that file, also the calls of libraries, because the program's own functions take
 * precedence over those of a library.
 */
class armed_fault
{
public:
    explicit armed_fault(const fault& what);
    ~armed_fault();
    armed_fault(const armed_fault&) = delete;
    armed_fault& operator=(const armed_fault&) = delete;

    bool struck() const; //!< the call has been made
    //! The number of calls of each function.
    std::map<std::string, std::uint64_t> calls() const;
};

//! Lets all commands end that have reached the driver, also those of released queues.
void settle_commands();

} // namespace cldsp
