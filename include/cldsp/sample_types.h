// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The table of the types of input items: one row a type.

#ifndef INCLUDED_CLDSP_SAMPLE_TYPES_H
#define INCLUDED_CLDSP_SAMPLE_TYPES_H

#include <cstdint>

/*!
 * Every type of the items of an input stream, in the form ROW(name, the name in capitals,
 * letters, layout, number, zero, one, label, description).
 *
 * - The letters are those in the names of blocks before the letter of the taps. Those of
 *   pairs of integers end in an underscore.
 * - The layout says how an item lies in memory: `real` is one number, `complex` a
 *   std::complex, `pair` I and then Q, each a number of its own. The number is the C++
 *   type. In the layout `packed`, I and Q are integers of so many bits in two's
 *   complement. An item's bytes are a little-endian number, whose low half is I and
 *   whose high half is Q.
 * - A number v in the stream has the value (v - zero) / one, in the host's order of bytes.
 *   Where a type is scaled, \p one is its full scale, which may leave the highest bits to
 *   the sign. Only bytes may have a zero other than 0.
 * - The label and the description are for people: GNU Radio Companion shows the label. The
 *   description ends in the scaling.
 *
 * Programs and stored plans know a type by the place of its row, so that a new one is the
 * last. CMake reads the table, too (cmake/SampleTypes.cmake).
 */
// clang-format off
#define CLDSP_SAMPLE_TYPES(ROW)                                                          \
    ROW(fc32, FC32, cc, complex, float, 0, 1,                                            \
        "Complex", "complex float")                                                      \
    ROW(f32, F32, fc, real, float, 0, 1,                                                 \
        "Float", "float")                                                                \
    ROW(s16, S16, sc, real, std::int16_t, 0, 1,                                          \
        "Short", "16-bit integer, not scaled")                                           \
    ROW(cu8, CU8, cu8_, pair, std::uint8_t, 127.5, 127.5,                                \
        "Unsigned Byte Pairs",                                                           \
        "pair of unsigned bytes, as an RTL-SDR sends it, (v - 127.5) / 127.5")           \
    ROW(cs8, CS8, cs8_, pair, std::int8_t, 0, 128,                                       \
        "Signed Byte Pairs", "pair of signed bytes, as a HackRF sends it, v / 128")      \
    ROW(cs16, CS16, cs16_, pair, std::int16_t, 0, 32768,                                 \
        "Short Pairs", "pair of 16-bit integers, v / 32768")                             \
    ROW(s8, S8, bc, real, std::int8_t, 0, 1,                                             \
        "Byte", "signed byte, not scaled")                                               \
    ROW(cs12, CS12, cs12_, packed, 12, 0, 2048,                                          \
        "Packed 12-Bit Pairs",                                                           \
        "pair of 12-bit integers in three bytes, as a bladeRF packs it, v / 2048")
// clang-format on

#endif /* INCLUDED_CLDSP_SAMPLE_TYPES_H */
