/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/host_fir.h"
#include "direct/host_fir_simd.h"

#include <cldsp/errors.h>

namespace cldsp {

void host_fir::run(const fir_call& call)
{
    if (!d_scratch)
        d_scratch = std::make_unique<host_fir_scratch>();
    run(call, *d_scratch);
}

void host_fir::run(const fir_call& call, host_fir_scratch& scratch)
{
    d_sums.time_call(call.outputs, [&] { compute(call, scratch); });
}

std::unique_ptr<fir_executor> make_host_fir(const std::string& variant,
                                            const fir_setup& setup)
{
    return make_plain_host_fir(variant, setup);
}

std::unique_ptr<host_fir> make_plain_host_fir(const std::string& variant,
                                              const fir_setup& setup)
{
    if (variant == "auto" || variant == "simd")
        return make_host_fir_simd(setup, *available_simd_kernels().front());
    if (variant == "volk")
        return make_host_fir_volk(setup);
    throw_invalid("variant", variant, "simd, volk or auto on the host");
}

} // namespace cldsp
