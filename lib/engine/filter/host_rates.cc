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

} // namespace cldsp
