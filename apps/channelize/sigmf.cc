// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads and writes captures and annotations, and chooses those that each channel gets.

#include "channelize/sigmf.h"

#include "channelize/datetime.h"

#include "storage/json_depth.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

namespace cldsp::app {

using nlohmann::json;
using nlohmann::ordered_json;

//! What the metadata of a recording say beyond what its samples need.
class sigmf_notes
{
public:
    struct capture {
        std::uint64_t item = 0; // of the recording, counted from 0
        std::string datetime;
    };
    struct annotation {
        double low = -std::numeric_limits<double>::infinity(); // in Hz
        double high = std::numeric_limits<double>::infinity();
        std::uint64_t item = 0;
        std::optional<std::uint64_t> items;
        json fields;
    };

    json global = json::object(); //!< the fields that hold for each channel, too
    std::string description;
    json extensions = json::array();
    std::optional<double> center;
    std::vector<capture> captures; //!< those with a time, without the first capture
    std::vector<annotation> annotations;
};

namespace {

// Deeper metadata would overflow the stack when their JSON is freed.
constexpr std::size_t max_meta_depth = 100;

bool has_sigmf_ending(const std::string& text, const std::string& ending)
{
    return text.size() > ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

[[noreturn]] void fail(const std::string& file, const std::string& why)
{
    throw std::runtime_error("'" + file + "' " + why);
}

std::string read_meta_text(const std::string& file)
{
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
        fail(file, "does not exist");
    if (!std::filesystem::is_regular_file(status))
        fail(file, "is no regular file");
    if (std::filesystem::file_size(file, error) > max_sigmf_meta_bytes)
        fail(file, "has more than 64 MiB, too much for metadata");
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    if (in && in.peek() == std::ifstream::traits_type::eof())
        fail(file, "is empty");
    if (!in || !(text << in.rdbuf()))
        fail(file, std::string("cannot be read: ") + std::strerror(errno));
    return text.str();
}

json parse_meta(const std::string& text, const std::string& file)
{
    if (is_nested_deeper(text, max_meta_depth))
        fail(file, "is nested too deeply");
    try {
        return json::parse(text);
    } catch (const json::exception& e) {
        fail(file, std::string("is no JSON: ") + e.what());
    }
}

//! The values of one of the objects of SigMF, each read with a check of its type. A value
//! that is null counts as absent.
class sigmf_object
{
public:
    sigmf_object(const std::string& file, const std::string& name, const json& value)
        : d_file(file), d_value(value)
    {
        if (!value.is_object())
            fail(d_file, "has no object '" + name + "'");
    }
    //! \return null if there is no such value
    const json* find(const std::string& key) const
    {
        const auto at = d_value.find(key);
        return at == d_value.end() || at->is_null() ? nullptr : &*at;
    }
    std::optional<double> number(const std::string& key) const
    {
        const json* value = find(key);
        if (!value)
            return std::nullopt;
        if (!value->is_number() || !std::isfinite(value->get<double>()))
            fail(d_file, "has a '" + key + "' that is no number");
        return value->get<double>();
    }
    std::optional<std::uint64_t> count(const std::string& key) const
    {
        const json* value = find(key);
        if (!value)
            return std::nullopt;
        constexpr double most = 1e18;
        const double as_double = number(key).value_or(-1);
        if (as_double < 0 || as_double > most || as_double != std::floor(as_double))
            fail(d_file, "has a '" + key + "' that is no count");
        return value->is_number_unsigned() ? value->get<std::uint64_t>()
                                           : static_cast<std::uint64_t>(as_double);
    }
    std::string text(const std::string& key) const
    {
        const json* value = find(key);
        if (!value)
            return "";
        if (!value->is_string())
            fail(d_file, "has a '" + key + "' that is no text");
        return value->get<std::string>();
    }

private:
    std::string d_file;
    const json& d_value;
};

//! The time of a capture, in the form of parse_datetime(); empty if it has none.
std::string capture_datetime(const sigmf_object& capture,
                             const std::string& file,
                             std::vector<std::string>& remarks)
{
    const std::string text = capture.text("core:datetime");
    if (text.empty())
        return "";
    constexpr std::size_t enough = 60; // characters in a remark
    const std::string quoted = "'" + text.substr(0, enough) + "'";
    const auto found = parse_datetime(text);
    const std::string time = found ? short_datetime_text(found->time) : "";
    if (time.empty())
        remarks.push_back("'" + file + "' has the core:datetime " + quoted +
                          ", which is not understood: that time is left out");
    else if (!found->has_zone)
        remarks.push_back("'" + file + "' has the core:datetime " + quoted +
                          " without a zone, which is taken as UTC");
    return time;
}

//! Reads the captures, and keeps the values that hold for the whole recording.
void read_captures(const std::string& file,
                   const json& list,
                   std::uint64_t offset,
                   sigmf_recording& found,
                   sigmf_notes& notes)
{
    if (!list.is_array())
        fail(file, "has captures that are no list");
    struct place {
        std::uint64_t item;
        sigmf_object capture;
    };
    std::vector<place> places;
    for (const auto& item : list) {
        const sigmf_object capture(file, "captures", item);
        const auto start = capture.count("core:sample_start").value_or(offset);
        places.push_back({ start - std::min(start, offset), capture });
    }
    std::vector<std::size_t> order(places.size());
    for (std::size_t i = 0; i < order.size(); i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return places[a].item < places[b].item;
    });
    std::vector<std::string> remarks;
    for (std::size_t i = 0; i < order.size(); i++) {
        const auto& [item, capture] = places[order[i]];
        const auto frequency = capture.number("core:frequency");
        if (i > 0 && frequency != found.head.center)
            fail(file,
                 "has captures of different core:frequency; only one frequency is "
                 "supported");
        const std::string datetime = capture_datetime(capture, file, remarks);
        if (i == 0) {
            found.head.center = frequency;
            found.head.datetime = datetime;
            found.head.datetime_item = item;
        } else if (!datetime.empty()) {
            notes.captures.push_back({ item, datetime });
        }
        if (const auto bytes = capture.count("core:header_bytes").value_or(0))
            found.headers.push_back({ item, bytes });
    }
    if (!remarks.empty())
        found.head.remarks.push_back(remarks.size() == 1
                                         ? remarks.front()
                                         : remarks.front() + "; so have " +
                                               std::to_string(remarks.size() - 1) +
                                               " captures more, in this form or another");
    notes.center = found.head.center;
}

//! Takes the fields of an annotation. \return empty if the value is none
std::optional<sigmf_notes::annotation> annotation_of(json& value, std::uint64_t offset)
{
    try {
        const sigmf_object fields("", "annotations", value);
        sigmf_notes::annotation found;
        const auto start = fields.count("core:sample_start").value_or(offset);
        found.item = start - std::min(start, offset);
        found.items = fields.count("core:sample_count");
        // One that begins before the file has only its rest in the file.
        if (found.items)
            *found.items -= std::min(*found.items, offset - std::min(start, offset));
        found.low = fields.number("core:freq_lower_edge").value_or(found.low);
        found.high = fields.number("core:freq_upper_edge").value_or(found.high);
        found.fields = std::move(value);
        return found;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

void read_annotations(const std::string& file,
                      json& list,
                      std::uint64_t offset,
                      recording& head,
                      sigmf_notes& notes)
{
    if (!list.is_array())
        fail(file, "has annotations that are no list");
    for (auto& value : list)
        if (auto found = annotation_of(value, offset))
            notes.annotations.push_back(std::move(*found));
    if (const auto bad = list.size() - notes.annotations.size())
        head.remarks.push_back("'" + file + "' has " + std::to_string(bad) +
                               (bad == 1 ? " annotation" : " annotations") +
                               " of an unknown form, which are left out");
}

//! Keeps the global fields that hold for a channel of the recording, too.
void read_global_notes(const sigmf_object& global, sigmf_notes& notes, const json& all)
{
    for (const char* key :
         { "core:author", "core:hw", "core:license", "core:geolocation" })
        if (const json* value = global.find(key))
            notes.global[key] = *value;
    const std::string antenna = "antenna:";
    for (const auto& [key, value] : all.items())
        if (key.compare(0, antenna.size(), antenna) == 0 && !value.is_null())
            notes.global[key] = value;
    const json* description = global.find("core:description");
    if (description && description->is_string())
        notes.description = description->get<std::string>();
    const json* extensions = global.find("core:extensions");
    if (extensions && extensions->is_array())
        notes.extensions = *extensions;
}

//! The name of a file that stands beside the metadata.
std::string dataset_of(const sigmf_object& global, const std::string& meta_file)
{
    const std::string name = global.text("core:dataset");
    if (name == "." || name == ".." || name.find('/') != name.npos ||
        name.find('\0') != name.npos)
        fail(meta_file,
             "has the core:dataset '" + name.substr(0, name.find('\0')) +
                 "', but it has to be the name of a file in the same folder, without / "
                 "and other than . and ..");
    return name;
}

} // namespace

bool is_sigmf(const std::string& file)
{
    return has_sigmf_ending(file, sigmf_meta_ending) ||
           has_sigmf_ending(file, sigmf_data_ending);
}

bool is_sigmf_archive(const std::string& file)
{
    return has_sigmf_ending(file, ".sigmf");
}

std::string sigmf_meta_file(const std::string& file)
{
    return file.substr(0, file.size() - std::string(sigmf_meta_ending).size()) +
           sigmf_meta_ending;
}

sigmf_recording parse_sigmf(const std::string& text, const std::string& file)
{
    json all = parse_meta(text, file);
    const sigmf_object top(file, "SigMF", all);
    static const json none;
    const json* const global_value = top.find("global");
    const sigmf_object global(file, "global", global_value ? *global_value : none);

    sigmf_recording found;
    const auto notes = std::make_shared<sigmf_notes>();
    const std::string datatype = global.text("core:datatype");
    if (datatype.empty())
        fail(file, "has no core:datatype");
    try {
        found.head.format = sample_format::of_name(datatype, "core:datatype");
    } catch (const std::invalid_argument& e) {
        fail(file, std::string("is not supported: ") + e.what());
    }
    found.head.rate = global.number("core:sample_rate");
    if (found.head.rate && *found.head.rate <= 0)
        fail(file, "has a core:sample_rate that is not above 0");
    if (global.number("core:num_channels").value_or(1) != 1)
        fail(file, "has more than one channel of samples, which is not supported");
    found.trailing_bytes = global.count("core:trailing_bytes").value_or(0);
    // Samples are counted from another number on if a recording was split into files.
    const auto offset = global.count("core:offset").value_or(0);
    if (const json* captures = top.find("captures"))
        read_captures(file, *captures, offset, found, *notes);
    if (top.find("annotations"))
        read_annotations(file, all["annotations"], offset, found.head, *notes);
    read_global_notes(global, *notes, *global_value);
    found.head.notes = notes;

    const std::string dataset = dataset_of(global, file);
    found.data_file =
        dataset.empty()
            ? file.substr(0, file.size() - std::string(sigmf_meta_ending).size()) +
                  sigmf_data_ending
            : (std::filesystem::path(file).parent_path() / dataset).string();
    return found;
}

void place_samples(sigmf_recording& found, std::uint64_t size)
{
    const std::size_t item = found.head.format.item_bytes();
    const std::uint64_t end = size - std::min(size, found.trailing_bytes);
    std::uint64_t at = 0, samples = 0; // bytes of the file, and those that are samples
    found.head.gaps.clear();
    for (const auto& header : found.headers) {
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        const std::uint64_t before =
            header.item > most / item ? most : header.item * item - samples;
        if (before > end - at)
            break;
        const std::uint64_t bytes = std::min(header.bytes, end - at - before);
        found.head.gaps.push_back({ samples + before, bytes });
        samples += before;
        at += before + bytes;
    }
    samples += end - at;
    if (samples < item)
        fail(found.data_file,
             "has " + std::to_string(size) +
                 " bytes, which is less than one sample of its core:datatype" +
                 (samples < size ? " and its core:header_bytes" : ""));
    found.head.bytes = samples;
}

sigmf_recording read_sigmf(const std::string& file)
{
    const std::string meta_file = sigmf_meta_file(file);
    auto found = parse_sigmf(read_meta_text(meta_file), meta_file);
    std::error_code error;
    const auto size = std::filesystem::file_size(found.data_file, error);
    if (error)
        fail(found.data_file, "cannot be read: " + error.message());
    place_samples(found, size);
    return found;
}

namespace {

//! Where the samples of the input are in the output.
class time_scale
{
public:
    explicit time_scale(const sigmf_description& of)
        : d_ratio(static_cast<long double>(of.rate) / of.input_rate),
          d_delay(static_cast<long double>(of.delay) * of.rate)
    {
    }
    long double position(std::uint64_t item) const
    {
        return static_cast<long double>(item) * d_ratio + d_delay;
    }

private:
    long double d_ratio, d_delay; // the delay is in samples of the output
};

ordered_json captures_of(const sigmf_description& of)
{
    ordered_json first = { { "core:sample_start", 0 },
                           { "core:frequency", of.frequency } };
    if (!of.datetime.empty())
        first["core:datetime"] = of.datetime;
    ordered_json captures = ordered_json::array({ first });
    if (!of.notes)
        return captures;
    const time_scale scale(of);
    for (const auto& capture : of.notes->captures) {
        // The first sample of the output that is not before the capture.
        const long double position = scale.position(capture.item);
        const long double sample = std::ceil(position);
        ordered_json next = {
            { "core:sample_start", static_cast<std::uint64_t>(sample) },
            { "core:frequency", of.frequency },
            { "core:datetime",
              later_datetime(capture.datetime,
                             static_cast<double>((sample - position) / of.rate)) }
        };
        if (captures.back()["core:sample_start"] == next["core:sample_start"])
            captures.back() = std::move(next);
        else
            captures.push_back(std::move(next));
    }
    return captures;
}

//! The part of a key before its colon, which names an extension of SigMF.
void add_namespaces(const json& from, std::set<std::string>& names)
{
    for (const auto& [key, value] : from.items())
        names.insert(key.substr(0, key.find(':')));
}

/*!
 * The annotations that overlap the channel, as the JSON of a list with a line for each.
 *
 * \param used gets the names of the extensions of SigMF that they use
 */
std::string annotations_of(const sigmf_description& of, std::set<std::string>& used)
{
    if (!of.notes)
        return "[]";
    const time_scale scale(of);
    // The user may have corrected the centre frequency.
    const double shift =
        of.center && of.notes->center ? *of.center - *of.notes->center : 0;
    std::string lines;
    for (const auto& note : of.notes->annotations) {
        if (note.low + shift > of.frequency + of.width / 2 ||
            note.high + shift < of.frequency - of.width / 2)
            continue;
        json one = note.fields;
        const long double begin = std::floor(scale.position(note.item));
        one["core:sample_start"] = static_cast<std::uint64_t>(begin);
        if (note.items) {
            const long double end = std::ceil(scale.position(note.item + *note.items));
            one["core:sample_count"] = static_cast<std::uint64_t>(end - begin);
        }
        if (shift != 0 && std::isfinite(note.low))
            one["core:freq_lower_edge"] = note.low + shift;
        if (shift != 0 && std::isfinite(note.high))
            one["core:freq_upper_edge"] = note.high + shift;
        add_namespaces(one, used);
        lines += (lines.empty() ? "\n    " : ",\n    ") +
                 one.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    return lines.empty() ? "[]" : "[" + lines + "\n  ]";
}

//! The extensions of the input that the output still uses.
json extensions_of(const json& extensions, const std::set<std::string>& used)
{
    json kept = json::array();
    for (const auto& extension : extensions) {
        const auto name =
            extension.is_object() ? extension.find("name") : extension.end();
        if (name != extension.end() && name->is_string() &&
            used.count(name->get<std::string>()))
            kept.push_back(extension);
    }
    return kept;
}

} // namespace

std::string sigmf_meta(const sigmf_description& of)
{
    std::set<std::string> used;
    const std::string annotations = annotations_of(of, used);
    json global = { { "core:datatype", of.datatype },
                    { "core:sample_rate", of.rate },
                    { "core:version", "1.0.0" },
                    { "core:description", of.text },
                    { "core:recorder", "gr-cldsp" } };
    if (of.notes) {
        global.update(of.notes->global);
        add_namespaces(global, used);
        if (!of.notes->description.empty())
            global["core:description"] = of.text + "; " + of.notes->description;
        auto extensions = extensions_of(of.notes->extensions, used);
        if (!extensions.empty())
            global["core:extensions"] = std::move(extensions);
    }
    ordered_json meta;
    meta["global"] = std::move(global);
    meta["captures"] = captures_of(of);
    // There may be so many annotations that they are not held as JSON.
    meta["annotations"] = json::array();
    const std::string all =
        meta.dump(2, ' ', false, ordered_json::error_handler_t::replace);
    const std::string none = "[]\n}";
    return all.substr(0, all.size() - none.size()) + annotations + "\n}\n";
}

} // namespace cldsp::app
