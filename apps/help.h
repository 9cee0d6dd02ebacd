// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The form of the help of all subcommands.

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace cldsp::app {

/*!
 * Writes the help: options under the headings of their groups, in the order in which they
 * were added, and those of the usual group last, all within the width of a terminal.
 * Completions read it: an option is the first word of a line behind two blanks, what it
 * takes follows behind one blank, in capitals or as a list in braces, and what it does
 * behind two or more.
 */
class help_format final : public CLI::FormatterBase
{
public:
    std::string make_help(const CLI::App* app,
                          std::string name,
                          CLI::AppFormatMode mode) const override;
};

//! The text in lines of at most 80 characters, unless a word is longer.
//! \param begun the number of characters that stand in its first line before it
//! \param indent the number of blanks before each further line
std::string wrapped(const std::string& text, std::size_t begun, std::size_t indent);

} // namespace cldsp::app
