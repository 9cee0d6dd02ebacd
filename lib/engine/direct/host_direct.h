/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"
#include "filter/plan_shape.h"

#include <volk/volk_alloc.hh>

#include <complex>
#include <memory>
#include <string>
#include <vector>

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
 * One channel's filter by the direct algorithm on the host. Stateless between calls.
 */
class host_fir
{
public:
    virtual ~host_fir() = default;
    //! Taps or frequency changed (never the input type or the decimation).
    virtual void configure(const filter_channel& channel) = 0;
    //! With memory that filters which run one after the other share.
    virtual void run(const fir_call& call, host_fir_scratch& scratch) = 0;
    virtual std::string variant_name() const = 0;

    //! With scratch memory for this call alone.
    void run(const fir_call& call)
    {
        host_fir_scratch scratch;
        run(call, scratch);
    }
};

struct simd_kernels;

//! On our own kernels, see host_fir_simd.h.
std::unique_ptr<host_fir> make_host_fir_simd(const filter_channel& channel,
                                             const simd_kernels& kernels);
//! On VOLK's kernels alone.
std::unique_ptr<host_fir> make_host_fir_volk(const filter_channel& channel);
//! \param variant "volk", "simd" or "auto". \throws std::invalid_argument
std::unique_ptr<host_fir> make_host_fir(const std::string& variant,
                                        const filter_channel& channel);

/*!
 * The direct algorithm on the host, for each channel a host_fir of its own. The pool's
 * threads share the channels, of calls that are long enough.
 *
 * \param variant "volk", "simd" or "auto"
 * \throws std::invalid_argument
 */
std::unique_ptr<filter_executor>
make_host_direct(const std::string& variant,
                 const std::vector<filter_channel>& channels,
                 std::shared_ptr<thread_pool> pool,
                 const host_costs& costs = {});

} // namespace cldsp
