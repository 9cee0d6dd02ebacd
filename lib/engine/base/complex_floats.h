// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Views complex values as pairs of floats, as kernels take them.

#pragma once

#include <complex>

namespace cldsp {

//! The same values as pairs of a real and an imaginary part, as kernels take them.
inline float* as_floats(std::complex<float>* values)
{
    return reinterpret_cast<float*>(values);
}

inline const float* as_floats(const std::complex<float>* values)
{
    return reinterpret_cast<const float*>(values);
}

} // namespace cldsp
