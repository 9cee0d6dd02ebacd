// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks that the wanted outputs fit together, and opens one for each channel.

#include "channelize/outputs.h"

#include "channelize/command_template.h"
#include "channelize/datetime.h"
#include "channelize/rtp.h"
#include "channelize/sigmf.h"
#include "channelize/wav.h"
#include "channelize/zmq_endpoint.h"

#include <cldsp/errors.h>

#include <sys/resource.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;

//! Raises the limit of open files, because each channel needs one and the usual limit is
//! 1024.
void allow_many_files()
{
    rlimit limit = {};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool is_audio(output_type type)
{
    return type == output_type::f32 || type == output_type::s16;
}

double output_rate(const output_wish& wish, const designed_channel& channel)
{
    if (wish.demod == demodulation::none)
        return channel.rate;
    return audio_ratio(wish.audio_rate, channel.rate)
        .rate_near(wish.audio_rate, channel.rate);
}

void check_wish(const output_wish& wish, const std::vector<designed_channel>& channels)
{
    std::string given;
    int ways = 0;
    for (const auto& [name, value] : { std::pair{ "--out", &wish.folder },
                                       std::pair{ "--exec", &wish.command },
                                       std::pair{ "--udp", &wish.udp },
                                       std::pair{ "--zmq", &wish.zmq } })
        if (!value->empty())
            given += (ways++ ? " and " : "") + std::string(name);
    if (ways != 1)
        throw_invalid("output",
                      ways == 0 ? "missing" : given,
                      "one of --out, --exec, --udp and --zmq in a run");
    if (wish.rtp && wish.udp.empty())
        throw std::invalid_argument("--rtp is for --udp");
    if (wish.rtp && wish.type != output_type::cs16 && wish.type != output_type::s16)
        throw_invalid("--output-type",
                      std::string("'") + output_type_name(wish.type) + "'",
                      "cs16, or s16 with --demod, for --rtp");
    if (wish.folder == "-" && channels.size() != 1)
        throw_invalid("--out",
                      "'-' for " + std::to_string(channels.size()) + " channels",
                      "a folder, or '-' for one channel");
    if (is_audio(wish.type) != (wish.demod != demodulation::none))
        throw_invalid("--output-type",
                      std::string("'") + output_type_name(wish.type) + "'",
                      wish.demod == demodulation::none ? "cf32 or cs16 without --demod"
                                                       : "f32 or s16 with --demod");
}

std::string meta_of(const output_wish& wish,
                    const designed_channel& channel,
                    const sample_source& source)
{
    sigmf_description about;
    about.datatype = sigmf_name(wish.type);
    about.rate = output_rate(wish, channel);
    about.frequency = channel.frequency;
    about.delay = channel.delay(source.rate());
    about.datetime = later_datetime(source.datetime(), -about.delay);
    about.text = "channel " + channel.name + " of " +
                 fs::path(source.name()).filename().string() + ", bandwidth " +
                 number_text(channel.bandwidth) + " Hz, stopband " +
                 number_text(channel.stopband) + " dB";
    about.notes = source.notes();
    about.width = channel.rate;
    about.input_rate = source.rate();
    about.center = source.center();
    return sigmf_meta(about);
}

//! The samples of a WAV file or stream. \throws std::invalid_argument if there is none
wav_format wav_of(const output_wish& wish,
                  const designed_channel& channel,
                  const sample_source& source)
{
    wav_format samples;
    samples.channels = is_audio(wish.type) ? 1 : 2;
    samples.is_float = wish.type == output_type::f32 || wish.type == output_type::cf32;
    const double rate = output_rate(wish, channel);
    samples.rate = std::round(rate);
    if (std::abs(samples.rate - rate) > rate_ratio::max_deviation * rate ||
        samples.rate > 4294967295.0)
        throw_invalid("--format",
                      "wav",
                      "sigmf or raw for the rate " + number_text(rate) +
                          " Hz of channel '" + channel.name +
                          "', because WAV has whole numbers of 32 bits");
    // An input of unknown length gets the plain head for audio, because audio programs
    // may not know RF64 and 4 GiB hold hours of audio; IQ gets the long head, which radio
    // programs know.
    constexpr double spare = 1e6;
    const auto items = source.items();
    const double bytes = static_cast<double>(items.value_or(0)) / source.rate() *
                             samples.rate * static_cast<double>(output_size(wish.type)) +
                         spare;
    samples.may_be_long =
        items ? bytes > static_cast<double>(max_plain_wav) : samples.channels == 2;
    return samples;
}

file_wish file_of(const output_wish& wish,
                  const designed_channel& channel,
                  const sample_source& source)
{
    file_wish file;
    const std::string base = (fs::path(wish.folder) / channel.name).string();
    file.item_bytes = output_size(wish.type);
    file.overwrite = wish.overwrite;
    switch (wish.format) {
    case file_format::raw:
        file.name = base + "." + output_type_name(wish.type);
        break;
    case file_format::sigmf:
        file.name = base + ".sigmf-data";
        file.meta_name = base + ".sigmf-meta";
        // The channels and the source outlive the outputs, see check_outputs().
        file.meta_text = [wish, &channel, &source] {
            return meta_of(wish, channel, source);
        };
        // A radio knows the time of its first sample when it has that sample.
        file.meta_state = [&source] { return source.datetime(); };
        break;
    case file_format::wav: {
        file.name = base + ".wav";
        const auto samples = wav_of(wish, channel, source);
        file.head = [samples](std::uint64_t bytes) { return wav_head(samples, bytes); };
        break;
    }
    }
    return file;
}

std::unique_ptr<demodulator> demodulator_of(const output_wish& wish,
                                            const designed_channel& channel)
{
    if (wish.demod == demodulation::none)
        return nullptr;
    demodulator_wish audio;
    audio.kind = wish.demod;
    audio.rate = channel.rate;
    audio.audio_rate = wish.audio_rate;
    audio.deviation = wish.deviation.value_or(channel.bandwidth / 2);
    audio.deemphasis = wish.deemphasis;
    audio.muted = channel.outputs_until_full();
    return std::make_unique<demodulator>(audio);
}

shell_command
command_of(const output_wish& wish, const designed_channel& channel, std::size_t index)
{
    const command_template command(wish.command);
    const command_values values = { channel.name,
                                    number_text(output_rate(wish, channel)),
                                    number_text(channel.frequency),
                                    number_text(channel.bandwidth),
                                    output_type_name(wish.type),
                                    index };
    try {
        command.check_name(channel.name);
    } catch (const std::invalid_argument& e) {
        throw std::invalid_argument("channel '" + channel.name + "': " + e.what());
    }
    return { command.text(values), command.variables(values) };
}

//! Checks a channel's destination. \return what opens it
std::function<std::unique_ptr<byte_sink>(run_files&)>
check_sink(const output_wish& wish,
           const designed_channel& channel,
           const sample_source& source,
           std::size_t index,
           std::size_t count)
{
    const double rate = output_rate(wish, channel);
    const std::size_t size = output_size(wish.type);
    const bool stream = wish.folder == "-" || !wish.command.empty();
    const std::string head = stream && wish.format == file_format::wav
                                 ? wav_stream_head(wav_of(wish, channel, source))
                                 : "";
    if (!wish.command.empty())
        return [head,
                name = channel.name,
                command = command_of(wish, channel, index),
                size,
                bytes_per_second = rate * static_cast<double>(size)](run_files&) {
            return make_command_sink(command, name, head, size, bytes_per_second);
        };
    if (!wish.udp.empty()) {
        auto address = udp_address::of(wish.udp, "--udp");
        constexpr std::size_t max_port = 65535;
        // A receiver of RTP also uses the next port, for the reports of RTCP.
        const std::size_t port = address.port + (wish.rtp ? 2 : 1) * index;
        if (port > max_port)
            throw_invalid("--udp",
                          "'" + wish.udp + "'",
                          "a port from which on there is one for each channel");
        address.port = static_cast<unsigned>(port);
        std::optional<rtp_stream> rtp;
        if (wish.rtp)
            rtp = make_rtp_stream(rate, is_audio(wish.type) ? 1 : 2);
        return [=](run_files&) { return make_udp_sink(address, size, rtp); };
    }
    if (!wish.zmq.empty())
        return [endpoint = zmq_endpoint(wish.zmq, channel.name, index, count),
                size,
                waits = !source.is_live()](run_files&) {
            return make_zmq_sink(endpoint, size, waits);
        };
    if (wish.folder == "-")
        return [head](run_files& others) { return make_output_sink(head, others); };
    const auto file = file_of(wish, channel, source);
    for (const auto& name : { file.name, file.meta_name })
        refuse_kept(name, wish.kept);
    refuse_existing(file);
    return [file](run_files& others) { return make_file_sink(file, others); };
}

//! Refuses a command whose program is not here.
void check_program(const std::string& command)
{
    if (command.empty())
        return;
    const auto program = command_template(command).first_word();
    if (!program.empty() && !is_known_to_shell(program))
        throw_invalid("--exec",
                      "'" + command + "'",
                      "a command of the shell, which finds no program '" + program + "'");
}

void make_folder(const std::string& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (!fs::is_directory(folder))
        throw std::runtime_error("the folder '" + folder + "' cannot be made: " +
                                 (error ? error.message() : "it is a file"));
}

} // namespace

void refuse_kept(const std::string& name, const std::vector<kept_file>& kept)
{
    std::error_code none;
    for (const auto& file : kept)
        if (fs::equivalent(name, file.name, none))
            throw std::runtime_error("'" + name + "' is " + file.what);
}

std::vector<checked_output> check_outputs(const output_wish& wish,
                                          const std::vector<designed_channel>& channels,
                                          const sample_source& source)
{
    check_wish(wish, channels);
    std::vector<checked_output> checked;
    for (std::size_t i = 0; i < channels.size(); i++)
        checked.push_back({ demodulator_of(wish, channels[i]),
                            check_sink(wish, channels[i], source, i, channels.size()) });
    check_program(wish.command);
    return checked;
}

std::vector<channel_output> open_outputs(const output_wish& wish,
                                         std::vector<checked_output> checked,
                                         run_files& files)
{
    allow_many_files();
    if (!wish.folder.empty() && wish.folder != "-")
        make_folder(wish.folder);
    std::vector<channel_output> outputs;
    try {
        for (auto& each : checked)
            outputs.emplace_back(wish.type, std::move(each.audio), each.open(files));
    } catch (...) {
        for (auto& output : outputs)
            output.sink().discard();
        throw;
    }
    return outputs;
}

} // namespace cldsp::app
