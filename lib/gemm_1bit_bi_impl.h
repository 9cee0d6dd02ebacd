/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_GEMM_1BIT_BI_IMPL_H
#define INCLUDED_CLDSP_GEMM_1BIT_BI_IMPL_H

#include "engine_getters.h"
#include <gnuradio/cldsp/gemm_1bit_bi.h>
#include <cldsp/gemm_1bit.h>
#include <pmt/pmt.h>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

class gemm_1bit_bi_impl : public engine_getters<gemm_1bit_bi, ::cldsp::gemm_1bit>
{
    using base = engine_getters<gemm_1bit_bi, ::cldsp::gemm_1bit>;

public:
    using code_list = std::vector<std::vector<std::uint8_t>>;

    gemm_1bit_bi_impl(const code_list& codes,
                      const std::string& device,
                      const std::string& variant);

    void set_codes(const code_list& codes) override;
    code_list codes() const override;
    std::size_t bits() const override { return d_bits; }
    std::string algorithm_name() const override { return d_engine.algorithm_name(); }

    bool check_topology(int ninputs, int noutputs) override;
    bool start() override;
    bool stop() override;
    int work(int noutput_items,
             gr_vector_const_void_star& input_items,
             gr_vector_void_star& output_items) override;

private:
    const ::cldsp::gemm_1bit& engine() const override { return d_engine; }
    void handle_codes(const pmt::pmt_t& message);

    const std::size_t d_bits;
    const int d_batch; // items that a call shall bring
    code_list d_codes;
    ::cldsp::gemm_1bit d_engine; // guarded by lock(), as are the codes
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_1BIT_BI_IMPL_H */
