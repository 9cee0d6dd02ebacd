// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The program that tries OpenCL's drivers for a process that does not trust them.

#include "check_driver/driver_try.h"
#include "check_driver/supervisor.h"
#include "opencl/driver_check.h"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>

#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

namespace {

// A driver that hangs must not keep a file, a pipe or a port of the caller open.
void close_others(int first)
{
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    constexpr int usual_limit = 4096;
    for (int i = first; i < usual_limit; i++)
        ::close(i);
}

void answer(const std::string& text)
{
    for (std::size_t done = 0; done < text.size();) {
        const auto count =
            ::write(cldsp::answer_descriptor, text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR)
            return;
        if (count > 0)
            done += static_cast<std::size_t>(count);
    }
}

} // namespace

int main(int count, char** words)
{
    using namespace cldsp::check_driver;
    if (count == 4 && words[1] == std::string(trial_word)) {
        close_others(report_descriptor + 1);
        try_loaded_drivers(words[2], words[3]);
        return 0;
    }
    if (count != 7)
        return 2;
    close_others(cldsp::life_descriptor + 1);
    order given;
    given.program = words[0];
    given.parent = std::atoi(words[3]);
    given.seconds = std::atof(words[4]);
    given.salt = words[5];
    given.cache_folder = words[6];
    try {
        answer(try_all_drivers(given).text());
    } catch (const std::exception& e) {
        answer(std::string("cannot: ") + e.what());
    }
    return 0;
}
