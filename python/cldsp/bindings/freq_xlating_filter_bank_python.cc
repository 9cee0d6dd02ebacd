// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the filter banks, and their lists of taps and channels.

#include "argument_text.h"
#include "engine_block_class.h"
#include "inputs_doc.h"
#include "whole_number.h"
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace py = pybind11;

namespace {

constexpr const char* bank_class_doc =
    R"(Takes many narrow channels out of a wide stream: shift to 0 Hz, FIR filter, decimation.

One input, one output per channel, thousands of them at arbitrary centre frequencies, for little
more than the price of one. Channel c gives what a freq_xlating_fir_filter with its taps and
its centre frequency gives, phase included. The outputs are complex. The last letter of the name
is the taps': c complex, f float. The letters before it are the input's:
)" CLDSP_INPUTS_DOC R"(in a pair, I comes before Q.

Message port freq (input): a pair (channel . frequency in Hz), or a dict with the keys chan
(or channel) and freq, tunes one channel. A tag freq on a channel's output, whose value is
its frequency in Hz, marks where changes took effect. Tags of the input pass to every output;
rx_rate and rx_freq get the values of the output: its rate, and the frequency of its 0 Hz.

All channels have one decimation, or each slot for a channel has a rate of its own, which never
changes: a decimation, or a rational part of the input's rate, such as 48 kHz out of 2.048 MHz.
K input items give floor(K P / Q) outputs of a channel with P outputs for Q items. A tag rx_rate
(the rate of the output in Hz) is then on the first output of each channel.

Channels come and go while the flowgraph runs: set_channel_active(), add_channel() and
remove_channel(). An idle channel produces nothing and costs nothing; when it is active again,
it has the samples that it would have had without the pause. A channel that starts has three
tags on its first output: freq, rx_rate (the rate of the output in Hz) and sample_start (the
index of the input item that the output belongs to). Outputs may be left unconnected, but for
the first one and without gaps; their channels are idle.

Message port channels (input): a pair (channel . bool), or a dict with the keys chan and active,
makes a channel active or idle; a dict with the keys add (a vector of taps) and freq adds a
channel, in the first free slot or in that of the key chan, with the key decimation or
output_rate in a slot of that rate; a dict with the key remove (the channel) removes one; a dict
with the keys schedule (the channel) and points (a vector of (sample, hz, hz_per_second)) is a
call of schedule().

A tag freq on the input with a pair (channel . Hz) or a dict with the keys chan, freq and perhaps
rate (Hz per second) changes the frequency of a channel at exactly that item, as a schedule of one
point does. A plain number there is no order.)";

constexpr const char* bank_make_doc = R"(
Args:
    decimation: input items an output: of every channel, 1 to what GNU Radio's buffer before
        the block holds: with history() less than 2**30 bytes; or a list, one a slot, 1 to
        16777216. 0, or 1, the default, where output_rate has the rate
    taps: the low-pass prototype at 0 Hz of all channels, a list of one or more finite
        values; or a list of such lists, one per channel, of any lengths
    center_freqs: frequencies in Hz that are shifted to 0 Hz, one per channel, finite
    sampling_freq: rate of the input in Hz, finite and above 0
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name; "gpus", or a list such as "1:0,1:1" or "1:0,host": these devices
        share the channels by their measured rates, with the host where it helps all GPUs
    variant: "auto" or a name that cldsp.list_variants() gives, which implies its algorithm
    transfer: "auto", "copy", "mapped" or "zero_copy"
    algorithm: "auto", "direct" or "fast_convolution"
    accuracy: how much fast convolution may change the frequency response, relative to the
        largest gain: 0 (nothing but rounding) to 0.1
    max_channels: the number of slots for channels, and of outputs, from the number of
        center_freqs to 65536; those beyond the given channels are free for add_channel().
        0: as many as there are center_freqs
    output_rate: rate of the outputs in Hz instead of a decimation: of every channel, or a
        list, one a slot. At most 0.9 of sampling_freq, or all of it, and sampling_freq P / Q
        with a P of at most 4096 and a Q of at most 16777216, or within 1 ppm of that, as
        output_rates() tells. 0: by the decimation; if both are given, they have to agree,
        but a decimation of 1 gives way
    latency: seconds of input that a call may bring, 0 to 10: the block asks for calls as long
        as its device needs within this bound, and for buffers of two such calls. It never
        waits for a call to fill
    rewrite_tags: whether the tags rx_rate and rx_freq of the input get the values of the
        output; if False, they pass as they are, as in-tree
    plan: "auto" (the preference [cldsp] plan, or: starts at once on the host, measures what is
        faster while it runs, and moves there at an output) or "wait" (the constructor
        measures, and the fastest computes from the first sample on)

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

//! Converts a list of points (sample, hz, hz_per_second). In each of them hz_per_second
//! may be left out.
std::vector<gr::cldsp::frequency_point> points_of(const py::sequence& points)
{
    std::vector<gr::cldsp::frequency_point> list;
    for (std::size_t i = 0; i < points.size(); i++) {
        const std::string name = "points[" + std::to_string(i) + "]";
        const auto refuse = [&] {
            throw std::invalid_argument("parameter '" + name + "' is " +
                                        std::string(py::repr(points[i])) +
                                        ", but must be (sample, hz, hz_per_second)");
        };
        if (!py::isinstance<py::sequence>(points[i]))
            refuse();
        try {
            const auto point = py::cast<py::sequence>(points[i]);
            if (point.size() != 2 && point.size() != 3)
                throw std::invalid_argument(
                    "parameter '" + name + "' has " + std::to_string(point.size()) +
                    " values, but must have 2 or 3: sample, hz, hz_per_second");
            list.push_back({ py::cast<whole_number>(point[0]).as<std::int64_t>(
                                 name + ".sample", 0, std::int64_t(1) << 62),
                             py::cast<double>(point[1]),
                             point.size() == 3 ? py::cast<double>(point[2]) : 0.0 });
        } catch (const py::cast_error&) {
            refuse();
        } catch (const py::error_already_set& error) {
            require_type_error(error);
            refuse();
        }
    }
    return list;
}

//! Converts one prototype for all channels, or a list with one per channel.
template <class TAP_T>
std::vector<std::vector<TAP_T>> taps_lists(const py::sequence& taps)
{
    // A list of lists is tried first, because NumPy converts an array with one element to
    // a number.
    if (std::is_same<TAP_T, gr_complex>::value || !has_complex(taps)) {
        try {
            return taps.cast<std::vector<std::vector<TAP_T>>>();
        } catch (const py::cast_error&) {
        } catch (const py::error_already_set& error) {
            require_type_error(error);
        }
        try {
            return { taps.cast<std::vector<TAP_T>>() };
        } catch (const py::cast_error&) {
        } catch (const py::error_already_set& error) {
            require_type_error(error);
        }
    }
    throw py::value_error(
        "parameter 'taps' is " + argument_text(taps) +
        ", but must be a list of numbers, or a list of such lists, one a "
        "channel");
}

constexpr int max_decimation = 1 << 24;

//! Makes a list of one decimation from a number; a list stays a list.
std::vector<int>
decimations_of(const std::variant<whole_number, std::vector<whole_number>>& decimation)
{
    if (const auto* one = std::get_if<whole_number>(&decimation))
        return { one->as<int>("decimation", 0, max_decimation) };
    std::vector<int> list;
    for (const auto& one : std::get<std::vector<whole_number>>(decimation))
        list.push_back(one.as<int>(
            "decimation[" + std::to_string(list.size()) + "]", 0, max_decimation));
    return list;
}

//! Makes a list of one rate from a number; a list stays as it is.
std::vector<double> rates_of(const std::variant<double, std::vector<double>>& rate)
{
    if (const auto* one = std::get_if<double>(&rate))
        return { *one };
    return std::get<std::vector<double>>(rate);
}

//! Binds the methods of a bank that do not depend on its types.
void bind_bank_control(py::module& m)
{
    using gr::cldsp::filter_bank_control;

    py::class_<filter_bank_control, std::shared_ptr<filter_bank_control>> c(
        m, "_filter_bank_control");
    c.def("channels",
          &filter_bank_control::channels,
          without_gil_guard(),
          "The number of slots for channels, which is the largest number of outputs.");
    c.def("output_rates",
          &filter_bank_control::output_rates,
          without_gil_guard(),
          "The rates of the outputs in Hz, one a slot.");
    c.def("set_center_freq",
          of_channel(&filter_bank_control::set_center_freq),
          py::arg("channel"),
          py::arg("center_freq"),
          "Tunes one channel, 0 to channels() - 1, to a frequency in Hz. It takes effect "
          "between two calls of work(), at an output of the channel that a tag \"freq\" "
          "marks; its phase goes on without a jump for symmetric filters, and the other "
          "channels do not change. ValueError for another channel, or unless finite.");
    c.def(
        "set_center_freqs",
        &filter_bank_control::set_center_freqs,
        without_gil_guard(),
        py::arg("center_freqs"),
        "Tunes all channels, as set_center_freq() does one, or those that were given at "
        "construction; values for free slots have no effect. ValueError unless one "
        "finite value a slot, or a channel at construction.");
    c.def(
        "update_center_freqs",
        &filter_bank_control::update_center_freqs,
        without_gil_guard(),
        py::arg("center_freqs"),
        "Tunes only the channels whose values differ from those of the list before: that "
        "of the last call of this function, or of the construction. GNU Radio Companion "
        "calls it when a variable changes. ValueError as for set_center_freqs().");
    c.def("center_freqs",
          &filter_bank_control::center_freqs,
          without_gil_guard(),
          "The frequencies set last, in Hz, one a slot; that of a free slot is 0, that "
          "of a channel with a schedule what it has reached.");
    c.def("set_channel_active",
          of_channel(&filter_bank_control::set_channel_active),
          py::arg("channel"),
          py::arg("active"),
          "Makes a channel idle or active between two calls of work(). An idle channel "
          "produces nothing and costs nothing. ValueError for another channel or a free "
          "slot.");
    c.def(
        "channel_active",
        [](const filter_bank_control& self, const whole_number& channel) {
            const int index = channel.as<int>("channel", 0, self.channels() - 1);
            return without_gil([&] { return self.channel_active(index); });
        },
        py::arg("channel"),
        "Whether the channel was last set to be active; False for a free slot. "
        "ValueError unless the channel is 0 to channels() - 1.");
    c.def("remove_channel",
          of_channel(&filter_bank_control::remove_channel),
          py::arg("channel"),
          "Removes a channel between two calls of work(); its slot is then free. "
          "ValueError for another channel or a free slot.");
    c.def(
        "schedule",
        [](filter_bank_control& self,
           const whole_number& channel,
           const py::sequence& points) {
            const int index = channel.as<int>("channel", 0, self.channels() - 1);
            const auto list = points_of(points);
            without_gil([&] { self.schedule(index, list); });
        },
        py::arg("channel"),
        py::arg("points"),
        "Makes the channel's frequency a function of time: a list of points (sample, hz, "
        "hz_per_second) or (sample, hz), with rising samples, counted since the stream "
        "began. From a point on the frequency runs linearly; its integral, the phase, "
        "never jumps. A call replaces what earlier ones say from its first point on; an "
        "empty list ends the schedule at the frequency that is reached, and "
        "set_center_freq() ends it, too. ValueError for another channel, a free slot or "
        "a bad point, such as points[3].hz.");
    c.def("max_taps",
          &filter_bank_control::max_taps,
          without_gil_guard(),
          "How many taps a channel may have: 16777216.");
}

//! Binds the methods that depend on the type of the taps.
template <class TAP_T>
void bind_bank_with_taps(py::module& m, const char* name)
{
    using bank = gr::cldsp::bank_with_taps<TAP_T>;

    class_with_taps<bank, gr::cldsp::filter_bank_control> c(m, name);
    c.def(
        "set_taps",
        [](bank& self, const py::sequence& taps) {
            const auto lists = taps_lists<TAP_T>(taps);
            without_gil([&] { self.set_taps(lists); });
        },
        py::arg("taps"),
        "Sets the prototypes: a list of 1 to max_taps() finite values for all channels, "
        "or a "
        "list of such lists, one per channel. It takes effect as set_center_freq() does, "
        "on "
        "every channel; no sample is skipped or repeated. ValueError for other taps.");
    c.def(
        "update_taps",
        [](bank& self, const py::sequence& taps) {
            const auto lists = taps_lists<TAP_T>(taps);
            without_gil([&] { self.update_taps(lists); });
        },
        py::arg("taps"),
        "Sets only the prototypes that differ from those that the channels have. "
        "ValueError "
        "as for set_taps().");
    c.def("taps",
          &bank::taps,
          without_gil_guard(),
          "The prototypes set last, a list of lists: one for all channels, or one a "
          "slot; those of free slots have no meaning.");
    c.def(
        "add_channel",
        [](bank& self,
           const taps_argument<TAP_T>& taps,
           double center_freq,
           const whole_number& decimation,
           double output_rate) {
            const int number = decimation.as<int>("decimation", 0, max_decimation);
            return without_gil(
                [&] { return self.add_channel(taps, center_freq, number, output_rate); });
        },
        py::arg("taps"),
        py::arg("center_freq"),
        py::arg("decimation") = 0,
        py::arg("output_rate") = 0.0,
        "Adds an active channel between two calls of work(), and returns its slot, the "
        "first free one, which is the index of its output. With a decimation or an "
        "output rate in Hz it is the first free one of that rate. The samples are those "
        "of a filter that has run since the stream began. ValueError if no such slot is "
        "free, and for other than 1 to max_taps() finite taps or a frequency that is not "
        "finite.");
}

template <class IN_T, class TAP_T>
void bind_bank(py::module& m, const char* name)
{
    using block = gr::cldsp::freq_xlating_filter_bank<IN_T, TAP_T>;

    py::class_<block, gr::cldsp::bank_with_taps<TAP_T>, std::shared_ptr<block>> c(
        m, name, bank_class_doc);
    using std::vector;
    c.def(py::init([](const std::variant<whole_number, vector<whole_number>>& decimation,
                      const py::sequence& taps,
                      const std::vector<double>& center_freqs,
                      double sampling_freq,
                      const std::string& device,
                      const std::string& variant,
                      const std::string& transfer,
                      const std::string& algorithm,
                      double accuracy,
                      const whole_number& max_channels,
                      const std::variant<double, vector<double>>& output_rate,
                      double latency,
                      bool rewrite_tags,
                      const std::string& plan) {
              const auto lists = taps_lists<TAP_T>(taps);
              const auto decimations = decimations_of(decimation);
              const auto slots = max_channels.as<int>("max_channels", 0, 65536);
              return without_gil([&] {
                  const auto* rate = std::get_if<double>(&output_rate);
                  if (std::holds_alternative<whole_number>(decimation) && rate &&
                      *rate == 0)
                      return block::make(decimations.front(),
                                         lists,
                                         center_freqs,
                                         sampling_freq,
                                         device,
                                         variant,
                                         transfer,
                                         algorithm,
                                         accuracy,
                                         slots,
                                         latency,
                                         rewrite_tags,
                                         plan);
                  return block::make_with_rates(decimations,
                                                lists,
                                                center_freqs,
                                                sampling_freq,
                                                rates_of(output_rate),
                                                device,
                                                variant,
                                                transfer,
                                                algorithm,
                                                accuracy,
                                                slots,
                                                latency,
                                                rewrite_tags,
                                                plan);
              });
          }),
          py::arg("decimation") = 1,
          py::arg("taps"),
          py::arg("center_freqs"),
          py::arg("sampling_freq"),
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("transfer") = "auto",
          py::arg("algorithm") = "auto",
          py::arg("accuracy") = 1e-5,
          py::arg("max_channels") = 0,
          py::arg("output_rate") = 0.0,
          py::arg("latency") = 0.025,
          py::arg("rewrite_tags") = true,
          py::arg("plan") = "auto",
          bank_make_doc);
}

} // namespace

void bind_freq_xlating_filter_bank(py::module& m)
{
    // The base classes of those below.
    bind_bank_control(m);
    bind_bank_with_taps<gr_complex>(m, "_filter_bank_with_complex_taps");
    bind_bank_with_taps<float>(m, "_filter_bank_with_real_taps");
#define BIND(NAME, CAPITALS, LETTERS, ...)                                               \
    bind_bank<gr::cldsp::NAME, gr_complex>(m, "freq_xlating_filter_bank_" #LETTERS "c"); \
    bind_bank<gr::cldsp::NAME, float>(m, "freq_xlating_filter_bank_" #LETTERS "f");
    CLDSP_SAMPLE_TYPES(BIND)
#undef BIND
}
