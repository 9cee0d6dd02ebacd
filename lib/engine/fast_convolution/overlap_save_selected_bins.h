// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Overlap-save that keeps only the bins each channel needs.

#pragma once

#include "fast_convolution/fold.h"
#include "fast_convolution/fold_response.h"
#include "fast_convolution/overlap_save.h"
#include "fft/block_transform.h"
#include "fft/column_transform.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/real_column_transform.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

struct bins_spectrum;

/*!
 * Overlap-save on one transform of the whole block.
 *
 * A block of N = D ifft_size items is transformed to X. A channel's outputs are the
 * inverse transform, of N/D values, of Z[g] = sum_r X[g + r N/D] G[g + r N/D]. G is the
 * response of the rotated taps, advanced by a whole number of outputs. So Z has all
 * copies of the band that the decimation folds onto the channel, each with its weight.
 */
class overlap_save_selected_bins final : public overlap_save
{
public:
    //! Both sets of kernels have to be of one instruction set.
    //! \throws std::invalid_argument for a bad shape
    overlap_save_selected_bins(const overlap_save_shape& shape,
                               const fold_kernel_set& kernels,
                               const row_kernels& row_kernels);

    void configure(std::size_t channel, const filter_channel& setup) override;
    bool set_active(const std::vector<std::size_t>& active) override;
    void settle() override;
    std::size_t block_items() const override { return d_shape.items_of(block_outputs()); }
    std::size_t block_outputs() const override { return d_shape.block_outputs(); }
    std::unique_ptr<overlap_save_spectrum> make_spectrum() const override;
    std::unique_ptr<overlap_save_workspace> make_workspace() const override;
    void forward(const void* items,
                 overlap_save_spectrum& spectrum,
                 overlap_save_workspace& workspace) const override;
    void compute(std::size_t first,
                 std::size_t channels,
                 const overlap_save_spectrum* const* spectra,
                 overlap_save_workspace& workspace,
                 const phase64* phases,
                 std::complex<float>* const* out,
                 std::size_t outputs) const override;

private:
    std::size_t items() const { return d_shape.ifft_size * d_shape.decimation; }
    std::size_t blocks_at_once() const
    {
        return d_gathers ? d_groups.blocks_at_once() : 1;
    }
    void transform_taps();
    template <class F>
    void place_block(const F& convert) const;
    void forward_complex(const void* items,
                         bins_spectrum& spectrum,
                         block_transform::memory& work) const;
    void forward_real(const void* items,
                      bins_spectrum& spectrum,
                      block_transform::memory& work) const;
    void fold(std::size_t channel, const bins_spectrum& spectrum, float* out) const;
    const overlap_save_shape d_shape;
    const fold_kernel_set& d_kernels;
    // Whether bins are gathered, which pays where several channels use them.
    const bool d_gathers;
    // The folds of all channels if bins are gathered. It gives the order of gathered
    // responses in any case.
    channel_folds d_groups;
    const block_placement d_block;
    // The delay by half an item, as factors of the bins; empty if it is not needed.
    fftw_vector<std::complex<float>> d_half_item;
    // The transform of taps, and of blocks of complex items. Only one of these is used.
    std::unique_ptr<const column_transform> d_columns;
    std::unique_ptr<const block_transform> d_block_transform;
    // The transform of blocks of real items, as pairs. At most one of these is used.
    std::unique_ptr<const real_column_transform> d_real_columns;
    std::unique_ptr<const block_transform> d_pairs;
    inverse_fft_with_rotator d_inverse;
    std::vector<phase64> d_steps; // phase step of each channel's rotator

    // The responses of the channels if bins are not gathered.
    std::vector<single_response> d_singles;
    // The rows of bins that the channels read, in order. Only these are computed from the
    // bins of pairs.
    std::vector<std::size_t> d_rows_read;
    fftw_vector<std::complex<float>> d_turns; // factors of these bins: bins_of_pairs()
    bool d_singles_changed = false;

    // Working memory of configure().
    fftw_vector<std::complex<float>> d_taps;
    fftw_vector<std::complex<float>> d_response;
    fftw_vector<float> d_gathered;
    column_transform::memory d_work;
    block_transform::memory d_block_work;
};

} // namespace cldsp
