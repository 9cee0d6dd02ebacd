// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the items that fill the history of a new stream add to its first outputs.

#pragma once

#include <cldsp/freq_xlating_filter_bank.h>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace cldsp {

/*
 * A new stream has no items before its first one, but the first outputs of a filter read
 * the history before it. In offset binary, such as cu8, no item has the value 0, so that
 * any filling of the history contributes to the first outputs. The filter is linear, so
 * that this contribution can be subtracted.
 */

//! A filling of the history, and the position of the stream.
struct stream_filling {
    std::complex<double> value; //!< of each item that fills the history
    std::uint64_t known = 0;    //!< items of the stream before the call's first new one
    std::uint64_t position = 0; //!< index of that item since the stream began
};

/*!
 * Subtracts the filling from the first outputs of a call.
 *
 * \param filling the value that filled the history, and the position of the call
 * \param bank the bank that has computed the outputs
 * \param channel their channel, which may follow a schedule
 * \param phase the rotator's phase at the first output
 * \param out the outputs, which are corrected in place
 * \param outputs the number of outputs
 */
void subtract_filling(const stream_filling& filling,
                      const freq_xlating_filter_bank& bank,
                      std::size_t channel,
                      phase64 phase,
                      std::complex<float>* out,
                      std::size_t outputs);

} // namespace cldsp
