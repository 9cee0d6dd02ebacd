/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/thread_pool.h"

#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * Copies within the host's memory, on several threads.
 *
 * The bus of a large GPU carries five times as much as one thread copies.
 */
class host_copies
{
public:
    //! The threads that copy, on a machine with as many cores.
    static unsigned threads();

    explicit host_copies(thread_pool& threads) : d_threads(threads) {}

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
    thread_pool& d_threads;
    std::vector<part> d_parts;
    std::size_t d_bytes = 0;
};

} // namespace cldsp
