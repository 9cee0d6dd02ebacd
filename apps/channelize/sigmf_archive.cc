// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the metadata and the samples among the members of an archive.

#include "channelize/sigmf_archive.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace cldsp::app {

namespace {

//! The name without "./", which some programs put before it.
std::string plain_name(const std::string& name)
{
    return std::filesystem::path(name).lexically_normal().string();
}

bool has_ending(const std::string& name, const std::string& ending)
{
    const std::string base = std::filesystem::path(name).filename().string();
    // macOS adds files of its own, which begin in this way.
    return base.size() > ending.size() && base.rfind("._", 0) != 0 &&
           base.compare(base.size() - ending.size(), ending.size(), ending) == 0;
}

bool is_metadata(const tar_member& member)
{
    return has_ending(member.name, sigmf_meta_ending);
}

} // namespace

sigmf_archive::sigmf_archive(input_file& file) : d_file(file), d_tar(file)
{
    if (file.is_stream())
        find_in_stream();
    else
        find_in_file();
}

void sigmf_archive::fail(const std::string& why) const
{
    throw std::runtime_error("'" + d_file.name() + "' " + why);
}

void sigmf_archive::take_metadata(const tar_member& member)
{
    if (!d_meta_name.empty())
        fail("has more than one recording, '" + d_meta_name + "' and '" + member.name +
             "', of which only one is supported: unpack it first, for example with tar");
    if (member.size > max_sigmf_meta_bytes)
        fail("has metadata of more than 64 MiB, which is too much");
    std::string text(static_cast<std::size_t>(member.size), '\0');
    if (d_file.read(reinterpret_cast<unsigned char*>(&text[0]), text.size()) !=
        text.size())
        fail("is truncated: it ends within its metadata");
    d_meta_name = member.name;
    try {
        d_found = parse_sigmf(text, plain_name(member.name));
    } catch (const std::runtime_error& e) {
        fail(std::string("has metadata that cannot be used: ") + e.what());
    }
    d_found.data_file = plain_name(d_found.data_file);
}

void sigmf_archive::find_in_file()
{
    struct place {
        std::uint64_t begin, size;
    };
    std::map<std::string, place> places;
    while (const auto member = d_tar.next())
        if (is_metadata(*member))
            take_metadata(*member);
        else
            places[plain_name(member->name)] = { d_file.position(), member->size };
    if (d_meta_name.empty())
        fail("has no metadata of SigMF: none of its files ends in .sigmf-meta");
    const auto found = places.find(d_found.data_file);
    if (found == places.end())
        fail("has no file '" + d_found.data_file + "', the samples of '" + d_meta_name +
             "'");
    d_file.go_to(found->second.begin);
    const std::uint64_t size = std::min(found->second.size, *d_file.left());
    d_missing = found->second.size - size;
    // In a truncated archive there are no trailing bytes.
    d_found.trailing_bytes -= std::min(d_found.trailing_bytes, d_missing);
    place_samples(d_found, size);
}

void sigmf_archive::find_in_stream()
{
    while (const auto member = d_tar.next()) {
        if (is_metadata(*member)) {
            take_metadata(*member);
        } else if (d_meta_name.empty() && has_ending(member->name, sigmf_data_ending)) {
            fail("has its samples before its metadata, which cannot be read from a pipe: "
                 "give the name of the archive, or unpack it first");
        } else if (!d_meta_name.empty() &&
                   plain_name(member->name) == d_found.data_file) {
            place_samples(d_found, member->size);
            return;
        }
    }
    if (d_meta_name.empty())
        fail("has no metadata of SigMF: none of its files ends in .sigmf-meta");
    fail("has no file '" + d_found.data_file + "' behind '" + d_meta_name +
         "', whose samples it has");
}

std::string sigmf_archive::problem_behind()
{
    if (!d_file.is_stream())
        return "";
    while (const auto member = d_tar.next())
        if (is_metadata(*member))
            return "'" + d_file.name() + "' has more than one recording: '" +
                   member->name + "' was not read";
        else if (plain_name(member->name) == d_found.data_file)
            return "'" + d_file.name() + "' has its samples '" + member->name +
                   "' more than once, of which only the first was read";
    return "";
}

} // namespace cldsp::app
