/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_STREAM_HISTORY_H
#define INCLUDED_CLDSP_STREAM_HISTORY_H

#include <cldsp/freq_xlating_fir.h>
#include <cstddef>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The newest items of a stream, contiguous in memory.
 *
 * GNU Radio's own history cannot grow while a flowgraph runs without shifting the stream;
 * this one reaches back further than what a block declared.
 */
class stream_history
{
public:
    /*!
     * \param keep how many past items are always at hand, 1 or more
     * \param append how many items shall fit into one append()
     */
    stream_history(std::size_t item_size, std::size_t keep, std::size_t append);

    //! As before the first item: the past is zeros.
    void reset();
    //! Appends \p count items, at most max_append().
    void append(const void* items, std::size_t count);
    //! Appends any number of items, of which only those that are kept are copied.
    void skip_through(const void* items, std::size_t count);
    //! The newest \p count items, the newest one last; at most keep and those just
    //! appended.
    const void* newest(std::size_t count) const;

    std::size_t max_append() const { return d_capacity - d_keep; }
    //! Where newest() points into.
    ::cldsp::memory_region memory() const { return { d_data.data(), d_data.size() }; }

private:
    std::size_t d_item_size;
    std::size_t d_keep;
    std::size_t d_capacity;
    std::size_t d_end; // behind the newest item
    std::vector<unsigned char> d_data;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_STREAM_HISTORY_H */
