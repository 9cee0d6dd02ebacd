/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
 * makes the first ones of these invalid.
 *
 * Output i of a block has the block's item max_taps - 1 + i D as its newest one. That is
 * value overlap + i of the inverse transform, if the taps lie tap_shift items earlier.
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

    std::size_t decimation = 1;
    std::size_t max_taps = 1;  //!< of the longest channel
    std::size_t ifft_size = 1; //!< above the overlap
    std::size_t fft_size = 1, overlap = 0, tap_shift = 0;
};

//! A block's forward transform: made once, read for each channel.
class overlap_save_spectrum
{
public:
    virtual ~overlap_save_spectrum() = default;
};

//! Memory that computing needs, one for each thread.
class overlap_save_workspace
{
public:
    virtual ~overlap_save_workspace() = default;
};

/*!
 * A way of computing one overlap-save block for channels that share the input: a forward
 * transform that all of them use, and for each channel the product with its response,
 * folded to the decimated rate, and a small inverse transform.
 *
 * forward() and compute() may run on several threads at once, with a spectrum or a
 * workspace of their own; configure() and settle() may not run beside them.
 */
class overlap_save
{
public:
    virtual ~overlap_save() = default;

    //! The channel's taps (at most max_taps) or frequency changed.
    virtual void configure(std::size_t channel, const filter_channel& setup) = 0;
    //! To be called between configure(), of as many channels as there are, and compute().
    virtual void settle() {}

    //! The number of input items in a block. It includes the max_taps - 1 items before
    //! the newest item of the first output.
    virtual std::size_t block_items() const = 0;
    //! Outputs that a block gives each channel.
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
     * The first \p outputs outputs, of blocks that follow each other, of \p channels
     * channels from \p first on: out[c][i] = exp(j (phases[c] - i D w)) sum_k h[k]
     * exp(j w k) x[max_taps - 1 + i D - k] with x counted from the first block's first
     * item, and w the channel's step.
     *
     * \param spectra of each block that has some of the outputs
     */
    virtual void compute(std::size_t first,
                         std::size_t channels,
                         const overlap_save_spectrum* const* spectra,
                         overlap_save_workspace& workspace,
                         const phase64* phases,
                         std::complex<float>* const* out,
                         std::size_t outputs) const = 0;
};

//! What an overlap_save is made for.
struct overlap_save_shape {
    sample_type input;
    std::size_t decimation;
    std::size_t max_taps;  //!< taps of the longest channel
    std::size_t channels;  //!< 1 or more
    std::size_t ifft_size; //!< outputs of a block, the overlap included
    double accuracy;       //!< see freq_xlating_fir_options

    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
    //! The same for what a channel is to be configured with.
    void check_channel(std::size_t channel, const filter_channel& setup) const;
};

//! On a transform of the whole block by FFTW; any shape. \throws std::invalid_argument
std::unique_ptr<overlap_save>
make_overlap_save_selected_bins(const overlap_save_shape& shape);
struct row_kernels;

/*!
 * On transforms of columns, see row_transform.h; exact at any accuracy.
 *
 * \throws std::invalid_argument for a size that it does not cover
 */
std::unique_ptr<overlap_save>
make_overlap_save_polyphase(const overlap_save_shape& shape);
//! The same, with the kernels of a given instruction set.
std::unique_ptr<overlap_save> make_overlap_save_polyphase(const overlap_save_shape& shape,
                                                          const row_kernels& kernels);

//! Whether there are grids of this size.
bool covers_four_step(std::size_t ifft_size);
/*!
 * On transforms of the block's rows and columns; exact at any accuracy.
 *
 * \throws std::invalid_argument for another decimation than 1, and sizes that it does not
 *         cover: powers of two from 256 to 1048576 are
 */
std::unique_ptr<overlap_save>
make_overlap_save_four_step(const overlap_save_shape& shape);
//! With the kernels of one instruction set.
std::unique_ptr<overlap_save> make_overlap_save_four_step(const overlap_save_shape& shape,
                                                          const row_kernels& kernels);

//! A way of overlap-save on the host, which is a variant of fast convolution.
struct overlap_save_method {
    std::string name;
    std::unique_ptr<overlap_save> (*make)(const overlap_save_shape& shape);
    //! Whether there are blocks of this size, for few taps at least.
    bool (*covers)(std::size_t decimation, std::size_t ifft_size);
};

const std::vector<overlap_save_method>& overlap_save_methods();
//! The method of a name; null if there is none.
const overlap_save_method* find_overlap_save_method(const std::string& name);

/*!
 * The blocks of a method for some taps; \p shape says their size then. A size that the
 * method does not give, or that would be nearly all overlap, becomes the smallest
 * of which the overlap leaves three quarters.
 *
 * \throws std::invalid_argument for a size or taps that the method does not cover
 */
std::unique_ptr<overlap_save> make_blocks(const overlap_save_method& method,
                                          overlap_save_shape& shape);

} // namespace cldsp
