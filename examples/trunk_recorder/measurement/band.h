// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A band of four-level FSK channels as P25 has them, and their symbols.

#ifndef INCLUDED_TRUNK_RECORDER_BAND_H
#define INCLUDED_TRUNK_RECORDER_BAND_H

#include <gnuradio/gr_complex.h>
#include <cstddef>
#include <vector>

namespace trunk_recorder {

/*!
 * A band of four-level FSK channels as P25 has them: 4800 symbols per second, deviations
 * of 600 and 1800 Hz, pulses with a roll-off of 0.2. All channels have the same level and
 * symbols of their own; noise lies 40 dB below a channel, in a bandwidth of 12.5 kHz. The
 * end goes over into the beginning, so that the band can be played over and over.
 */
struct band {
    static constexpr int symbol_rate = 4800;

    /*!
     * \param rate in Hz, whole
     * \param channels 1 or more, with at least 12.5 kHz between them in 0.85 of the rate
     * \param seconds length, 1 or more
     */
    band(double rate, int channels, int seconds);

    double rate;
    std::vector<double> center_freqs;      //!< one per channel, in Hz
    std::vector<std::vector<int>> symbols; //!< one list per channel: -3, -1, 1 or 3
    std::vector<gr_complex> samples;
};

/*!
 * Symbols of a demodulated channel: the frequency at the middle of each symbol, cut to
 * four levels.
 *
 * \param channel its samples, at \p samples_per_symbol
 * \param first time of the middle of the first symbol, in samples, 2 or more
 */
std::vector<int>
symbols_of(const std::vector<gr_complex>& channel, int samples_per_symbol, double first);

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_BAND_H */
