// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Overlap-save for large blocks, whose transform stores only the bins that are kept.

#pragma once

#include "fast_convolution/fold.h"
#include "fast_convolution/fold_response.h"
#include "fast_convolution/overlap_save.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/selective_transform.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cldsp {

/*!
 * The method selected_bins for large blocks whose bins are not gathered.
 *
 * It computes what overlap_save_selected_bins computes. But the transform of the block
 * reads 16-bit integers and floats in their own type, and stores only the tiles of bins
 * that some active channel keeps. A tile is a vector of neighbouring bins.
 */
class overlap_save_selective final : public overlap_save
{
public:
    //! Whether the transforms cover the blocks of a shape, and the blocks are so large
    //! that this pays.
    static bool covers(sample_type input,
                       std::size_t decimation,
                       std::size_t ifft_size,
                       std::size_t width);

    //! \throws std::invalid_argument for a bad shape, and for one that is not covered
    overlap_save_selective(const overlap_save_shape& shape,
                           const overlap_save_kernels& kernels);

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
    struct channel_state {
        explicit channel_state(std::size_t tiles) : response(tiles) {}
        single_response response;
        // The same runs, which begin at the places of their tiles in a spectrum.
        std::vector<fold_run> runs;
        phase64 step; // of the rotator
        bool active = true;
    };

    std::size_t items() const { return d_shape.ifft_size * d_shape.decimation; }
    bool pairs() const { return !is_complex(d_shape.input); }
    std::size_t tile_floats() const { return 2 * d_kernels.transform.width; }
    //! The tiles of a row of bins.
    std::size_t row_tiles() const
    {
        return d_shape.ifft_size / d_kernels.transform.width;
    }
    std::size_t response_place(std::size_t tile) const;
    void transform_taps();
    void place_tiles();
    void place_pairs();

    const overlap_save_shape d_shape;
    const overlap_save_kernels d_kernels;
    const block_placement d_block;
    std::unique_ptr<const selective_transform> d_transform;      // of blocks
    std::unique_ptr<const selective_transform> d_taps_transform; // of taps
    inverse_fft_with_rotator d_inverse;
    std::vector<channel_state> d_channels;
    bool d_changed = true;

    // The tiles that the active channels keep, in the order of a spectrum: by their place
    // in a row of bins, then by rows.
    std::vector<std::uint32_t> d_kept;
    selective_transform::selection d_selection;
    std::size_t d_selected = 0; // the number of tiles that the transform stores
    // Real items: the tiles of the pairs' bins that each tile is made of, and its
    // factors.
    std::vector<mirrored_places> d_mirrored;
    aligned_vector<float> d_turns;

    // Working memory of configure().
    fftw_vector<std::complex<float>> d_taps;
    fftw_vector<std::complex<float>> d_part_of_taps; // the first or second ones of pairs
    aligned_vector<float> d_response;
    std::vector<selective_transform::selection> d_response_tiles; // of each such part
    selective_transform::memory d_taps_work;
};

} // namespace cldsp
