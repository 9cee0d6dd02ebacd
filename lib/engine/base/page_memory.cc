// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Maps pages for the engine's own calls, and fills the input of trial calls with noise.

#include "base/page_memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <random>

#include <sys/mman.h>
#include <unistd.h>

namespace cldsp {

// The memory is mapped pages instead of heap memory: a leak checker does not report
// memory that keep() retains, and no other object lies next to it.
page_memory::page_memory(std::size_t bytes)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (bytes > static_cast<std::size_t>(-1) - page)
        throw std::bad_alloc();
    const std::size_t size = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
    void* const data =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        throw std::bad_alloc();
    d_data = { data, release{ size, false } };
    // Touches every page now, so that page faults do not count in a later measurement.
    std::memset(data, 0, size);
}

void page_memory::release::operator()(void* data) const noexcept
{
    if (!kept)
        munmap(data, bytes);
}

page_memory trial_input(sample_type type, std::size_t items)
{
    const std::size_t bytes = items * sample_size(type);
    page_memory memory(bytes);
    // Integers consist of random bytes. Floats are drawn from a distribution, because
    // random bytes would give subnormal numbers, which slow the host down.
    std::minstd_rand random(1);
    if (item_format_of(type).is_float) {
        std::uniform_real_distribution<float> uniform(-1, 1);
        std::generate_n(
            memory.as<float>(), bytes / sizeof(float), [&] { return uniform(random); });
    } else {
        std::generate_n(memory.as<unsigned char>(), bytes, [&] {
            return static_cast<unsigned char>(random() >> 8);
        });
    }
    return memory;
}

} // namespace cldsp
