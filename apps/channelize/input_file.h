// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A file, a pipe or a device that is read once from its beginning.

#pragma once

#include "channelize/file_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

/*!
 * A file, a pipe or a device that is read once from its beginning. A signal to stop ends
 * the input.
 */
class input_file
{
public:
    input_file() = default;
    /*!
     * \param file the file's name, or "-" for the standard input
     * \param name what messages call it
     * \throws std::runtime_error that names it, if it cannot be read
     */
    input_file(const std::string& file, const std::string& name);

    const std::string& name() const { return d_name; }
    //! Whether bytes come at their own pace, and only once, as from a pipe.
    bool is_stream() const { return d_stream; }
    //! The number of bytes that were read or skipped.
    std::uint64_t position() const { return d_position; }
    //! The number of bytes from here to the end; empty for a stream.
    std::optional<std::uint64_t> left() const;

    //! Waits for at least one byte. \return the number of bytes, or 0 at the end
    //! \throws std::runtime_error if reading fails
    std::size_t read_some(unsigned char* to, std::size_t bytes);
    //! Reads until \p bytes are there. \return fewer only at the end
    std::size_t read(unsigned char* to, std::size_t bytes);
    //! Skips bytes, if they are there.
    void skip(std::uint64_t bytes);
    //! Goes to another place of a file that is no stream.
    void go_to(std::uint64_t position);
    /*!
     * Copies bytes that begin \p ahead bytes after the next one, which all stay to be
     * read. A stream keeps them in memory.
     *
     * \return the number of bytes, fewer than \p bytes only at the end or where reading
     * fails, see problem()
     */
    std::size_t peek(std::uint64_t ahead, unsigned char* to, std::size_t bytes);
    //! Whether a byte or the end comes within some seconds.
    bool wait(double seconds);
    //! From now on, a stream that brings nothing for some seconds counts as ended;
    //! negative: it never does.
    void set_patience(double seconds) { d_patience = seconds; }
    //! A failure that peek() took for the end, in one line; empty if there was none.
    std::string problem() const { return d_error == 0 ? "" : reading_failed(d_error); }

private:
    std::size_t read_file(unsigned char* to, std::size_t bytes);
    std::size_t try_read(unsigned char* to, std::size_t bytes);
    std::string reading_failed(int error) const;
    [[noreturn]] void fail(int error) const;

    std::string d_name;
    file_descriptor d_file;
    bool d_stream = false;
    double d_patience = -1;
    int d_error = 0; // of a stream that was read ahead, or of a file that was looked at
    std::uint64_t d_begin = 0;    // where the reading began in a file
    std::uint64_t d_size = 0;     // of a file, counted from there
    std::uint64_t d_position = 0; // counted from there
    // Bytes of a stream that were read ahead.
    std::vector<unsigned char> d_ahead;
    std::size_t d_ahead_begin = 0;
};

} // namespace cldsp::app
