// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is a recording, its metadata or name, or another wish of the command.

// The first byte of the fuzzed input says what the rest is: a WAV file or one in a pipe,
// the metadata of SigMF, an archive of SigMF, the name of a file, a time, a list of
// channels, the gain or the name of a radio, an address of ZeroMQ, or one channel of the
// command line.

#include "fuzz_support.h"

#include "channelize/channel_list.h"
#include "channelize/datetime.h"
#include "channelize/file_name.h"
#include "channelize/input_file.h"
#include "channelize/radio_wish.h"
#include "channelize/sigmf.h"
#include "channelize/sigmf_archive.h"
#include "channelize/wav.h"
#include "channelize/zmq_endpoint.h"

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

using namespace cldsp::app;

//! Damaged files are refused with a runtime_error, wrong wishes with an invalid_argument.
template <class F>
void try_out(const F& action)
{
    fuzz::taken([&] {
        try {
            action();
        } catch (const std::runtime_error& e) {
            fuzz::require(e.what()[0] != 0, "a refusal says why");
        }
    });
}

void check(const recording& head)
{
    fuzz::require(head.datetime.empty() || parse_datetime(head.datetime),
                  "a time can be read again");
    for (const auto& remark : head.remarks)
        fuzz::require(!remark.empty(), "a remark says something");
    fuzz::require(head.format.item_bytes() > 0, "an item has bytes");
    fuzz::require(!head.rate || *head.rate > 0, "a rate is above 0");
    unsigned char item[32] = {}, read[32] = {};
    fuzz::require(head.format.item_bytes() <= sizeof item, "an item is short");
    head.format.convert(item, read, 1);
}

void check(const std::vector<channel_wish>& channels)
{
    fuzz::require(!channels.empty(), "a list has channels");
    for (const auto& channel : channels)
        fuzz::require(std::isfinite(channel.frequency) && std::isfinite(channel.rate),
                      "numbers are finite");
    auto named = channels;
    try_out([&] { complete_names(named); });
}

void read_wav(const std::string& content, bool is_stream)
{
    std::size_t at = 0;
    const byte_reader reader = [&](unsigned char* to, std::size_t bytes) {
        if (bytes > content.size() - at)
            throw std::runtime_error("the file ends");
        std::copy_n(content.data() + at, bytes, to);
        at += bytes;
    };
    const byte_peek peek =
        [&](std::uint64_t ahead, unsigned char* to, std::size_t bytes) {
            const std::size_t there = content.size() - at;
            const std::size_t from =
                static_cast<std::size_t>(std::min<std::uint64_t>(ahead, there));
            bytes = std::min(bytes, there - from);
            std::copy_n(content.data() + at + from, bytes, to);
            return bytes;
        };
    try_out([&] {
        const auto head = read_wav_head(reader, "input", is_stream);
        fuzz::require(head.begin == at, "the head ends where the samples begin");
        check(head);
        const std::uint64_t there = content.size() - at;
        if (!head.bytes || *head.bytes > there)
            return;
        const auto extent =
            wav_extent_of(*head.bytes, there, peek, head.format.item_bytes());
        fuzz::require(extent.bytes >= *head.bytes && extent.bytes <= there,
                      "the samples are in the file");
    });
}

//! A file of metadata and one of samples, for the life of the fuzzer.
const std::string& sigmf_base()
{
    static const std::string base = [] {
        char folder[] = "/tmp/fuzz-recordings-XXXXXX";
        fuzz::require(mkdtemp(folder) != nullptr, "a folder can be made");
        static const std::string made = folder;
        std::atexit([] {
            for (const char* ending : { "/x.sigmf-meta", "/x.sigmf-data" })
                unlink((made + ending).c_str());
            rmdir(made.c_str());
        });
        std::ofstream(made + "/x.sigmf-data") << std::string(64, 'x');
        return made + "/x";
    }();
    return base;
}

void check(const sigmf_recording& found, std::uint64_t file_bytes)
{
    check(found.head);
    std::uint64_t bytes = *found.head.bytes, before = 0;
    for (const auto& gap : found.head.gaps) {
        fuzz::require(gap.after >= before && gap.after <= *found.head.bytes,
                      "gaps are within the samples, in their order");
        before = gap.after;
        bytes += gap.bytes;
    }
    fuzz::require(bytes <= file_bytes, "samples and gaps are in the file");
    sigmf_description about;
    about.notes = found.head.notes;
    about.datatype = "cf32_le";
    about.frequency = found.head.center.value_or(0);
    about.center = 1e6;
    about.width = about.input_rate = found.head.rate.value_or(1);
    about.rate = about.input_rate / 3;
    about.delay = 1 / about.input_rate;
    about.datetime = later_datetime(found.head.datetime, -1.5);
    parse_sigmf(sigmf_meta(about), "x.sigmf-meta");
}

void read_meta(const std::string& content)
{
    const std::string meta = sigmf_base() + ".sigmf-meta";
    std::ofstream(meta, std::ios::binary) << content;
    try_out([&] { check(read_sigmf(meta), 64); });
}

//! Runs an action on the name of a file that has this content.
template <class F>
void with_file(const std::string& content, const F& action)
{
    const int file = memfd_create("content", MFD_CLOEXEC);
    const auto size = static_cast<ssize_t>(content.size());
    fuzz::require(file >= 0 && write(file, content.data(), content.size()) == size,
                  "a file can be written");
    action("/proc/self/fd/" + std::to_string(file));
    close(file);
}

void read_archive(const std::string& content)
{
    with_file(content, [&](const std::string& name) {
        try_out([&] {
            input_file file(name, "archive");
            const sigmf_archive archive(file);
            fuzz::require(*archive.head().bytes <= content.size(),
                          "the samples are in the archive");
            check(archive.head());
        });
    });
}

void read_name(const std::string& content)
{
    const auto found = read_file_name(content);
    fuzz::require(found.program.empty() || found.rate || found.center,
                  "a known name says something");
    fuzz::require(!found.rate || *found.rate > 0, "a rate is above 0");
}

void read_time(const std::string& content)
{
    const auto found = parse_datetime(content);
    const std::string text = found ? short_datetime_text(found->time) : "";
    const auto again = parse_datetime(text);
    fuzz::require(text.empty() || (again->time.seconds == found->time.seconds &&
                                   again->time.nanoseconds == found->time.nanoseconds),
                  "a time is written as it was read");
}

void read_list(const std::string& content)
{
    with_file(content, [](const std::string& name) {
        try_out([&] { check(read_channels(name)); });
    });
}

void read_gain(const std::string& content)
{
    try_out([&] {
        const auto gain = parse_gain(content);
        fuzz::require(gain.automatic || gain.total || !gain.amplifiers.empty(),
                      "a gain says something");
        for (const auto& [name, value] : gain.amplifiers)
            fuzz::require(!name.empty() && std::isfinite(value),
                          "an amplifier has a name and a gain");
    });
}

void read_address(const std::string& content)
{
    try_out([&] {
        const auto first = zmq_endpoint(content, "a", 0, 2);
        fuzz::require(first.rfind("tcp://", 0) == 0 || first.rfind("ipc://", 0) == 0,
                      "an address has a protocol");
        fuzz::require(first != zmq_endpoint(content, "b", 1, 2),
                      "channels have addresses of their own");
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::bytes in(data, size);
    const char kind = static_cast<char>(in.byte());
    const std::string content = in.rest();
    if (kind == 'w' || kind == 'p')
        read_wav(content, kind == 'p');
    else if (kind == 's')
        read_meta(content);
    else if (kind == 'a')
        read_archive(content);
    else if (kind == 'n')
        read_name(content);
    else if (kind == 't')
        read_time(content);
    else if (kind == 'l')
        read_list(content);
    else if (kind == 'g')
        read_gain(content);
    else if (kind == 'z')
        read_address(content);
    else if (kind == 'r')
        try_out([&] { radio_arguments("soapy:" + content); });
    else
        try_out([&] { check(std::vector<channel_wish>{ parse_channel(content) }); });
    return 0;
}
