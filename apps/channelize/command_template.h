/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
    enum class quotes { none, in_single, in_double };

    std::string text;
    std::string key; //!< of the place; empty: there is none
    quotes where = quotes::none;
    bool may_be_code = false; //!< in text that another program may read as code
    bool begins_word = false; //!< of a program's arguments
};

/*!
 * A command of the shell with places such as {name} and {rate}.
 *
 * The name never becomes a part of the text that a shell reads. The shell gets it in the
 * variable CLDSP_NAME, and {name} becomes a reference to that variable in the quotes that
 * fit the place: a shell does not read the value of a variable as code, and so this holds
 * even where the quotes were misjudged. The other places are numbers and names of types,
 * which are put into the text.
 *
 * A name that reaches another program may still be read as code there, as in
 * sh -c "cat > {name}". Where the command looks like that, only names without special
 * characters are taken, and {name} may not be the first word of such a program.
 *
 * Braces with other contents stay as they are, as does ${name}. {{name}} becomes {name}.
 */
class command_template
{
public:
    //! \throws std::invalid_argument if there is a {name} where no name can be safe
    explicit command_template(const std::string& text);

    //! \throws std::invalid_argument if the name is not safe at one of its places
    void check_name(const std::string& name) const;
    //! The text for the shell.
    std::string text(const command_values& channel) const;
    //! The variables that the shell needs beside the text.
    static std::vector<command_variable> variables(const command_values& channel);
    //! Words in braces that look like places but are none, such as "{speed}".
    const std::vector<std::string>& other_words() const { return d_other_words; }

private:
    std::vector<command_part> d_parts;
    std::vector<std::string> d_other_words;
};

} // namespace cldsp::app
