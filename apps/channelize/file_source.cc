// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the format of an input, leaves out what is no sample, and reads the rest.

#include "channelize/file_source.h"

#include "channelize/datetime.h"
#include "channelize/file_name.h"
#include "channelize/sigmf.h"
#include "channelize/stop_signal.h"
#include "channelize/wav.h"

#include <cldsp/errors.h>

#include <system_error>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace cldsp::app {

namespace {

//! Seconds for which a stream may be silent behind its samples. Its writer may keep it
//! open for ever.
constexpr double patience_behind = 2;

std::string ending_of(const std::string& file)
{
    const auto dot = file.rfind('.');
    return dot == std::string::npos ? "" : file.substr(dot + 1);
}

bool is_wav_name(const std::string& ending)
{
    return ending == "wav" || ending == "WAV" || ending == "rf64" || ending == "bw64";
}

enum class file_kind { raw, wav, sigmf_files, sigmf_archive };

file_kind kind_of(const source_wish& wish)
{
    if (wish.type == "sigmf" || wish.type.empty()) {
        if (is_sigmf(wish.file))
            return file_kind::sigmf_files;
        if (wish.type == "sigmf" || is_sigmf_archive(wish.file))
            return file_kind::sigmf_archive;
    }
    const bool is_wav =
        wish.type == "wav" || (wish.type.empty() && is_wav_name(ending_of(wish.file)));
    return is_wav ? file_kind::wav : file_kind::raw;
}

//! The format of a raw file: the user's, or else the one that its name implies.
sample_format raw_format(const source_wish& wish)
{
    if (!wish.type.empty())
        return sample_format::of_name(wish.type, "--type");
    try {
        return sample_format::of_name(ending_of(wish.file), "--type");
    } catch (const std::invalid_argument&) {
        const std::string type = read_file_name(wish.file).type;
        if (!type.empty())
            return sample_format::of_name(type, "--type");
        throw std::invalid_argument("--type is needed, because " +
                                    (wish.file == "-" ? std::string("the standard input")
                                                      : "the name '" + wish.file + "'") +
                                    " does not tell the type of the samples: e.g. cu8, "
                                    "cs16, cf32, wav or sigmf");
    }
}

std::string enumeration(const std::vector<std::string>& words)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); i++)
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
    return text;
}

} // namespace

file_source::file_source(const source_wish& wish)
{
    if (wish.rate && !(std::isfinite(*wish.rate) && *wish.rate > 0))
        throw_invalid("--rate", number_text(*wish.rate), "above 0");
    read_head(wish);
    if (wish.rate)
        d_head.rate = wish.rate;
    if (wish.center)
        d_head.center = wish.center;
    take_name(wish);
    compare_with_name(wish);
    if (!d_head.rate)
        throw std::invalid_argument("--rate is needed, because '" + name() +
                                    "' does not tell its sampling rate");
    move_datetime();
}

//! Takes from the file's name what neither an option nor a head has told.
void file_source::take_name(const source_wish& wish)
{
    const auto named = read_file_name(wish.file);
    std::vector<std::string> taken;
    if (!d_head.rate && named.rate) {
        d_head.rate = named.rate;
        taken.push_back("the rate " + number_text(*named.rate) + " Hz");
    }
    if (!d_head.center && named.center) {
        d_head.center = named.center;
        taken.push_back("the centre " + number_text(*named.center) + " Hz");
    }
    if (d_head.datetime.empty() && !named.datetime.empty()) {
        d_head.datetime = named.datetime;
        d_head.datetime_item = 0;
        taken.push_back("the time " + named.datetime);
    }
    if (!taken.empty())
        d_head.remarks.push_back("'" + name() + "' has " + enumeration(taken) +
                                 " by its name, which is like those of " + named.program);
}

//! Tells of a type that is not the one of the file's name. Names may be wrong.
void file_source::compare_with_name(const source_wish& wish)
{
    if (wish.type.empty() || wish.type == "sigmf" || wish.file == "-")
        return;
    const std::string ending = ending_of(wish.file);
    const auto types = all_sample_types();
    const bool is_type = std::any_of(types.begin(), types.end(), [&](sample_type type) {
        return ending == file_ending(type);
    });
    std::string named;
    if (is_wav_name(ending))
        named = "wav";
    else
        named = is_type ? ending : read_file_name(wish.file).type;
    const bool is_same =
        named == wish.type ||
        (wish.type != "wav" && named != "wav" && d_head.format.is_native() &&
         named == file_ending(d_head.format.type()));
    if (!named.empty() && !is_same)
        d_head.remarks.push_back("'" + name() + "' is taken as " + wish.type +
                                 ", as --type says, although its name says " + named);
}

//! Tells of floats that no radio delivers, once. A part of what was read shows a wrong
//! type, and costs no time.
void file_source::look_at_values(const void* items, std::size_t count)
{
    if (d_has_absurd_values || !d_head.format.is_float())
        return;
    constexpr std::size_t most = 1 << 14;
    const std::size_t numbers =
        std::min(most, (is_complex(d_head.format.type()) ? 2 : 1) * count);
    d_has_absurd_values = has_absurd_value(static_cast<const float*>(items), numbers);
    if (d_has_absurd_values)
        d_head.remarks.push_back(
            "'" + name() + "' has values that are no numbers or above " +
            number_text(absurd_value) +
            " times full scale: its samples are probably of another type, see --type");
}

//! Makes the time of some sample that of the first one.
void file_source::move_datetime()
{
    const auto at = parse_datetime(d_head.datetime);
    if (!at || d_head.datetime_item == 0)
        return;
    // Whole seconds apart from the rest, because a long recording needs all digits of
    // both.
    const auto items = static_cast<double>(d_head.datetime_item);
    const double rest = std::fmod(items, *d_head.rate);
    const auto whole = later(at->time, -std::round((items - rest) / *d_head.rate));
    const auto begin = whole ? later(*whole, -rest / *d_head.rate) : std::nullopt;
    d_head.datetime = begin ? short_datetime_text(*begin) : "";
    d_head.datetime_item = 0;
}

void file_source::read_head(const source_wish& wish)
{
    const auto kind = kind_of(wish);
    if (kind == file_kind::sigmf_files)
        return read_sigmf_files(wish.file);
    const auto open = [&] {
        d_file = input_file(wish.file, wish.file == "-" ? "standard input" : wish.file);
    };
    // Opening a missing file or a folder fails here, before its type is asked for. A pipe
    // is not opened yet, since that waits for its writer.
    std::error_code none;
    const auto status = std::filesystem::status(wish.file, none);
    if (wish.file != "-" &&
        (!std::filesystem::exists(status) || std::filesystem::is_directory(status)))
        open();
    if (kind == file_kind::raw)
        d_head.format = raw_format(wish);
    open();
    if (kind == file_kind::sigmf_archive)
        read_archive();
    else if (kind == file_kind::wav)
        read_wav();
    else
        d_left = d_file.left();
}

void file_source::read_sigmf_files(const std::string& file)
{
    const auto found = read_sigmf(file);
    d_file = input_file(found.data_file, found.data_file);
    if (d_file.is_stream())
        throw std::runtime_error("'" + name() + "' is no regular file");
    d_head = found.head;
    d_left = d_head.bytes;
}

void file_source::read_archive()
{
    d_archive = std::make_unique<sigmf_archive>(d_file);
    d_head = d_archive->head();
    d_left = d_head.bytes;
    if (const auto missing = d_archive->missing_bytes())
        d_problem = "'" + name() + "' is truncated: " + std::to_string(missing) +
                    " bytes of its samples are missing";
}

void file_source::read_wav()
{
    d_head = read_wav_head(
        [this](unsigned char* to, std::size_t bytes) {
            if (d_file.read(to, bytes) < bytes)
                throw std::runtime_error("'" + name() + "' ends before its first sample");
        },
        name(),
        d_file.is_stream());
    const auto said = d_head.bytes, there = d_file.left();
    d_left = said ? said : there;
    if (!said)
        return;
    if (!there) {
        d_is_wav_stream = true;
        return;
    }
    if (*said > *there) {
        d_problem = "'" + name() + "' is truncated: its head says " +
                    std::to_string(*said) + " bytes of samples, but " +
                    std::to_string(*there) + " are there";
        d_left = there;
        return;
    }
    const auto extent = wav_extent_of(
        *said,
        *there,
        [this](std::uint64_t ahead, unsigned char* to, std::size_t bytes) {
            return d_file.peek(ahead, to, bytes);
        },
        d_head.format.item_bytes());
    take_rest(extent.behind);
    d_left = extent.bytes;
    if (extent.behind == wav_rest::samples)
        d_head.remarks.push_back("'" + name() + "' has " + std::to_string(extent.bytes) +
                                 " bytes of samples, but its head says " +
                                 std::to_string(*said) + ": all of them are taken");
}

//! Looks at what follows the samples of which the head of a stream has told.
void file_source::look_behind()
{
    d_is_wav_stream = false;
    d_file.set_patience(patience_behind);
    const auto rest = wav_rest_of(
        [this](std::uint64_t ahead, unsigned char* to, std::size_t bytes) {
            return d_file.peek(ahead, to, bytes);
        },
        d_head.format.item_bytes(),
        wav_stream_rest);
    take_rest(rest);
    if (rest != wav_rest::samples)
        return;
    d_file.set_patience(-1);
    d_left.reset();
    d_head.remarks.push_back("'" + name() + "' goes on behind the " +
                             std::to_string(d_read) +
                             " bytes of samples of which its head tells: all that "
                             "follows is taken as samples");
}

void file_source::take_rest(wav_rest rest)
{
    if (rest == wav_rest::another_file)
        d_problem = "'" + name() +
                    "' has another WAV file behind its samples, which was not read";
}

void file_source::pass_gaps()
{
    for (; d_gap < d_head.gaps.size() && d_head.gaps[d_gap].after == d_read; d_gap++)
        d_file.skip(d_head.gaps[d_gap].bytes);
}

//! Waits for at least one byte, unless the samples end.
std::size_t file_source::read_some(unsigned char* to, std::size_t bytes)
{
    pass_gaps();
    std::uint64_t most = d_left.value_or(bytes);
    if (d_gap < d_head.gaps.size())
        most = std::min(most, d_head.gaps[d_gap].after - d_read);
    const std::size_t count = d_file.read_some(
        to, static_cast<std::size_t>(std::min<std::uint64_t>(bytes, most)));
    d_read += count;
    if (d_left)
        *d_left -= count;
    return count;
}

//! Takes a failure for the end, because what was read before it is good.
std::size_t file_source::read_or_note(unsigned char* to, std::size_t bytes)
{
    try {
        return read_some(to, bytes);
    } catch (const std::runtime_error& e) {
        d_problem += (d_problem.empty() ? "" : "; ") + std::string(e.what());
        return 0;
    }
}

std::optional<std::uint64_t> file_source::items() const
{
    if (!d_left || (is_stream() && d_ended))
        return std::nullopt;
    return *d_left / d_head.format.item_bytes();
}

std::string file_source::problem_behind()
{
    d_file.set_patience(patience_behind);
    try {
        return d_archive->problem_behind();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
}

void file_source::note_end(std::size_t left_over)
{
    d_ended = true;
    if (stop_signal::number() || !d_problem.empty())
        return;
    if (d_left && *d_left > 0)
        d_problem = "'" + name() + "' is truncated: " + std::to_string(*d_left) +
                    " bytes of its samples are missing";
    else if (left_over > 0)
        d_problem = "'" + name() + "' is truncated: its last sample has " +
                    std::to_string(left_over) + " bytes instead of " +
                    std::to_string(d_head.format.item_bytes());
    else if (d_archive)
        d_problem = problem_behind();
    if (d_problem.empty())
        d_problem = d_file.problem();
}

std::size_t file_source::read(void* items, std::size_t room)
{
    using clock = std::chrono::steady_clock;
    if (d_ended || room == 0)
        return 0;
    if (d_is_over) {
        note_end(d_begun.size());
        return 0;
    }
    const std::size_t item = d_head.format.item_bytes();
    const bool native = d_head.format.is_native();
    if (!native)
        d_foreign.resize(room * item);
    auto* const to = native ? static_cast<unsigned char*>(items) : d_foreign.data();
    std::size_t bytes = d_begun.size();
    std::copy(d_begun.begin(), d_begun.end(), to);
    d_begun.clear();

    const auto enough = clock::now() + std::chrono::duration<double>(stream_seconds);
    while (bytes < room * item) {
        if (d_is_wav_stream && *d_left == 0) {
            // What is there goes on its way before the stream is waited for.
            if (bytes >= item)
                break;
            look_behind();
        }
        if (is_stream() && bytes >= item) {
            const std::chrono::duration<double> left = enough - clock::now();
            if (left.count() <= 0 || !d_file.wait(left.count()))
                break;
        }
        const std::size_t more = read_or_note(to + bytes, room * item - bytes);
        if (more == 0) {
            // What is there goes on its way before anyone looks at what follows.
            d_is_over = true;
            if (bytes < item)
                note_end(bytes);
            break;
        }
        bytes += more;
    }
    const std::size_t count = bytes / item;
    d_begun.assign(to + count * item, to + bytes);
    if (!native)
        d_head.format.convert(to, items, count);
    look_at_values(items, count);
    return count;
}

} // namespace cldsp::app
