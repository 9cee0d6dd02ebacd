// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters by the direct algorithm on the host, one for each channel.

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

//! Memory for the intermediate values of a call. Nothing in it is read after the call.
struct host_fir_scratch {
    volk::vector<std::complex<float>> items; //!< input items, converted or moved to 0 Hz
    volk::vector<std::complex<float>> sums;

    //! Makes \p memory hold \p count values or more, of any content, and returns their
    //! address.
    static std::complex<float>* room(volk::vector<std::complex<float>>& memory,
                                     std::size_t count)
    {
        if (memory.size() < count)
            memory.resize(count);
        return memory.data();
    }
};

/*!
 * One channel's filter by the direct algorithm on the host. It keeps nothing between
 * calls.
 */
class host_fir
{
public:
    virtual ~host_fir() = default;
    //! Takes new taps or a new frequency (never another input type or decimation).
    virtual void configure(const filter_channel& channel) = 0;
    //! Computes a call. Filters that run one after the other can share \p scratch.
    virtual void run(const fir_call& call, host_fir_scratch& scratch) = 0;
    virtual std::string variant_name() const = 0;

    //! Computes a call with scratch memory of its own.
    void run(const fir_call& call)
    {
        host_fir_scratch scratch;
        run(call, scratch);
    }
};

struct simd_kernels;

//! A filter on our own kernels, see host_fir_simd.h.
std::unique_ptr<host_fir> make_host_fir_simd(const filter_channel& channel,
                                             const simd_kernels& kernels);
//! A filter on VOLK's kernels alone.
std::unique_ptr<host_fir> make_host_fir_volk(const filter_channel& channel);
/*!
 * A filter of the named variant.
 * \param variant "volk", "simd" or "auto"
 * \throws std::invalid_argument for another variant
 */
std::unique_ptr<host_fir> make_host_fir(const std::string& variant,
                                        const filter_channel& channel);

/*!
 * The direct algorithm on the host, with a host_fir for each channel. If a call is long
 * enough, the threads of the pool share its channels.
 *
 * \param variant "volk", "simd" or "auto"
 * \throws std::invalid_argument for another variant
 */
std::unique_ptr<filter_executor>
make_host_direct(const std::string& variant,
                 const std::vector<filter_channel>& channels,
                 std::shared_ptr<thread_pool> pool,
                 const host_costs& costs = {});

} // namespace cldsp
