// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Divides a transform into radices, and computes the roots of each pass.

#include "fft/stockham.h"

#include <algorithm>

namespace cldsp {

std::vector<std::size_t> stockham_radices(std::size_t size, std::size_t values)
{
    std::vector<std::size_t> all;
    for (std::size_t left = size; left > 1 && values > 1;) {
        all.push_back(std::min({ left, values, max_stockham_radix }));
        left /= all.back();
    }
    return all;
}

std::string stockham_options(std::vector<std::size_t> radices)
{
    std::string text;
    radices.resize(max_stockham_passes, 1);
    for (std::size_t i = 0; i < max_stockham_passes; i++)
        text += " -DPASS_" + std::to_string(i + 1) + "=" + std::to_string(radices[i]);
    return text;
}

std::vector<std::complex<float>> stockham_roots(const std::vector<std::size_t>& radices)
{
    std::vector<std::complex<float>> roots{ 1 };
    std::size_t stride = 1;
    for (const std::size_t radix : radices) {
        roots.resize(stride * radix, 1);
        for (std::size_t r = 1; r < radix; ++r)
            for (std::size_t i = 0; i < stride; ++i)
                roots[r * stride + i] = root_of_unity(r * i, stride * radix);
        stride *= radix;
    }
    return roots;
}

std::vector<std::complex<float>> roots_of_unity(std::size_t size)
{
    std::vector<std::complex<float>> roots;
    for (std::size_t k = 0; k < size; ++k)
        roots.push_back(root_of_unity(k, size));
    return roots;
}

std::complex<float> root_of_unity(std::size_t k, std::size_t size)
{
    constexpr double turn = 6.283185307179586476925;
    return static_cast<std::complex<float>>(
        std::polar(1.0, turn * static_cast<double>(k) / static_cast<double>(size)));
}

} // namespace cldsp
