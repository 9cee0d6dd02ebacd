// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A process that runs a small run again and again, each time with another fault.

#pragma once

#include "opencl_faults.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include <sys/types.h>

namespace cldsp {

//! The ending of a scenario with a fault.
enum class ending {
    right,   //!< the results are right, by the device or by the host
    refused, //!< the constructor threw one of the engine's exceptions
    thrown,  //!< a call threw one of the engine's exceptions
    unclear, //!< another exception
    wrong,   //!< wrong results
    crash,   //!< the process ended
    hang     //!< the process did not end and had to be stopped
};
constexpr std::array<const char*, 7> ending_names = { "right",   "refused", "thrown",
                                                      "unclear", "wrong",   "crash",
                                                      "hang" };
inline bool is_good(ending e) { return e <= ending::thrown; }

//! The ending of a scenario, with a description.
struct outcome {
    ending how = ending::right;
    bool struck = false; //!< the call that the fault waits for was made
    std::string detail;
};

//! Runs in the worker's process: answers the requests on standard input until they end.
int serve(const std::string& scenario);

//! A process of this program that runs one scenario again and again, each time with
//! another fault. It is started again after a fault has ended it.
class worker
{
public:
    //! \param scenario the name of the scenario
    //! \param seconds the longest time that a fault may take
    worker(std::string scenario, double seconds);
    ~worker();
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    //! The number of calls of each function in a run without a fault.
    //! \throws std::runtime_error with a description of the failure
    std::map<std::string, std::uint64_t> calls();
    //! Runs the scenario with a fault. If the fault's call is not made, the run is
    //! repeated in a new process, because an earlier fault may have disabled the device
    //! for the rest of the process.
    outcome run(const fault& what);

private:
    void start();
    void stop();
    std::string words() const; // the last words on the standard error
    //! Returns false if the process has ended or gave no answer in time; \p hung is set
    //! only in the latter case.
    bool ask(const std::string& request, double seconds, std::string& answer, bool& hung);
    outcome ended(bool hung);
    outcome run_here(const fault& what);

    std::string d_scenario;
    double d_seconds;
    pid_t d_process = -1;
    std::size_t d_done = 0; // number of faults that this process has run
    int d_requests = -1, d_answers = -1;
    std::string d_unread;
    std::FILE* d_errors;
};

} // namespace cldsp
