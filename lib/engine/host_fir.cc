/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "host_fir.h"
#include "host_fir_simd.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>

namespace cldsp {

void host_fir::run(const fir_call& call)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    compute(call);
    d_seconds += std::chrono::duration<double>(clock::now() - start).count();
    d_calls++;
    d_outputs += call.outputs;
}

run_statistics host_fir::statistics() const
{
    run_statistics result;
    result.calls = d_calls;
    result.outputs = d_outputs;
    if (d_calls)
        result.kernel_time = d_seconds / static_cast<double>(d_calls);
    return result;
}

void fill_phasors(std::complex<float>* out,
                  std::size_t count,
                  phase64 start,
                  phase64 step)
{
    constexpr std::size_t run = 64;
    const std::complex<double> turn = step.phasor();
    for (std::size_t first = 0; first < count; first += run) {
        const std::complex<double> anchor = (start + step * first).phasor();
        double re = anchor.real();
        double im = anchor.imag();
        for (std::size_t i = first; i < std::min(first + run, count); i++) {
            out[i] = { static_cast<float>(re), static_cast<float>(im) };
            const double next = re * turn.real() - im * turn.imag();
            im = re * turn.imag() + im * turn.real();
            re = next;
        }
    }
}

std::unique_ptr<fir_executor> make_host_fir(const std::string& variant,
                                            const fir_setup& setup)
{
    if (variant == "auto" || variant == "simd")
        return make_host_fir_simd(setup, *available_simd_kernels().front());
    if (variant == "volk")
        return make_host_fir_volk(setup);
    throw_invalid("variant", variant, "simd, volk or auto on the host");
}

} // namespace cldsp
