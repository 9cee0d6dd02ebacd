/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "stream_history.h"
#include <algorithm>
#include <cstring>

namespace gr {
namespace cldsp {

// With room for twice what is kept, the kept items are moved to the front seldom enough.
stream_history::stream_history(std::size_t item_size,
                               std::size_t keep,
                               std::size_t append)
    : d_item_size(item_size),
      d_keep(keep),
      d_capacity(keep + std::max(2 * keep, append)),
      d_end(keep),
      d_data(d_capacity * item_size)
{
}

void stream_history::reset()
{
    std::fill(d_data.begin(), d_data.end(), 0);
    d_end = d_keep;
}

void stream_history::append(const void* items, std::size_t count)
{
    if (d_end + count > d_capacity) {
        std::memmove(d_data.data(),
                     d_data.data() + (d_end - d_keep) * d_item_size,
                     d_keep * d_item_size);
        d_end = d_keep;
    }
    std::memcpy(d_data.data() + d_end * d_item_size, items, count * d_item_size);
    d_end += count;
}

void stream_history::skip_through(const void* items, std::size_t count)
{
    const std::size_t old = count > d_keep ? count - d_keep : 0;
    append(static_cast<const unsigned char*>(items) + old * d_item_size, count - old);
}

const void* stream_history::newest(std::size_t count) const
{
    return d_data.data() + (d_end - count) * d_item_size;
}

} // namespace cldsp
} // namespace gr
