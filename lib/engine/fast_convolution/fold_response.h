/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/fold.h"
#include "fft/fftw_plan.h"

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * The place of a block among the items that are transformed, and of its outputs.
 *
 * The block begins \p shift items after their start and wraps round their end; half_item
 * says that its spectrum is then delayed by half an item. That makes the delay of
 * linear-phase taps, max_taps of them, a whole number of outputs, which the inverse
 * transform gives at another place; what is left of their response is real.
 */
struct block_placement {
    //! \param half_items whether half an item's delay may be asked for
    block_placement(std::size_t decimation, std::size_t max_taps, bool half_items);

    std::size_t decimation;
    std::size_t max_taps;
    std::size_t shift;
    bool half_item;
};

//! A channel's taps, placed for the transform that gives its response.
struct placed_taps {
    //! \param taps rotated ones, at most max_taps
    //! \param out as many values as the transform has, all of which are written; they
    //!        include the forward and inverse transforms' scale
    placed_taps(const std::vector<std::complex<double>>& taps,
                const block_placement& block,
                fftw_vector<std::complex<float>>& out);

    std::size_t first; //!< index of the first output in the inverse transform
    //! The response, advanced by half an item if the block asks for it, is real but for
    //! rounding; and outputs are to be multiplied by the factor, which is 1 else.
    bool real;
    std::complex<float> factor;
};

/*!
 * Whether taps are the same backwards, conjugated and turned: h[N - 1 - k] = t^2
 * conj(h[k]) to a float's rounding. Then t is \p turn, of magnitude 1, and h / t has a
 * real response about the middle tap.
 */
bool is_linear_phase(const std::vector<std::complex<double>>& taps,
                     std::complex<double>& turn);

/*!
 * A channel's response in the order of fold_kernel_set::gather(), before it is known
 * how much of it counts.
 */
struct gathered_response {
    const float* values;
    std::size_t lanes;
    std::size_t tiles;
    std::size_t rows;      //!< of the response
    std::size_t tile_rows; //!< of a tile; zeros beyond the response's
    bool real;             //!< the imaginary parts do not count
    double accuracy;       //!< times the largest gain: what may be left out

    std::size_t step() const { return 2 * lanes; }
    const float* row(std::size_t tile, std::size_t index) const
    {
        return values + (tile * tile_rows + index) * step();
    }
};

//! What counts of a response, for fold_kernel_set::fold().
struct single_response {
    //! Of a channel that is silent.
    explicit single_response(std::size_t tiles) : runs(tiles, { 0, 0, true }) {}

    std::vector<fold_run> runs;
    fftw_vector<float> gains;
    bool real = true;
    std::complex<float> factor;

    //! Leaves out the rows of tiles where no bin's gain is large enough.
    void assign(const gathered_response& response);
};

/*!
 * What counts of the responses of fold_group::max_members channels, for
 * fold_kernel_set::fold_all().
 *
 * Where a chunk's gains are below about 2^-11 of the response's largest one, which is
 * most of a stopband, they are integers in steps of 2^-26 of it: their rounding is below
 * that of the passband's floats, and they take half the memory.
 */
class fold_responses
{
public:
    fold_responses(std::size_t tiles, std::size_t chunks, std::size_t chunk_rows)
        : d_chunk_rows(chunk_rows),
          d_masks(tiles * chunks * fold_kinds),
          d_gains(max_channels)
    {
    }

    //! Leaves out the chunks where no bin's gain is large enough.
    void assign(std::size_t channel,
                const gathered_response& response,
                std::complex<float> factor);
    //! To be called once what is assigned is complete, before all that follows.
    void settle();
    const std::uint32_t* masks() const { return d_masks.data(); }
    const float* gains() const { return d_all.data(); }
    //! The channel's, but for where its outputs go.
    fold_member member(std::size_t channel) const;

    static constexpr std::size_t max_channels = fold_group::max_members;

private:
    struct channel_gains {
        fftw_vector<float> values;
        std::complex<float> factor;
    };

    std::size_t d_chunk_rows;
    std::size_t d_lanes = 0;
    std::vector<std::uint32_t> d_masks;
    std::vector<channel_gains> d_gains;
    bool d_changed = false;
    fftw_vector<float> d_all; // in the order in which they are used
};

} // namespace cldsp
