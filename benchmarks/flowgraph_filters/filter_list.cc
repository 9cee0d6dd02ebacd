// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the list and its taps, and names the entry that is wrong.

#include "flowgraph_filters/filter_list.h"

#include "flowgraphs/flowgraph_blocks.h"

#include <cldsp/errors.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace cldsp::bench {

namespace {

using nlohmann::json;

constexpr std::size_t max_taps = std::size_t(1) << 24;

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error(path + ": cannot be opened");
    std::string bytes{ std::istreambuf_iterator<char>(file), {} };
    if (file.bad())
        throw std::runtime_error(path + ": cannot be read");
    return bytes;
}

std::size_t whole_number(const json& entry, const char* name, std::size_t most)
{
    const auto& value = entry.at(name);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
        value.get<std::uint64_t>() > most)
        throw_invalid(name, value.dump(), "a whole number, 1 to " + std::to_string(most));
    return value.get<std::size_t>();
}

//! The numbers of a file of taps, in their order.
class tap_values
{
public:
    explicit tap_values(const std::string& path) : d_bytes(read_file(path))
    {
        if (d_bytes.size() % sizeof(float))
            throw std::runtime_error(path + ": has " + std::to_string(d_bytes.size()) +
                                     " bytes, which are not a whole number of values");
    }

    std::size_t left() const { return (d_bytes.size() - d_next) / sizeof(float); }
    //! \throws std::runtime_error if there is none left
    float next()
    {
        if (left() == 0)
            throw std::runtime_error("its taps reach beyond the end of the file of taps");
        std::uint32_t bits = 0;
        for (int i = 0; i < 4; i++)
            bits |=
                static_cast<std::uint32_t>(static_cast<unsigned char>(d_bytes[d_next++]))
                << (8 * i);
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

private:
    std::string d_bytes;
    std::size_t d_next = 0;
};

flowgraph_filter read_filter(const json& entry, tap_values& values)
{
    flowgraph_filter filter;
    filter.type = entry.at("type").get<std::string>();
    filter.source = entry.at("repository").get<std::string>() + " " +
                    entry.at("flowgraph").get<std::string>();
    filter.block = entry.at("block").get<std::string>();
    filter.uses = whole_number(entry, "uses", max_taps);

    auto& problem = filter.problem;
    problem.input = input_of(filter.type);
    problem.decimation =
        whole_number(entry, "decimation", std::numeric_limits<int>::max());
    problem.center_freq = entry.at("center_freq").get<double>();
    problem.sampling_freq = entry.at("sampling_freq").get<double>();
    const bool complex_taps = entry.at("complex_taps").get<bool>();
    if (complex_taps && filter.type.back() == 'f')
        throw_invalid("complex_taps", "true", "false for the type " + filter.type);
    problem.taps.resize(whole_number(entry, "taps", max_taps));
    for (auto& tap : problem.taps)
        tap.real(values.next());
    if (complex_taps)
        for (auto& tap : problem.taps)
            tap.imag(values.next());
    problem.check();
    return filter;
}

} // namespace

std::vector<flowgraph_filter> read_filter_list(const std::string& path)
{
    try {
        const auto list = json::parse(read_file(path));
        const auto taps_path = std::filesystem::path(path).parent_path() /
                               list.at("taps_file").get<std::string>();
        tap_values values(taps_path.string());
        const auto& entries = list.at("filters");
        if (!entries.is_array() || entries.empty())
            throw std::runtime_error(path + ": 'filters' is no list, or an empty one");
        std::vector<flowgraph_filter> filters;
        for (std::size_t i = 0; i < entries.size(); i++) {
            try {
                filters.push_back(read_filter(entries[i], values));
            } catch (const std::exception& e) {
                throw std::runtime_error(path + ": filter " + std::to_string(i) + ": " +
                                         e.what());
            }
        }
        if (values.left())
            throw std::runtime_error(taps_path.string() + ": has " +
                                     std::to_string(values.left()) +
                                     " values more than the filters have taps");
        return filters;
    } catch (const json::exception& e) {
        throw std::runtime_error(path + ": " + e.what());
    }
}

} // namespace cldsp::bench
