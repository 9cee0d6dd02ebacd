/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/aligned_vector.h"
#include "fft/fftw_plan.h"
#include "fft/row_transform.h"

#include <cldsp/phase.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! The rotator of one channel's outputs, as far as a block reaches.
class block_rotator
{
public:
    //! Until then it stands still. \param step of an output
    void configure(phase64 step, std::size_t outputs);
    //! values[i] *= exp(j (phase + i step)). \param count at most the outputs
    void apply(std::complex<float>* values, std::size_t count, phase64 phase) const;
    phase64 step() const { return d_step; }

private:
    phase64 d_step;
    aligned_vector<std::complex<float>> d_phasors;
};

/*!
 * The inverse transforms of several channels with their rotators: by the kernels' grid
 * where that covers the number of values, and by FFTW elsewhere.
 */
class inverse_fft_with_rotator
{
public:
    //! A thread's.
    using memory = fftw_vector<std::complex<float>>;

    //! Whether kernels of this width cover transforms of this size.
    static bool has_grid(std::size_t size, std::size_t width);

    inverse_fft_with_rotator(std::size_t size,
                             std::size_t channels,
                             const row_kernels& kernels);

    /*!
     * Until then, 0 is the first and the rotator stands still.
     *
     * \param first index of the channel's first output in the transform, which goes round
     * \param step of the rotator, from an output to the next
     */
    void configure(std::size_t channel, std::size_t first, phase64 step);
    memory make_memory() const;

    /*!
     * out[i] = exp(j (phase + i step)) y[first + i], y being the inverse transform of the
     * values, without scaling.
     *
     * \param values split planes, aligned
     */
    void run(std::size_t channel,
             const float* values,
             memory& work,
             phase64 phase,
             std::complex<float>* out,
             std::size_t outputs) const;

private:
    struct channel_state {
        std::size_t first = 0;
        phase64 step;
        // Of a grid; or of outputs in turn.
        aligned_vector<float> columns;
        std::vector<std::complex<float>> rows;
        block_rotator rotator;
    };
    std::size_t padded_size() const;
    void run_grid(const channel_state& channel,
                  const float* values,
                  memory& work,
                  phase64 phase,
                  std::complex<float>* out,
                  std::size_t outputs) const;

    const std::size_t d_size;
    const row_kernels& d_kernels;
    inverse_layout d_layout = {}; // first 0: FFTW
    aligned_vector<float> d_twiddles;
    std::shared_ptr<const fftw_plan> d_plan;
    std::vector<channel_state> d_channels;
};

} // namespace cldsp
