/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <initializer_list>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

// What tests of files and processes share.

namespace cldsp {

//! A folder that goes away with the test.
class temporary_folder
{
public:
    temporary_folder()
    {
        std::string name =
            (std::filesystem::temp_directory_path() / "cldsp-qa-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw std::runtime_error("cannot make a temporary folder");
        d_path = name;
    }
    ~temporary_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(d_path, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::string& path() const { return d_path; }
    std::string path(const std::string& name) const { return d_path + "/" + name; }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path(name), std::ios::binary) << text;
    }

private:
    std::string d_path;
};

//! True in a process that run_again() started.
inline bool is_child() { return std::getenv("CLDSP_TEST_CHILD") != nullptr; }

/*!
 * Starts one test of this program in a process of its own, with other variables, because
 * the OpenCL loader reads the environment only once. An empty value unsets a variable.
 */
inline pid_t
start_again(const std::string& test,
            std::initializer_list<std::pair<const char*, std::string>> variables)
{
    const pid_t child = fork();
    if (child != 0)
        return child;
    setenv("CLDSP_TEST_CHILD", "1", 1);
    for (const auto& [name, value] : variables) {
        if (value.empty())
            unsetenv(name);
        else
            setenv(name, value.c_str(), 1);
    }
    execl("/proc/self/exe", "qa", test.c_str(), static_cast<char*>(nullptr));
    _exit(127);
}

//! Whether a child ended well.
inline bool succeeded(pid_t child)
{
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

} // namespace cldsp
