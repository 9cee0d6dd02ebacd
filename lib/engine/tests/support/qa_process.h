// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Temporary folders and child processes for tests.

#pragma once

#include <initializer_list>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cstdlib>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Helpers that tests of files and processes share.

// The address sanitizer has it. Objects of tests are linked with and without it.
extern "C" __attribute__((weak)) void __lsan_do_leak_check();

namespace cldsp {

//! Whether a thread may fork while others allocate. A lock of the address sanitizer's
//! allocator that another thread holds is never free again in the child.
inline bool may_fork_beside_threads() { return __lsan_do_leak_check == nullptr; }

// The thread sanitizer does not follow the threads of a child of fork().
#if defined(__SANITIZE_THREAD__)
constexpr bool may_start_threads_after_fork = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool may_start_threads_after_fork = false;
#else
constexpr bool may_start_threads_after_fork = true;
#endif
#else
constexpr bool may_start_threads_after_fork = true;
#endif

//! A folder that is deleted at the end of the test.
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
    std::string read(const std::string& name) const
    {
        std::ifstream file(path(name), std::ios::binary);
        return { std::istreambuf_iterator<char>(file), {} };
    }

private:
    std::string d_path;
};

//! True in a process that start_again() started.
inline bool is_child() { return std::getenv("CLDSP_TEST_CHILD") != nullptr; }

/*!
 * Starts one test of this program in a separate process with other variables, because the
 * OpenCL loader reads the environment only once. An empty value unsets a variable.
 */
inline pid_t
start_again(const std::string& test,
            const std::vector<std::pair<const char*, std::string>>& variables)
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

//! Whether a child process ended with status 0.
inline bool succeeded(pid_t child)
{
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/*!
 * Gives up the rights of root, which the mode of a file does not limit. To be called in a
 * child process. Sanitizers inspect a process that was root only if it permits that.
 */
inline void become_nobody()
{
    if (geteuid() == 0 && (setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0))
        throw std::runtime_error("cannot become another user");
}

/*!
 * Starts one test of this program in several processes and waits for all of them. Each
 * finds its number in CLDSP_TEST_NUMBER. Returns whether all ended with status 0.
 */
inline bool
in_processes(int count,
             const std::string& test,
             const std::vector<std::pair<const char*, std::string>>& variables)
{
    std::vector<pid_t> children;
    for (int i = 0; i < count; i++) {
        auto all = variables;
        all.emplace_back("CLDSP_TEST_NUMBER", std::to_string(i));
        children.push_back(start_again(test, all));
    }
    bool good = true;
    for (const auto child : children)
        good = succeeded(child) && good;
    return good;
}

//! Calls \p action with each number below \p count, each in a separate thread.
template <class ACTION>
void in_threads(int count, const ACTION& action)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < count; i++)
        threads.emplace_back([&action, i] { action(i); });
    for (auto& thread : threads)
        thread.join();
}

//! Changes environment variables while this object lives; a null value unsets a variable.
class changed_environment
{
public:
    explicit changed_environment(
        std::initializer_list<std::pair<std::string, const char*>> values)
    {
        for (const auto& [name, value] : values) {
            const char* before = std::getenv(name.c_str());
            d_before[name] = before ? std::optional<std::string>(before) : std::nullopt;
            set(name, value);
        }
    }
    ~changed_environment()
    {
        for (const auto& [name, value] : d_before)
            set(name, value ? value->c_str() : nullptr);
    }
    changed_environment(const changed_environment&) = delete;
    changed_environment& operator=(const changed_environment&) = delete;

private:
    static void set(const std::string& name, const char* value)
    {
        if (value)
            setenv(name.c_str(), value, 1);
        else
            unsetenv(name.c_str());
    }
    std::map<std::string, std::optional<std::string>> d_before;
};

} // namespace cldsp
