/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fir_executor.h"

namespace cldsp {

/*!
 * What the host's ways of computing share: they have no device, no transfers, and their
 * time is that of the call.
 */
class host_fir : public fir_executor
{
public:
    void run(const fir_call& call) final;
    void set_stream_memory(memory_region, memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override;

protected:
    virtual void compute(const fir_call& call) = 0;

private:
    std::uint64_t d_calls = 0;
    std::uint64_t d_outputs = 0;
    double d_seconds = 0;
};

struct simd_kernels;

//! On our own kernels, see host_fir_simd.h.
std::unique_ptr<host_fir> make_host_fir_simd(const fir_setup& setup,
                                             const simd_kernels& kernels);
//! On VOLK's kernels alone.
std::unique_ptr<host_fir> make_host_fir_volk(const fir_setup& setup);

/*!
 * \p out[i] = exp(j 2 pi (\p start + i \p step)): a double-precision recurrence that
 * starts afresh every 64 values, so that a table costs little and is exact to a float's
 * rounding.
 */
void fill_phasors(std::complex<float>* out,
                  std::size_t count,
                  phase64 start,
                  phase64 step);

} // namespace cldsp
