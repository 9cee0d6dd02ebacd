// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads and writes the chunks of WAV, RF64 and BW64, and mistrusts their sizes.

#include "channelize/wav.h"

#include "channelize/auxi.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace cldsp::app {

namespace {

constexpr std::uint32_t unknown_size = 0xffffffff;
// Sizes that sox and other programs write into the head of a stream, whose length they
// do not know. As signed numbers they are positive, so that more readers accept them. sox
// rounds its size down to whole samples.
constexpr std::uint32_t stream_size = 0x7ffff000, max_stream_size = 0x7fffffff;
constexpr unsigned format_pcm = 1, format_float = 3, format_extensible = 0xfffe;
// A longer chunk before the samples does not belong to a WAV file.
constexpr std::uint64_t max_chunk = std::uint64_t(16) << 20;

std::uint64_t little_endian(const unsigned char* at, std::size_t bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; i++)
        value |= std::uint64_t(at[i]) << (8 * i);
    return value;
}

void append(std::string& to, std::uint64_t value, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; i++)
        to += static_cast<char>(value >> (8 * i) & 0xff);
}

//! Reads the head, and counts its bytes.
class head_reader
{
public:
    head_reader(const byte_reader& read, const std::string& name)
        : d_read(read), d_name(name)
    {
    }
    [[noreturn]] void fail(const std::string& why) const
    {
        throw std::runtime_error("'" + d_name + "' " + why);
    }
    std::vector<unsigned char> bytes(std::uint64_t count)
    {
        if (count > max_chunk)
            fail("is no WAV file: a chunk before its samples has more than 16 MiB");
        std::vector<unsigned char> all(count);
        d_read(all.data(), all.size());
        d_count += count;
        return all;
    }
    std::string tag()
    {
        const auto four = bytes(4);
        return { four.begin(), four.end() };
    }
    std::uint64_t count() const { return d_count; }

private:
    const byte_reader& d_read;
    std::string d_name;
    std::uint64_t d_count = 0;
};

sample_format format_of(const head_reader& from, const std::vector<unsigned char>& chunk)
{
    if (chunk.size() < 16)
        from.fail("has a chunk 'fmt ' that is too short");
    std::uint64_t code = little_endian(&chunk[0], 2);
    if (code == format_extensible && chunk.size() >= 26)
        code = little_endian(&chunk[24], 2);
    const auto channels = little_endian(&chunk[2], 2);
    sample_format::number each;
    each.bits = static_cast<unsigned>(little_endian(&chunk[14], 2));
    each.is_float = code == format_float;
    each.is_signed = each.bits > 8;
    each.zero_is_middle = true;
    if (code != format_pcm && code != format_float)
        from.fail("has samples of the WAV format " + std::to_string(code) +
                  ", but only integers (1) and floats (3) are supported");
    if (channels != 1 && channels != 2)
        from.fail("has " + std::to_string(channels) +
                  " channels, but only one (real) or two (I and Q) are supported");
    try {
        const sample_format format(each, channels == 2);
        if (little_endian(&chunk[12], 2) != format.item_bytes())
            from.fail("has samples of " + std::to_string(little_endian(&chunk[12], 2)) +
                      " bytes, but its format says " +
                      std::to_string(format.item_bytes()));
        return format;
    } catch (const std::invalid_argument& e) {
        from.fail(std::string("is not supported: ") + e.what());
    }
}

//! The sizes that the head of a file gives.
struct wav_sizes {
    std::uint64_t riff = 0, data = 0;
    std::uint64_t head = 0;      // bytes before the samples
    std::uint64_t long_data = 0; // bytes of samples in RF64
    bool is_long = false;        // RF64 or BW64
};

//! The number of bytes of samples; empty: the writer did not know it.
std::optional<std::uint64_t>
data_bytes(const wav_sizes& sizes, std::size_t item, bool is_stream)
{
    // Some writers of RF64 put the low half of the size, or what they had there before,
    // into the chunk of the samples.
    if (sizes.long_data != 0 && (sizes.is_long || sizes.data == unknown_size))
        return sizes.long_data;
    if (sizes.data == unknown_size)
        return std::nullopt;
    if (sizes.data == 0) {
        // A stream whose writer did not know its length has no other size either. In a
        // file, the bytes that follow tell whether they are samples.
        constexpr std::uint64_t before_riff = 8; // bytes that this size does not count
        const bool unfinished = sizes.riff == 0 || sizes.riff == unknown_size ||
                                sizes.riff + before_riff <= sizes.head;
        return is_stream && unfinished ? std::nullopt : std::optional<std::uint64_t>(0);
    }
    // Recorders split files at almost the same sizes, which are exact in a file.
    const bool endless = is_stream
                             ? sizes.data >= stream_size && sizes.data <= max_stream_size
                             : sizes.data == max_stream_size;
    if (endless || sizes.data == stream_size - stream_size % item)
        return std::nullopt;
    return sizes.data;
}

//! Takes what the chunk of SDR programs says.
void take_auxi(const auxi_content& said, const std::string& name, recording& found)
{
    found.center = said.center;
    if (said.begin) {
        found.datetime = short_datetime_text(said.begin->time);
        if (!said.begin->has_zone)
            found.remarks.push_back("'" + name + "' begins at " + found.datetime +
                                    ", if the time in its chunk 'auxi' is in UTC");
    }
    if (!said.is_known)
        found.remarks.push_back("'" + name +
                                "' has a chunk 'auxi' of an unknown form: it tells no "
                                "centre frequency and no time");
}

bool is_riff(const std::string& tag)
{
    return tag == "RIFF" || tag == "RF64" || tag == "BW64";
}

} // namespace

recording read_wav_head(const byte_reader& read, const std::string& name, bool is_stream)
{
    head_reader in(read, name);
    const std::string riff = in.tag();
    if (!is_riff(riff))
        in.fail("is no WAV file: it does not begin with RIFF, RF64 or BW64");
    wav_sizes sizes;
    sizes.is_long = riff != "RIFF";
    sizes.riff = little_endian(in.bytes(4).data(), 4);
    if (in.tag() != "WAVE")
        in.fail("is no WAV file: its type is not WAVE");

    recording found;
    std::optional<sample_format> format;
    std::optional<auxi_content> auxi;
    while (true) {
        const std::string tag = in.tag();
        const auto four = in.bytes(4);
        const std::uint64_t size = little_endian(four.data(), 4);
        if (tag == "data") {
            if (!format)
                in.fail("has samples before their format");
            if (auxi)
                take_auxi(*auxi, name, found);
            found.format = *format;
            found.begin = in.count();
            sizes.data = size;
            sizes.head = found.begin;
            found.bytes = data_bytes(sizes, format->item_bytes(), is_stream);
            return found;
        }
        const auto chunk = in.bytes(size + size % 2);
        if (tag == "fmt ") {
            format = format_of(in, chunk);
            found.rate = static_cast<double>(little_endian(&chunk[4], 4));
            if (*found.rate <= 0)
                in.fail("has a sampling rate of 0");
        } else if (tag == "ds64" && chunk.size() >= 16) {
            sizes.long_data = little_endian(&chunk[8], 8);
        } else if (tag == "auxi") {
            // The first one that is understood counts.
            if (!auxi || !auxi->is_known) {
                const auto said = read_auxi(chunk);
                if (!auxi || said.is_known)
                    auxi = said;
            }
        }
    }
}

wav_rest wav_rest_of(const byte_peek& peek, std::size_t item_bytes, std::uint64_t most)
{
    constexpr std::size_t chunk_head = 8, riff_head = 12;
    std::vector<unsigned char> item(item_bytes);
    if (peek(0, item.data(), item_bytes) < item_bytes)
        return wav_rest::nothing;

    struct chunk {
        std::string tag, type;
        std::uint64_t end = 0; // 0: this is no whole chunk
        bool is_odd = false;   // and should have one more byte
    };
    const auto chunk_at = [&](std::uint64_t at) {
        std::array<unsigned char, riff_head> head = {};
        chunk found;
        if (peek(at, head.data(), riff_head) < chunk_head)
            return found;
        found.tag.assign(head.begin(), head.begin() + 4);
        found.type.assign(head.begin() + 8, head.end());
        const std::uint64_t size = little_endian(&head[4], 4);
        const std::uint64_t end = at + chunk_head + size;
        unsigned char last;
        const bool has_id = std::all_of(found.tag.begin(), found.tag.end(), [](char c) {
            return c >= ' ' && c <= '~';
        });
        if (has_id && found.tag != "data" && end <= most && peek(end - 1, &last, 1) == 1)
            found.end = end;
        found.is_odd = size % 2 != 0;
        return found;
    };
    const auto is_end = [&](std::uint64_t at) {
        std::array<unsigned char, chunk_head> head;
        return peek(at, head.data(), chunk_head) < chunk_head;
    };

    // A file of this many chunks is one of samples that look like chunks by chance.
    constexpr int max_chunks = 10000;
    // Not every writer adds the byte that makes the length of samples and chunks even.
    for (std::uint64_t first = 0; first < 2; first++) {
        bool may_lack_byte = false;
        std::uint64_t at = first;
        for (int chunks = 0; chunks <= max_chunks; chunks++) {
            if (at > first && is_end(at))
                return wav_rest::chunks;
            auto next = chunk_at(at);
            if (is_riff(next.tag) && next.type == "WAVE")
                return wav_rest::another_file;
            if (next.end == 0 && may_lack_byte)
                next = chunk_at(at - 1);
            if (next.end == 0)
                break;
            may_lack_byte = next.is_odd;
            at = next.end + (next.is_odd ? 1 : 0);
        }
    }
    return wav_rest::samples;
}

wav_extent wav_extent_of(std::uint64_t said,
                         std::uint64_t there,
                         const byte_peek& peek,
                         std::size_t item_bytes)
{
    const auto rest_at = [&](std::uint64_t end) {
        return wav_rest_of(
            [&](std::uint64_t ahead, unsigned char* to, std::size_t bytes) {
                return peek(end + ahead, to, bytes);
            },
            item_bytes,
            std::numeric_limits<std::uint64_t>::max());
    };
    const auto rest = rest_at(said);
    if (rest != wav_rest::samples)
        return { said, rest };
    constexpr std::uint64_t wrap = std::uint64_t(1) << 32;
    for (std::uint64_t end = said; there - end >= wrap;) {
        end += wrap;
        const auto behind = rest_at(end);
        if (behind == wav_rest::chunks)
            return { end, wav_rest::samples };
    }
    return { there, wav_rest::samples };
}

namespace {

std::uint64_t item_bytes_of(const wav_format& of)
{
    return of.channels * (of.is_float ? 4 : 2);
}

//! The chunks before the samples, and the head of the chunk of the samples. Formats other
//! than integers have the size of their extension, which is none, and a chunk with the
//! number of samples.
std::string last_chunks(const wav_format& of, std::uint64_t data_size)
{
    const std::uint64_t item = item_bytes_of(of);
    const auto rate = static_cast<std::uint64_t>(std::llround(of.rate));
    std::string head = "fmt ";
    append(head, of.is_float ? 18 : 16, 4);
    append(head, of.is_float ? format_float : format_pcm, 2);
    append(head, of.channels, 2);
    append(head, rate, 4);
    append(head, rate * item, 4);
    append(head, item, 2);
    append(head, 8 * item / of.channels, 2);
    if (of.is_float) {
        append(head, 0, 2);
        head += "fact";
        append(head, 4, 4);
        append(head, data_size == unknown_size ? unknown_size : data_size / item, 4);
    }
    head += "data";
    append(head, data_size, 4);
    return head;
}

//! The head that every program can read.
std::string plain_head(const wav_format& of, std::uint64_t data_size)
{
    const std::string chunks = "WAVE" + last_chunks(of, data_size);
    std::string head = "RIFF";
    append(head, data_size == unknown_size ? unknown_size : data_size + chunks.size(), 4);
    return head + chunks;
}

} // namespace

std::string wav_head(const wav_format& of, std::uint64_t bytes)
{
    if (!of.may_be_long)
        return plain_head(of, bytes <= max_plain_wav ? bytes : unknown_size);
    constexpr std::uint64_t ds64_size = 28;
    // The chunk of the 64-bit sizes has its own head, and WAVE before it.
    const std::uint64_t after_riff =
        bytes + 4 + 8 + ds64_size + last_chunks(of, unknown_size).size();
    const bool is_long = after_riff >= unknown_size;

    std::string head = is_long ? "RF64" : "RIFF";
    append(head, is_long ? unknown_size : after_riff, 4);
    head += "WAVE";
    // A chunk of the same length reserves room for the 64-bit sizes until they are
    // needed.
    head += is_long ? "ds64" : "JUNK";
    append(head, ds64_size, 4);
    append(head, is_long ? after_riff : 0, 8);
    append(head, is_long ? bytes : 0, 8);
    append(head, is_long ? bytes / item_bytes_of(of) : 0, 8);
    append(head, 0, 4);
    return head + last_chunks(of, is_long ? unknown_size : bytes);
}

std::string wav_stream_head(const wav_format& of) { return plain_head(of, stream_size); }

} // namespace cldsp::app
