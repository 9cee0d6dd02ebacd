// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A shell command with places for the properties of a channel.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cldsp::app {

//! The properties of a channel for which a command has places.
struct command_values {
    std::string
        name; //!< any text: it may come from a list that somebody else has written
    std::string rate, frequency, bandwidth; //!< numbers
    std::string type;                       //!< the name of a type
    std::size_t index = 0;
};

//! A variable of the environment.
struct command_variable {
    std::string name, value;
};

//! A part of a command: a text that stays as it is, and the place behind it.
struct command_part {
    enum class quotes { none, in_single, in_double, unknown };

    std::string text;
    std::string key; //!< of the place; empty: there is none
    quotes where = quotes::none;
    bool is_target = false; //!< in the target of a redirection
};

/*!
 * A command of the shell with places such as {name} and {rate}.
 *
 * The shell gets the name in the variable CLDSP_NAME, and {name} becomes a reference to
 * that variable in the quotes that fit the place: a shell does not read the value of a
 * variable as code. But most programs have some syntax in which an argument can be code.
 * Any name is therefore taken only as the target of a redirection, which no program gets.
 * Everywhere else, only plain names are taken, which mean nothing to any program; where
 * the quotes are not known, they are put into the text. The other places are numbers and
 * names of types, which are always put into the text.
 *
 * Braces with other contents stay as they are, as does ${name}. {{name}} becomes {name}.
 */
class command_template
{
public:
    //! \throws std::invalid_argument if a quote is open, or {name} is a command
    explicit command_template(const std::string& text);

    //! \throws std::invalid_argument if the name is not taken at one of its places
    void check_name(const std::string& name) const;
    //! The text for the shell.
    std::string text(const command_values& channel) const;
    //! The variables that the shell needs beside the text.
    static std::vector<command_variable> variables(const command_values& channel);
    //! The first word, if it is that of a program, a path or a command of the shell, and
    //! stands there as it is; empty: it is an assignment, in quotes, or something else.
    std::string first_word() const;
    //! Words in braces that look like places but are none, such as "{speed}".
    const std::vector<std::string>& other_words() const { return d_other_words; }

private:
    std::vector<command_part> d_parts;
    std::vector<std::string> d_other_words;
};

} // namespace cldsp::app
