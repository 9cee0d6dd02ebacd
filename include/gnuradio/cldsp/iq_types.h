/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_IQ_TYPES_H
#define INCLUDED_CLDSP_IQ_TYPES_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/gr_complex.h>
#include <cstdint>

namespace gr {
namespace cldsp {

// These types are exported, because the symbols of a template are no more visible than
// its arguments.

//! One interleaved pair of unsigned bytes, as an RTL-SDR delivers it: (v - 127.5) /
//! 127.5.
struct CLDSP_API cu8 {
    std::uint8_t i;
    std::uint8_t q;
};

//! One interleaved pair of signed bytes, as a HackRF delivers it: v / 128.
struct CLDSP_API cs8 {
    std::int8_t i;
    std::int8_t q;
};

//! One interleaved pair of 16-bit integers in the machine's byte order: v / 32768.
struct CLDSP_API cs16 {
    std::int16_t i;
    std::int16_t q;
};

//! One pair of signed 12-bit integers in three bytes, as a bladeRF packs them: v / 2048.
//! Bits 7 to 0 of I; bits 11 to 8 of I in the low half and bits 3 to 0 of Q in the high
//! half; bits 11 to 4 of Q.
struct CLDSP_API cs12 {
    std::uint8_t bytes[3];
};

} // namespace cldsp
} // namespace gr

/*!
 * The input items of the filters and banks: ROW(item, the name's letters before those of
 * the taps, the engine's sample_type).
 */
#define CLDSP_FILTER_INPUTS(ROW)      \
    ROW(gr_complex, cc, fc32)         \
    ROW(float, fc, f32)               \
    ROW(std::int16_t, sc, s16)        \
    ROW(std::int8_t, bc, s8)          \
    ROW(gr::cldsp::cu8, cu8_, cu8)    \
    ROW(gr::cldsp::cs8, cs8_, cs8)    \
    ROW(gr::cldsp::cs16, cs16_, cs16) \
    ROW(gr::cldsp::cs12, cs12_, cs12)

#endif /* INCLUDED_CLDSP_IQ_TYPES_H */
