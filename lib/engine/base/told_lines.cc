// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Looks for a line among the newest ones.

#include <cldsp/told_lines.h>

#include <algorithm>

namespace cldsp {

bool told_lines::is_new(const std::string& line)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    if (std::find(d_lines.begin(), d_lines.end(), line) != d_lines.end())
        return false;
    d_lines.push_back(line);
    if (d_lines.size() > most)
        d_lines.pop_front();
    return true;
}

} // namespace cldsp
