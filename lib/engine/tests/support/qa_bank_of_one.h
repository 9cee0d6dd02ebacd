// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Short ways to make and call a bank of one channel, which is a single filter.

#pragma once

#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/span.h>

#include <complex>
#include <cstddef>

namespace cldsp {

//! The options of a bank that computes in the thread that calls it.
struct one_thread_options : freq_xlating_filter_bank_options {
    one_thread_options() { threads = 1; }
};

//! As bank.process(), for a bank of one channel.
inline process_result process(freq_xlating_filter_bank& bank,
                              const void* in,
                              std::size_t in_items,
                              span<std::complex<float>> out)
{
    std::complex<float>* const only = out.data();
    return bank.process(in, in_items, &only, out.size());
}

} // namespace cldsp
