// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that multiplies a stream of vectors by a matrix.

#ifndef INCLUDED_CLDSP_GEMM_IMPL_H
#define INCLUDED_CLDSP_GEMM_IMPL_H

#include "matrix.h"
#include "planned_block.h"
#include "probe/running_blocks.h"
#include <gnuradio/cldsp/gemm.h>
#include <cldsp/gemm.h>
#include <pmt/pmt.h>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind gemm. The input items of a call are the rows of a matrix X,
//! and the outputs are the rows of X times the transpose of A, which the engine holds.
template <class T>
class gemm_impl
    : public gemm<T>,
      public planned_block<gr::sync_block, ::cldsp::gemm, ::cldsp::gemm_options>
{
public:
    using value = typename gemm<T>::value;

    gemm_impl(const matrix<value>& A,
              const std::string& device,
              const std::string& variant,
              const std::string& precision,
              const std::string& plan);

    void set_A(const matrix<value>& A) override;
    matrix<value> A() const override;

    std::vector<kernel_to_tune> kernels_to_tune() const override;
    ::cldsp::kernel_work average_work() const override;

    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    using base = planned_block<gr::sync_block, ::cldsp::gemm, ::cldsp::gemm_options>;

    std::string algorithm() const override { return "gemm"; }
    bool apply_change(); //!< returns false if there was none

    const std::size_t d_rows, d_columns;
    const ::cldsp::gemm_shape d_typical;

    mutable std::mutex d_wanted_mutex; // guards d_wanted
    matrix<value> d_wanted;
    std::atomic<bool> d_changed{ true }; // set after d_wanted was
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_IMPL_H */
