// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Copies within the host's memory, on several threads if that pays.

#pragma once

#include <cldsp/context.h>

#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * Copies within the host's memory, on several threads if that pays.
 *
 * The bus of a large GPU carries five times as much as one thread copies.
 */
class host_copies
{
public:
    //! The threads that copy, on a machine with as many cores.
    static unsigned threads();

    //! \param device its threads copy; it outlives this object
    explicit host_copies(const context& device) : d_device(device) {}

    //! Adds a copy. The memory of different copies must not overlap.
    void add(void* to, const void* from, std::size_t bytes);
    //! Makes the copies that were added since the last run.
    void run();

private:
    struct part {
        unsigned char* to;
        const unsigned char* from;
        std::size_t bytes;
    };
    void add_part(const part& one);
    void clear();

    const context& d_device;
    std::vector<part> d_parts;
    std::vector<std::size_t> d_shares; // the first part of each thread's next share
    std::size_t d_share_bytes = 0;     // of the last share
    std::size_t d_bytes = 0;
};

} // namespace cldsp
