// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The bins and gains that each channel keeps, as the fold takes them.

#pragma once

#include "fast_convolution/fold.h"
#include "fft/fftw_plan.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*!
 * The place of a block in the memory that is transformed. It also decides where the
 * block's outputs are in the inverse transform.
 *
 * The block begins `shift` items after the start of the memory and wraps round its end.
 * If half_item is set, the spectrum of the block is delayed by another half item. These
 * delays and that of linear-phase taps of length max_taps add up to a whole number of
 * outputs. Such a delay only moves the outputs to other places in the inverse transform,
 * and the response that remains is real.
 */
struct block_placement {
    //! \param half_items whether a delay of half an item is allowed
    block_placement(std::size_t decimation, std::size_t max_taps, bool half_items);

    std::size_t decimation;
    std::size_t max_taps;
    std::size_t shift;
    bool half_item;
};

//! The taps of a channel, placed for the transform that gives the channel's response.
struct placed_taps {
    /*!
     * \param taps the rotated taps, at most max_taps
     * \param out has as many values as the transform, all of which are written. They
     *        include the scale of the forward and the inverse transforms
     */
    placed_taps(const std::vector<std::complex<double>>& taps,
                const block_placement& block,
                fftw_vector<std::complex<float>>& out);

    std::size_t first; //!< index of the first output in the inverse transform
    //! Whether the response, advanced by half an item if the block is delayed by as much,
    //! is real but for rounding.
    bool real;
    //! The factor by which the outputs have to be multiplied; 1 unless `real` is set.
    std::complex<float> factor;
};

/*!
 * Whether the taps have linear phase: they are the same backwards, conjugated and turned.
 * That is h[n - 1 - k] = t^2 conj(h[k]) for n taps, to the rounding of a float. Then
 * \p turn becomes t, of magnitude 1, and h / t has a real response about the middle tap.
 */
bool is_linear_phase(const std::vector<std::complex<double>>& taps,
                     std::complex<double>& turn);

/*!
 * The whole response of a channel in the order of fold_kernel_set::gather(), before any
 * bins are left out.
 */
struct gathered_response {
    const float* values;
    std::size_t lanes;
    std::size_t tiles;
    std::size_t rows;      //!< rows of the response, D
    std::size_t tile_rows; //!< rows of a tile; those beyond `rows` are zero
    bool real;             //!< the imaginary parts are ignored
    double accuracy;       //!< gains up to this times the largest are left out

    std::size_t step() const { return 2 * lanes; }
    const float* row(std::size_t tile, std::size_t index) const
    {
        return values + (tile * tile_rows + index) * step();
    }
};

//! The part of a response that is kept, for fold_kernel_set::fold().
struct single_response {
    //! The response of a silent channel.
    explicit single_response(std::size_t tiles) : runs(tiles, { 0, 0, true }) {}

    std::vector<fold_run> runs;
    fftw_vector<float> gains;
    bool real = true;
    std::complex<float> factor;

    //! Takes a response, without the rows of a tile in which no bin's gain is large
    //! enough.
    void assign(const gathered_response& response);
};

/*!
 * The parts that are kept of the responses of fold_group::max_members channels, for
 * fold_kernel_set::fold_all().
 *
 * The gains of a chunk are stored as integers if all are below about 2^-11 of the largest
 * gain of the response, as in most of a stopband. The step of these integers is 2^-26 of
 * the largest gain. So their rounding is below that of the floats in the passband, and
 * they take half the memory.
 */
class fold_responses
{
public:
    fold_responses(std::size_t tiles, std::size_t chunks, std::size_t chunk_rows)
        : d_chunk_rows(chunk_rows),
          d_masks(tiles * chunks * fold_kinds),
          d_used(d_masks.size()),
          d_gains(max_channels)
    {
    }

    //! Takes a channel's response, without the chunks in which no bin's gain is large
    //! enough.
    void assign(std::size_t channel,
                const gathered_response& response,
                std::complex<float> factor);
    //! Chooses the channels that fold_all() computes, a bit for each; at first all.
    void set_active(std::uint32_t active)
    {
        d_changed = d_changed || active != d_active;
        d_active = active;
    }
    //! Must be called after the last assign() and set_active(), before any of the
    //! functions below.
    void settle();
    const std::uint32_t* masks() const { return d_used.data(); }
    const float* gains() const { return d_all.data(); }
    //! The fold_member of a channel. The caller sets its member `out`.
    fold_member member(std::size_t channel) const;

    static constexpr std::size_t max_channels = fold_group::max_members;

private:
    struct channel_gains {
        fftw_vector<float> values;
        std::complex<float> factor;
    };

    std::size_t d_chunk_rows;
    std::size_t d_lanes = 0;
    std::vector<std::uint32_t> d_masks; // of all channels
    std::vector<std::uint32_t> d_used;  // of the active channels
    std::uint32_t d_active = ~std::uint32_t(0);
    std::vector<channel_gains> d_gains;
    bool d_changed = false;
    fftw_vector<float> d_all; // gains of the active channels, in the order of their use
};

//! How the rows of a tile are cut into chunks: into as few as the kernels allow, all of
//! about the same size.
struct chunk_layout {
    chunk_layout(std::size_t rows, std::size_t most)
        : count((rows + most - 1) / most), rows_each((rows + count - 1) / count)
    {
    }
    std::size_t count;
    std::size_t rows_each;
    std::size_t tile_rows() const { return count * rows_each; }
};

/*!
 * The folds of channels that have one decimation and read the same blocks. Channels are
 * folded in groups, from bins that are gathered once for all of them, and two blocks
 * share the loads of a group's gains.
 */
class channel_folds
{
public:
    static constexpr std::size_t max_group = fold_responses::max_channels;

    /*!
     * \param row bins of a row: the size of the inverse transform
     * \param rows the decimation
     * \param accuracy see freq_xlating_filter_bank_options
     */
    channel_folds(const fold_kernel_set& kernels,
                  std::size_t row,
                  std::size_t rows,
                  std::size_t channels,
                  double accuracy);

    std::size_t tiles() const { return d_tiles; }
    const chunk_layout& chunks() const { return d_chunks; }
    //! The number of blocks that run() takes at once.
    std::size_t blocks_at_once() const { return d_kernels.max_blocks; }
    //! The number of floats of a block's gathered bins, or of a gathered response.
    std::size_t gathered_size() const;
    //! The number of floats of the folded bins of one channel and block.
    std::size_t folded_size() const { return d_tiles * 2 * d_kernels.lanes; }
    /*!
     * Chooses the bins that run() reads.
     *
     * \param source the folds whose gather() gave them, of a block of as many items. The
     *        rows of both are whole tiles, unless they are the same folds
     * \param delay half items by which run() delays the bins, fewer than the block has.
     *        Bin k is multiplied by exp(-j pi k delay / items)
     */
    void read_bins_of(const channel_folds& source, std::size_t delay);
    //! The number of channels of the group of channel \p first, from this channel on.
    std::size_t rest_of_group(std::size_t first) const;

    //! See fold_kernel_set::gather(). \p bins has room for one more tile.
    void
    gather(const std::complex<float>* bins, const float* phasors, float* gathered) const;

    /*!
     * Takes a channel's response.
     *
     * \param gathered the response, as gather() gives it; zero in the rows that follow
     * the last one
     */
    void assign(std::size_t channel, const float* gathered, const placed_taps& placed);
    //! Tells which channels the next calls of run() ask for, in rising order; at first
    //! all of them.
    void set_active(const std::vector<std::size_t>& active);
    //! Must be called after the last assign() and set_active(), and before run().
    void settle();

    /*!
     * Folds channels that belong to one group.
     *
     * \param bins the gathered bins of each block
     * \param blocks at most blocks_at_once()
     * \param wanted for each channel, whether it is folded: not a null pointer
     * \param out folded_size() floats for each channel of each block, block by block
     */
    void run(std::size_t first,
             std::size_t channels,
             const float* const* bins,
             std::size_t blocks,
             const std::complex<float>* const* wanted,
             float* out) const;

private:
    const fold_kernel_set& d_kernels;
    const std::size_t d_row, d_rows, d_tiles, d_channels;
    const double d_accuracy;
    const chunk_layout d_chunks;
    std::vector<std::uint32_t> d_places; // see fold_group; empty: null
    std::vector<std::complex<float>> d_row_factors;
    fftw_vector<float> d_out_factors;
    std::vector<fold_responses> d_groups;
    std::vector<std::uint32_t> d_masks; // of the active channels of each group
};

} // namespace cldsp
