/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_INPUT_H
#define INCLUDED_CLDSP_FILTER_INPUT_H

#include <gnuradio/gr_complex.h>
#include <cldsp/freq_xlating_fir.h>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * What decimating filters read of a stream, in calls that bring a fixed number of past
 * items.
 *
 * GNU Radio cannot change that number while a flowgraph runs without shifting the stream.
 * It is large enough for many more taps than there were at construction; taps that reach
 * further back read from a copy of the stream, which is kept from then on. Items from
 * before the oldest one that was still there when the copy began are zeros.
 *
 * It knows what GNU Radio put before the first item, too. Not thread-safe.
 */
class filter_input
{
public:
    //! \param taps how many taps reach furthest back at construction
    filter_input(::cldsp::sample_type type, std::size_t decimation, std::size_t taps);

    //! Items that process() gets before the first new one: those of the larger of 8192
    //! taps and four times as many as at construction.
    std::size_t past_items() const { return d_past_items; }
    //! More of them would take a filter gigabytes of memory.
    static constexpr std::size_t max_taps() { return std::size_t(1) << 24; }
    //! \throws std::invalid_argument unless \p taps is at most max_taps()
    static void check_max_taps(std::size_t taps);

    //! A new stream begins.
    void start();

    //! Items that a call of the engine reads.
    struct window {
        const void* items;   //!< taps - 1 past ones first
        std::size_t count;   //!< items, past ones included
        std::uint64_t known; //!< past ones, and still older ones, that are no filling
    };

    /*!
     * What \p taps taps read for the next \p outputs outputs.
     *
     * \param in past_items() and \p outputs * decimation items
     */
    window next(const void* in, std::size_t outputs, std::size_t taps);

    /*!
     * GNU Radio fills the past of a new stream with zero bytes, as this class does that
     * of its copy. In an offset binary format those are a full-scale constant and not
     * silence. What they put into the first outputs is known exactly, and is taken out
     * again here.
     *
     * \param problem the filter that made \p outputs outputs at \p out of \p read
     * \param phase of the first of them
     */
    void remove_filling(const window& read,
                        const ::cldsp::freq_xlating_fir_problem& problem,
                        ::cldsp::phase64 phase,
                        gr_complex* out,
                        std::size_t outputs) const;
    //! True if that many taps reach into the zero bytes.
    bool needs_removal(const window& read, std::size_t taps) const
    {
        return d_zero_value != 0.0 && read.known + 1 < taps;
    }

private:
    void begin(const void* in);
    void begin_copy(const unsigned char* in, std::size_t past);
    const unsigned char* copy(const unsigned char* fresh, std::size_t count);

    std::size_t d_decimation;
    std::size_t d_past_items;
    std::size_t d_item_size;
    std::complex<double> d_zero_value; // of an item whose bytes are zero

    bool d_begun = false;
    std::uint64_t d_known = 0; // before the first new item, in GNU Radio's buffer

    // The copy: while it is kept, the d_copy_past items before the next new one end at
    // d_copy_end.
    std::vector<unsigned char> d_copy;
    std::size_t d_copy_past = 0;    // 0: none is kept
    std::size_t d_copy_end = 0;     // bytes
    std::uint64_t d_copy_known = 0; // as d_known
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_INPUT_H */
