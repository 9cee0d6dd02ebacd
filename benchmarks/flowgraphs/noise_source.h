// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A source of white noise that costs next to nothing.

#pragma once

#include <gnuradio/sync_block.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace cldsp::bench {

/*!
 * A source that costs next to nothing: it writes white noise once, and then passes on the
 * contents of the stream buffer, which are that noise again. The source ends after a
 * number of items, and starts anew with each run of the flowgraph.
 */
class noise_source : public gr::sync_block
{
public:
    using sptr = std::shared_ptr<noise_source>;

    //! \param noise the beginning of the stream; longer than any stream buffer
    static sptr make(const void* noise, std::size_t items, std::size_t item_size)
    {
        return gnuradio::get_initial_sptr(new noise_source(noise, items, item_size));
    }

    //! Sets the number of items of the next run.
    void set_items(std::uint64_t items) { d_items = items; }

    bool start() override
    {
        d_done = 0;
        return true;
    }
    int work(int noutput_items,
             gr_vector_const_void_star&,
             gr_vector_void_star& output_items) override
    {
        if (d_done >= d_items)
            return WORK_DONE;
        const auto count = std::min<std::uint64_t>(
            static_cast<std::uint64_t>(noutput_items), d_items - d_done);
        const std::uint64_t from = d_done * d_item_size;
        if (from < d_noise.size())
            std::memcpy(
                output_items[0],
                d_noise.data() + from,
                std::min<std::uint64_t>(count * d_item_size, d_noise.size() - from));
        d_done += count;
        return static_cast<int>(count);
    }

private:
    noise_source(const void* noise, std::size_t items, std::size_t item_size)
        : gr::sync_block("noise_source",
                         gr::io_signature::make(0, 0, 0),
                         gr::io_signature::make(1, 1, static_cast<int>(item_size))),
          d_item_size(item_size),
          d_noise(static_cast<const unsigned char*>(noise),
                  static_cast<const unsigned char*>(noise) + items * item_size)
    {
    }

    std::size_t d_item_size;
    std::vector<unsigned char> d_noise;
    std::uint64_t d_items = 0;
    std::uint64_t d_done = 0;
};

} // namespace cldsp::bench
