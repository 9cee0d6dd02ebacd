/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl_faults.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include <sys/types.h>

namespace cldsp {

//! How a scenario with a fault ended.
enum class ending {
    right,   //!< the results are right, by the device or by the host
    refused, //!< the engine was not made, with one of its exceptions
    thrown,  //!< a call threw one of the engine's exceptions
    unclear, //!< another exception
    wrong,   //!< wrong results
    crash,   //!< the process ended
    hang     //!< it had to be ended
};
constexpr std::array<const char*, 7> ending_names = { "right",   "refused", "thrown",
                                                      "unclear", "wrong",   "crash",
                                                      "hang" };
inline bool is_good(ending e) { return e <= ending::thrown; }

//! How it ended, and what is to be said about it.
struct outcome {
    ending how = ending::right;
    bool struck = false; //!< the fault's call came
    std::string detail;
};

//! In the worker's process: answers the requests on standard input until they end.
int serve(const std::string& scenario);

//! A process of this program that runs one scenario with one fault after the other, and
//! is started again after a fault has ended it.
class worker
{
public:
    //! \param seconds that a fault may take
    worker(std::string scenario, double seconds);
    ~worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    //! How often each function is called where nothing fails. \throws std::runtime_error
    //! with what went wrong
    std::map<std::string, std::uint64_t> calls();
    //! A fault that was not met is tried again in a new process: one before it may have
    //! cost the device for good.
    outcome run(const fault& what);

private:
    void start();
    void stop();
    std::string words() const; // the last on its standard error
    //! False: it has ended, or, \p hung, had no answer in time.
    bool ask(const std::string& request, double seconds, std::string& answer, bool& hung);
    outcome ended(bool hung);
    outcome run_here(const fault& what);

    std::string d_scenario;
    double d_seconds;
    pid_t d_process = -1;
    std::size_t d_done = 0; // faults of this process
    int d_requests = -1, d_answers = -1;
    std::string d_unread;
    std::FILE* d_errors;
};

} // namespace cldsp
