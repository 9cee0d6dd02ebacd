/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/lent_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace cldsp {

// Pages of its own, not the heap's: what is kept is no leak to a tool that looks for
// them, and no neighbour's memory is near it.
lent_memory::lent_memory(std::size_t bytes)
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
    // So that every page is there before somebody measures.
    std::memset(data, 0, size);
}

void lent_memory::release::operator()(void* data) const noexcept
{
    if (!kept)
        munmap(data, bytes);
}

} // namespace cldsp
