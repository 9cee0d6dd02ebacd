// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How far two signals differ, but for a phase that changes slowly.

#ifndef INCLUDED_TRUNK_RECORDER_AGREEMENT_H
#define INCLUDED_TRUNK_RECORDER_AGREEMENT_H

#include <gnuradio/gr_complex.h>
#include <cstddef>
#include <vector>

namespace trunk_recorder {

struct agreement {
    //! Level of the difference, in dB relative to the signal.
    double difference_db;
    //! The frequency of the first signal minus that of the second, in Hz.
    double hz;
};

/*!
 * Compares two signals that may differ in their phase, and in a frequency error that is
 * small or changes slowly, as a rotator of single precision has it. Phases are measured
 * in blocks, and between their middles they are interpolated.
 *
 * \param rate of the signals in Hz
 * \param from the first sample to compare; the rest has two or more blocks of 20 ms
 */
agreement agreement_of(const std::vector<gr_complex>& first,
                       const std::vector<gr_complex>& second,
                       double rate,
                       std::size_t from);

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_AGREEMENT_H */
