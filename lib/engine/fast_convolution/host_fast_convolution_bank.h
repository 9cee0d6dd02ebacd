/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/aligned_vector.h"
#include "filter/bank_executor.h"
#include "base/call_sums.h"
#include "direct/host_fir.h"
#include "fast_convolution/overlap_save_methods.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

class thread_pool;

//! See make_host_fast_convolution_bank().
class host_fast_convolution final : public bank_executor
{
public:
    host_fast_convolution(const overlap_save_method& method,
                          const std::vector<fir_setup>& setups,
                          std::size_t rows,
                          double accuracy,
                          std::shared_ptr<thread_pool> pool);

    void configure(std::size_t channel, const fir_setup& setup) override;
    void run(const bank_call& call) override;
    void set_stream_memory(memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return d_method->name; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }

private:
    struct channel_state {
        explicit channel_state(const fir_setup& s) : setup(s) {}
        fir_setup setup;
        // Empty until needed: a fast filter, and one that meets no item beside a window.
        std::unique_ptr<host_fir> direct, exact;
    };

    void rebuild();
    void compute_call(const bank_call& call);
    bool rest_is_direct(std::size_t outputs) const;
    double item_nanoseconds() const;
    template <class F>
    void share_out(std::size_t count, const F& action);
    void run_blocks(const bank_call& call, std::size_t outputs);
    void share_out_blocks(const bank_call& call, std::size_t count);
    void share_out_channels(const bank_call& call, std::size_t count);
    void mend(const bank_call& call, std::size_t by_blocks);
    void count_bad_items(const bank_call& call);
    std::size_t
    oldest_item(const bank_call& call, std::size_t channel, std::size_t output) const;
    void mend_outputs(const bank_call& call,
                      std::size_t channel,
                      std::size_t begin,
                      std::size_t end,
                      unsigned worker);
    void compute_direct(const bank_call& call,
                        std::size_t channel,
                        std::size_t begin,
                        std::size_t end,
                        unsigned worker);
    void compute_exactly(const bank_call& call,
                         std::size_t channel,
                         std::size_t begin,
                         std::size_t end,
                         unsigned worker);
    void compute_with(host_fir& filter,
                      const bank_call& call,
                      std::size_t channel,
                      std::size_t begin,
                      std::size_t end,
                      unsigned worker);
    void
    forward(const bank_call& call, std::size_t first, std::size_t slot, unsigned worker);
    void compute(const bank_call& call,
                 std::size_t first,
                 std::size_t slot,
                 std::size_t slots,
                 std::size_t channel,
                 unsigned worker);

    const overlap_save_method* d_method;
    const std::size_t d_rows; // asked for; 0: any
    const std::shared_ptr<thread_pool> d_pool;
    unsigned d_threads = 1; // of the call in work
    overlap_save_shape d_shape;
    std::vector<channel_state> d_channels;
    std::unique_ptr<overlap_save> d_blocks;
    // A slot is a block in work; each thread has some.
    std::size_t d_slots_each = 1;
    std::vector<std::unique_ptr<overlap_save_spectrum>> d_spectra;
    std::vector<const overlap_save_spectrum*> d_slots;  // the same
    std::vector<aligned_vector<unsigned char>> d_edges; // a block that a call has in part
    std::vector<std::size_t> d_bad_before; // of the call, where one is not finite
    // Of each thread.
    std::vector<std::unique_ptr<overlap_save_workspace>> d_workspaces;
    std::vector<host_fir_scratch> d_scratch;

    call_sums d_sums;
};

} // namespace cldsp
