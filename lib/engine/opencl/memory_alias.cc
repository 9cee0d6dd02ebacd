// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds shared mappings of the process, and maps them at a second address.

#include "opencl/memory_alias.h"

#include "opencl/device_watch.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace cldsp {

namespace {

using range =
    std::pair<std::uintptr_t, std::uintptr_t>; // first byte, and the one after the last

//! The parts of consecutive shared mappings that together cover the range; empty: a part
//! of the range is not shared memory.
std::optional<std::vector<range>> shared_mappings(const range& wanted)
{
    std::vector<range> found;
    std::ifstream maps("/proc/self/maps");
    std::string line;
    auto next = wanted.first;
    while (next < wanted.second && std::getline(maps, line)) {
        std::istringstream words(line);
        words.imbue(std::locale::classic());
        range mapping;
        char dash = 0;
        std::string access;
        if (!(words >> std::hex >> mapping.first >> dash >> mapping.second >> access))
            return std::nullopt;
        if (mapping.second <= next)
            continue;
        if (mapping.first > next || access.size() < 4 || access[0] != 'r' ||
            access[1] != 'w' || access[3] != 's')
            return std::nullopt;
        found.emplace_back(next, std::min(mapping.second, wanted.second));
        next = found.back().second;
    }
    if (next < wanted.second)
        return std::nullopt;
    return found;
}

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

} // namespace

std::unique_ptr<memory_alias> memory_alias::of(const context& device,
                                               const memory_region& region)
{
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto base = reinterpret_cast<std::uintptr_t>(region.base);
    if (!region.base || region.bytes == 0 || base % page != 0 || region.bytes % page != 0)
        return nullptr;
    const auto mappings = shared_mappings({ base, base + region.bytes });
    if (!mappings)
        return nullptr;
    void* const place = mmap(nullptr,
                             region.bytes,
                             PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                             -1,
                             0);
    if (place == MAP_FAILED)
        return nullptr;
    std::unique_ptr<memory_alias> alias(
        new memory_alias(device, { place, region.bytes }));
    for (const auto& [first, last] : *mappings) {
        // An old size of 0 makes a second mapping of the same shared memory.
        void* const to = static_cast<char*>(place) + (first - base);
        if (mremap(pointer(first), 0, last - first, MREMAP_MAYMOVE | MREMAP_FIXED, to) !=
            to)
            return nullptr;
    }
    // The alias is added only now that all of it is mapped, because add() replaces the
    // mapping at once if the device is lost already.
    alias->d_watch->add(*alias);
    return alias;
}

memory_alias::memory_alias(const context& device, const memory_region& region)
    : d_watch(device.shared_watch()), d_region(region)
{
}

memory_alias::~memory_alias()
{
    d_watch->remove(*this);
    // If the device is lost, the private memory stays for late commands.
    if (!d_parted)
        munmap(const_cast<void*>(d_region.base), d_region.bytes);
}

bool memory_alias::part() noexcept
{
    d_parted = true;
    // MAP_FIXED replaces the mapping in one step, so that a running command always finds
    // either the old or the new memory.
    return mmap(const_cast<void*>(d_region.base),
                d_region.bytes,
                PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                -1,
                0) != MAP_FAILED;
}

} // namespace cldsp
