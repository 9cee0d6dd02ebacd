/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/call_sums.h"
#include "filter/fir_executor.h"

#include <volk/volk_alloc.hh>

#include <complex>
#include <memory>
#include <string>

namespace cldsp {

//! Memory for a call's intermediate values, of which nothing is read after it.
struct host_fir_scratch {
    volk::vector<std::complex<float>> items; //!< converted, or moved to 0 Hz
    volk::vector<std::complex<float>> sums;

    //! \p memory with room for \p count values, and whatever it holds.
    static std::complex<float>* room(volk::vector<std::complex<float>>& memory,
                                     std::size_t count)
    {
        if (memory.size() < count)
            memory.resize(count);
        return memory.data();
    }
};

/*!
 * What the host's ways of computing share: they have no device, no transfers, and their
 * time is that of the call.
 */
class host_fir : public fir_executor
{
public:
    //! With scratch memory of its own.
    void run(const fir_call& call) final;
    //! With memory that filters which run one after the other share.
    void run(const fir_call& call, host_fir_scratch& scratch);
    void set_stream_memory(memory_region, memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }

protected:
    virtual void compute(const fir_call& call, host_fir_scratch& scratch) = 0;

private:
    std::unique_ptr<host_fir_scratch> d_scratch;
    call_sums d_sums;
};

struct simd_kernels;

//! On our own kernels, see host_fir_simd.h.
std::unique_ptr<host_fir> make_host_fir_simd(const fir_setup& setup,
                                             const simd_kernels& kernels);
//! On VOLK's kernels alone.
std::unique_ptr<host_fir> make_host_fir_volk(const fir_setup& setup);
//! \param variant "volk", "simd" or "auto". \throws std::invalid_argument
std::unique_ptr<fir_executor> make_host_fir(const std::string& variant,
                                            const fir_setup& setup);

//! As make_host_fir().
std::unique_ptr<host_fir> make_plain_host_fir(const std::string& variant,
                                              const fir_setup& setup);

} // namespace cldsp
