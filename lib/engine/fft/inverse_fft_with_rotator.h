// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The inverse transform of each channel of a bank, with its output rotator.

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

//! The rotator of one channel, with a table of phasors for the outputs of one block.
class block_rotator
{
public:
    /*!
     * Makes the table. Before the first call the rotator has a step of 0.
     *
     * \param step the phase from one output to the next
     * \param outputs the largest number of outputs of a block
     */
    void configure(phase64 step, std::size_t outputs);
    //! values[i] *= exp(j (phase + i step))
    //! \param count the number of values, at most the \p outputs given to configure()
    void apply(std::complex<float>* values, std::size_t count, phase64 phase) const;
    phase64 step() const { return d_step; }

private:
    phase64 d_step;
    aligned_vector<std::complex<float>> d_phasors;
};

/*!
 * The inverse transforms of several channels, and their rotators. Sizes that the engine's
 * own kernels cover are transformed as a grid, others by FFTW.
 */
class inverse_fft_with_rotator
{
public:
    //! The memory that one thread works in.
    using memory = fftw_vector<std::complex<float>>;

    //! Whether kernels of this width cover transforms of this size.
    static bool has_grid(std::size_t size, std::size_t width);

    inverse_fft_with_rotator(std::size_t size,
                             std::size_t channels,
                             const row_kernels& kernels);

    /*!
     * Sets the outputs and the rotator of one channel. Before the first call, the first
     * output has index 0 and the rotator has a step of 0.
     *
     * \param channel the channel
     * \param first the index of the channel's first output in the results of the
     *        transform; outputs beyond the last result continue at index 0
     * \param step the phase of the rotator from one output to the next
     */
    void configure(std::size_t channel, std::size_t first, phase64 step);
    memory make_memory() const;

    /*!
     * Computes out[i] = exp(j (phase + i step)) y[first + i], where y is the inverse
     * transform of the values, without scaling.
     *
     * \param channel the channel
     * \param values the bins, as aligned vectors of real and of imaginary parts in turn
     * \param work memory from make_memory()
     * \param phase the phase of the rotator at the first output
     * \param out the results
     * \param outputs the number of results
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
        // Phasors for the columns and the rows of a grid; FFTW's results use the rotator.
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
    inverse_layout d_layout = {}; // first == 0: FFTW transforms
    aligned_vector<float> d_twiddles;
    std::shared_ptr<const fftw_plan> d_plan;
    std::vector<channel_state> d_channels;
};

} // namespace cldsp
