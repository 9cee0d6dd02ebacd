// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds a Python that has matplotlib, and lets it draw the report.

#include "bench/report.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "common/output_file.h"
#include "common/scratch_folder.h"

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;

//! Runs a program, which is searched for in PATH.
//! \returns its exit status; 127 if it cannot be started
int run(std::vector<std::string> arguments, bool quiet)
{
    std::vector<char*> pointers;
    for (auto& a : arguments)
        pointers.push_back(a.data());
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
        const int nowhere = ::open("/dev/null", O_WRONLY);
        if (nowhere >= 0)
            ::dup2(nowhere, STDOUT_FILENO); // the report may go to the standard output
        if (quiet && nowhere >= 0)
            ::dup2(nowhere, STDERR_FILENO);
        ::execvp(pointers[0], pointers.data());
        ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

//! A Python that has matplotlib. A Python of the user in the PATH may lack matplotlib
//! although the system's Python has it.
std::string find_python()
{
    for (const std::string python : { "python3", "/usr/bin/python3" })
        if (run({ python, "-c", "import matplotlib" }, true) == 0)
            return python;
    throw std::runtime_error("--plot needs Python 3 with matplotlib, and there is none: "
                             "install python3-matplotlib");
}

//! The script beside the installed program; if there is none, the script in the source
//! folder.
std::string find_script()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path installed = program.parent_path().parent_path() / CLDSP_PLOT_SCRIPT;
    for (const fs::path& path : { installed, fs::path(CLDSP_SOURCE_PLOT_SCRIPT) })
        if (fs::exists(path, error))
            return path.string();
    throw std::runtime_error("--plot needs the script " + installed.string() +
                             ", which is missing");
}

} // namespace

bench_plot::bench_plot(std::string file) : d_file(std::move(file))
{
    const std::string ending = fs::path(d_file).extension().string();
    if (ending != ".png" && ending != ".svg")
        throw std::invalid_argument("--plot is '" + d_file +
                                    "', but must end in .png or .svg");
    bench::check_output_file("--plot", d_file);
    d_script = find_script();
    d_python = find_python();
}

void bench_plot::draw(const nlohmann::ordered_json& report) const
{
    const bench::scratch_folder folder;
    const std::string path = folder.path() + "/report.json";
    std::ofstream(path) << report.dump(
        -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    // Nothing is written beside the script, which may belong to a package.
    if (run({ d_python, "-B", d_script, path, d_file }, false) != 0)
        throw std::runtime_error("the picture " + d_file + " could not be drawn");
}

} // namespace cldsp::app
