/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "channelize/file_source.h"

#include "channelize/sigmf.h"
#include "channelize/stop_signal.h"
#include "channelize/wav.h"

#include <cldsp/errors.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace cldsp::app {

namespace {

std::string ending_of(const std::string& file)
{
    const auto dot = file.rfind('.');
    return dot == std::string::npos ? "" : file.substr(dot + 1);
}

bool is_wav_name(const std::string& ending)
{
    return ending == "wav" || ending == "WAV" || ending == "rf64";
}

//! The format of a raw file: the user's, or else the one that its name's ending implies.
sample_format raw_format(const source_wish& wish)
{
    if (!wish.type.empty())
        return sample_format::of_name(wish.type, "--type");
    try {
        return sample_format::of_name(ending_of(wish.file), "--type");
    } catch (const std::invalid_argument&) {
        throw std::invalid_argument("--type is needed, because " +
                                    (wish.file == "-" ? std::string("the standard input")
                                                      : "the name '" + wish.file + "'") +
                                    " does not tell the type of the samples: e.g. cu8, "
                                    "cs16, cf32 or wav");
    }
}

std::string error_text(int error) { return std::generic_category().message(error); }

} // namespace

file_source::file_source(const source_wish& wish)
    : d_name(wish.file == "-" ? "standard input" : wish.file)
{
    if (wish.rate && !(std::isfinite(*wish.rate) && *wish.rate > 0))
        throw_invalid("--rate", number_text(*wish.rate), "above 0");
    read_head(wish);
    if (wish.rate)
        d_head.rate = wish.rate;
    if (wish.center)
        d_head.center = wish.center;
    if (!d_head.rate)
        throw std::invalid_argument("--rate is needed, because '" + d_name +
                                    "' does not tell its sampling rate");
}

void file_source::open(const std::string& file)
{
    d_file = file == "-" ? file_descriptor(STDIN_FILENO, true)
                         : file_descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about = {};
    if (!d_file || fstat(d_file.get(), &about) != 0)
        throw std::runtime_error("'" + d_name + "' cannot be read: " + error_text(errno));
    if (S_ISDIR(about.st_mode))
        throw std::runtime_error("'" + d_name + "' cannot be read: it is a folder");
    d_stream = !S_ISREG(about.st_mode);
    if (!d_stream) {
        const off_t at = std::max<off_t>(0, lseek(d_file.get(), 0, SEEK_CUR));
        d_left = static_cast<std::uint64_t>(std::max<off_t>(0, about.st_size - at));
        posix_fadvise(d_file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    }
}

void file_source::read_head(const source_wish& wish)
{
    if (wish.type.empty() && is_sigmf(wish.file)) {
        const auto found = read_sigmf(wish.file);
        d_name = found.data_file;
        d_head = found.head;
        open(found.data_file);
        if (d_stream)
            throw std::runtime_error("'" + d_name + "' is no regular file");
        if (lseek(d_file.get(), static_cast<off_t>(d_head.begin), SEEK_SET) < 0)
            throw std::runtime_error("'" + d_name +
                                     "' cannot be read: " + error_text(errno));
        d_left = d_head.bytes;
        return;
    }
    const bool wav =
        wish.type == "wav" || (wish.type.empty() && is_wav_name(ending_of(wish.file)));
    if (!wav)
        d_head.format = raw_format(wish);
    open(wish.file);
    if (!wav)
        return;
    d_head = read_wav_head(
        [this](unsigned char* to, std::size_t bytes) { read_fully(to, bytes); },
        d_name,
        d_stream);
    if (!d_head.bytes)
        return;
    if (d_left && *d_left < *d_head.bytes)
        d_problem = "'" + d_name + "' is truncated: its head says " +
                    std::to_string(*d_head.bytes) + " bytes of samples, but " +
                    std::to_string(*d_left) + " are there";
    d_left = d_left ? std::min(*d_left, *d_head.bytes) : *d_head.bytes;
}

void file_source::read_fully(unsigned char* to, std::size_t bytes)
{
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t more = read_some(to + done, bytes - done);
        if (more == 0)
            throw std::runtime_error("'" + d_name + "' ends before its first sample");
        done += more;
    }
}

//! Waits for at least one byte, unless the input ends.
std::size_t file_source::read_some(unsigned char* to, std::size_t bytes)
{
    if (d_left)
        bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, *d_left));
    while (bytes > 0) {
        if (stop_signal::number() || (d_stream && !wait_for(d_file.get(), POLLIN, -1)))
            return 0;
        const ssize_t count = ::read(d_file.get(), to, bytes);
        if (count >= 0) {
            if (d_left)
                *d_left -= static_cast<std::uint64_t>(count);
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR && errno != EAGAIN)
            throw std::runtime_error("'" + d_name +
                                     "' cannot be read: " + error_text(errno));
    }
    return 0;
}

std::optional<std::uint64_t> file_source::items() const
{
    if (!d_left || (d_stream && d_ended))
        return std::nullopt;
    return *d_left / d_head.format.item_bytes();
}

void file_source::note_end(std::size_t left_over)
{
    d_ended = true;
    if (stop_signal::number() || !d_problem.empty())
        return;
    if (d_left && *d_left > 0)
        d_problem = "'" + d_name + "' is truncated: " + std::to_string(*d_left) +
                    " bytes of its samples are missing";
    else if (left_over > 0)
        d_problem = "'" + d_name + "' is truncated: its last sample has " +
                    std::to_string(left_over) + " bytes instead of " +
                    std::to_string(d_head.format.item_bytes());
}

std::size_t file_source::read(void* items, std::size_t room)
{
    using clock = std::chrono::steady_clock;
    if (d_ended || room == 0)
        return 0;
    const std::size_t item = d_head.format.item_bytes();
    const bool native = d_head.format.is_native();
    if (!native)
        d_foreign.resize(room * item);
    auto* const to = native ? static_cast<unsigned char*>(items) : d_foreign.data();
    std::size_t bytes = d_begun.size();
    std::copy(d_begun.begin(), d_begun.end(), to);
    d_begun.clear();

    const auto enough = clock::now() + std::chrono::duration<double>(stream_seconds);
    while (bytes < room * item) {
        if (d_stream && bytes >= item) {
            const std::chrono::duration<double> left = enough - clock::now();
            if (left.count() <= 0 || !wait_for(d_file.get(), POLLIN, left.count()))
                break;
        }
        const std::size_t more = read_some(to + bytes, room * item - bytes);
        if (more == 0) {
            note_end(bytes % item);
            break;
        }
        bytes += more;
    }
    const std::size_t count = bytes / item;
    d_begun.assign(to + count * item, to + bytes);
    if (!native)
        d_head.format.convert(to, items, count);
    return count;
}

} // namespace cldsp::app
