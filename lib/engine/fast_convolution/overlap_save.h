// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The sizes of an overlap-save block, and the interface of what computes it.

#pragma once

#include "filter/filter_channel.h"

#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The sizes of an overlap-save block, see docs/overlap_save.md: a forward transform of
 * fft_size items, which is folded to ifft_size values at the decimated rate. The overlap
 * makes the first values invalid.
 *
 * The newest item of output i of a block is item max_taps - 1 + i D of the block. If the
 * taps lie tap_shift items earlier, that output is value overlap + i of the inverse
 * transform.
 */
struct overlap_save_block {
    overlap_save_block() = default;
    overlap_save_block(std::size_t decimation_,
                       std::size_t max_taps_,
                       std::size_t ifft_size_)
        : decimation(decimation_),
          max_taps(max_taps_),
          ifft_size(ifft_size_),
          fft_size(decimation * ifft_size),
          overlap((max_taps - 1) / decimation),
          tap_shift((max_taps - 1) % decimation)
    {
    }
    std::size_t outputs() const { return ifft_size - overlap; }
    //! The number of results before the first output. `overlap` results are no outputs,
    //! and `advance` of them are at the end of the block.
    std::size_t lost_before() const { return overlap - advance; }
    //! The place in a block of the newest item of its first output.
    std::size_t newest_item() const { return overlap * decimation + tap_shift; }
    //! Places the middle of the longest taps at the time 0, for an odd number of taps.
    //! The overlap may grow by one.
    void center_taps()
    {
        const std::size_t middle = (max_taps - 1) / 2;
        tap_shift = middle % decimation;
        advance = middle / decimation;
        overlap = (max_taps - 1 - tap_shift + decimation - 1) / decimation;
    }

    std::size_t decimation = 1;
    std::size_t max_taps = 1;  //!< taps of the longest channel
    std::size_t ifft_size = 1; //!< size of the inverse transform, above the overlap
    std::size_t fft_size = 1, overlap = 0, tap_shift = 0;
    std::size_t advance = 0; //!< outputs by which the results come early
};

//! The forward transform of a block. It is made once and read for each channel.
class overlap_save_spectrum
{
public:
    virtual ~overlap_save_spectrum() = default;
};

//! The working memory of a thread that transforms or computes.
class overlap_save_workspace
{
public:
    virtual ~overlap_save_workspace() = default;
};

/*!
 * A way of computing one overlap-save block for channels that share the input. All
 * channels use one forward transform. Each channel then takes a product with its
 * response, a fold to the decimated rate, and a small inverse transform.
 *
 * forward() and compute() may run on several threads at once, if each thread has a
 * spectrum or a workspace of its own. configure() and settle() may not run at the same
 * time as these.
 */
class overlap_save
{
public:
    virtual ~overlap_save() = default;

    //! Takes new taps (at most max_taps) or a new frequency of a channel.
    virtual void configure(std::size_t channel, const filter_channel& setup) = 0;
    //! Tells which channels the next calls of compute() ask for; at first all of them.
    //! Returns whether compute() leaves out channels whose output is a null pointer. If
    //! not, it has to be called for the channels between them.
    virtual bool set_active(const std::vector<std::size_t>&) { return false; }
    //! Must be called after the last configure() and set_active(), and before forward().
    //! A spectrum from before it is of no use to compute().
    virtual void settle() {}

    //! The number of input items in a block. It includes the max_taps - 1 items before
    //! the newest item of the first output.
    virtual std::size_t block_items() const = 0;
    //! The number of outputs that a block gives each channel.
    virtual std::size_t block_outputs() const = 0;
    virtual std::unique_ptr<overlap_save_spectrum> make_spectrum() const = 0;
    virtual std::unique_ptr<overlap_save_workspace> make_workspace() const = 0;

    /*!
     * Transforms a block.
     *
     * \param items block_items() items of the input type, without any alignment
     */
    virtual void forward(const void* items,
                         overlap_save_spectrum& spectrum,
                         overlap_save_workspace& workspace) const = 0;
    /*!
     * Computes the first \p outputs outputs of blocks that follow each other, for
     * \p channels channels from channel \p first on:
     *
     *     out[c][i] = exp(j (phases[c] - i D w))
     *                 * sum_k h[k] exp(j w k) x[max_taps - 1 + i D - k]
     *
     * Here x[0] is the first item of the first block, and w is the channel's step.
     *
     * \param spectra the spectrum of each block that has some of the outputs
     */
    virtual void compute(std::size_t first,
                         std::size_t channels,
                         const overlap_save_spectrum* const* spectra,
                         overlap_save_workspace& workspace,
                         const phase64* phases,
                         std::complex<float>* const* out,
                         std::size_t outputs) const = 0;
};

//! The parameters that an overlap_save is made from.
struct overlap_save_shape {
    sample_type input;
    std::size_t decimation;
    std::size_t max_taps;  //!< taps of the longest channel
    std::size_t channels;  //!< number of channels, 1 or more
    std::size_t ifft_size; //!< outputs of a block, the overlap included
    double accuracy;       //!< see freq_xlating_filter_bank_options
    double kept = 1;       //!< fraction of the bins that a channel keeps, see plan_shape

    //! The outputs that the overlap leaves of a block.
    std::size_t block_outputs() const { return ifft_size - (max_taps - 1) / decimation; }
    //! The input items that neighbouring outputs of the longest channel depend on.
    std::size_t items_of(std::size_t outputs) const
    {
        return (outputs - 1) * decimation + max_taps;
    }

    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
    //! Checks a channel's index and taps in the same way.
    void check_channel(std::size_t channel, const filter_channel& setup) const;
};

/*!
 * Whether selected_bins copies the bins of all rows side by side for several channels.
 * That pays unless each channel keeps very few bins.
 *
 * \param kept the fraction of the bins that a channel keeps, see plan_shape
 */
bool gathers_bins(std::size_t decimation, std::size_t channels, double kept);

struct fold_kernel_set;
struct selective_kernels;
struct row_kernels;

//! The kernels of one instruction set.
struct overlap_save_kernels {
    const fold_kernel_set& fold;
    const selective_kernels& transform;
    const row_kernels& rows;
};

//! The kernels of each instruction set that this machine runs, the fastest first; never
//! empty.
const std::vector<overlap_save_kernels>& available_overlap_save_kernels();

//! The method selected_bins, on a transform of the whole block. It covers any shape.
//! \throws std::invalid_argument for a bad shape
std::unique_ptr<overlap_save>
make_overlap_save_selected_bins(const overlap_save_shape& shape,
                                const overlap_save_kernels& kernels);

/*!
 * The method polyphase, on transforms of columns, see row_transform.h. It is exact at any
 * accuracy.
 *
 * \throws std::invalid_argument for a size that it does not cover
 */
std::unique_ptr<overlap_save>
make_overlap_save_polyphase(const overlap_save_shape& shape,
                            const overlap_save_kernels& kernels);

//! Whether the method four_step covers this size.
bool covers_four_step(std::size_t ifft_size);
/*!
 * The method four_step, on transforms of the block's rows and columns. It is exact at any
 * accuracy.
 *
 * \throws std::invalid_argument for a decimation other than 1, and for a size that is not
 *         a power of two from 256 to 1048576
 */
std::unique_ptr<overlap_save>
make_overlap_save_four_step(const overlap_save_shape& shape,
                            const overlap_save_kernels& kernels);

} // namespace cldsp
