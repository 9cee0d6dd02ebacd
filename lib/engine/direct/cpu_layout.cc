// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the vectors and groups with the fewest cycles for a filter on a CPU device.

#include "direct/cpu_layout.h"

#include "direct/host_direct.h"
#include "simd/samples.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

namespace cldsp {

register_tile::register_tile(std::size_t native_width, bool two_planes)
    : width(native_width >= 16  ? 16
            : native_width >= 8 ? 8
                                : 4)
{
    // AVX-512 and NEON have 32 vector registers, AVX2 and SSE 16.
    const bool many = width != 8;
    outputs = two_planes ? (many ? 6 : 4) : (many ? 12 : 8);
    taps = many || !two_planes ? 4 : 2;
    max_taps = two_planes ? taps : many ? 7 : 5;
}

double register_tile::cycles() const
{
    // Multiply-adds use one port, and loads another one. Half of the loads cross a cache
    // line.
    const double loads = static_cast<double>(outputs + taps - 1) * 1.5;
    return std::max(static_cast<double>(outputs * taps),
                    loads + static_cast<double>(taps));
}

namespace {

constexpr std::size_t many_outputs = 240;
// Defaults of members of cpu_tuning.
constexpr std::size_t default_item_cycles = 15000;
constexpr std::size_t default_scratch_items = 12288;
// Vector instructions that prepare a vector of items: conversion, two phasors, moves.
constexpr double preparation_steps = 8;

std::size_t or_default(std::size_t value, std::size_t otherwise)
{
    return value ? value : otherwise;
}

} // namespace

cpu_shape::cpu_shape(const filter_channel& setup,
                     std::size_t native_width,
                     const cpu_tuning& tuned)
    : real_input(!is_complex(setup.problem.input)),
      lanes_are_taps(setup.problem.decimation > 1),
      translate(!real_input && setup.real_taps),
      two_planes(!real_input && !setup.real_taps),
      tile(or_default(tuned.width, native_width), two_planes),
      scratch_wanted(or_default(tuned.scratch_items, default_scratch_items)),
      item_cycles(or_default(tuned.item_cycles, default_item_cycles))
{
    tile.outputs = or_default(tuned.tile_outputs, tile.outputs);
    const register_tile any = tile;
    register_tile best = any;
    double least = 0;
    const std::size_t fewest = std::min<std::size_t>(any.taps, 3);
    const std::size_t most = or_default(tuned.tile_taps, any.max_taps);
    for (tile.taps = or_default(tuned.tile_taps, fewest); tile.taps <= most; ++tile.taps)
        for (std::size_t group = 1; group <= (lanes_are_taps ? max_groups : 1); ++group) {
            const double cycles = cost(layout(setup, group), many_outputs);
            if (least == 0 || cycles < least) {
                least = cycles;
                best = tile;
            }
        }
    tile = best;
}

cpu_tuning cpu_shape::tuning() const
{
    return { tile.width, tile.outputs, tile.taps, scratch_wanted, item_cycles };
}

std::size_t cpu_shape::row_items(const filter_channel& setup, std::size_t group) const
{
    return lanes_are_taps ? group * setup.problem.decimation : tile.lanes();
}

cpu_layout cpu_shape::layout(const filter_channel& setup, std::size_t group) const
{
    const std::size_t items = row_items(setup, group);
    return { group,
             round_up(divide_up(setup.taps(), items), tile.taps),
             lanes_are_taps ? divide_up(items, tile.lanes()) : tile.lanes() };
}

std::size_t cpu_shape::scratch_items(const cpu_layout& layout,
                                     std::size_t outputs,
                                     std::size_t decimation) const
{
    if (!lanes_are_taps)
        return round_up(outputs, granule()) + (layout.rows + 1) * tile.lanes();
    const std::size_t padded = round_up(outputs, layout.group * tile.outputs);
    return (padded + layout.rows * layout.group) * decimation + tile.lanes();
}

std::size_t cpu_shape::granule() const
{
    return lanes_are_taps ? tile.outputs : tile.outputs * tile.lanes();
}

double cpu_shape::cost(const cpu_layout& layout, std::size_t outputs) const
{
    const std::size_t padded =
        round_up(outputs, granule() * (lanes_are_taps ? layout.group : 1));
    const double steps = static_cast<double>(layout.rows * layout.columns) /
                         static_cast<double>(tile.taps);
    return static_cast<double>(padded / granule()) * steps * tile.cycles();
}

double cpu_shape::output_cycles(const filter_channel& setup) const
{
    double least = cost(layout(setup, 1), many_outputs);
    for (std::size_t group = 2; group <= (lanes_are_taps ? max_groups : 1); ++group)
        least = std::min(least, cost(layout(setup, group), many_outputs));
    const double items = static_cast<double>(setup.problem.decimation);
    return least / static_cast<double>(many_outputs) +
           items * preparation_steps / static_cast<double>(tile.lanes());
}

std::size_t cpu_shape::work_items(const filter_channel& setup,
                                  std::size_t outputs,
                                  std::size_t units,
                                  std::size_t most) const
{
    const std::size_t least = divide_up(outputs, most);
    if (least > units)
        return round_up(least, units);
    // k work-items take k * scheduling + work / k. Items that several windows share are
    // prepared by each work-item at the same time, which makes no difference.
    const double work = static_cast<double>(outputs) * output_cycles(setup);
    const auto scheduling = static_cast<double>(item_cycles);
    const auto best = static_cast<std::size_t>(std::sqrt(work / scheduling) + 0.5);
    const std::size_t tiles = divide_up(outputs, tile.outputs);
    return std::max(least, std::clamp<std::size_t>(best, 1, std::min(units, tiles)));
}

std::vector<float> cpu_shape::taps_table(const filter_channel& setup,
                                         const cpu_layout& layout) const
{
    const std::size_t count = setup.taps();
    const std::size_t lanes = tile.lanes();
    const std::size_t row_length = row_items(setup, layout.group);
    // With taps in the lanes, each tap fills two lanes. A tap that is broadcast is stored
    // once, or twice if its two floats differ.
    const std::size_t floats = lanes_are_taps || real_input ? 2 : 1;
    const std::size_t lanes_stored = lanes_are_taps ? lanes : 1;
    const std::size_t plane = layout.columns * layout.rows * lanes_stored * floats;
    const auto rotated =
        translate ? std::vector<std::complex<double>>() : setup.rotated();
    std::vector<float> table(plane * (two_planes ? 2 : 1), 0.0f);
    for (std::size_t i = 0; i < count; ++i) {
        // The oldest item of a window comes first, and so does its tap.
        const std::size_t row = i / row_length;
        const std::size_t in_row = i % row_length;
        const std::size_t column = lanes_are_taps ? in_row / lanes : in_row;
        const std::size_t lane = lanes_are_taps ? in_row % lanes : 0;
        const std::size_t at =
            ((column * layout.rows + row) * lanes_stored + lane) * floats;
        const std::complex<float> tap = translate
                                            ? setup.problem.taps[count - 1 - i]
                                            : std::complex<float>(rotated[count - 1 - i]);
        table[at] = tap.real();
        if (floats == 2)
            table[at + 1] = real_input ? tap.imag() : tap.real();
        if (two_planes)
            for (std::size_t f = 0; f < floats; ++f)
                table[plane + at + f] = tap.imag();
    }
    return table;
}

std::vector<float> translation_table(const filter_channel& setup, std::size_t items)
{
    constexpr std::size_t fine_count = cpu_shape::fine_phasors;
    std::vector<std::complex<float>> fine(fine_count),
        coarse(divide_up(items, fine_count));
    fill_phasors(fine.data(), fine.size(), phase64(), -setup.step);
    fill_phasors(coarse.data(), coarse.size(), phase64(), -setup.step * fine_count);
    std::vector<float> table(4 * fine.size() + 2 * coarse.size());
    float* re = table.data();
    float* im = re + 2 * fine.size();
    for (std::size_t i = 0; i < fine.size(); ++i) {
        re[2 * i] = re[2 * i + 1] = fine[i].real();
        im[2 * i] = -fine[i].imag();
        im[2 * i + 1] = fine[i].imag();
    }
    std::memcpy(im + 2 * fine.size(), coarse.data(), coarse.size() * sizeof(coarse[0]));
    return table;
}

std::vector<float>
rotation_table(const filter_channel& setup, std::size_t outputs, std::size_t lanes)
{
    std::vector<std::complex<float>> phasors(round_up(outputs, lanes));
    fill_phasors(phasors.data(),
                 phasors.size(),
                 phase64(),
                 -setup.step * setup.problem.decimation);
    std::vector<float> table(2 * phasors.size());
    std::memcpy(table.data(), phasors.data(), table.size() * sizeof(float));
    return table;
}

} // namespace cldsp
