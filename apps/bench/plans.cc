/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bench/plans.h"

#include <algorithm>

namespace cldsp::app {

const device_info* device_of(const std::string& note,
                             const std::vector<device_info>& devices)
{
    const auto at = note.find(" on ");
    if (at == std::string::npos)
        return nullptr;
    std::string rest = note.substr(at + 4);
    rest.erase(0, rest.find_first_not_of('\''));
    for (const auto& device : devices)
        if (rest.rfind(device.name, 0) == 0)
            return &device;
    return nullptr;
}

std::string variant_of(const std::string& note)
{
    const auto first = std::min(note.find('/'), note.size() - 1) + 1;
    return note.substr(first, note.find_first_of("/ ", first) - first);
}

std::string short_note(const std::string& note, const device_info* device)
{
    const auto on = note.find(" on ");
    const auto block = note.find(", block ");
    if (!device || on == std::string::npos)
        return note;
    std::string text = note.substr(0, on) + " on " + device->id();
    return block == std::string::npos
               ? text
               : text + note.substr(block, note.find(" rows") - block);
}

} // namespace cldsp::app
