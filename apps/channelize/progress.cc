// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Draws the bar of a file or the status line of a stream.

#include "channelize/progress.h"

#include "output.h"

#include "common/text.h"

#include <unistd.h>
#include <algorithm>
#include <iostream>
#include <string>

namespace cldsp::app {

namespace {

constexpr double terminal_interval = 0.2, other_interval = 1; // seconds

std::string bar(double part)
{
    constexpr std::size_t width = 20;
    const auto done = static_cast<std::size_t>(part * width);
    return "[" + std::string(done, '#') + std::string(width - done, '.') + "] " +
           std::to_string(static_cast<int>(100 * part)) + "%, ";
}

//! The standard error's own stream would make the characters printable.
void clear_line()
{
    constexpr char codes[] = "\r\033[K";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, codes, sizeof codes - 1);
}

} // namespace

bool has_terminal() { return isatty(STDERR_FILENO) != 0; }

progress_line::progress_line(double rate,
                             const std::optional<std::uint64_t>& items,
                             bool shown)
    : d_rate(rate), d_items(items), d_shown(shown), d_terminal(has_terminal())
{
}

progress_line::~progress_line() { end(); }

void progress_line::show(std::uint64_t items, const std::string& remark)
{
    if (!d_shown)
        return;
    const auto now = clock::now();
    const std::chrono::duration<double> since_last = now - d_last, all = now - d_begin;
    if (since_last.count() < (d_terminal ? terminal_interval : other_interval))
        return;
    d_last = now;
    const double done = static_cast<double>(items);
    const double rate = done / all.count();
    std::string line;
    if (d_items && *d_items > 0)
        line = bar(std::min(1.0, done / static_cast<double>(*d_items)));
    else
        line = bench::number(done / d_rate) + " s of signal, ";
    line += quantity_text(rate, "S/s") + ", " + bench::number(rate / d_rate) +
            " times real time";
    if (d_items && static_cast<double>(*d_items) > done && rate > 0)
        line += ", " + bench::number((static_cast<double>(*d_items) - done) / rate, 2) +
                " s left";
    print(remark.empty() ? line : line + ", " + remark);
}

void progress_line::note(const std::string& text)
{
    if (d_shown)
        print(text);
}

void progress_line::print(const std::string& text)
{
    d_has_line = d_terminal;
    if (d_terminal)
        clear_line();
    std::cerr << (d_terminal ? text : "cldsp: " + text + "\n") << std::flush;
}

void progress_line::end()
{
    if (d_has_line)
        clear_line();
    d_has_line = false;
}

} // namespace cldsp::app
