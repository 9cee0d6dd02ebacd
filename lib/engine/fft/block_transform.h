// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The complex transform of a whole block, as a grid where it exceeds the cache.

#pragma once

#include "base/aligned_vector.h"
#include "fft/fftw_plan.h"
#include "fft/row_transform.h"

#include <complex>
#include <cstddef>
#include <memory>

namespace cldsp {

/*!
 * The complex transform of a whole block, with the bins in their natural order.
 *
 * A block that fits the cache is FFTW's work alone. A larger one is taken as a grid of
 * rows and columns: its columns are transformed a few at a time, then FFTW transforms its
 * rows one by one, so that each step works on values in the cache. Where FFTW has not
 * measured its plan for a block, smaller ones are such a grid already.
 */
class block_transform
{
public:
    //! Memory of one block in work.
    struct memory {
        aligned_vector<float> spectrum, work;
        aligned_vector<std::complex<float>> tail;
        fftw_vector<std::complex<float>> row, transformed;
    };

    //! Whether blocks of a size are taken as a grid, however FFTW has planned them.
    static bool is_grid(std::size_t size) { return grid_columns(size) != 0; }
    //! The number of columns of that grid, which is the size of FFTW's transforms. 0: a
    //! block of this size is none, or depends on FFTW's plan.
    static std::size_t grid_columns(std::size_t size);

    //! \param size complex items of a block, 1 or more
    //! \throws std::runtime_error if FFTW makes no plan
    block_transform(std::size_t size, const row_kernels& kernels);

    memory make_memory() const;
    /*!
     * Transforms a block. Any number of threads may do so at once, with a memory each.
     *
     * \param items aligned as fftw_plan::is_aligned() says
     * \param bins sum_n items[n] exp(-2 pi j k n / size) for each k; aligned, too
     */
    void
    run(const std::complex<float>* items, memory& work, std::complex<float>* bins) const;

private:
    std::size_t row_step() const;

    const row_kernels& d_kernels;
    row_layout d_rows = {}; // of a grid; without rows for other blocks
    std::shared_ptr<const fftw_plan> d_forward; // of the block, or of a row of the grid
    aligned_vector<float> d_row_twiddles;
    // Factors exp(-2 pi j b g / size) for row g and column b, as products of a lane's and
    // a strip's factor.
    aligned_vector<float> d_lane_factors;
    aligned_vector<std::complex<float>> d_strip_factors;
};

/*!
 * Computes bins of real items from the bins of their pairs. A pair is two neighbouring
 * items as the real and imaginary parts of one complex value.
 *
 * \param pairs the transform of \p size / 2 pairs
 * \param size real items, an even number
 * \param first the first bin that is wanted
 * \param count the number of bins that are wanted; first + count is \p size at most
 * \param turns exp(-2 pi j k / size) for each bin k that is wanted
 */
void bins_of_pairs(const std::complex<float>* pairs,
                   std::size_t size,
                   std::size_t first,
                   std::size_t count,
                   const std::complex<float>* turns,
                   std::complex<float>* bins);

//! The \p turns of bins_of_pairs().
void fill_pair_turns(std::size_t size,
                     std::size_t first,
                     std::size_t count,
                     std::complex<float>* turns);

} // namespace cldsp
