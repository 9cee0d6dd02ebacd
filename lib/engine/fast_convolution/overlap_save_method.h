// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of the host's variants of fast convolution.

#pragma once

#include "fast_convolution/block_cost.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save.h"
#include "filter/filter_variant.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The most rows of a block, far beyond any number that pays.
constexpr std::size_t max_overlap_save_rows = std::size_t(1) << 22;

//! The operations of one block: of the part that the channels share, and of each channel.
struct block_operations {
    double forward, channel;
};

//! A method of overlap-save on the host: a variant of fast convolution.
class overlap_save_method : public filter_variant
{
public:
    using filter_variant::make;
    using filter_variant::sizes;

    //! Makes the blocks of a shape.
    //! \throws std::invalid_argument for a size or taps that the method does not cover
    virtual std::unique_ptr<overlap_save>
    make(const overlap_save_shape& shape, const overlap_save_kernels& kernels) const = 0;
    //! Whether the method has blocks of this size, at least for few taps.
    virtual bool covers(std::size_t decimation, std::size_t ifft_size) const = 0;
    //! The outputs that a row of a block gives each channel.
    virtual std::size_t phases(const plan_shape&) const { return 1; }
    //! The cost of a block, without that which every method has.
    virtual block_cost cost(const plan_shape& shape,
                            std::size_t ifft_size,
                            const host_rates& rates) const = 0;
    virtual block_operations count(const plan_shape& shape,
                                   std::size_t ifft_size) const = 0;

    //! Seconds of a typical call. Outputs left over after whole blocks are computed
    //! directly where that is faster.
    double predict(const plan_shape& shape,
                   std::size_t ifft_size,
                   const host_rates& rates) const;
    //! Seconds of one block with all channels, on one thread.
    double predict_block(const plan_shape& shape,
                         std::size_t ifft_size,
                         const host_rates& rates) const;
    //! See cldsp::block_outputs().
    std::size_t outputs(const plan_shape& shape, std::size_t ifft_size) const
    {
        return block_outputs(shape, ifft_size, phases(shape));
    }
    /*!
     * The block sizes that are worth a measurement, the best predicted one first. They
     * are longer than the overlap, and not much longer than a typical call needs. Sizes
     * close to a better one are left out. There are none where the method does not cover
     * the shape.
     */
    std::vector<std::size_t>
    sizes(const plan_shape& shape, const host_rates& rates, std::size_t most) const;

    double predict(const plan_shape& shape,
                   const plan_place& place,
                   std::size_t ifft_size,
                   const host_rates& rates) const override;
    std::unique_ptr<filter_executor> make(const filter_task& task,
                                          const plan_place& place,
                                          std::size_t ifft_size) const override;
    double operations(const counted_filter& filter) const override;

protected:
    std::vector<std::size_t> block_sizes(const filter_task& task,
                                         const plan_place& place) const override;

    //! \param name,description see variant_info
    overlap_save_method(std::string name, std::string description);
};

//! Each method stands in a file of its own.
const overlap_save_method& overlap_save_polyphase_method();
const overlap_save_method& overlap_save_four_step_method();
//! The method that covers every shape.
const overlap_save_method& overlap_save_selected_bins_method();

//! The predictions by which fast convolution on the host decides.
fast_convolution_costs predicted_costs(const plan_shape& shape, const host_rates& rates);

const std::vector<const overlap_save_method*>& overlap_save_methods();
//! The method with this name; null if there is none.
const overlap_save_method* find_overlap_save_method(const std::string& name);

/*!
 * Makes the blocks of a method, and stores their size in \p shape. A size of 0 is
 * replaced, and so is a size for which the new items of a block (L) are fewer than half
 * of max_taps. The new size is the smallest power of two for which L is three times
 * max_taps or more, or the largest power of two that the method covers.
 *
 * \throws std::invalid_argument for a size or taps that the method does not cover
 */
std::unique_ptr<overlap_save> make_blocks(const overlap_save_method& method,
                                          overlap_save_shape& shape);

} // namespace cldsp
