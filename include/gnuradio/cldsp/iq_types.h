/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_IQ_TYPES_H
#define INCLUDED_CLDSP_IQ_TYPES_H

#include <gnuradio/cldsp/api.h>
#include <cstdint>

namespace gr {
namespace cldsp {

// Exported, because a template's symbols are no more visible than the types it is for.

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

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_IQ_TYPES_H */
