// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The correlator's sums on every core of the host.

#pragma once

#include "base/thread_pool.h"
#include "correlator/correlator_executor.h"
#include "correlator/host_correlator_simd.h"

#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <memory>

namespace cldsp {

/*!
 * The variant "simd": the sums of a correlator on the host, on every core. The triangle
 * of products is divided into squares, which the threads share.
 *
 * Only one thread at a time may use an object.
 */
class host_correlator
{
public:
    //! \param type fc32 or cs8
    //! \param antennas the number of antennas
    //! \param kernels the kernels
    //! \param threads the number of threads, as for thread_pool
    host_correlator(sample_type type,
                    std::size_t antennas,
                    const host_correlator_kernels& kernels,
                    unsigned threads);
    ~host_correlator();

    //! See correlator_executor.
    void add(const correlator_batch& batch, std::complex<double>* sums);
    std::size_t max_rows(std::size_t length) const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

//! The number of threads for a call.
unsigned correlator_threads(const thread_pool& pool,
                            std::size_t antennas,
                            const correlator_batch& batch);

//! How many floats a row, and an antenna with all its rows, take.
struct packed_size {
    std::size_t row, antenna;
};

/*!
 * Converts the samples of a call into blocks. The threads of a pool share the antennas.
 *
 * \param pack one of the kernels' functions
 * \param type the type of the samples
 * \param antennas the number of antennas
 * \param batch the samples
 * \param size where the blocks of each row and antenna begin
 * \param pool,threads how the work is shared, see thread_pool::share()
 * \param to the blocks of the first antenna
 */
void pack_samples(void (*pack)(const correlator_packing&),
                  sample_type type,
                  std::size_t antennas,
                  const correlator_batch& batch,
                  const packed_size& size,
                  thread_pool& pool,
                  unsigned threads,
                  float* to);

} // namespace cldsp
