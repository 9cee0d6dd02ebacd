// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes the samples of a channel into a file, raw, as WAV or as SigMF.

#include "channelize/byte_sink.h"
#include "channelize/file_descriptor.h"
#include "channelize/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace cldsp::app {

namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int error)
{
    throw std::runtime_error("'" + name + "' " + what + ": " +
                             std::generic_category().message(error));
}

//! Tries to write all bytes. \return the number of bytes written
std::size_t write_bytes(int file, const void* bytes, std::size_t count)
{
    std::size_t done = 0;
    while (done < count) {
        const ssize_t more =
            ::write(file, static_cast<const char*>(bytes) + done, count - done);
        if (more > 0)
            done += static_cast<std::size_t>(more);
        else if (more == 0 || errno != EINTR)
            break;
    }
    return done;
}

[[noreturn]] void fail_existing(const std::string& name)
{
    throw std::runtime_error("'" + name + "' exists already; --overwrite replaces it");
}

[[noreturn]] void fail_link(const std::string& name)
{
    throw std::runtime_error("'" + name +
                             "' is a symbolic link, which --overwrite does not follow; "
                             "remove it, or let --out name the folder that it leads to");
}

struct opened_file {
    file_descriptor file;
    bool is_new = false;
};

//! Opens a file for writing. One that exists keeps its contents, because the run may
//! still be refused.
opened_file
open_file(const std::string& name, const file_wish& wish, const run_files* others)
{
    const int how = O_WRONLY | O_CREAT | O_CLOEXEC | (wish.follow ? 0 : O_NOFOLLOW);
    int file = ::open(name.c_str(), how | O_EXCL, 0666);
    if (file >= 0)
        return { file_descriptor(file), true };
    if (errno == EEXIST && !wish.overwrite) {
        if (others)
            others->refuse_written(name);
        fail_existing(name);
    }
    if (errno == EEXIST)
        file = ::open(name.c_str(), how, 0666);
    if (file < 0 && errno == ELOOP && !wish.follow)
        fail_link(name);
    if (file < 0)
        fail(name, "cannot be written", errno);
    return { file_descriptor(file), false };
}

//! Removes the contents of a file. Devices and pipes have none.
void empty(const file_descriptor& file, const std::string& name)
{
    struct stat about = {};
    if (fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode) &&
        ftruncate(file.get(), 0) != 0)
        fail(name, "cannot be written", errno);
}

class file_sink final : public byte_sink
{
public:
    file_sink(const file_wish& wish, run_files& others) : d_wish(wish)
    {
        auto data = open_file(wish.name, wish, &others);
        d_file = std::move(data.file);
        d_is_new = data.is_new;
        try {
            others.add(d_file.get(), wish.name);
            if (wish.meta_name.empty())
                return;
            // It is not kept open, because there may be thousands of channels.
            const auto meta = open_file(wish.meta_name, wish, &others);
            d_has_new_meta = meta.is_new;
            others.add(meta.file.get(), wish.meta_name);
        } catch (...) {
            discard();
            throw;
        }
    }

    void begin() override
    {
        empty(d_file, d_wish.name);
        if (d_wish.head)
            write_head();
        if (!d_wish.meta_name.empty())
            write_meta();
    }

    void write(const unsigned char* bytes, std::size_t count) override
    {
        if (d_written == 0 && !d_wish.meta_name.empty() &&
            d_meta_state != d_wish.meta_state())
            write_meta();
        const std::size_t done = write_bytes(d_file.get(), bytes, count);
        const int error = errno;
        d_written += done - done % d_wish.item_bytes;
        if (done == count)
            return;
        // Without this, the file would end within a sample.
        if (done % d_wish.item_bytes)
            truncate();
        fail(d_wish.name, "cannot be written", error);
    }

    void finish() override
    {
        if (!d_file)
            return;
        if (d_wish.head)
            write_head();
        if (d_file.reset() != 0)
            fail(d_wish.name, "cannot be written", errno);
    }

    void discard() override
    {
        d_file.reset();
        if (d_is_new)
            ::unlink(d_wish.name.c_str());
        if (d_has_new_meta)
            ::unlink(d_wish.meta_name.c_str());
    }

    std::uint64_t written() const override { return d_written; }
    std::string target() const override { return d_wish.name; }

private:
    void write_head()
    {
        const std::string head = d_wish.head(d_written);
        if (lseek(d_file.get(), 0, SEEK_SET) < 0 ||
            write_bytes(d_file.get(), head.data(), head.size()) != head.size())
            fail(d_wish.name, "cannot be written", errno);
        d_head_bytes = head.size();
    }
    void write_meta()
    {
        auto wish = d_wish;
        wish.overwrite = true;
        auto meta = open_file(d_wish.meta_name, wish, nullptr).file;
        empty(meta, d_wish.meta_name);
        d_meta_state = d_wish.meta_state();
        const std::string text = d_wish.meta_text();
        if (write_bytes(meta.get(), text.data(), text.size()) != text.size() ||
            meta.reset() != 0)
            fail(d_wish.meta_name, "cannot be written", errno);
    }
    void truncate()
    {
        const auto end = static_cast<off_t>(d_head_bytes + d_written);
        if (ftruncate(d_file.get(), end) != 0)
            fail(d_wish.name, "cannot be cut to whole samples", errno);
    }

    file_wish d_wish;
    file_descriptor d_file;
    bool d_is_new = false, d_has_new_meta = false;
    std::string d_meta_state; // when the metadata were written
    std::size_t d_head_bytes = 0;
    std::uint64_t d_written = 0;
};

class output_sink final : public byte_sink
{
public:
    output_sink(const std::string& head, run_files& others) : d_head(head)
    {
        others.add(STDOUT_FILENO, target());
        struct stat about = {};
        d_may_wait = fstat(STDOUT_FILENO, &about) != 0 || !S_ISREG(about.st_mode);
    }

    void write(const unsigned char* bytes, std::size_t count) override
    {
        write_head();
        write_all(bytes, count, d_written);
    }
    void finish() override { write_head(); }
    std::uint64_t written() const override { return d_written; }
    std::string target() const final { return "standard output"; }

private:
    void write_head()
    {
        // A failure is reported once.
        const std::string head = std::exchange(d_head, "");
        std::uint64_t written = 0;
        write_all(
            reinterpret_cast<const unsigned char*>(head.data()), head.size(), written);
    }
    void write_all(const unsigned char* bytes, std::size_t count, std::uint64_t& written)
    {
        while (count > 0) {
            // A pipe that poll() reports as ready accepts at least 4096 bytes without
            // blocking. Smaller parts keep the program able to notice a signal while the
            // reader is stuck.
            std::size_t part = count;
            if (d_may_wait) {
                part = std::min<std::size_t>(count, 4096);
                wait();
            }
            const std::size_t done = write_bytes(STDOUT_FILENO, bytes, part);
            written += done;
            if (done < part && errno != EAGAIN)
                fail(target(), "cannot be written", errno);
            bytes += done;
            count -= done;
        }
    }
    void wait()
    {
        constexpr double patience = 2; // seconds after a signal
        if (wait_for(STDOUT_FILENO, POLLOUT, -1))
            return;
        if (!wait_for_file(STDOUT_FILENO, POLLOUT, patience))
            throw std::runtime_error("'" + target() +
                                     "' cannot be written: its reader does not read");
    }

    std::string d_head; // empty once it is written
    bool d_may_wait = true;
    std::uint64_t d_written = 0;
};

} // namespace

std::unique_ptr<byte_sink> make_file_sink(const file_wish& wish, run_files& others)
{
    return std::make_unique<file_sink>(wish, others);
}

void refuse_existing(const file_wish& wish)
{
    struct stat about = {};
    for (const auto& name : { wish.name, wish.meta_name }) {
        if (name.empty() || lstat(name.c_str(), &about) != 0)
            continue;
        if (!wish.overwrite)
            fail_existing(name);
        if (!wish.follow && S_ISLNK(about.st_mode))
            fail_link(name);
    }
}

std::unique_ptr<byte_sink> make_output_sink(const std::string& head, run_files& others)
{
    return std::make_unique<output_sink>(head, others);
}

} // namespace cldsp::app
