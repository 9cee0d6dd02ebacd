// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Remembers what a log has told, so that sixty equal filters tell it once.

#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace cldsp {

/*!
 * The lines that a log has told, of which the newest are remembered. All engines of a
 * context_registry share them, whatever their blocks are named. Any thread may use it.
 */
class told_lines
{
public:
    static constexpr std::size_t most = 64; //!< lines that are remembered

    //! Remembers a line. \return whether it is not among those that were told before
    bool is_new(const std::string& line);

private:
    std::mutex d_mutex;
    std::deque<std::string> d_lines; // the newest is the last one
};

} // namespace cldsp
