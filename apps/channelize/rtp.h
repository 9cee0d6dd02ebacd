// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The heads of datagrams of the Real-time Transport Protocol.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cldsp::app {

/*
 * Samples of 16-bit integers in datagrams of the Real-time Transport Protocol, RFC 3550.
 * Mono is a real signal, stereo is I and Q.
 */

constexpr std::size_t rtp_head_bytes = 12;

//! The RTP header fields that identify a stream.
struct rtp_stream {
    unsigned payload_type = 96;
    std::uint32_t source = 0; //!< SSRC
};

//! A stream with a random SSRC.
rtp_stream make_rtp_stream(double rate, unsigned channels);
//! The payload type of the samples: that of RFC 3551, or that of ka9q-radio's table of
//! dynamic types; 97 for other rates in mono, and 98 for other rates in stereo.
unsigned rtp_payload_type(double rate, unsigned channels);
//! The head of a datagram. \param marker for the first one
std::array<unsigned char, rtp_head_bytes>
rtp_head(const rtp_stream& stream, std::uint16_t number, std::uint32_t time, bool marker);

} // namespace cldsp::app
