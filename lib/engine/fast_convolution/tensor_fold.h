// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fold of many channels on the matrix units of NVIDIA GPUs.

#pragma once

#include "base/arithmetic.h"
#include "fast_convolution/tiled_fold.h"
#include "opencl/matrix_units.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The sizes that kernels/tensor_fold.cl is compiled with.
 *
 * A work-group computes \p bins neighbouring sums of 4 \p tiles \p parts blocks, for one
 * tile of channels after the other. Its bins * parts warps have 32 work-items each.
 */
struct tensor_fold_shape {
    //! The channels of a tile: as many as one instruction multiplies.
    static constexpr std::size_t channels = 16;
    //! The gains of a bin begin at multiples of so many values.
    static constexpr std::size_t gain_step = 4;

    std::size_t rows = 2; //!< the size of the inverse transform, N / D
    std::size_t bins = 1, tiles = 1, parts = 1;
    //! Chunks of 16 words whose bins are in registers at a time, for real and for complex
    //! gains, of which each is two words.
    std::size_t chunks = 1, complex_chunks = 1;
    std::size_t stages = 2; //!< tiles of channels whose gains are in local memory
    tensor_mode mode = tensor_mode::native;
    fused_fold_shape transform; //!< of the inverse transforms; one channel

    std::size_t blocks() const { return 4 * tiles * parts; } //!< of a work-group
    std::size_t items() const { return 32 * bins * parts; }
    std::size_t local_bytes() const;
    //! The values for which a response has room for each bin.
    static std::size_t bin_values(std::size_t decimation)
    {
        return round_up(decimation, gain_step);
    }
    std::string build_options(bool real_gains) const;
};

/*!
 * The sizes that suit a device with matrix units, or the emulation of them.
 *
 * \param rows a power of two, from 2 to max_fused_rows()
 * \param is_large whether launches have so many channels and blocks that reading the
 *        gains takes longer than all else
 */
tensor_fold_shape suggested_tensor_fold(const device_limits& limits,
                                        std::size_t rows,
                                        std::size_t decimation,
                                        bool is_large,
                                        tensor_mode mode);

/*!
 * Rounds a gain to 22 bits. The matrix units take the first 11 of them as one factor and
 * the others as another one.
 */
float rounded_gain(float gain);

//! The kernel of kernels/tensor_fold.cl, on the matrix units of NVIDIA GPUs. The gains of
//! a launch lie bin by bin, bin_values() of each, and are rounded_gain().
class tensor_fold final : public separate_fold
{
public:
    //! \throws std::invalid_argument if the device has no such matrix units, or cannot
    //! run as many work-items in a group; opencl_error
    tensor_fold(std::shared_ptr<context> device,
                const cl::CommandQueue& queue,
                const tensor_fold_shape& shape);

    //! Enqueues the fold without the inverse transforms, whose arguments are not used,
    //! and returns the buffer of the sums.
    const cl::Buffer& enqueue_sums(const launch& what, std::vector<cl::Event>& events);

private:
    void enqueue_fold(const launch& what, std::vector<cl::Event>& events) override;

    tensor_fold_shape d_shape;
};

//! The sizes of a fold of noise.
struct tensor_fold_trial {
    std::size_t channels = 1, blocks = 1, decimation = 1;
    std::size_t first_row = 0, end_row = 1; //!< gains of other rows are zero
    bool real_gains = true;
    bool has_nan = false; //!< whether a bin of the last block is NaN, all its bits set
};

//! Folds noise, and compares sums with those of double precision. \returns the largest
//! error, relative to the largest sum; infinity if a sum is not finite. \throws as the
//! constructor of tensor_fold
double tensor_fold_error(const std::shared_ptr<context>& device,
                         const tensor_fold_shape& shape,
                         const tensor_fold_trial& trial);

/*!
 * Finds sizes with which the device folds as it should. The kernel takes more local
 * memory than NVIDIA's OpenCL reports. Where a GPU does not have that much, it gets
 * smaller sizes.
 *
 * \throws as check_tensor_fold()
 */
tensor_fold_shape checked_tensor_fold(const std::shared_ptr<context>& device,
                                      const tensor_fold_shape& suggested);

/*!
 * Checks a fold that has more words, channels and blocks than a work-group takes at a
 * time. A driver that translates the kernel's PTX in another way than the ones that are
 * known would give sums that are wrong, or less precise.
 *
 * \throws std::invalid_argument if the sums are wrong; as the constructor of tensor_fold
 */
void check_tensor_fold(const std::shared_ptr<context>& device,
                       const tensor_fold_shape& shape);

} // namespace cldsp
