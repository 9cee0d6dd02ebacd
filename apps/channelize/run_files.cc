// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares files by what the system calls them, whatever their names.

#include "channelize/run_files.h"

#include <sys/stat.h>
#include <stdexcept>

namespace cldsp::app {

namespace {

[[noreturn]] void refuse_same(const std::string& name, const std::string& other)
{
    throw std::runtime_error("'" + name + "' and '" + other + "' are the same file");
}

} // namespace

void run_files::keep(const std::string& name, const std::string& what)
{
    struct stat about = {};
    if (::stat(name.c_str(), &about) == 0 && S_ISREG(about.st_mode))
        d_kept.emplace(identity(about.st_dev, about.st_ino), what);
}

void run_files::add(int file, const std::string& name)
{
    struct stat about = {};
    if (::fstat(file, &about) != 0)
        return;
    const identity id(about.st_dev, about.st_ino);
    if (const auto kept = d_kept.find(id); kept != d_kept.end())
        throw std::runtime_error("'" + name + "' is " + kept->second);
    if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode))
        return;
    if (const auto [place, is_new] = d_written.emplace(id, name); !is_new)
        refuse_same(name, place->second);
}

void run_files::refuse_written(const std::string& name) const
{
    struct stat about = {};
    if (::stat(name.c_str(), &about) != 0)
        return;
    const auto found = d_written.find(identity(about.st_dev, about.st_ino));
    if (found != d_written.end())
        refuse_same(name, found->second);
}

} // namespace cldsp::app
