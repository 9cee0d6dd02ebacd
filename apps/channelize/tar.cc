// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The headers of ustar, pax and GNU archives, with their long names and sizes.

#include "channelize/tar.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace cldsp::app {

namespace {

constexpr std::size_t block_bytes = 512;
using tar_block = std::array<unsigned char, block_bytes>;

//! A tar_field of the header. A number has spaces or a zero byte at its end; so may a
//! text.
struct tar_field {
    std::size_t at, bytes;
};
constexpr tar_field name_field{ 0, 100 }, size_field{ 124, 12 }, checksum_field{ 148, 8 },
    magic_field{ 257, 8 }, prefix_field{ 345, 155 };
constexpr std::size_t kind_at = 156;

std::string tar_text(const tar_block& head, const tar_field& of)
{
    const auto begin = head.begin() + of.at;
    return { begin, std::find(begin, begin + of.bytes, 0) };
}

//! \return empty if the tar_field has no number
std::optional<std::uint64_t> tar_number(const tar_block& head, const tar_field& of)
{
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t value = 0;
    if (head[of.at] == 0x80) {
        // A number that is too large for octal digits, with the high byte first.
        for (std::size_t i = 1; i < of.bytes; i++) {
            if (value > most >> 8)
                return std::nullopt;
            value = value << 8 | head[of.at + i];
        }
        return value;
    }
    std::size_t digits = 0;
    for (std::size_t i = 0; i < of.bytes; i++) {
        const unsigned char c = head[of.at + i];
        if (c >= '0' && c <= '7') {
            value = value << 3 | (c - '0');
            digits++;
        } else if (digits > 0 && (c == ' ' || c == 0)) {
            break;
        } else if (c != ' ') {
            return std::nullopt;
        }
    }
    return digits > 0 ? std::optional(value) : std::nullopt;
}

//! The sum of all bytes, for which those of the checksum count as spaces.
std::uint64_t tar_checksum(const tar_block& head)
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < head.size(); i++) {
        const bool own =
            i >= checksum_field.at && i < checksum_field.at + checksum_field.bytes;
        sum += own ? ' ' : head[i];
    }
    return sum;
}

std::string tar_name(const tar_block& head)
{
    const std::string name = tar_text(head, name_field);
    const bool has_prefix = tar_text(head, magic_field) == "ustar";
    const std::string prefix = has_prefix ? tar_text(head, prefix_field) : "";
    return prefix.empty() ? name : prefix + "/" + name;
}

//! What the header in front of a member replaces in the member's own.
struct tar_extension {
    std::string name;
    std::optional<std::uint64_t> size;
    bool is_sparse = false;
};

//! Reads the records of pax, which are "LENGTH KEY=VALUE" and end with a line's end.
//! \return whether they are whole
bool read_pax(const std::string& text, tar_extension& found)
{
    for (std::size_t at = 0; at < text.size();) {
        char* end = nullptr;
        const auto length = std::strtoull(text.c_str() + at, &end, 10);
        const auto key_at = static_cast<std::size_t>(end - text.c_str()) + 1;
        if (*end != ' ' || length > text.size() - at || at + length <= key_at)
            return false;
        const auto record = text.substr(key_at, at + length - key_at - 1);
        const auto equals = record.find('=');
        const std::string key = record.substr(0, equals);
        const std::string value = equals == record.npos ? "" : record.substr(equals + 1);
        if (key == "path")
            found.name = value;
        else if (key == "size")
            found.size =
                std::min<std::uint64_t>(std::strtoull(value.c_str(), nullptr, 10),
                                        std::numeric_limits<std::int64_t>::max());
        else if (key.rfind("GNU.sparse.", 0) == 0)
            found.is_sparse = true;
        at += length;
    }
    return true;
}

bool is_compressed(const tar_block& head)
{
    const std::string begin(head.begin(), head.begin() + 6);
    return begin.rfind("\x1f\x8b", 0) == 0 || begin.rfind("BZh", 0) == 0 ||
           begin.rfind("\xfd"
                       "7zXZ",
                       0) == 0 ||
           begin.rfind("\x28\xb5\x2f\xfd", 0) == 0 || begin.rfind("PK\x03\x04", 0) == 0;
}

} // namespace

void tar_reader::fail(const std::string& why) const
{
    throw std::runtime_error("'" + d_file.name() + "' " + why);
}

std::string tar_reader::contents(std::uint64_t size)
{
    constexpr std::uint64_t most = std::uint64_t(1) << 20;
    if (size > most)
        fail("is a damaged archive: a name in it has more than 1 MiB");
    std::string text(size, '\0');
    if (d_file.read(reinterpret_cast<unsigned char*>(&text[0]), text.size()) != size)
        fail("is truncated: the archive ends within a header");
    return text;
}

std::optional<tar_member> tar_reader::next()
{
    tar_extension more;
    while (true) {
        d_file.skip(d_next - std::min(d_next, d_file.position()));
        const bool is_first = d_next == 0;
        tar_block head = {};
        const std::size_t count = d_file.read(head.data(), head.size());
        const bool is_end =
            std::all_of(head.begin(), head.end(), [](auto byte) { return byte == 0; });
        if (is_first && (count < head.size() || is_end))
            fail("is no tar archive: it has no first header");
        if (count < head.size() || is_end)
            return std::nullopt;
        const auto said = tar_number(head, checksum_field);
        if (is_first && is_compressed(head))
            fail("is compressed: unpack it first, for example with gunzip or unzip");
        if (said != tar_checksum(head))
            fail(is_first ? "is no tar archive: its first header is damaged"
                          : "is a damaged archive: the header at byte " +
                                std::to_string(d_next) + " has a wrong checksum");
        const char kind = static_cast<char>(head[kind_at]);
        // Links, devices and folders have no contents, whatever size they have.
        const bool is_empty = kind >= '1' && kind <= '6';
        const auto own_size = tar_number(head, size_field);
        if (!is_empty && !own_size && !more.size)
            fail("is a damaged archive: a member has no size");
        const bool is_extension =
            kind == 'x' || kind == 'g' || kind == 'L' || kind == 'K';
        std::uint64_t size = is_empty ? 0 : own_size.value_or(0);
        if (more.size && !is_extension && !is_empty)
            size = *more.size;
        const std::uint64_t begin = d_next + block_bytes;
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 2;
        if (size > most - std::min(most, begin))
            fail("is a damaged archive: a member has " + std::to_string(size) + " bytes");
        d_next = begin + (size + block_bytes - 1) / block_bytes * block_bytes;

        if (kind == 'x') {
            if (!read_pax(contents(size), more))
                fail("is a damaged archive: a header of pax is not whole");
        } else if (kind == 'L') {
            more.name = contents(size).c_str(); // a zero byte ends it
        } else if (kind == '0' || kind == '\0' || kind == '7' || kind == 'S') {
            if (more.is_sparse || kind == 'S')
                fail("has a sparse member, which is not supported: unpack it first");
            return tar_member{ more.name.empty() ? tar_name(head) : more.name, size };
        } else if (!is_extension) {
            more = {};
        }
    }
}

} // namespace cldsp::app
