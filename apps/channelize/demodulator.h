// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes audio of the samples of a channel, by FM or AM.

#pragma once

#include <cldsp/rate_ratio.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::app {

enum class demodulation { none, fm, am };

struct demodulator_wish {
    demodulation kind = demodulation::fm;
    double rate = 1;       //!< of the channel in Hz
    double audio_rate = 1; //!< in Hz
    double deviation = 1;  //!< of FM that is full scale, in Hz
    double deemphasis = 0; //!< of FM: the time constant in seconds; 0: none
    //! The first samples, which become silence: while the channel's filter fills, its
    //! outputs are small, and their frequency may be many times the deviation.
    std::size_t muted = 0;
};

//! The ratio of the audio's rate to the channel's, which may be lower or higher.
//! \throws std::invalid_argument if there is none
rate_ratio audio_ratio(double audio_rate, double channel_rate);

/*!
 * Makes audio of the samples of a channel.
 *
 * FM is the frequency, divided by the deviation. AM is the envelope, divided by its mean
 * with a time constant of 0.5 s, less 1. A low pass filter then takes the result to the
 * audio's rate, also to a higher one, which programs that play sound expect.
 */
class demodulator
{
public:
    //! \throws std::invalid_argument if the audio's rate cannot be made from the
    //! channel's rate
    explicit demodulator(const demodulator_wish& wish);
    ~demodulator();
    //! \param audio the next samples, which are appended
    void process(const std::complex<float>* samples,
                 std::size_t count,
                 std::vector<float>& audio);

private:
    struct state;
    std::unique_ptr<state> d_state;
};

} // namespace cldsp::app
