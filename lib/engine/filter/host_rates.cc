// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Scales the rates of a core from the machine on which they were measured to this one.

#include "filter/host_rates.h"

namespace cldsp {

host_rates host_rates::scaled(double factor) const
{
    host_rates all = *this;
    for (double* rate : { &all.call,
                          &all.simd_tap,
                          &all.simd_output,
                          &all.simd_sum,
                          &all.simd_window,
                          &all.simd_item,
                          &all.volk_tap,
                          &all.volk_output,
                          &all.polyphase_item,
                          &all.four_step_item,
                          &all.polyphase_fold,
                          &all.selected_item,
                          &all.columns_item,
                          &all.split_item,
                          &all.pair_item,
                          &all.grid_item,
                          &all.selective_item,
                          &all.large_item,
                          &all.selected_fold,
                          &all.group_fold,
                          &all.gather_item,
                          &all.inverse_flop,
                          &all.rotate_output,
                          &all.inverse_output,
                          &all.block,
                          &all.block_channel,
                          &all.memory.near_byte,
                          &all.memory.far_byte,
                          &all.slowness })
        *rate *= factor;
    return all;
}

host_rates arm64_rates()
{
    // The model is that of scripts/count-arm64 (LLVM 19, GCC 12, FFTW by estimate), for
    // 41 filters and banks: 12 direct ones of 30 to 2429 taps at decimations of 1 to 100,
    // and each method at several block sizes. The numbers are the cycles for what takes
    // the server a nanosecond. They meet all but two of the 41 within 18 %: polyphase at
    // a decimation of 2 takes 1.8 times as long as they say, and windows that do not meet
    // half, because the model knows no memory. What was not among the 41 takes as long as
    // the taps. A Cortex-A76 has about half of these cycles, in like proportions.
    constexpr double gigahertz = 1.5, usual = 15.2;
    const host_rates server;
    host_rates all = server.scaled(usual / gigahertz);
    const auto set = [&](double host_rates::*rate, double cycles) {
        all.*rate = server.*rate * cycles / gigahertz;
    };
    set(&host_rates::simd_output, 38.9);
    set(&host_rates::simd_item, 19.2);
    set(&host_rates::polyphase_item, 12.3);
    set(&host_rates::polyphase_fold, 12.3);
    set(&host_rates::four_step_item, 15.7);
    set(&host_rates::rotate_output, 27.3);
    set(&host_rates::columns_item, 16.2);
    set(&host_rates::group_fold, 15.4);
    set(&host_rates::inverse_output, 19.0);
    set(&host_rates::selected_item, 19.3);
    set(&host_rates::inverse_flop, 19.3);
    set(&host_rates::block, 5.3);
    set(&host_rates::block_channel, 8.0);
    return all;
}

host_rates reference_rates()
{
#if defined(__aarch64__)
    return arm64_rates();
#else
    return {};
#endif
}

} // namespace cldsp
