// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products of a matrix with the items of several streams.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/gemm.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * The product y = A x for each item of several streams: output stream l is the sum over k
 * of A[l][k] times input stream k. Each stream has memory of its own.
 *
 * Small matrices are multiplied on the host, because starting a device would take longer
 * than the product. For larger ones "auto" measures. If a device fails while running, the
 * host completes the call and continues, and the reason is logged. Only one thread may
 * use a stream_matrix at a time.
 */
class stream_matrix
{
public:
    /*!
     * \param type the type of the matrix and of the streams, f32 or c32
     * \param rows,columns the size of A, 1 or more; all elements of A are 0 until
     *         set_matrix()
     * \param typical_items the items of each stream in a typical call, for which "auto"
     *         chooses
     * \param options the device, the variant and the precision
     * \param registry has the contexts of the devices
     * \throws std::invalid_argument for another type or a size of 0, an unknown or
     *         unsuitable device or variant, an unknown precision, or a device that was
     *         named and cannot be used
     */
    stream_matrix(gemm_type type,
                  std::size_t rows,
                  std::size_t columns,
                  std::size_t typical_items,
                  const gemm_options& options,
                  context_registry& registry);
    ~stream_matrix();
    stream_matrix(stream_matrix&&) noexcept;
    stream_matrix& operator=(stream_matrix&&) noexcept;

    //! Copies the matrix \p a, which is stored row by row without gaps.
    void set_matrix(const void* a);
    /*!
     * Multiplies the next items of each stream.
     *
     * \param in the memory of columns() input streams
     * \param out the memory of rows() output streams, which does not overlap the inputs
     * \param items the number of items of each stream
     */
    void multiply(const void* const* in, void* const* out, std::size_t items);

    std::size_t rows() const;
    std::size_t columns() const;
    //! Whether the options and the size of the matrix permit a device; otherwise the host
    //! computes.
    bool may_use_devices() const;
    std::string device_name() const;
    std::string variant_name() const;  //!< see gemm_variants()
    std::string transfer_name() const; //!< see gemm::transfer_name()
    std::string plan() const;
    chosen_plan chosen() const; //!< the plan as data
    //! The statistics of all calls; run_statistics::outputs counts items of all outputs.
    run_statistics statistics() const;
    bool fell_back() const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
