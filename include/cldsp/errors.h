// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The exceptions of the engine, for failed OpenCL calls and for bad arguments.

#pragma once

#include <stdexcept>
#include <string>

namespace cldsp {

// The exceptions have one type in every library of a process, whatever visibility its
// symbols have.
#pragma GCC visibility push(default)

/*!
 * The exception for an OpenCL call that failed. A wrong argument from the caller throws
 * std::invalid_argument instead.
 */
class opencl_error : public std::runtime_error
{
public:
    /*!
     * \param call the OpenCL function, e.g. "clEnqueueNDRangeKernel"
     * \param code the OpenCL error code
     * \param device the device's name, empty if none was chosen yet
     * \param detail further text, such as a build log
     */
    opencl_error(const std::string& call,
                 int code,
                 const std::string& device = "",
                 const std::string& detail = "");

    const std::string& call() const noexcept { return d_call; }
    int code() const noexcept { return d_code; }

private:
    std::string d_call;
    int d_code;
};

//! The exception that ends a constructor when the caller has stopped the planning; see
//! freq_xlating_filter_bank_options::stopped.
class planning_stopped : public std::runtime_error
{
public:
    planning_stopped() : std::runtime_error("planning was stopped") {}
};

#pragma GCC visibility pop

//! The name of an OpenCL error code, e.g. "CL_OUT_OF_RESOURCES".
std::string opencl_error_name(int code);

//! A number as messages write it: with a point in every locale.
//! \param value the number
//! \param digits the largest number of significant digits
std::string number_text(double value, int digits = 12);

//! A number with a fixed number of decimals, and a point in every locale.
//! \param value the number
//! \param decimals how many digits follow the point, at least 0
std::string fixed_text(double value, int decimals);

//! Throws std::invalid_argument with the text "parameter 'NAME' is VALUE, but must be
//! RANGE".
[[noreturn]] void throw_invalid(const std::string& parameter,
                                const std::string& value,
                                const std::string& range);

} // namespace cldsp
