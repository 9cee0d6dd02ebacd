// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The types of input samples, with their sizes and scalings.

#pragma once

#include <cldsp/sample_types.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The type of an input stream's items: a row of the table in sample_types.h. Outputs are
 * always complex<float>.
 *
 * A cs12 item is three bytes, a little-endian number of 24 bits: the low 12 are I, the
 * high 12 are Q, each in two's complement. Byte 0 holds bits 7 to 0 of I; byte 1 bits 11
 * to 8 of I in its low half and bits 3 to 0 of Q in its high half; byte 2 bits 11 to 4 of
 * Q. It is the packing of libbladeRF's BLADERF_FORMAT_SC16_Q11_PACKED on the wire
 * (sc16q11_pack_in_place() in its source) and of files in SoapySDR's format CS12. An
 * Airspy's packed samples are another format: real, unsigned, and in 32-bit words;
 * libairspy unpacks them.
 */
enum class sample_type {
#define CLDSP_ENUMERATOR(NAME, ...) NAME,
    CLDSP_SAMPLE_TYPES(CLDSP_ENUMERATOR)
#undef CLDSP_ENUMERATOR
};

//! How the items of a type are stored, and what they are called.
struct item_format {
    const char* name;        //!< e.g. "cs12"
    const char* letters;     //!< before that of the taps, in the name of a block: "cs12_"
    const char* description; //!< for people, e.g. "pair of signed bytes, v / 128"
    std::size_t bytes;       //!< of an item
    unsigned bits;           //!< of a number, such as I
    bool is_complex;
    bool is_float;
    bool is_signed;
    bool is_packed; //!< I and Q have no bytes of their own
    double zero;    //!< the value of a number v is (v - zero) / one
    double one;
};

const item_format& item_format_of(sample_type type);

//! Bytes of one item.
std::size_t sample_size(sample_type type);
bool is_complex(sample_type type);
//! The enumerator as text, e.g. "cs12".
const char* sample_type_name(sample_type type);
//! Every sample type, for tests and benchmarks.
const std::vector<sample_type>& all_sample_types();

//! The byte whose items are silence. In offset binary, such as cu8, they are only nearest
//! to it.
unsigned char silent_byte(sample_type type);

//! Item \p index of the items at \p data, in double precision, scaled as \p type says.
std::complex<double> sample_at(const void* data, sample_type type, std::size_t index);

//! Converts \p count items to complex float, scaled as \p type says.
void convert_samples(const void* data,
                     sample_type type,
                     std::complex<float>* out,
                     std::size_t count);

} // namespace cldsp
