// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes the ranges of rates, frequencies and gains of a radio for people.

#include "channelize/radio_list.h"

#include "output.h"

#include <cldsp/errors.h>

#include <nlohmann/json.hpp>

#include <functional>
#include <iostream>
#include <string>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;
using range_text = std::function<std::string(double)>;

//! All digits, because a rate has to be given exactly.
std::string hertz(double value)
{
    constexpr double mega = 1e6, kilo = 1e3;
    return value >= mega ? number_text(value / mega) + " MHz"
                         : number_text(value / kilo) + " kHz";
}
std::string decibels(double value) { return number_text(value) + " dB"; }

std::string text_of(const number_range& range, const range_text& number)
{
    return range.from == range.to ? number(range.from)
                                  : number(range.from) + " to " + number(range.to);
}

template <class List, class Text>
std::string joined(const List& list, const Text& text)
{
    std::string all;
    for (const auto& each : list)
        all += (all.empty() ? "" : ", ") + text(each);
    return all;
}

void print(const radio_description& radio)
{
    const auto line = [](const std::string& what, const std::string& text) {
        if (!text.empty())
            std::cout << "  " << what << std::string(11 - what.size(), ' ') << text
                      << "\n";
    };
    const auto hertz_range = [](const number_range& r) { return text_of(r, hertz); };
    const auto same = [](const std::string& text) { return text; };
    std::cout << "soapy:" << radio.arguments << "\n";
    line("name", radio.name);
    if (!radio.problem.empty()) {
        line("problem", radio.problem);
        return;
    }
    line("rates", joined(radio.rates, hertz_range));
    line("frequency", joined(radio.frequencies, hertz_range));
    std::string gain = text_of(radio.gain, decibels);
    if (!radio.amplifiers.empty())
        gain += " (" +
                joined(radio.amplifiers,
                       [](const auto& each) {
                           return each.name + " " + text_of(each.gain, decibels);
                       }) +
                ")";
    line("gain", gain + (radio.has_automatic_gain ? ", or auto" : ""));
    line("antennas", joined(radio.antennas, same));
    line("formats", joined(radio.formats, same));
}

ordered_json to_json(const number_range& range)
{
    return ordered_json::array({ range.from, range.to });
}

ordered_json to_json(const radio_description& radio)
{
    ordered_json one = { { "input", "soapy:" + radio.arguments },
                         { "name", radio.name } };
    if (!radio.problem.empty()) {
        one["problem"] = radio.problem;
        return one;
    }
    const auto ranges = [](const std::vector<number_range>& list) {
        ordered_json all = ordered_json::array();
        for (const auto& range : list)
            all.push_back(to_json(range));
        return all;
    };
    one["rates"] = ranges(radio.rates);
    one["frequencies"] = ranges(radio.frequencies);
    one["gain"] = to_json(radio.gain);
    one["automatic_gain"] = radio.has_automatic_gain;
    one["amplifiers"] = ordered_json::object();
    for (const auto& each : radio.amplifiers)
        one["amplifiers"][each.name] = to_json(each.gain);
    one["antennas"] = radio.antennas;
    one["formats"] = radio.formats;
    return one;
}

} // namespace

void print_radios(const std::vector<radio_description>& radios, bool json)
{
    if (json) {
        ordered_json all = { { "radios", ordered_json::array() } };
        for (const auto& radio : radios)
            all["radios"].push_back(to_json(radio));
        print_json(all);
        return;
    }
    for (const auto& radio : radios)
        print(radio);
    if (radios.empty())
        std::cout << "SoapySDR finds no radio here. Is it plugged in, and is the module "
                     "of its driver installed?\n";
}

} // namespace cldsp::app
