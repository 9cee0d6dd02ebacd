// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What kernels have to know of an input type, as compiler's options.

#include "opencl/item_options.h"

#include <cmath>

namespace cldsp {

namespace {

//! The type in OpenCL C of an element in memory.
std::string element_of(const item_format& format)
{
    if (format.is_float)
        return "float";
    if (format.is_packed)
        return "uchar";
    return std::string(format.is_signed ? "" : "u") +
           (format.bits == 8 ? "char" : "short");
}

} // namespace

std::string item_options(sample_type type)
{
    // kernels/item_types.clh says what the numbers mean.
    const auto& format = item_format_of(type);
    const auto twice = [](double value) {
        return std::to_string(std::lround(2 * value));
    };
    return "-DITEM_ELEMENT=" + element_of(format) +
           " -DITEM_PARTS=" + (format.is_complex ? "2" : "1") +
           " -DITEM_BITS=" + std::to_string(format.is_packed ? format.bits : 0) +
           " -DITEM_TWICE_ZERO=" + twice(format.zero) +
           " -DITEM_TWICE_FULL_SCALE=" + (format.one == 1 ? "0" : twice(format.one));
}

} // namespace cldsp
