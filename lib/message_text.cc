// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes only the part of a message that the line has room for.

#include "message_text.h"
#include <algorithm>

namespace gr {
namespace cldsp {

namespace {

constexpr std::size_t max_characters = 100;
constexpr int max_depth = 4;
constexpr const char* left_out = "...";

//! Writes a message as pmt::write_string() does, until the line is full.
class message_writer
{
public:
    void write(const pmt::pmt_t& value, int depth = 0)
    {
        if (full())
            return;
        if (!value)
            add("None");
        else if (pmt::is_symbol(value))
            add(beginning_of(pmt::symbol_to_string(value)));
        else if (pmt::is_bool(value) || pmt::is_number(value) || pmt::is_null(value))
            add(pmt::write_string(value));
        else if (pmt::is_uniform_vector(value))
            add("#[" + std::to_string(pmt::length(value)) + " values]");
        else if (depth == max_depth)
            add(left_out);
        else if (pmt::is_pair(value))
            write_list(value, depth + 1);
        else if (pmt::is_vector(value))
            write_items("#(", value, ")", pmt::vector_ref, depth + 1);
        else if (pmt::is_tuple(value))
            write_items("{", value, "}", pmt::tuple_ref, depth + 1);
        else
            add("#<unknown>");
    }

    std::string text() const { return beginning_of(d_text, max_characters); }

private:
    bool full() const { return d_text.size() > max_characters; }
    void add(const std::string& text) { d_text += text; }

    void write_list(const pmt::pmt_t& list, int depth)
    {
        add("(");
        write(pmt::car(list), depth);
        pmt::pmt_t rest = pmt::cdr(list);
        for (; rest && pmt::is_pair(rest) && !full(); rest = pmt::cdr(rest)) {
            add(" ");
            write(pmt::car(rest), depth);
        }
        if (!rest || !pmt::is_null(rest)) {
            add(" . ");
            write(rest, depth);
        }
        add(")");
    }

    template <class REF>
    void write_items(const char* begin,
                     const pmt::pmt_t& items,
                     const char* end,
                     const REF& item,
                     int depth)
    {
        add(begin);
        const std::size_t count = pmt::length(items);
        for (std::size_t i = 0; i < count && !full(); i++) {
            add(i ? " " : "");
            write(item(items, i), depth);
        }
        add(end);
    }

    std::string d_text;
};

} // namespace

std::string message_text(const pmt::pmt_t& message)
{
    message_writer writer;
    writer.write(message);
    return writer.text();
}

std::string beginning_of(const std::string& text, std::size_t most)
{
    std::size_t size = std::min(text.size(), most);
    // The cut must not divide a UTF-8 character.
    while (size > 0 && size < text.size() &&
           (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
        size--;
    std::string shown = text.substr(0, size);
    // Line breaks and terminal control sequences could forge other lines of a log.
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    std::replace_if(shown.begin(), shown.end(), is_control, ' ');
    return size < text.size() ? shown + left_out : shown;
}

} // namespace cldsp
} // namespace gr
