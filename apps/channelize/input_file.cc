// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads and skips bytes, until the end or a signal to stop.

#include "channelize/input_file.h"

#include "channelize/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

namespace cldsp::app {

input_file::input_file(const std::string& file, const std::string& name)
    : d_name(name),
      d_file(file == "-" ? file_descriptor(STDIN_FILENO, true)
                         : file_descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC)))
{
    struct stat about = {};
    if (!d_file || fstat(d_file.get(), &about) != 0)
        fail(errno);
    if (S_ISDIR(about.st_mode))
        throw std::runtime_error("'" + d_name + "' cannot be read: it is a folder");
    d_stream = !S_ISREG(about.st_mode);
    if (d_stream)
        return;
    const off_t at = std::max<off_t>(0, lseek(d_file.get(), 0, SEEK_CUR));
    d_begin = static_cast<std::uint64_t>(at);
    d_size = static_cast<std::uint64_t>(std::max<off_t>(0, about.st_size - at));
    posix_fadvise(d_file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

std::string input_file::reading_failed(int error) const
{
    return "'" + d_name + "' cannot be read: " + std::generic_category().message(error);
}

void input_file::fail(int error) const
{
    throw std::runtime_error(reading_failed(error));
}

std::optional<std::uint64_t> input_file::left() const
{
    if (d_stream)
        return std::nullopt;
    return d_size - std::min(d_size, d_position);
}

std::size_t input_file::read_file(unsigned char* to, std::size_t bytes)
{
    const std::size_t count = try_read(to, bytes);
    if (count == 0 && bytes > 0 && d_error != 0)
        fail(d_error);
    return count;
}

//! Keeps the number of a failure, which is the end of a stream.
std::size_t input_file::try_read(unsigned char* to, std::size_t bytes)
{
    while (bytes > 0 && !(d_stream && d_error != 0)) {
        if (stop_signal::number())
            return 0;
        if (d_stream && !wait_for(d_file.get(), POLLIN, d_patience)) {
            d_patience = std::min(d_patience, 0.0); // it is waited for only once
            return 0;
        }
        const ssize_t count = ::read(d_file.get(), to, bytes);
        if (count >= 0)
            return static_cast<std::size_t>(count);
        if (errno != EINTR && errno != EAGAIN) {
            d_error = errno;
            return 0;
        }
    }
    return 0;
}

std::size_t input_file::read_some(unsigned char* to, std::size_t bytes)
{
    std::size_t count = std::min(bytes, d_ahead.size() - d_ahead_begin);
    if (count > 0) {
        std::copy_n(d_ahead.data() + d_ahead_begin, count, to);
        d_ahead_begin += count;
        if (d_ahead_begin == d_ahead.size()) {
            d_ahead.clear();
            d_ahead_begin = 0;
        }
    } else {
        // A file that grows meanwhile ends where it ended at the start.
        if (!d_stream)
            bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, *left()));
        count = read_file(to, bytes);
    }
    d_position += count;
    return count;
}

std::size_t input_file::read(unsigned char* to, std::size_t bytes)
{
    std::size_t done = 0;
    while (done < bytes) {
        const std::size_t more = read_some(to + done, bytes - done);
        if (more == 0)
            break;
        done += more;
    }
    return done;
}

void input_file::skip(std::uint64_t bytes)
{
    if (!d_stream)
        return go_to(d_position + std::min(bytes, *left()));
    std::array<unsigned char, 65536> lost;
    while (bytes > 0) {
        const auto part =
            static_cast<std::size_t>(std::min<std::uint64_t>(bytes, lost.size()));
        const std::size_t count = read_some(lost.data(), part);
        if (count == 0)
            return;
        bytes -= count;
    }
}

void input_file::go_to(std::uint64_t position)
{
    if (lseek(d_file.get(), static_cast<off_t>(d_begin + position), SEEK_SET) < 0)
        fail(errno);
    d_position = position;
}

std::size_t input_file::peek(std::uint64_t ahead, unsigned char* to, std::size_t bytes)
{
    if (!d_stream) {
        const std::uint64_t here = d_position;
        if (ahead >= *left())
            return 0;
        go_to(here + ahead);
        bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, *left()));
        std::size_t done = 0;
        while (const std::size_t count = try_read(to + done, bytes - done))
            done += count;
        go_to(here);
        return done;
    }
    constexpr std::size_t piece = 4096;
    while (d_ahead.size() - d_ahead_begin < ahead + bytes) {
        const std::size_t size = d_ahead.size();
        d_ahead.resize(size + piece);
        const std::size_t count = try_read(d_ahead.data() + size, piece);
        d_ahead.resize(size + count);
        if (count == 0)
            break;
    }
    const std::uint64_t there = d_ahead.size() - d_ahead_begin;
    if (ahead >= there)
        return 0;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, there - ahead));
    std::copy_n(d_ahead.data() + d_ahead_begin + ahead, count, to);
    return count;
}

bool input_file::wait(double seconds)
{
    return d_ahead_begin < d_ahead.size() || wait_for(d_file.get(), POLLIN, seconds);
}

} // namespace cldsp::app
