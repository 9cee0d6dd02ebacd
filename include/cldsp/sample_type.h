/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The type of an input stream's items. Outputs are always complex<float>.
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
    fc32, //!< complex float
    f32,  //!< real float
    s16,  //!< real 16-bit integer, not scaled (as the in-tree scf and scc blocks)
    cu8,  //!< IQ pair of unsigned bytes, (v - 127.5) / 127.5
    cs8,  //!< IQ pair of signed bytes, v / 128
    cs16, //!< IQ pair of 16-bit integers, v / 32768
    s8,   //!< real signed byte, not scaled
    cs12  //!< IQ pair of 12-bit integers, packed into three bytes, v / 2048
};

//! Bytes of one item: 8, 4, 2, 2, 2, 4, 1 and 3 in the order of sample_type.
std::size_t sample_size(sample_type type);
bool is_complex(sample_type type);
//! "fc32", "f32", "s16", "cu8", "cs8", "cs16", "s8" or "cs12".
const char* sample_type_name(sample_type type);
//! Every sample type, for tests and benchmarks.
const std::vector<sample_type>& all_sample_types();

//! Item \p index of the items at \p data, in double precision, scaled as \p type says.
std::complex<double> sample_at(const void* data, sample_type type, std::size_t index);

//! Converts \p count items to complex float, scaled as \p type says.
void convert_samples(const void* data,
                     sample_type type,
                     std::complex<float>* out,
                     std::size_t count);

} // namespace cldsp
