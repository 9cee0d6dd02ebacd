// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tables, numbers and progress as text for a person.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! Columns of text for a person; the first row is the heading.
class table
{
public:
    explicit table(std::vector<std::string> heading) { add(std::move(heading)); }
    void add(std::vector<std::string> row) { d_rows.push_back(std::move(row)); }
    //! The table as plain text: numbers aligned to the right, words to the left.
    std::string text() const;
    //! The same as a table in Markdown.
    std::string markdown() const;

private:
    std::vector<std::vector<std::string>> d_rows;
};

//! \p value with \p digits significant digits, never in exponent notation.
std::string number(double value, int digits = 3);
//! The number in a text such as "8340", "64k" (65536) or "1M" (1048576).
//! \throws std::invalid_argument that names \p parameter
std::size_t parse_items(const std::string& text, const std::string& parameter);
//! A number of items as text, such as "1M", "64k" or "8340".
std::string items_text(std::size_t items);

//! Each of the names once, with commas between them.
std::string distinct(const std::vector<std::string>& names);

//! A function called before each step, with the number of steps done, the number of all
//! steps, and the name of the next step.
using progress = std::function<void(std::size_t, std::size_t, const std::string&)>;

//! Shows the progress of a run; on a terminal only.
progress terminal_progress(const std::string& what);
//! Erases the line that the progress has printed.
void end_progress();

} // namespace cldsp::bench
