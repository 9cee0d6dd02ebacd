/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_INPUT_H
#define INCLUDED_CLDSP_FILTER_INPUT_H

#include "stream_history.h"
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
 * It keeps the further past that a larger number of taps will need, and knows what GNU
 * Radio put before the first item. Not thread-safe.
 */
class filter_input
{
public:
    //! \param taps how many taps reach furthest back at construction
    filter_input(::cldsp::sample_type type, std::size_t decimation, std::size_t taps);

    //! Items that process() gets before the first new one: the taps at construction,
    //! less 1.
    std::size_t past_items() const { return d_past_items; }
    //! The larger of 8192 and four times the taps at construction.
    std::size_t max_taps() const { return d_max_taps; }
    //! \throws std::invalid_argument unless \p taps is at most max_taps()
    void check_max_taps(std::size_t taps) const;

    //! A new stream begins; \p memory is where process() finds its data.
    void start(::cldsp::memory_region memory);
    //! The memory is about to go.
    void stop() { d_memory = {}; }
    //! Where the pieces of process() lie for that many taps.
    ::cldsp::memory_region memory(std::size_t taps) const
    {
        return kept(taps) ? d_history.memory() : d_memory;
    }

    //! Items that one call of the engine reads, and the outputs of work() they make.
    struct piece {
        const void* items;       //!< taps - 1 past ones first
        std::size_t count;       //!< items, past ones included
        std::size_t output;      //!< the first one's place among those of work()
        std::size_t outputs;     //!< so many
        std::uint64_t new_items; //!< of the stream before the first new one
    };

    /*!
     * Hands the items of \p outputs outputs to \p filter, piece by piece: a single one
     * where the call brings all that \p taps taps read.
     *
     * \param in past_items() and \p outputs * decimation items
     * \param filter called with a piece; makes all of its outputs
     */
    template <class FILTER>
    void process(const void* in, std::size_t outputs, std::size_t taps, FILTER&& filter)
    {
        if (!d_begun)
            begin(in);
        for (std::size_t done = 0; done < outputs;) {
            const piece next = next_piece(in, done, outputs - done, taps);
            filter(next);
            done += next.outputs;
            d_items += next.outputs * d_decimation;
        }
        if (!kept(taps))
            d_history.skip_through(new_items(in, 0), outputs * d_decimation);
    }

    /*!
     * GNU Radio fills the past of a new stream with zero bytes, which in an offset binary
     * format are a full-scale constant and not silence. What they put into the first
     * outputs is known exactly, and is taken out again here.
     *
     * \param problem the filter that made \p out of \p piece
     * \param phase of the piece's first output
     */
    void remove_preload(const piece& piece,
                        const ::cldsp::freq_xlating_fir_problem& problem,
                        ::cldsp::phase64 phase,
                        gr_complex* out) const;
    //! True if that many taps reach into the zero bytes.
    bool needs_removal(const piece& piece, std::size_t taps) const
    {
        return d_preloaded && piece.new_items + 1 < taps;
    }

private:
    // The taps reach further back than the calls do: work on the copy that has it all.
    bool kept(std::size_t taps) const { return taps - 1 > d_past_items; }
    const unsigned char* new_items(const void* in, std::size_t output) const;
    piece
    next_piece(const void* in, std::size_t output, std::size_t outputs, std::size_t taps);
    void begin(const void* in);

    std::size_t d_decimation;
    std::size_t d_past_items;
    std::size_t d_max_taps;
    std::size_t d_item_size;
    stream_history d_history;
    ::cldsp::memory_region d_memory;

    bool d_begun = false;
    std::uint64_t d_items = 0;         // items processed since the start
    std::complex<double> d_zero_value; // of an item whose bytes are zero
    bool d_preloaded = false;          // the stream's past is such items, and not silence
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_INPUT_H */
