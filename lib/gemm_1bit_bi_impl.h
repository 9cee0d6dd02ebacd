// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that correlates 1-bit sequences with codes.

#ifndef INCLUDED_CLDSP_GEMM_1BIT_BI_IMPL_H
#define INCLUDED_CLDSP_GEMM_1BIT_BI_IMPL_H

#include "planned_block.h"
#include "probe/running_blocks.h"
#include <gnuradio/cldsp/gemm_1bit_bi.h>
#include <cldsp/gemm_1bit.h>
#include <pmt/pmt.h>
#include <mutex>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

class gemm_1bit_bi_impl
    : public gemm_1bit_bi,
      public planned_block<gr::sync_block, ::cldsp::gemm_1bit, ::cldsp::gemm_options>
{
    using base = planned_block<gr::sync_block, ::cldsp::gemm_1bit, ::cldsp::gemm_options>;

public:
    using code_list = std::vector<std::vector<std::uint8_t>>;

    gemm_1bit_bi_impl(const code_list& codes,
                      const std::string& device,
                      const std::string& variant,
                      const std::string& plan);

    void set_codes(const code_list& codes) override;
    code_list codes() const override;
    std::size_t bits() const override { return d_bits; }

    std::vector<kernel_to_tune> kernels_to_tune() const override;
    ::cldsp::kernel_work average_work() const override;

    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    std::string algorithm() const override { return d_engine->algorithm_name(); }
    bool apply_change(); //!< returns false if there was none

    const std::size_t d_bits, d_count; // the bits of a code, and the number of codes
    const int d_batch;                 // the items of a call that the block asks for
    ::cldsp::memory_region d_in_memory, d_out_memory; // used by the thread of the block

    mutable std::mutex d_wanted_mutex; // guards the next two members
    code_list d_wanted;
    bool d_changed = false;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_1BIT_BI_IMPL_H */
