/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "storage/program_file.h"

#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cldsp {

namespace {

// A file: this header, the key in full, the driver's binary. Integers are the machine's:
// another byte order makes another magic number.
struct file_header {
    std::uint64_t magic = 0x31505344'4c432d67u;
    std::uint64_t key_bytes = 0;
    std::uint64_t binary_bytes = 0;
    std::uint64_t checksum = 0; // of the binary
};

} // namespace

std::uint64_t fnv1a(const std::string& bytes)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const unsigned char c : bytes)
        hash = (hash ^ c) * 1099511628211u;
    return hash;
}

std::string hash_text(const std::string& bytes)
{
    char text[20];
    std::snprintf(
        text, sizeof(text), "%016llx", static_cast<unsigned long long>(fnv1a(bytes)));
    return text;
}

std::string pack_program_file(const std::string& key, const std::string& binary)
{
    file_header header;
    header.key_bytes = key.size();
    header.binary_bytes = binary.size();
    header.checksum = fnv1a(binary);
    std::string bytes(sizeof(header), '\0');
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes + key + binary;
}

std::optional<std::string>
unpack_program_file(const std::string& bytes, const std::string& key, std::string& reason)
{
    file_header header;
    if (bytes.size() < sizeof(header)) {
        reason = "it is truncated";
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof(header));
    const std::size_t content = bytes.size() - sizeof(header);
    if (header.magic != file_header().magic)
        reason = "it is no program binary of this version";
    else if (header.key_bytes > content ||
             header.binary_bytes != content - header.key_bytes)
        reason = "its size is wrong";
    else if (bytes.compare(sizeof(header), header.key_bytes, key) != 0)
        reason = "it belongs to another program";
    else {
        auto binary = bytes.substr(sizeof(header) + header.key_bytes);
        if (fnv1a(binary) == header.checksum)
            return binary;
        reason = "its checksum is wrong";
    }
    return std::nullopt;
}

std::string loading_mark_path(const std::string& program_path)
{
    return program_path + ".loading";
}

loading_mark::loading_mark(const std::string& program_path)
    : d_path(loading_mark_path(program_path))
{
    constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file_descriptor file(::open(d_path.c_str(), flags, 0600));
    struct stat status = {};
    // A mark whose lock is taken is that of a process that loads the program now, and one
    // that has just lost its name is that of a process that has loaded it.
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        try_lock_file(file.get()) != 0 || ::fstat(file.get(), &status) != 0 ||
        status.st_nlink == 0)
        return;
    d_file = std::move(file);
    // An empty one is new: its maker, which may live, did not have the lock yet.
    d_was_left_behind = status.st_size > 0;
    if (d_was_left_behind)
        return;
    // One that cannot be written stays empty, and is as good as none.
    [[maybe_unused]] const auto written = ::write(d_file.get(), "loading\n", 8);
}

loading_mark::~loading_mark()
{
    if (d_file.get() >= 0)
        ::unlink(d_path.c_str());
}

} // namespace cldsp
