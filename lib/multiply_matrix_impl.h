// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that multiplies parallel streams by a matrix.

#ifndef INCLUDED_CLDSP_MULTIPLY_MATRIX_IMPL_H
#define INCLUDED_CLDSP_MULTIPLY_MATRIX_IMPL_H

#include "matrix.h"
#include "planned_block.h"
#include "probe/running_blocks.h"
#include <gnuradio/cldsp/multiply_matrix.h>
#include <cldsp/stream_matrix.h>
#include <pmt/pmt.h>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind multiply_matrix.
template <class T>
class multiply_matrix_impl
    : public multiply_matrix<T>,
      public planned_block<gr::sync_block, ::cldsp::stream_matrix, ::cldsp::gemm_options>
{
public:
    multiply_matrix_impl(const matrix<T>& A,
                         gr::block::tag_propagation_policy_t policy,
                         const std::string& device,
                         const std::string& variant,
                         const std::string& precision,
                         const std::string& plan);

    matrix<T> get_A() const override;
    bool set_A(const matrix<T>& new_A) override;

    std::vector<kernel_to_tune> kernels_to_tune() const override;
    ::cldsp::kernel_work average_work() const override;

    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    using base =
        planned_block<gr::sync_block, ::cldsp::stream_matrix, ::cldsp::gemm_options>;

    std::string algorithm() const override { return "gemm"; }
    bool apply_change(); //!< returns false if there was none
    void propagate_tags(int items);

    const std::size_t d_rows, d_columns;
    const bool d_may_use_devices;
    matrix<T> d_A; // the matrix of d_engine; used only by work()

    mutable std::mutex d_wanted_mutex; // guards d_wanted
    matrix<T> d_wanted;
    std::atomic<bool> d_changed{ true }; // set after d_wanted was
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_MULTIPLY_MATRIX_IMPL_H */
