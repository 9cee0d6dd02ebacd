// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A preloaded library that lets OpenCL calls hang while a file exists.

// Simulates a driver that hangs for as long as a test wants. This library is preloaded.
// It blocks the OpenCL calls that are listed in a file, while the file exists.
// CLDSP_QA_STALL names the file. A blocked call creates a file with the same name and the
// ending ".inside".

#include "tests/support/qa_opencl_layer.h"

#include <unistd.h>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace {

bool is_held(const std::string& file, const std::string& call)
{
    std::ifstream calls(file);
    for (std::string held; calls >> held;)
        if (held == call)
            return true;
    return false;
}

} // namespace

cl_int cldsp::treat_call(opencl_call& call, const std::function<cl_int()>& run)
{
    const char* file = std::getenv("CLDSP_QA_STALL");
    if (file && is_held(file, call.name)) {
        std::ofstream(std::string(file) + ".inside");
        while (access(file, F_OK) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return run();
}
