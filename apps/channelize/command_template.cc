/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The places of a shell command, and where in the shell's grammar they stand.

#include "channelize/command_template.h"

#include <cldsp/errors.h>

#include <string_view>
#include <algorithm>
#include <set>
#include <utility>

namespace cldsp::app {

namespace {

constexpr const char* keys[] = {
    "name", "rate", "frequency", "bandwidth", "type", "index"
};
constexpr const char* name_reference = "${CLDSP_NAME}";

bool is_letter(unsigned char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }
bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
//! Letters of other scripts are bytes above 127.
bool is_harmless(unsigned char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c > 127;
}
bool has(std::string_view characters, char c)
{
    return characters.find(c) != std::string_view::npos;
}

//! Whether a name means nothing to any program that reads it within a text.
bool is_plain_name(const std::string& name)
{
    for (std::size_t i = 0; i < name.size(); i++) {
        const bool in_word = i > 0 && name[i - 1] != ' ';
        if (!is_harmless(static_cast<unsigned char>(name[i])) && name[i] != ' ' &&
            !(name[i] == '-' && in_word))
            return false;
    }
    return true;
}

//! Whether a word is a value, such as the name of a file, rather than a program's text.
bool is_plain_value(const std::string& word)
{
    return std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return is_harmless(c) || has("-/,:@+%=~", static_cast<char>(c));
    });
}

//! Words of the shell that another command follows.
bool is_before_command(const std::string& word)
{
    static const std::set<std::string> words = {
        "if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"
    };
    return words.count(word) != 0;
}

//! Programs that run the command in their arguments.
bool is_wrapper(const std::string& word)
{
    static const std::set<std::string> words = {
        "command", "builtin", "exec",    "env",     "sudo",   "doas",
        "nice",    "ionice",  "nohup",   "timeout", "stdbuf", "setsid",
        "taskset", "chrt",    "busybox", "unshare", "chroot", "systemd-run",
        "strace",  "coproc",  "docker",  "podman"
    };
    return words.count(word) != 0;
}

enum class reader {
    none,
    joined,  //!< the arguments together are a command, perhaps behind a host: eval, ssh
    words,   //!< every argument may be code: sed, or read in bash, which evaluates names
    program, //!< the first argument that is no option is code: awk
    script   //!< the first argument that is no option names a script or is one: sh
};

reader reader_of(const std::string& word)
{
    static const std::set<std::string> joined = { "eval",     "ssh",   "su",     "xargs",
                                                  "parallel", "watch", "trap",   "at",
                                                  "batch",    "alias", "script", "tmux",
                                                  "screen" };
    static const std::set<std::string> words = {
        "let",       "declare", "typeset", "local", "unset", "read", "mapfile",
        "readarray", "[[",      "getopts", "sed",   "gsed",  "find", "fd",
        "make",      "vim",     "vi",      "ed",    "ex"
    };
    static const std::set<std::string> programs = { "awk", "gawk", "mawk", "nawk",
                                                    "jq",  "bc",   "m4",   "gnuplot" };
    static const std::set<std::string> scripts = {
        "sh",   "bash", "dash", "ash",   "ksh",    "mksh",   "zsh",
        "fish", "csh",  "tcsh", ".",     "source", "perl",   "ruby",
        "node", "php",  "lua",  "tclsh", "expect", "octave", "Rscript"
    };
    if (joined.count(word))
        return reader::joined;
    if (words.count(word))
        return reader::words;
    if (programs.count(word))
        return reader::program;
    if (scripts.count(word) || word.compare(0, 6, "python") == 0)
        return reader::script;
    return reader::none;
}

//! Whether the next argument of any program may be code.
bool is_code_option(const std::string& word)
{
    if (word.size() < 2 || word[0] != '-')
        return false;
    constexpr std::size_t longest = 4; // such as -lne of perl
    if (word[1] != '-')
        return word.size() <= longest && has("ceE", word.back());
    return word == "--command" || word == "--eval" || word == "--exec" ||
           word == "--execute" || word == "--expression";
}

//! Whether an argument says itself that a command follows, such as --exec=... or SYSTEM:
bool names_a_command(std::string word)
{
    for (auto& c : word)
        c = is_letter(static_cast<unsigned char>(c)) ? static_cast<char>(c | 0x20) : c;
    const auto is_in = [&](const char* text) {
        return word.find(text) != std::string::npos;
    };
    return (word[0] == '-' && (is_in("exec") || is_in("eval") || is_in("command"))) ||
           is_in("exec:") || is_in("system:") || is_in("shell:") || is_in("exec=");
}

[[noreturn]] void refuse(const std::string& where)
{
    throw_invalid(
        "--exec",
        "{name} " + where,
        "an argument of a program or the name of a file, in no quotes or in "
        "'...' or \"...\"; elsewhere \"$CLDSP_NAME\" has the name, and {{name}} "
        "is {name} itself");
}

/*!
 * Reads a command as a shell does, as far as the places need it. What is nested is kept
 * in a list, so that the depth of a text does not matter.
 */
class command_scanner
{
public:
    explicit command_scanner(const std::string& text) : d_text(text)
    {
        d_frames.emplace_back(frame_kind::commands, false);
    }

    std::vector<command_part> parts;
    std::vector<std::string> other_words;

    void scan()
    {
        while (d_at < d_text.size())
            step();
        while (d_frames.size() > 1) {
            if (top().kind == frame_kind::double_quotes && !d_left)
                fail_open("\"");
            if (top().kind == frame_kind::commands)
                end_command();
            d_frames.pop_back();
        }
        end_command();
        flush("");
    }

private:
    using quotes = command_part::quotes;

    enum class frame_kind { commands, double_quotes, expansion, arithmetic };
    //! A command as far as it was read.
    struct simple_command {
        bool begun = false;   // a word that is no assignment was there
        bool wrapped = false; // the first word only starts another command
        reader reads = reader::none;
        std::size_t operands = 0; // arguments that are no options, behind the reader
        std::string first, last;  // words
    };
    struct word_state {
        bool begun = false, is_target = false;
        std::string text; // without quotes; places and variables leave an x
        // The places in the word: the part, and the text before it.
        std::vector<std::pair<std::size_t, std::string>> places;
    };
    struct frame {
        frame(frame_kind kind, bool quoted) : kind(kind), in_double_quotes(quoted) {}
        frame_kind kind;
        bool in_double_quotes; // of an expansion, whose ' then is no quote
        std::size_t parentheses = 0, cases = 0;
        bool next_is_target = false;
        word_state word;
        simple_command command;
    };

    frame& top() { return d_frames.back(); }
    bool ahead(std::string_view what) const
    {
        return d_text.compare(d_at, what.size(), what) == 0;
    }
    //! Keeps the next characters as they are.
    void keep(std::size_t count)
    {
        d_kept.append(d_text, d_at, count);
        d_at = std::min(d_text.size(), d_at + count);
    }
    [[noreturn]] static void fail_open(const std::string& what)
    {
        throw_invalid("--exec", "a command with an open " + what, "closed by another");
    }

    void step()
    {
        const char c = d_text[d_at];
        if (c == '{' && place())
            return;
        if (top().kind == frame_kind::commands)
            command_step(c);
        else
            nested_step(c);
    }

    //! In double quotes, ${...} or $((...)).
    void nested_step(char c)
    {
        const auto kind = top().kind;
        if (c == '\\') {
            keep(2);
            extend("x");
        } else if (c == '$') {
            dollar();
        } else if (c == '`') {
            backticks();
        } else if (kind == frame_kind::double_quotes && c == '"') {
            keep(1);
            d_frames.pop_back();
        } else if (kind == frame_kind::expansion && c == '}') {
            keep(1);
            d_frames.pop_back();
        } else if (kind == frame_kind::arithmetic && c == ')' && top().parentheses == 0) {
            keep(ahead("))") ? 2 : 1);
            d_frames.pop_back();
        } else if (kind == frame_kind::expansion && c == '"') {
            open(frame_kind::double_quotes, 1);
        } else if (kind == frame_kind::expansion && c == '\'' &&
                   !top().in_double_quotes) {
            keep(1);
            while (d_at < d_text.size() && d_text[d_at] != '\'')
                if (d_text[d_at] != '{' || !place())
                    keep(1);
            keep(1);
        } else {
            if (kind == frame_kind::arithmetic && c == '(')
                top().parentheses++;
            if (kind == frame_kind::arithmetic && c == ')')
                top().parentheses--;
            if (kind == frame_kind::double_quotes)
                extend(std::string(1, c));
            keep(1);
        }
    }

    void command_step(char c)
    {
        auto& now = top();
        switch (c) {
        case '\\':
            if (d_at + 1 < d_text.size() && d_text[d_at + 1] != '\n')
                extend(std::string(1, d_text[d_at + 1]));
            keep(2);
            break;
        case '\'':
            single_quotes();
            break;
        case '"':
            extend("");
            open(frame_kind::double_quotes, 1);
            break;
        case '$':
            dollar();
            break;
        case '`':
            backticks();
            break;
        case '#':
            if (now.word.begun) {
                extend("#");
                keep(1);
                break;
            }
            keep(std::min(d_text.find('\n', d_at), d_text.size()) - d_at);
            break;
        case '<':
        case '>':
            redirection(c);
            break;
        case ' ':
        case '\t':
            end_word();
            keep(1);
            break;
        case '\n':
        case ';':
        case '&':
        case '|':
            // In >& and >| these belong to the redirection.
            end_command();
            keep(1);
            break;
        case '(':
            end_command();
            if (ahead("((")) {
                open(frame_kind::arithmetic, 2);
                break;
            }
            now.parentheses++;
            keep(1);
            break;
        case ')':
            end_command();
            keep(1);
            if (now.parentheses > 0)
                now.parentheses--;
            else if (now.cases == 0 && d_frames.size() > 1)
                d_frames.pop_back();
            break;
        default:
            extend(std::string(1, c));
            keep(1);
        }
    }

    void redirection(char c)
    {
        auto& now = top();
        // A number directly before it is that of a file, and no word.
        if (!std::all_of(now.word.text.begin(), now.word.text.end(), is_digit))
            end_word();
        now.word = {};
        if (c == '<' && ahead("<<") && !ahead("<<<")) {
            keep(2);
            // A here-document ends at a line of its own. Its text is not read any
            // further.
            d_opaque = "behind <<";
            take_rest();
            return;
        }
        if (d_at + 1 < d_text.size() && d_text[d_at + 1] == '(') { // <(...) of bash
            extend("x");
            open(frame_kind::commands, 2);
            return;
        }
        keep(1);
        while (d_at < d_text.size() && has("<>&|", d_text[d_at]))
            keep(1);
        now.next_is_target = true;
    }

    void single_quotes()
    {
        extend("");
        keep(1);
        d_quotes = quotes::in_single;
        while (d_at < d_text.size() && d_text[d_at] != '\'') {
            if (d_text[d_at] == '{' && (d_at == 0 || d_text[d_at - 1] != '$') && place())
                continue;
            extend(std::string(1, d_text[d_at]));
            keep(1);
        }
        d_quotes = quotes::none;
        if (d_at == d_text.size())
            fail_open("'");
        keep(1);
    }

    void dollar()
    {
        if (ahead("$'") && top().kind == frame_kind::commands) {
            // In bash it may have \', in other shells not.
            d_opaque = "behind $'";
            take_rest();
            return;
        }
        extend("x");
        if (ahead("$((")) {
            open(frame_kind::arithmetic, 3);
        } else if (ahead("$(")) {
            open(frame_kind::commands, 2);
        } else if (ahead("${")) {
            open(frame_kind::expansion, 2);
        } else {
            // As in $$, behind which {name} is a place.
            const char next = d_at + 1 < d_text.size() ? d_text[d_at + 1] : 'a';
            keep(has("$?!#*@-0123456789", next) ? 2 : 1);
        }
    }

    void open(frame_kind kind, std::size_t count)
    {
        keep(count);
        const bool quoted =
            top().kind == frame_kind::double_quotes ||
            (top().kind == frame_kind::expansion && top().in_double_quotes);
        d_frames.emplace_back(kind, quoted);
    }

    void backticks()
    {
        extend("x");
        keep(1);
        d_opaque = "in `...`";
        while (d_at < d_text.size() && d_text[d_at] != '`')
            if (d_text[d_at] == '\\')
                keep(2);
            else if (d_text[d_at] != '{' || !place())
                keep(1);
        d_opaque.clear();
        keep(1);
    }

    //! Looks only for places in the rest of the text, which may not be that of a name.
    void take_rest()
    {
        while (d_at < d_text.size())
            if (d_text[d_at] != '{' || !place())
                keep(1);
        d_opaque.clear();
        d_left = true;
    }

    //! A place, or an escaped one, at the next character, which is {. \return whether
    //! there is one
    bool place()
    {
        const bool doubled = ahead("{{");
        const std::size_t begin = d_at + (doubled ? 2 : 1);
        for (const std::string key : keys) {
            if (d_text.compare(begin, key.size() + 1, key + "}") != 0)
                continue;
            const std::size_t end = begin + key.size() + 1;
            if (doubled && (end == d_text.size() || d_text[end] != '}'))
                return false; // the second brace begins the place
            d_at = end + (doubled ? 1 : 0);
            if (doubled) {
                d_kept += "{" + key + "}";
                extend("x");
            } else {
                add_place(key);
            }
            return true;
        }
        note_other_word();
        return false;
    }

    void add_place(const std::string& key)
    {
        const bool is_name = key == "name";
        auto where = d_quotes;
        if (top().kind == frame_kind::double_quotes)
            where = quotes::in_double;
        if (is_name && !d_opaque.empty())
            refuse(d_opaque);
        if (is_name && top().kind == frame_kind::expansion)
            refuse("in ${...}");
        if (is_name && top().kind == frame_kind::arithmetic)
            refuse("in ((...))");
        parts.push_back({ std::exchange(d_kept, ""), key, where });
        if (!d_opaque.empty())
            return;
        if (auto* word = current_word()) {
            if (is_name)
                word->places.emplace_back(parts.size() - 1, word->text);
            extend("x");
        }
    }

    //! A word in braces, such as {speed}, that may be meant as a place.
    void note_other_word()
    {
        if (d_quotes != quotes::none || !d_opaque.empty())
            return;
        std::size_t end = d_at + 1;
        while (end < d_text.size() && d_text[end] >= 'a' && d_text[end] <= 'z')
            end++;
        constexpr std::size_t max_word = 20;
        const auto word = d_text.substr(d_at, std::min(end + 1 - d_at, max_word));
        if (end > d_at + 1 && word.back() == '}' && top().kind != frame_kind::expansion)
            other_words.push_back(word);
    }

    // Words

    //! The word of which the next character is a part; null in ${...} and $((...)).
    word_state* current_word()
    {
        for (auto each = d_frames.rbegin(); each != d_frames.rend(); ++each) {
            if (each->kind == frame_kind::commands)
                return &each->word;
            if (each->kind != frame_kind::double_quotes)
                return nullptr;
        }
        return nullptr;
    }
    void extend(const std::string& text)
    {
        auto* const word = current_word();
        if (!word)
            return;
        if (!word->begun)
            word->is_target = std::exchange(top_commands().next_is_target, false);
        word->begun = true;
        word->text += text;
    }
    frame& top_commands()
    {
        return *std::find_if(d_frames.rbegin(), d_frames.rend(), [](const frame& f) {
            return f.kind == frame_kind::commands;
        });
    }

    void end_word()
    {
        auto& now = top();
        if (!now.word.begun)
            return;
        const word_state word = std::exchange(now.word, {});
        if (word.is_target)
            return; // the name of a file
        auto& command = now.command;
        if (!command.begun) {
            const auto equals = word.text.find('=');
            const bool is_assignment =
                equals != std::string::npos && equals > 0 &&
                std::all_of(word.text.begin(),
                            word.text.begin() + static_cast<std::ptrdiff_t>(equals),
                            [](unsigned char c) {
                                return is_letter(c) || is_digit(c) || c == '_';
                            });
            refuse_at_start(word, "as the name of a command");
            if (is_assignment || is_before_command(word.text))
                return;
            now.cases += word.text == "case" ? 1 : 0;
            now.cases -= word.text == "esac" && now.cases > 0 ? 1 : 0;
        }
        judge(word, command);
        add_word(word.text, command);
    }

    static void refuse_at_start(const word_state& word, const char* where)
    {
        for (const auto& [index, before] : word.places)
            if (before.empty())
                refuse(where);
    }

    //! Finds out whether the places in an argument may be read as code.
    void judge(const word_state& word, const simple_command& command)
    {
        const auto& last = command.last;
        const bool is_option = word.text[0] == '-';
        bool is_code =
            command.reads == reader::joined || command.reads == reader::words ||
            (command.reads == reader::program && command.operands == 0 && last != "-v") ||
            (command.reads == reader::script && command.operands == 0 && !is_option);
        // The second argument of ssh begins a command.
        const bool is_late =
            command.reads == reader::joined && command.operands > 1 && !is_wrapper(last);
        if (is_code && command.reads != reader::words && !is_late)
            refuse_as_command(word);
        if (command.wrapped && command.reads == reader::none && command.operands == 0)
            refuse_at_start(word, "as the name of a command");
        const bool of_variable =
            last == "-v" && (command.first == "test" || command.first == "[" ||
                             command.first == "printf");
        is_code = is_code || is_code_option(last) || names_a_command(word.text) ||
                  of_variable || !is_plain_value(word.text);
        for (const auto& [index, before] : word.places) {
            auto& place = parts[index];
            place.may_be_code = is_code;
            place.begins_word = before.empty();
        }
    }

    //! Within a program, a name may not stand where a command begins.
    static void refuse_as_command(const word_state& word)
    {
        for (const auto& [index, before] : word.places) {
            const auto end = before.find_last_not_of(" \t");
            if (end == std::string::npos || has(";|&({!\n", before[end]))
                refuse("at the beginning of a command for another program");
            const auto blank = before.find_last_of(" \t\n;", end);
            const auto word_before =
                before.substr(blank == std::string::npos ? 0 : blank + 1,
                              end - (blank == std::string::npos ? 0 : blank + 1) + 1);
            if (end + 1 < before.size() &&
                (is_before_command(word_before) || is_wrapper(word_before)))
                refuse("behind '" + word_before + "' of a command for another program");
        }
    }

    static void add_word(const std::string& word, simple_command& command)
    {
        const auto name = word.substr(word.rfind('/') + 1);
        const bool is_number =
            !word.empty() && is_digit(static_cast<unsigned char>(word[0]));
        if (!command.begun || (command.wrapped && command.reads == reader::none)) {
            command.reads = reader_of(name.empty() ? word : name);
            if (!command.begun) {
                command.first = name;
                command.wrapped = is_wrapper(name);
            } else if (command.reads == reader::none && word[0] != '-' && !is_number &&
                       word.find('=') == std::string::npos) {
                command.operands++;
            }
            if (command.reads != reader::none)
                command.operands = 0;
        } else if (word[0] != '-' && command.last != "-v") {
            command.operands++;
        }
        command.begun = true;
        command.last = word;
    }

    void end_command()
    {
        end_word();
        top().command = {};
        top().next_is_target = false;
    }

    void flush(const std::string& key)
    {
        parts.push_back({ std::exchange(d_kept, ""), key });
    }

    const std::string& d_text;
    std::size_t d_at = 0;
    std::string d_kept;   // text since the last place
    std::string d_opaque; // why the text is not understood here; empty: it is
    bool d_left = false;  // a part of the text was not read
    quotes d_quotes = quotes::none;
    std::vector<frame> d_frames;
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
        if (each.key != "name")
            continue;
        if (each.may_be_code && !is_plain_name(name))
            throw_invalid("name",
                          "'" + name + "'",
                          "of letters, digits, blanks and _ . - where {name} of --exec "
                          "stands in text that another program may read as code; as an "
                          "argument of its own, or the name of a file, it may be any");
        // Some programs take these for options or commands, as sox does a |.
        if (each.begins_word && has("|<>+@!", name[0]))
            throw_invalid("name",
                          "'" + name + "'",
                          "without one of |<>+@! at its beginning where {name} of --exec "
                          "begins an argument");
    }
}

std::string command_template::text(const command_values& channel) const
{
    std::string all;
    for (const auto& each : d_parts) {
        all += each.text;
        if (each.key == "name")
            all += each.where == command_part::quotes::none
                       ? std::string("\"") + name_reference + "\""
                   : each.where == command_part::quotes::in_double
                       ? name_reference
                       : std::string("'\"") + name_reference + "\"'";
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
