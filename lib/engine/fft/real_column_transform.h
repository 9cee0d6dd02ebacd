// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The transform of a block of real samples, at half the cost of a complex one.

#pragma once

#include "base/aligned_vector.h"
#include "fft/column_transform.h"

#include <cldsp/sample_type.h>

#include <cstddef>
#include <memory>

namespace cldsp {

/*!
 * The transform of a whole block of real items to gathered bins, at about half the cost
 * of a complex block. Each pair of adjacent items is transformed as one complex value,
 * and the bins of the items are computed from the bins of the pairs.
 */
class real_column_transform
{
public:
    //! Memory of one block in work.
    struct memory {
        column_transform::memory pairs;
        aligned_vector<float> items;  // the block's items as pairs
        aligned_vector<float> values; // the pairs' bins
    };

    /*!
     * Null for a layout that the kernels do not cover, or one with an odd number of rows.
     *
     * \param half_item whether bin k is to be multiplied by exp(-j pi k / items)
     */
    static std::unique_ptr<real_column_transform>
    make(const gathered_layout& layout, bool half_item, const row_kernels& kernels);

    memory make_memory() const;
    /*!
     * \param items \p count real items of the block, the first of which is item \p shift
     *        of the block; they wrap round its end. The other items of the block are
     *        zero, and there are fewer of them than rows of bins. No alignment is needed
     * \param type f32, s16 or s8
     * \param shift below the rows of bins
     * \param gathered bins of the layout; the memory beyond its rows is left as it is
     */
    void run(const void* items,
             sample_type type,
             std::size_t shift,
             std::size_t count,
             memory& work,
             float* gathered) const;

private:
    real_column_transform(const gathered_layout& layout,
                          std::unique_ptr<column_transform> pairs,
                          bool half_item,
                          const row_kernels& kernels);

    const row_kernels& d_kernels;
    const std::size_t d_size; // items of a block
    const std::unique_ptr<column_transform> d_pairs;
    real_layout d_layout = {};
    aligned_vector<float> d_a, d_b;
};

} // namespace cldsp
