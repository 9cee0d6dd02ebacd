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

//! The type of an input stream's items. Outputs are always complex<float>.
enum class sample_type {
    fc32, //!< complex float
    f32,  //!< real float
    s16,  //!< real 16-bit integer, not scaled (as the in-tree scf and scc blocks)
    cu8,  //!< IQ pair of unsigned bytes, (v - 127.5) / 127.5
    cs8,  //!< IQ pair of signed bytes, v / 128
    cs16  //!< IQ pair of 16-bit integers, v / 32768
};

//! Bytes of one item: 8, 4, 2, 2, 2 and 4 in the order of sample_type.
std::size_t sample_size(sample_type type);
bool is_complex(sample_type type);
//! "fc32", "f32", "s16", "cu8", "cs8" or "cs16".
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
