/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/gemm.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * The product y = A x for each item of several streams, each in memory of its own: output
 * l is the sum over k of A[l][k] times input k.
 *
 * Small matrices are multiplied on the host, because the call of a device alone would
 * take longer; for others "auto" measures. If a device fails while running, the host
 * completes the call and continues, and the reason is logged. One thread at a time.
 */
class stream_matrix
{
public:
    /*!
     * \param type f32 or c32, of the matrix and the streams
     * \param rows,columns of A, which is 0 until set_matrix(); 1 or more
     * \param typical_items of each stream in a typical call; "auto" decides by it
     * \throws std::invalid_argument for another type or a size of 0, an unknown or
     *         unfitting device or variant, or an explicitly named device that cannot be
     *         used
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

    //! Copies A, which is row by row without gaps.
    void set_matrix(const void* a);
    /*!
     * \param in columns() streams, \p items each
     * \param out rows() streams, which do not overlap the inputs
     */
    void multiply(const void* const* in, void* const* out, std::size_t items);

    std::size_t rows() const;
    std::size_t columns() const;
    //! Whether the options and the size permit devices; otherwise the host computes.
    bool may_use_devices() const;
    std::string device_name() const;
    std::string variant_name() const;  //!< see gemm_variants()
    std::string transfer_name() const; //!< see gemm::transfer_name()
    std::string plan() const;
    chosen_plan chosen() const; //!< the same as data
    //! Outputs are items of all streams.
    run_statistics statistics() const;
    bool fell_back() const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
