// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The places of a shell command, and where in the shell's grammar they stand.

#include "channelize/command_template.h"

#include "channelize/utf8.h"

#include <cldsp/errors.h>

#include <string_view>
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace cldsp::app {

namespace {

using quotes = command_part::quotes;

bool has(std::string_view characters, char c)
{
    return characters.find(c) != std::string_view::npos;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
//! Whether a character may stand in the name of a variable of the shell.
bool is_of_variable(char c)
{
    return is_digit(c) || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

//! Whether a character beyond ASCII is one of a script, and no sign or blank.
bool is_of_script(char32_t code)
{
    return (code >= 0xc0 && code < 0x2000) || (code >= 0x2c00 && code < 0x3000) ||
           (code >= 0x3040 && code < 0xe000) || (code >= 0xf900 && code < 0xfe00) ||
           (code >= 0x10000 && code < 0xe0000);
}

//! Whether a name means nothing to any program that reads it within a text.
bool is_plain_name(const std::string& name)
{
    for (std::size_t at = 0; at < name.size();) {
        const auto c = character_at(name, at);
        const bool in_word = at > 0 && name[at - 1] != ' ';
        const bool is_plain = c.code < 0x80 ? is_of_variable(name[at]) ||
                                                  (name[at] == ' ' && at > 0) ||
                                                  (has(".-", name[at]) && in_word)
                                            : c.is_utf8 && is_of_script(c.code);
        if (!is_plain)
            return false;
        at += c.size;
    }
    return true;
}

/*!
 * Reads a command as a shell does, as far as the places need it: quotes, words, and
 * redirections. Behind anything else, such as $(...), the quotes are unknown.
 */
class command_scanner
{
public:
    explicit command_scanner(const std::string& text) : d_text(text) {}

    std::vector<command_part> parts;
    std::vector<std::string> other_words;

    void scan()
    {
        while (d_at < d_text.size())
            if (d_text[d_at] != '{' || !place())
                step(d_text[d_at]);
        if (d_where == quotes::in_single || d_where == quotes::in_double)
            throw_invalid("--exec",
                          std::string("a command with an open ") +
                              (d_where == quotes::in_single ? "'" : "\""),
                          "closed by another");
        parts.push_back({ std::exchange(d_kept, ""), "" });
    }

private:
    char ahead(std::size_t count) const
    {
        return d_at + count < d_text.size() ? d_text[d_at + count] : '\0';
    }
    //! Keeps the next characters as they are.
    void keep(std::size_t count)
    {
        d_kept.append(d_text, d_at, count);
        d_at = std::min(d_text.size(), d_at + count);
    }

    void step(char c)
    {
        if (d_where == quotes::in_single) {
            if (c == '\'')
                d_where = quotes::none;
            else
                d_word += c;
            keep(1);
        } else if (c == '\\') {
            // An operator may continue in the next line.
            if (ahead(1) != '\n')
                extend(ahead(1));
            else if (d_at > 0 && has("$(<>", d_text[d_at - 1]))
                leave(0, false);
            keep(2);
        } else if (d_where == quotes::unknown) {
            d_first = d_first && has(" \t\n", c);
            keep(1);
        } else if (c == '$') {
            dollar();
        } else if (c == '`') {
            leave(1, true);
        } else if (d_where == quotes::in_double) {
            if (c == '"')
                d_where = quotes::none;
            else
                d_word += c;
            keep(1);
        } else {
            unquoted_step(c);
        }
    }

    void unquoted_step(char c)
    {
        const bool is_inner = d_begun && d_word != "[";
        if (c == '\'' || c == '"') {
            d_where = c == '"' ? quotes::in_double : quotes::in_single;
            d_begun = true;
            keep(1);
        } else if (c == '<' || c == '>') {
            redirection(c);
        } else if (has(" \t", c)) {
            end_word();
            keep(1);
        } else if ((c == '(' && (d_begun || ahead(1) == '(')) || (c == '#' && !d_begun) ||
                   (c == '[' && (is_inner || !has("[ \t", ahead(1))))) {
            // Arithmetic, in which > is no redirection, may also be in a[...] and
            // a=([...]=...).
            leave(1, false);
        } else if (has("\n;&|()", c)) {
            end_word();
            d_target = false;
            d_first = true;
            keep(1);
        } else {
            extend(c);
            keep(1);
        }
    }

    //! Keeps some characters behind which the quotes are unknown.
    void leave(std::size_t count, bool begins_command)
    {
        keep(count);
        d_where = quotes::unknown;
        d_target = false;
        d_first = begins_command;
        d_word.clear();
    }

    void dollar()
    {
        const char next = ahead(1);
        std::size_t end = d_at + (next == '{' ? 2 : 1);
        while (end < d_text.size() && is_of_variable(d_text[end]))
            end++;
        const bool is_closed = end < d_text.size() && d_text[end] == '}';
        if (next == '(')
            leave(2, ahead(2) != '(');
        else if (next == '[' || (next == '\'' && d_where == quotes::none) ||
                 (next == '{' && !is_closed))
            leave(2, false);
        else if (has("$?!#*@-", next))
            keep(2); // as in $$, behind which {name} is a place
        else
            keep(end + (next == '{' ? 1 : 0) - d_at);
        d_begun = true;
    }

    void redirection(char c)
    {
        // A number directly before it is that of a file, and no word.
        if (std::all_of(d_word.begin(), d_word.end(), is_digit))
            d_begun = false;
        end_word();
        const char next = ahead(1);
        if (next == '(' || (c == '<' && next == '<')) {
            leave(2, next == '(');
            return;
        }
        d_target = next != '&';
        keep(has("<>&|", next) ? 2 : 1);
    }

    void extend(char c)
    {
        d_begun = true;
        d_word += c;
    }

    void end_word()
    {
        // The words of the grammar that a command follows.
        static const std::set<std::string> before_commands = { "if",     "then",  "elif",
                                                               "else",   "while", "until",
                                                               "do",     "!",     "{",
                                                               "coproc", "time" };
        const auto equals = std::min(d_word.find('='), d_word.size() - 1);
        const bool is_assignment =
            !d_word.empty() && d_word[equals] == '=' &&
            std::all_of(d_word.begin(),
                        d_word.begin() + static_cast<std::ptrdiff_t>(equals),
                        is_of_variable);
        if (d_begun && !d_target)
            d_first = d_first && (is_assignment || before_commands.count(d_word) != 0);
        d_target = d_target && !d_begun;
        d_begun = false;
        d_word.clear();
    }

    //! A place, or an escaped one, at the next character, which is {. \return whether
    //! there is one
    bool place()
    {
        if (is_variable())
            return false;
        const bool doubled = ahead(1) == '{';
        const std::size_t begin = d_at + (doubled ? 2 : 1);
        for (const std::string key :
             { "name", "rate", "frequency", "bandwidth", "type", "index" }) {
            const auto text = key + (doubled ? "}}" : "}");
            if (d_text.compare(begin, text.size(), text) != 0)
                continue;
            d_at_place = d_at;
            d_at = begin + text.size();
            if (doubled)
                d_kept += "{" + key + "}";
            else
                add_place(key);
            extend('x');
            d_first = d_first && d_where != quotes::unknown;
            return true;
        }
        note_other_word();
        return false;
    }

    //! Whether the next character, which is {, belongs to ${ in this shell, or in another
    //! one for which the text is. The shell's $$ is a number.
    bool is_variable() const
    {
        std::size_t dollar = d_at;
        while (dollar > 0 && d_text[dollar - 1] == '$')
            dollar--;
        std::size_t slash = dollar;
        while (slash > 0 && d_text[slash - 1] == '\\')
            slash--;
        return dollar != d_at && (d_where == quotes::in_single ||
                                  (dollar - slash) % 2 != 0 || (d_at - dollar) % 2 != 0);
    }

    void add_place(const std::string& key)
    {
        if (key == "name" && d_first && !d_target && d_word.empty())
            throw_invalid("--exec",
                          "{name} as a command",
                          "an argument or the target of a redirection there; "
                          "\"$CLDSP_NAME\" is the name as well, and {{name}} is {name} "
                          "itself");
        if (key == "name" && extends_variable())
            throw_invalid("--exec",
                          "{name} directly behind a variable, whose name it would extend",
                          "behind ${...} or something else");
        if (key == "name" && is_in_document())
            throw_invalid("--exec",
                          "{name} behind <<, where it may be the word that ends the text",
                          "before <<; behind it, $CLDSP_NAME is the name");
        if (key == "name" && extends_escape())
            throw_invalid("--exec",
                          "{name} directly behind a backslash, with which it would be a "
                          "character's number",
                          "behind something else");
        parts.push_back({ std::exchange(d_kept, ""), key, d_where, d_target });
    }

    //! Whether the place may be in a here-document.
    bool is_in_document() const
    {
        return d_where == quotes::unknown && d_text.find("<<") < d_at_place;
    }

    //! Whether a program such as echo may read the text that ends here, and the digits of
    //! a name, as a character: \101, \x41.
    bool extends_escape() const
    {
        std::size_t begin = d_at_place;
        while (begin > 0 && std::isxdigit(static_cast<unsigned char>(d_text[begin - 1])))
            begin--;
        if (begin > 0 && has("xuU", d_text[begin - 1]))
            begin--;
        return begin > 0 && d_text[begin - 1] == '\\';
    }

    //! Whether the text that a shell reads here, or another one for which it is, ends in
    //! a variable such as $X.
    bool extends_variable() const
    {
        std::size_t begin = d_at_place;
        while (begin > 0 && is_of_variable(d_text[begin - 1]))
            begin--;
        const bool is_found = begin > 0 && begin < d_at_place &&
                              d_text[begin - 1] == '$' && !is_digit(d_text[begin]);
        const bool is_read_again = d_where == quotes::in_single ||
                                   d_where == quotes::unknown ||
                                   (begin > 1 && d_text[begin - 2] == '\\');
        return is_found && is_read_again;
    }

    //! A word in braces, such as {speed}, that may be meant as a place.
    void note_other_word()
    {
        if (d_where == quotes::in_single || d_where == quotes::unknown)
            return;
        std::size_t end = d_at + 1;
        while (end < d_text.size() && d_text[end] >= 'a' && d_text[end] <= 'z')
            end++;
        constexpr std::size_t max_word = 20;
        const auto word = d_text.substr(d_at, std::min(end + 1 - d_at, max_word));
        if (end > d_at + 1 && word.back() == '}')
            other_words.push_back(word);
    }

    const std::string& d_text;
    std::size_t d_at = 0, d_at_place = 0;
    std::string d_kept; // text since the last place
    quotes d_where = quotes::none;
    bool d_first = true;   // no word of the command has ended
    bool d_target = false; // from a redirection on to the end of the word behind it
    bool d_begun = false;  // in a word
    std::string d_word;    // without quotes and variables; places are an x
};

} // namespace

command_template::command_template(const std::string& text)
{
    command_scanner scanner(text);
    scanner.scan();
    d_parts = std::move(scanner.parts);
    d_other_words = std::move(scanner.other_words);
}

void command_template::check_name(const std::string& name) const
{
    for (const auto& each : d_parts) {
        if (each.key != "name" || each.is_target)
            continue;
        const bool no_blanks = each.where == quotes::unknown;
        if (!is_plain_name(name) || (no_blanks && has(name, ' ')))
            throw_invalid(
                "name",
                "'" + name + "'",
                std::string("of letters, digits, _ . - ") +
                    (no_blanks ? "without blanks" : "and blanks") +
                    " at a place of {name} in --exec, where a program may read others as "
                    "code; any name is taken in the target of a redirection, as in > "
                    "{name}.raw, and from the variable, as in decoder --log "
                    "\"$CLDSP_NAME.txt\"");
    }
}

std::string command_template::text(const command_values& channel) const
{
    const auto name = [&](quotes where) -> std::string {
        switch (where) {
        case quotes::none:
            return "\"${CLDSP_NAME}\"";
        case quotes::in_single:
            return "'\"${CLDSP_NAME}\"'";
        case quotes::in_double:
            return "${CLDSP_NAME}";
        default:
            return channel.name; // a plain one
        }
    };
    std::string all;
    for (const auto& each : d_parts) {
        all += each.text;
        if (each.key == "name")
            all += name(each.where);
        else if (each.key == "rate")
            all += channel.rate;
        else if (each.key == "frequency")
            all += channel.frequency;
        else if (each.key == "bandwidth")
            all += channel.bandwidth;
        else if (each.key == "type")
            all += channel.type;
        else if (each.key == "index")
            all += std::to_string(channel.index);
    }
    return all;
}

std::string command_template::first_word() const
{
    const auto& text = d_parts.front().text;
    const char* const blanks = " \t\n";
    const auto begin = std::min(text.find_first_not_of(blanks), text.size());
    const auto end = std::find_if_not(
        text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || has("_./+-@", c);
        });
    const std::string word(text.begin() + static_cast<std::ptrdiff_t>(begin), end);
    // Something else, such as a quote or an assignment, may continue the word; a place
    // does.
    if (end == text.end() ? !d_parts.front().key.empty() : !has(" \t\n;|&<>", *end))
        return "";
    const auto next = text.find_first_not_of(blanks, begin + word.size());
    const bool is_function = next != std::string::npos && text[next] == '(';
    // A number before a redirection is that of a file.
    const bool is_number = std::all_of(
        word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
    return is_function || is_number ? "" : word;
}

std::vector<command_variable> command_template::variables(const command_values& channel)
{
    return { { "CLDSP_NAME", channel.name },
             { "CLDSP_RATE", channel.rate },
             { "CLDSP_FREQUENCY", channel.frequency },
             { "CLDSP_BANDWIDTH", channel.bandwidth },
             { "CLDSP_TYPE", channel.type },
             { "CLDSP_INDEX", std::to_string(channel.index) } };
}

} // namespace cldsp::app
