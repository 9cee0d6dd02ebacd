// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the executors of all operations have in common: their names and their statistics.

#pragma once

#include "base/call_statistics.h"

#include <cldsp/run_statistics.h>

#include <string>
#include <utility>

namespace cldsp {

//! Where and how an executor computes, in the words of plans.
struct executor_names {
    std::string device; //!< "host", or OpenCL's name of the device
    std::string variant;
    std::string transfer = "none";
};

/*!
 * The base of an operation's interface for executors, each of which is one way of
 * computing it. Executors keep nothing of a stream between calls, so that another
 * executor can repeat a call that failed.
 */
class operation_executor
{
public:
    explicit operation_executor(executor_names names) : d_names(std::move(names)) {}
    virtual ~operation_executor() = default;
    operation_executor(const operation_executor&) = delete;
    operation_executor& operator=(const operation_executor&) = delete;

    const std::string& device_name() const { return d_names.device; }
    const std::string& variant_name() const { return d_names.variant; }
    const std::string& transfer_name() const { return d_names.transfer; }
    virtual run_statistics statistics() const { return d_sums.averages(); }
    virtual void clear_statistics() { d_sums = {}; }
    //! Whether late commands of a lost device may still access this executor's memory,
    //! or that of its calls.
    virtual bool device_is_lost() const { return false; }

protected:
    call_statistics d_sums;

private:
    const executor_names d_names;
};

} // namespace cldsp
