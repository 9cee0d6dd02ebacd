// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that takes channels out of a recording, a pipe or a radio.

#include "command.h"
#include "driver_trial.h"
#include "output.h"
#include "range.h"

#include "channelize/channel_bank.h"
#include "channelize/channel_list.h"
#include "channelize/command_template.h"
#include "channelize/file_source.h"
#include "channelize/outputs.h"
#include "channelize/pipeline.h"
#include "channelize/progress.h"
#include "channelize/quantity.h"
#include "channelize/radio_list.h"
#include "channelize/radio_source.h"
#include "channelize/radio_wish.h"
#include "channelize/sample_format.h"
#include "channelize/sample_source.h"
#include "channelize/sigmf.h"
#include "channelize/stop_signal.h"

#include <cldsp/errors.h>
#include <cldsp/low_pass.h>

#include "common/text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

struct options {
    std::string input, type, rate, center;
    std::string gain, antenna;
    std::optional<double> ppm;
    std::string seconds;
    bool list_radios = false;
    std::vector<std::string> channels;
    std::string channel_file;
    double stopband = 60;
    std::string taps;
    std::string out, exec, udp, zmq;
    bool rtp = false;
    std::string format, output_type;
    bool overwrite = false;
    std::string demod, audio_rate = "48k", deviation, deemphasis;
    std::optional<double> speed;
    std::string device = "auto", variant = "auto", plan = "auto", profile;
    bool progress = false, json = false, verbose = false;
};

std::optional<double> hertz_of(const std::string& text, const std::string& parameter)
{
    if (text.empty())
        return std::nullopt;
    return parse_hertz(text, parameter);
}

double positive_hertz(const std::string& text, const std::string& parameter)
{
    const double value = parse_hertz(text, parameter);
    if (value <= 0)
        throw_invalid(parameter, "'" + text + "'", "above 0");
    return value;
}

//! A time in seconds, if one is given. \param usual the unit of a number without one
std::optional<double> seconds_of(const std::string& text,
                                 const std::string& parameter,
                                 const std::string& usual,
                                 double least,
                                 double most)
{
    if (text.empty())
        return std::nullopt;
    const double value = parse_seconds(text, parameter, usual);
    if (!(value >= least && value <= most))
        throw_invalid(parameter,
                      "'" + text + "'",
                      number_text(least) + " to " + number_text(most) + " s");
    return value;
}

void check_ranges(const options& asked)
{
    check_range("--ppm", asked.ppm, -1000, 1000);
    check_range("--stopband",
                asked.stopband,
                low_pass_spec::min_attenuation,
                low_pass_spec::max_attenuation);
    check_range("--speed", asked.speed, 0, 1e9);
}

std::vector<channel_wish> channels_of(const options& asked)
{
    std::vector<channel_wish> channels;
    if (!asked.channel_file.empty())
        channels = read_channels(asked.channel_file);
    for (const auto& text : asked.channels)
        channels.push_back(parse_channel(text));
    if (channels.empty())
        throw std::invalid_argument(
            "no channel is given: use --channel FREQUENCY,RATE or --channels FILE");
    constexpr std::size_t most = freq_xlating_filter_bank_problem::max_slots;
    if (channels.size() > most)
        throw_invalid("channels",
                      std::to_string(channels.size()) + " of them",
                      "1 to " + std::to_string(most));
    complete_names(channels);
    return channels;
}

std::unique_ptr<sample_source> source_of(const options& asked)
{
    const auto rate = hertz_of(asked.rate, "--rate");
    const auto center = hertz_of(asked.center, "--center");
    if (!is_radio(asked.input)) {
        if (!asked.gain.empty() || !asked.antenna.empty() || asked.ppm)
            throw std::invalid_argument("--gain, --antenna and --ppm are for a radio, "
                                        "such as soapy:driver=rtlsdr");
        return std::make_unique<file_source>(
            source_wish{ asked.input, asked.type, rate, center });
    }
    radio_wish wish;
    wish.arguments = radio_arguments(asked.input);
    if (!rate || !center)
        throw std::invalid_argument(
            "--rate and --center are needed, because a radio has to be told them");
    wish.rate = positive_hertz(asked.rate, "--rate");
    wish.center = *center;
    wish.type = asked.type;
    if (!asked.gain.empty())
        wish.gain = parse_gain(asked.gain);
    wish.ppm = asked.ppm;
    wish.antenna = asked.antenna;
    return open_radio(wish, asked.verbose);
}

bank_input input_of(const sample_source& source)
{
    return { source.type(), source.rate(), source.center(), source.full_scale() };
}

output_wish outputs_of(const options& asked)
{
    output_wish wish;
    wish.folder = asked.out;
    wish.command = asked.exec;
    wish.udp = asked.udp;
    wish.rtp = asked.rtp;
    wish.zmq = asked.zmq;
    wish.overwrite = asked.overwrite;
    if (asked.demod == "fm")
        wish.demod = demodulation::fm;
    else if (asked.demod == "am")
        wish.demod = demodulation::am;
    const bool audio = wish.demod != demodulation::none;

    const bool files = !asked.out.empty() && asked.out != "-";
    const bool pipes = asked.out == "-" || !asked.exec.empty();
    if (!asked.format.empty() && asked.format != "raw" && !files &&
        !(pipes && asked.format == "wav"))
        throw_invalid("--format",
                      "'" + asked.format + "'",
                      pipes ? "raw or wav except for files" : "raw except for files");
    const std::string usual = !files ? "raw" : (audio ? "wav" : "sigmf");
    const std::string format = !asked.format.empty() ? asked.format : usual;
    wish.format = format == "raw"   ? file_format::raw
                  : format == "wav" ? file_format::wav
                                    : file_format::sigmf;
    wish.type = !asked.output_type.empty()
                    ? output_type_of(asked.output_type, "--output-type")
                : audio     ? output_type::s16
                : asked.rtp ? output_type::cs16
                            : output_type::cf32;
    wish.audio_rate = positive_hertz(asked.audio_rate, "--audio-rate");
    if (!asked.deviation.empty())
        wish.deviation = positive_hertz(asked.deviation, "--deviation");
    constexpr double longest = 1; // s
    wish.deemphasis =
        seconds_of(asked.deemphasis, "--deemphasis", "us", 0, longest).value_or(0);
    if ((!asked.deviation.empty() || wish.deemphasis > 0) &&
        wish.demod != demodulation::fm)
        throw std::invalid_argument("--deviation and --deemphasis are for --demod fm");
    return wish;
}

ordered_json json_of(const designed_channel& channel, double input_rate)
{
    return { { "name", channel.name },           { "frequency", channel.frequency },
             { "offset", channel.offset },       { "rate", channel.rate },
             { "bandwidth", channel.bandwidth }, { "stopband", channel.stopband },
             { "taps", channel.taps.size() },    { "delay", channel.delay(input_rate) } };
}

//! The filters as JSON; channels of the same kind share one entry.
ordered_json taps_json(const std::vector<designed_channel>& channels, double input_rate)
{
    ordered_json filters = ordered_json::array(), list = ordered_json::array();
    std::vector<shared_taps> known;
    for (const auto& channel : channels) {
        const auto place =
            std::find_if(known.begin(), known.end(), [&](const auto& taps) {
                return taps.is(channel.taps);
            });
        const auto index = static_cast<std::size_t>(place - known.begin());
        if (place == known.end()) {
            known.push_back(channel.taps);
            ordered_json values = ordered_json::array();
            for (const auto& tap : channel.taps)
                values.push_back(static_cast<double>(tap.real()));
            filters.push_back(std::move(values));
        }
        auto one = json_of(channel, input_rate);
        one["interpolation"] = channel.ratio.interpolation;
        one["decimation"] = channel.ratio.decimation;
        one["filter"] = index;
        list.push_back(one);
    }
    return { { "rate", input_rate }, { "channels", list }, { "filters", filters } };
}

//! The files that the run reads, which no output may replace.
std::vector<kept_file> kept_files(const options& asked, const sample_source& source)
{
    const std::string input = "the input itself";
    // The standard input may be a file, too.
    std::vector<kept_file> kept = { { asked.input == "-" ? "/dev/stdin" : source.name(),
                                      input } };
    if ((asked.type.empty() || asked.type == "sigmf") && is_sigmf(asked.input))
        kept.push_back({ sigmf_meta_file(asked.input), input });
    if (!asked.channel_file.empty())
        kept.push_back({ asked.channel_file, "the list of channels" });
    return kept;
}

//! The file for the taps, after a check that it may be written.
file_wish taps_file(const options& asked, const std::vector<kept_file>& kept)
{
    file_wish file;
    file.name = asked.taps;
    file.follow = true;
    // Devices and pipes have no contents to lose.
    std::error_code none;
    const auto status = std::filesystem::status(asked.taps, none);
    file.overwrite = asked.overwrite || (std::filesystem::exists(status) &&
                                         !std::filesystem::is_regular_file(status));
    refuse_kept(file.name, kept);
    refuse_existing(file);
    return file;
}

void write_taps(const file_wish& file,
                const std::vector<designed_channel>& channels,
                double input_rate,
                run_files& others)
{
    const auto value = taps_json(channels, input_rate);
    if (file.name == "-") {
        print_json(value);
        return;
    }
    const std::string text =
        value.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    const auto sink = make_file_sink(file, others);
    sink->begin();
    sink->write(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    sink->finish();
}

//! The number of items per call for which the engine chooses its plan.
std::size_t typical_items(const sample_source& source, double speed, std::size_t most)
{
    constexpr std::size_t least = 1024;
    if (source.is_stream() || speed > 0)
        return std::clamp(
            static_cast<std::size_t>(std::min(1e9, source.rate() * stream_seconds)),
            least,
            most);
    return std::clamp<std::size_t>(
        static_cast<std::size_t>(source.items().value_or(most)), least, most);
}

channel_bank make_bank(const options& asked,
                       const std::vector<designed_channel>& channels,
                       const sample_source& source,
                       const piece_sizes& sizes,
                       double speed,
                       const std::shared_ptr<context_registry>& registry)
{
    freq_xlating_filter_bank_options wish;
    wish.device = asked.device;
    wish.variant = asked.variant;
    wish.at_once = asked.plan == "auto";
    wish.typical_items = typical_items(source, speed, sizes.planned);
    wish.log = registry->options().log;
    wish.stopped = [] { return stop_signal::number() != 0; };
    // Fast convolution may drop bins whose gain is far below the stopband's.
    double stopband = 0;
    for (const auto& channel : channels)
        stopband = std::max(stopband, channel.stopband);
    constexpr double margin = 20; // dB
    wish.accuracy = std::min(wish.accuracy, std::pow(10, -(stopband + margin) / 20));
    return channel_bank(channels, input_of(source), wish, registry, sizes.items);
}

//! Makes the bank, unless a signal comes meanwhile.
channel_bank plan_bank(const options& asked,
                       const std::vector<designed_channel>& channels,
                       const sample_source& source,
                       const piece_sizes& sizes,
                       double speed,
                       const std::shared_ptr<context_registry>& registry)
{
    const std::runtime_error stopped("stopped by a signal before the first sample");
    try {
        auto bank = make_bank(asked, channels, source, sizes, speed, registry);
        // A plan that needs no measurement is made without a look at the signals.
        if (stop_signal::number() != 0)
            throw stopped;
        return bank;
    } catch (const planning_stopped&) {
        throw stopped;
    }
}

//! Refuses a rate of the input that is below a channel's, and would not be in MHz or kHz:
//! who writes --rate 2.4 means 2.4M. Other errors would name the channel's rate.
void check_unit(const options& asked,
                const std::vector<channel_wish>& wishes,
                double input_rate)
{
    constexpr double highest_meant = 1e9; // Hz
    double highest = 0;
    for (const auto& wish : wishes)
        highest = std::max(highest, wish.rate);
    if (asked.rate.empty() || !(input_rate < highest) ||
        asked.rate.find_first_not_of("0123456789.+") != std::string::npos)
        return;
    for (const auto& [unit, factor] : { std::pair{ "k", 1e3 }, std::pair{ "M", 1e6 } })
        if (input_rate * factor >= highest && input_rate * factor < highest_meant)
            throw_invalid("--rate",
                          "'" + asked.rate + "' (" + number_text(input_rate) + " Hz)",
                          "above the rate of each channel, up to " +
                              number_text(highest) + " Hz here: write " + asked.rate +
                              unit + " for " + quantity_text(input_rate * factor, "Hz"));
}

//! Tells of rates that are not as wanted, each once.
void tell_other_rates(const std::vector<channel_wish>& wishes,
                      const std::vector<designed_channel>& channels,
                      double input_rate)
{
    std::set<double> told;
    for (std::size_t i = 0; i < wishes.size(); i++) {
        const auto text = channels[i].ratio.other_rate_text(wishes[i].rate, input_rate);
        if (!text.empty() && told.insert(wishes[i].rate).second)
            std::cerr << "cldsp: channel '" + channels[i].name + "' has the rate " +
                             text + "\n";
    }
}

//! Tells of words in braces that may be meant as places of a command.
void tell_other_words(const std::string& command)
{
    const command_template made(command);
    for (const auto& word : made.other_words())
        std::cerr << "cldsp: --exec has " + word +
                         ", which stays as it is; {name}, {rate}, {frequency}, "
                         "{bandwidth}, {type} and {index} are replaced\n";
}

//! Begins the outputs after \p before, whose failure undoes their opening.
void begin_outputs(std::vector<channel_output>& outputs,
                   const std::function<void()>& before)
{
    try {
        before();
        for (auto& each : outputs)
            each.sink().begin();
    } catch (...) {
        for (auto& each : outputs)
            each.sink().discard();
        throw;
    }
}

//! Prints the remarks from one of them on.
void print_remarks(const sample_source& source, std::size_t first)
{
    const auto remarks = source.remarks();
    for (std::size_t i = first; i < remarks.size(); i++)
        std::cerr << "cldsp: " + remarks[i] + "\n";
}

std::string ended_text(const pipeline_result& result)
{
    const int number = stop_signal::number();
    if (number > 0)
        return "signal " + std::to_string(number);
    return result.failures.empty() ? "end of the input" : "failure";
}

ordered_json summary_json(const sample_source& source,
                          const channel_bank& bank,
                          const std::vector<designed_channel>& channels,
                          const std::vector<channel_output>& outputs,
                          const pipeline_result& result)
{
    const double items = static_cast<double>(result.items);
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i < channels.size(); i++) {
        auto one = json_of(channels[i], source.rate());
        one["samples"] = outputs[i].samples();
        one["clipped"] = outputs[i].clipped();
        one["target"] = outputs[i].sink().target();
        list.push_back(one);
    }
    ordered_json input = { { "name", source.name() },
                           { "type", sample_type_name(source.type()) },
                           { "rate", source.rate() } };
    if (source.center())
        input["center"] = *source.center();
    if (!source.datetime().empty())
        input["datetime"] = source.datetime();
    if (!source.remarks().empty())
        input["remarks"] = source.remarks();
    if (source.is_live()) {
        input["overruns"] = source.losses().overruns;
        input["lost_samples"] = source.losses().samples;
    }
    return { { "input", input },
             { "engine", bank.engine().plan() },
             { "device", bank.engine().device_name() },
             { "items", result.items },
             { "seconds", result.seconds },
             { "items_per_second", items / result.seconds },
             { "times_real_time", items / source.rate() / result.seconds },
             { "ended_by", ended_text(result) },
             { "failures", result.failures },
             { "channels", list } };
}

//! The overruns and lost samples of a radio as text; empty if there was no overrun.
std::string losses_text(const sample_source& source)
{
    const auto losses = source.losses();
    if (losses.overruns == 0)
        return "";
    std::string text = std::to_string(losses.overruns) +
                       (losses.overruns == 1 ? " overrun" : " overruns");
    if (losses.samples > 0)
        text += " with " + std::to_string(losses.samples) + " lost samples";
    return text;
}

void print_summary(const sample_source& source,
                   const std::vector<designed_channel>& channels,
                   const std::vector<channel_output>& outputs,
                   const pipeline_result& result)
{
    const double items = static_cast<double>(result.items);
    std::string text = "cldsp: " + bench::number(items / source.rate()) +
                       " s of signal (" + std::to_string(result.items) +
                       " samples) into " + std::to_string(channels.size()) +
                       (channels.size() == 1 ? " channel in " : " channels in ") +
                       bench::number(result.seconds) +
                       " s: " + quantity_text(items / result.seconds, "S/s") + ", " +
                       bench::number(items / source.rate() / result.seconds) +
                       " times real time\n";
    const std::string losses = losses_text(source);
    if (!losses.empty())
        text += "cldsp: the radio had " + losses +
                (source.losses().samples ? ", which are zeros now\n" : "\n");
    for (std::size_t i = 0; i < channels.size(); i++)
        if (outputs[i].clipped())
            text += "cldsp: channel '" + channels[i].name +
                    "': " + std::to_string(outputs[i].clipped()) +
                    " numbers were clipped\n";
    std::cerr << text;
}

int run(options asked)
{
    if (asked.list_radios) {
        if (!asked.input.empty() && !is_radio(asked.input))
            throw_invalid("INPUT",
                          "'" + asked.input + "'",
                          "left out with --list-radios, or soapy:KEY=VALUE");
        print_radios(list_radios(asked.input.empty() ? "" : radio_arguments(asked.input),
                                 asked.verbose),
                     asked.json);
        return success;
    }
    if (asked.input.empty())
        throw std::invalid_argument("INPUT is required: a file, - for the standard "
                                    "input, or a radio such as soapy:driver=rtlsdr");
    const stop_signal signals;
    if (asked.json && (asked.out == "-" || asked.taps == "-"))
        throw std::invalid_argument(
            "--json prints to the standard output, which is in use by '-'");
    if (asked.out == "-" && asked.taps == "-")
        throw std::invalid_argument(
            "--taps is '-', but must be a file: --out writes to the standard output");
    check_ranges(asked);
    const auto seconds = seconds_of(asked.seconds, "--seconds", "s", 1e-6, 1e9);
    if (asked.out == "-" && isatty(STDOUT_FILENO))
        throw_invalid("--out",
                      "'-'",
                      "a folder, as the standard output is a terminal, for which samples "
                      "are no text; a file or a command may be behind > or |");
    const bool here = asked.out.empty() && asked.exec.empty() && asked.udp.empty() &&
                      asked.zmq.empty() && asked.taps.empty();
    if (here)
        asked.out = ".";
    const auto wishes =
        with_memory_for("the list of channels", [&] { return channels_of(asked); });
    auto output = outputs_of(asked);
    asked.device = loadable_device(asked.device); // before a radio starts its threads
    const auto owned_source =
        with_memory_for("the input", [&] { return source_of(asked); });
    auto& source = *owned_source;
    // They explain why a channel may be refused next, and those of a radio do not.
    if (!source.is_live())
        print_remarks(source, 0);
    check_unit(asked, wishes, source.rate());
    const std::string number =
        std::to_string(wishes.size()) + (wishes.size() == 1 ? " channel" : " channels");
    const auto channels = with_memory_for("the filters of " + number, [&] {
        return design_channels(wishes, input_of(source), asked.stopband);
    });
    tell_other_rates(wishes, channels, source.rate());
    output.kept = kept_files(asked, source);
    run_files files;
    for (const auto& file : output.kept)
        files.keep(file.name, file.what);
    if (asked.json || asked.taps == "-")
        files.add(STDOUT_FILENO, "standard output");
    std::optional<file_wish> taps;
    if (!asked.taps.empty()) {
        taps = taps_file(asked, output.kept);
        if (asked.out.empty() && asked.exec.empty() && asked.udp.empty() &&
            asked.zmq.empty()) {
            write_taps(*taps, channels, source.rate(), files);
            return success;
        }
    }
    // Nothing is made or replaced before everything that may be refused.
    auto checked = check_outputs(output, channels, source);
    tell_other_words(asked.exec);
    // Datagrams and messages of ZeroMQ are sent at the speed of the signal: datagrams are
    // lost if they come faster than a receiver takes them, and subscribers may come late.
    const bool paced = (!asked.udp.empty() || !asked.zmq.empty()) && !source.is_stream();
    const double speed = asked.speed.value_or(paced ? 1 : 0);

    pipeline_limits limits;
    limits.speed = speed;
    if (seconds)
        limits.items = static_cast<std::uint64_t>(std::llround(*seconds * source.rate()));
    const auto there = source.items();
    const auto total =
        limits.items ? std::min(*limits.items, there.value_or(*limits.items)) : there;
    const auto sizes = sizes_of(channels, input_of(source), source.is_live());
    limits.pieces = sizes.pieces;
    progress_line line(source.rate(), total, asked.progress || has_terminal());
    line.note("choosing the fastest engine");
    const auto registry = std::make_shared<context_registry>(
        registry_options(asked.profile, least_level(asked.verbose, log_level::info)));
    auto bank = with_memory_for("the engine of " + number, [&] {
        return plan_bank(asked, channels, source, sizes, speed, registry);
    });
    auto outputs = open_outputs(output, std::move(checked), files);
    begin_outputs(outputs, [&] {
        if (taps)
            write_taps(*taps, channels, source.rate(), files);
    });
    line.end();
    std::cerr << "cldsp: " + std::to_string(channels.size()) +
                     (channels.size() == 1 ? " channel of " : " channels of ") +
                     sample_type_name(source.type()) + " at " +
                     quantity_text(source.rate(), "S/s") + ": " + bank.engine().plan() +
                     "\n";
    if (here)
        std::cerr << "cldsp: the files are written here, as --out names no folder\n";
    if (source.is_live())
        print_remarks(source, 0);
    const auto remarks = source.remarks().size();

    line.begin();
    auto result = with_memory_for("the pieces of the stream", [&] {
        return run_pipeline(source, bank, outputs, limits, [&](std::uint64_t items) {
            line.show(items, losses_text(source));
        });
    });
    line.end();
    print_remarks(source, remarks);

    if (stop_signal::number() == 0 && result.items == 0 && result.failures.empty())
        result.failures.push_back("'" + source.name() + "' has no samples");
    if (stop_signal::number() > 0 && total && !source.is_stream() &&
        result.items < *total && result.failures.empty())
        result.failures.push_back(
            "stopped by signal " + std::to_string(stop_signal::number()) + " after " +
            std::to_string(result.items) + " of " + std::to_string(*total) + " samples");
    for (const auto& failure : result.failures)
        std::cerr << "cldsp: " + failure + "\n";
    if (asked.json)
        print_json(summary_json(source, bank, channels, outputs, result));
    print_summary(source, channels, outputs, result);
    return result.failures.empty() ? success : failure;
}

void add_input_options(CLI::App& parser, options& asked)
{
    parser.option_defaults()->group("Input");
    parser.add_option(
        "input",
        asked.input,
        "A SigMF recording or archive, a WAV file (mono: real, stereo: IQ), a "
        "file of raw samples, - for the standard input, or a radio, such as "
        "soapy:driver=rtlsdr");
    parser
        .add_option("--type",
                    asked.type,
                    "Of raw samples: " + file_endings() +
                        "; a datatype of SigMF, or wav, or sigmf for an archive; "
                        "default: by the file's name")
        ->type_name("TYPE");
    parser.add_option("--rate", asked.rate, "Sampling rate of the input, e.g. 2.4M")
        ->type_name("HZ");
    parser
        .add_option("--center",
                    asked.center,
                    "Frequency at the centre of the input; without it, if the file has "
                    "none either, the channels' frequencies are offsets")
        ->type_name("HZ");
    parser
        .add_option("--seconds",
                    asked.seconds,
                    "Of the input at most, e.g. 60 or 500ms; default: all of it")
        ->type_name("TIME");
}

void add_radio_options(CLI::App& parser, options& asked)
{
    parser.option_defaults()->group("Radios");
    parser.add_flag("--list-radios", asked.list_radios, "List the radios, and end");
    parser
        .add_option("--gain",
                    asked.gain,
                    "auto, dB, or NAME=DB,NAME=DB for the amplifiers; default: auto if "
                    "the radio can, else as it is")
        ->type_name("GAIN");
    parser.add_option("--antenna", asked.antenna, "The input that the radio takes")
        ->type_name("NAME");
    parser.add_option("--ppm", asked.ppm, "By which the radio's clock is too fast");
}

void add_channel_options(CLI::App& parser, options& asked)
{
    parser.option_defaults()->group("Channels");
    parser
        .add_option("--channel",
                    asked.channels,
                    "FREQUENCY,RATE[,bw=HZ][,stopband=DB][,name=TEXT], e.g. "
                    "161.975M,48k,bw=20k,name=ais1; once for each channel")
        ->type_name("CHANNEL")
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false); // the next word may be the input
    parser
        .add_option(
            "--channels", asked.channel_file, "A list of channels in a file, CSV or JSON")
        ->type_name("FILE");
    parser
        .add_option("--stopband",
                    asked.stopband,
                    "Attenuation of the filters in dB, 20 to 120; default: 60")
        ->type_name("DB");
    parser
        .add_option(
            "--taps", asked.taps, "Write the filters' taps to a file, or - ; as JSON")
        ->type_name("FILE");
}

void add_audio_options(CLI::App& parser, options& asked)
{
    parser.option_defaults()->group("Audio");
    parser.add_option("--demod", asked.demod, "Make audio of the channels")
        ->check(one_of("--demod", { "fm", "am" }));
    parser
        .add_option("--audio-rate",
                    asked.audio_rate,
                    "Of the audio, lower or higher than the channel's; default: 48k")
        ->type_name("HZ");
    parser
        .add_option("--deviation",
                    asked.deviation,
                    "Of FM that is full scale; default: half of the bandwidth")
        ->type_name("HZ");
    parser
        .add_option("--deemphasis",
                    asked.deemphasis,
                    "Of FM: 50 or 50us for broadcasts in most countries, 75 in North "
                    "America; default: none")
        ->type_name("TIME");
}

void add_output_options(CLI::App& parser, options& asked)
{
    parser.option_defaults()->group("Output");
    parser
        .add_option("--out",
                    asked.out,
                    "The folder of the files, or - for the standard output; default: "
                    "this folder, if there is no --exec, --udp, --zmq or --taps")
        ->type_name("FOLDER");
    parser
        .add_option("--exec",
                    asked.exec,
                    "A command for each channel, which reads raw samples; {name}, "
                    "{rate}, {frequency}, {bandwidth}, {type} and {index} are replaced, "
                    "and no shell reads the name as code")
        ->type_name("COMMAND");
    parser
        .add_option("--udp",
                    asked.udp,
                    "For datagrams of raw samples; channel i goes to PORT + i, from 0 on")
        ->type_name("HOST:PORT");
    parser.add_flag(
        "--rtp",
        asked.rtp,
        "Datagrams of --udp have heads of RTP and cs16, or s16 with --demod, in "
        "the order of the network; channel i goes to PORT + 2 i");
    parser
        .add_option("--zmq",
                    asked.zmq,
                    "tcp://HOST:PORT or ipc://PATH, where ZeroMQ publishes raw "
                    "samples; channel i at PORT + i, or by {name} and {index}")
        ->type_name("ADDRESS");
    parser
        .add_option("--format",
                    asked.format,
                    "Of the files; default: sigmf, with --demod wav. To the standard "
                    "output and commands: raw or wav; default: raw")
        ->check(one_of("--format", { "sigmf", "raw", "wav" }));
    parser
        .add_option("--output-type",
                    asked.output_type,
                    "cf32 or cs16, with --demod s16 or f32; default: the first of them, "
                    "with --rtp 16 bits")
        ->type_name("TYPE");
    parser.add_flag("--overwrite", asked.overwrite, "Replace files that exist");
    parser.add_option(
        "--speed",
        asked.speed,
        "Times real time at most; 0: no limit; default: 1 for a file to --udp or "
        "--zmq, else 0");
}

void add_engine_options(CLI::App& parser, options& asked)
{
    parser.option_defaults()->group("Engine");
    parser
        .add_option("--device",
                    asked.device,
                    "auto, gpu, cpu, host, P:D or a part of a name; gpus or a list such "
                    "as 0:0,0:1, which share the channels; default: auto, the fastest")
        ->type_name("DEVICE");
    parser
        .add_option("--variant",
                    asked.variant,
                    "The kernel, e.g. simd or selected_bins, as cldsp bench names it; "
                    "default: auto, the fastest")
        ->type_name("NAME");
    parser
        .add_option("--plan",
                    asked.plan,
                    "auto: begin on the host, and move to what is faster; wait: begin "
                    "when the fastest is known; default: auto")
        ->check(one_of("--plan", { "auto", "wait" }));
    parser
        .add_option(
            "--profile", asked.profile, "Lower the limits: " + lowering_profiles())
        ->type_name("NAME");
}

} // namespace

command add_channelize(CLI::App& app)
{
    const auto asked = std::make_shared<options>();
    auto* parser =
        app.add_subcommand("channelize", "Take channels out of a recording or a stream");
    parser->add_flag(
        "--progress", asked->progress, "Show the progress although there is no terminal");
    parser->add_flag("--json", asked->json, "Print a summary as JSON");
    parser->add_flag("--verbose", asked->verbose, "Print what the engine logs");
    add_input_options(*parser, *asked);
    add_radio_options(*parser, *asked);
    add_channel_options(*parser, *asked);
    add_audio_options(*parser, *asked);
    add_output_options(*parser, *asked);
    add_engine_options(*parser, *asked);
    parser->footer(
        "Examples:\n"
        "  cldsp channelize pass.sigmf-meta --channel 137.1M,48k --out channels\n"
        "  cldsp channelize radio.cu8 --rate 2.4M --center 446M \\\n"
        "      --channel 446.1M,25k --demod fm\n"
        "  rtl_sdr -f 137.5M -s 2400000 - | cldsp channelize - --type cu8 \\\n"
        "      --rate 2.4M --center 137.5M --channel 137.1M,48k");
    return { parser, [asked] { return run(*asked); } };
}

} // namespace cldsp::app
