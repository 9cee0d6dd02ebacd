// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows how far a run has come, on a terminal or in a log.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cldsp::app {

/*!
 * Shows the progress of a run on the standard error: a bar for a file, a status line for
 * a stream. On a terminal the line is updated several times a second; elsewhere a new
 * line is printed each second.
 */
class progress_line
{
public:
    //! \param rate of the input in Hz
    //! \param items of the input, if known
    //! \param shown whether there is anything to be seen
    progress_line(double rate, const std::optional<std::uint64_t>& items, bool shown);
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;

    //! Shows a text for the work before the first item, such as planning.
    void note(const std::string& text);
    //! The first item comes now.
    void begin() { d_begin = d_last = clock::now(); }
    //! Shows the progress. \param remark a text for the end of the line; may be empty
    void show(std::uint64_t items, const std::string& remark);
    //! Removes the line from a terminal.
    void end();

private:
    using clock = std::chrono::steady_clock;

    void print(const std::string& text);

    double d_rate;
    std::optional<std::uint64_t> d_items;
    bool d_shown, d_terminal;
    bool d_has_line = false;
    clock::time_point d_begin = clock::now(), d_last = d_begin;
};

//! Whether the standard error is a terminal.
bool has_terminal();

} // namespace cldsp::app
