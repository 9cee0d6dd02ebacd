// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The payload types of sample rates, those of ka9q-radio among them.

#include "channelize/rtp.h"

#include <cldsp/rate_ratio.h>

#include <cmath>
#include <random>

namespace cldsp::app {

rtp_stream make_rtp_stream(double rate, unsigned channels)
{
    std::random_device random;
    return { rtp_payload_type(rate, channels), random() };
}

unsigned rtp_payload_type(double rate, unsigned channels)
{
    constexpr unsigned mono = 97, stereo = 98;
    struct row {
        double rate;
        unsigned channels, type;
    };
    constexpr row rows[] = { { 44100, 2, 10 },  { 44100, 1, 11 },  { 48000, 1, 112 },
                             { 48000, 2, 113 }, { 24000, 1, 116 }, { 24000, 2, 117 },
                             { 16000, 1, 119 }, { 16000, 2, 120 }, { 12000, 1, 122 },
                             { 12000, 2, 123 }, { 8000, 1, 125 },  { 8000, 2, 126 } };
    for (const auto& each : rows)
        if (std::abs(each.rate - rate) <= rate_ratio::max_deviation * rate &&
            each.channels == channels)
            return each.type;
    return channels == 1 ? mono : stereo;
}

std::array<unsigned char, rtp_head_bytes>
rtp_head(const rtp_stream& stream, std::uint16_t number, std::uint32_t time, bool marker)
{
    constexpr unsigned version = 2, marker_bit = 0x80;
    std::array<unsigned char, rtp_head_bytes> head;
    head[0] = version << 6;
    head[1] = static_cast<unsigned char>(stream.payload_type | (marker ? marker_bit : 0));
    const auto put = [&](std::size_t at, std::size_t bytes, std::uint32_t value) {
        for (std::size_t i = 0; i < bytes; i++)
            head[at + i] =
                static_cast<unsigned char>(value >> (8 * (bytes - 1 - i)) & 0xff);
    };
    put(2, 2, number);
    put(4, 4, time);
    put(8, 4, stream.source);
    return head;
}

} // namespace cldsp::app
