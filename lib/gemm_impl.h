// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that multiplies a stream of vectors by a matrix.

#ifndef INCLUDED_CLDSP_GEMM_IMPL_H
#define INCLUDED_CLDSP_GEMM_IMPL_H

#include "engine_block.h"
#include <cldsp/fresh_engine.h>
#include "matrix.h"
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
class gemm_impl : public gemm<T>, public engine_block<gr::sync_block, ::cldsp::gemm>
{
public:
    using value = typename gemm<T>::value;

    gemm_impl(const matrix<value>& A,
              const std::string& device,
              const std::string& variant,
              const std::string& precision);

    void set_A(const matrix<value>& A) override;
    matrix<value> A() const override;

    void choose_again() override;
    std::string wanted_device() const override { return d_options.device; }
    std::vector<kernel_to_tune> kernels_to_tune() const override;
    ::cldsp::kernel_work average_work() const override;

    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    using base = engine_block<gr::sync_block, ::cldsp::gemm>;

    const ::cldsp::gemm& engine() const override { return d_engine; }
    std::string algorithm() const override { return "gemm"; }
    std::size_t engines_taken() const override { return d_fresh.taken(); }
    bool apply_change(); //!< returns false if there was none
    ::cldsp::gemm make_engine() const;

    const std::size_t d_rows, d_columns;
    const int d_batch;
    const ::cldsp::gemm_options d_options;
    const ::cldsp::gemm_shape d_typical;
    ::cldsp::gemm d_engine; // used only by the thread of the block
    ::cldsp::fresh_engine<::cldsp::gemm> d_fresh;

    mutable std::mutex d_wanted_mutex; // guards d_wanted
    matrix<value> d_wanted;
    std::atomic<bool> d_changed{ true }; // set after d_wanted was
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_IMPL_H */
