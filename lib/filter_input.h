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

namespace gr {
namespace cldsp {

/*!
 * What decimating filters read of a stream, in calls that bring a fixed number of past
 * items.
 *
 * The number is large enough for many more taps than there were at construction: GNU
 * Radio cannot change it while a flowgraph runs without shifting the stream. It knows
 * what GNU Radio put before the first item, too. Not thread-safe.
 */
class filter_input
{
public:
    //! \param taps how many taps reach furthest back at construction
    filter_input(::cldsp::sample_type type, std::size_t decimation, std::size_t taps);

    //! Items that process() gets before the first new one.
    std::size_t past_items() const { return d_max_taps - 1; }
    //! The larger of 8192 and four times the taps at construction.
    std::size_t max_taps() const { return d_max_taps; }
    //! \throws std::invalid_argument unless \p taps is at most max_taps()
    void check_max_taps(std::size_t taps) const;

    //! A new stream begins.
    void start();

    //! Items that a call of the engine reads.
    struct window {
        const void* items;       //!< taps - 1 past ones first
        std::size_t count;       //!< items, past ones included
        std::uint64_t new_items; //!< of the stream before the first new one
    };

    /*!
     * What \p taps taps read for the next \p outputs outputs.
     *
     * \param in past_items() and \p outputs * decimation items
     */
    window next(const void* in, std::size_t outputs, std::size_t taps);

    /*!
     * GNU Radio fills the past of a new stream with zero bytes, which in an offset binary
     * format are a full-scale constant and not silence. What they put into the first
     * outputs is known exactly, and is taken out again here.
     *
     * \param problem the filter that made \p outputs outputs at \p out of \p read
     * \param phase of the first of them
     */
    void remove_preload(const window& read,
                        const ::cldsp::freq_xlating_fir_problem& problem,
                        ::cldsp::phase64 phase,
                        gr_complex* out,
                        std::size_t outputs) const;
    //! True if that many taps reach into the zero bytes.
    bool needs_removal(const window& read, std::size_t taps) const
    {
        return d_preloaded && read.new_items + 1 < taps;
    }

private:
    void begin(const void* in);

    std::size_t d_decimation;
    std::size_t d_max_taps;
    std::size_t d_item_size;

    bool d_begun = false;
    std::uint64_t d_items = 0;         // items processed since the start
    std::complex<double> d_zero_value; // of an item whose bytes are zero
    bool d_preloaded = false;          // the stream's past is such items, and not silence
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_INPUT_H */
