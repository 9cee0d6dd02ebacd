// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What kernels have to know of each input type: one row a type, as compiler's options.

#include "opencl/item_options.h"

namespace cldsp {

namespace {

//! kernels/item_types.clh says what the numbers mean.
struct item_row {
    const char* element;
    int packed_bits, twice_zero, twice_full_scale;
};

// In the order of the enumerators.
constexpr item_row rows[] = {
    { "float", 0, 0, 0 },     // fc32
    { "float", 0, 0, 0 },     // f32
    { "short", 0, 0, 0 },     // s16
    { "uchar", 0, 255, 255 }, // cu8
    { "char", 0, 0, 256 },    // cs8
    { "short", 0, 0, 65536 }, // cs16
    { "char", 0, 0, 0 },      // s8
    { "uchar", 12, 0, 4096 }, // cs12
};

} // namespace

std::string item_options(sample_type type)
{
    const auto& row = rows[static_cast<std::size_t>(type)];
    return std::string("-DITEM_ELEMENT=") + row.element +
           " -DITEM_PARTS=" + (is_complex(type) ? "2" : "1") +
           " -DITEM_BITS=" + std::to_string(row.packed_bits) +
           " -DITEM_TWICE_ZERO=" + std::to_string(row.twice_zero) +
           " -DITEM_TWICE_FULL_SCALE=" + std::to_string(row.twice_full_scale);
}

} // namespace cldsp
