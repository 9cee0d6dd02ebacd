// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes the samples of a channel in the wanted type, demodulated or not.

#pragma once

#include "channelize/byte_sink.h"
#include "channelize/demodulator.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::app {

//! The type of the samples that come out.
enum class output_type { cf32, cs16, f32, s16 };

//! "cf32", "cs16", "f32" or "s16".
const char* output_type_name(output_type type);
//! The name that SigMF has for it.
const char* sigmf_name(output_type type);
//! \throws std::invalid_argument if there is no such type
output_type output_type_of(const std::string& name, const std::string& parameter);
std::size_t output_size(output_type type);

/*!
 * Writes the samples of a channel to a sink, demodulated if the user wants audio, and
 * converted to the output's type. Samples beyond the range of an integer type are clipped
 * and counted.
 */
class channel_output
{
public:
    //! \param audio the demodulator; null: the channel's own samples are written
    channel_output(output_type type,
                   std::unique_ptr<demodulator> audio,
                   std::unique_ptr<byte_sink> sink);

    void write(const std::complex<float>* samples, std::size_t count);
    byte_sink& sink() { return *d_sink; }
    const byte_sink& sink() const { return *d_sink; }
    //! The number of samples that the sink has accepted.
    std::uint64_t samples() const { return d_sink->written() / output_size(d_type); }
    std::uint64_t clipped() const { return d_clipped; }

private:
    void write_numbers(const float* numbers, std::size_t count);

    output_type d_type;
    std::unique_ptr<demodulator> d_demodulator;
    std::unique_ptr<byte_sink> d_sink;
    std::vector<float> d_audio;
    std::vector<std::int16_t> d_integers;
    std::uint64_t d_clipped = 0;
};

} // namespace cldsp::app
