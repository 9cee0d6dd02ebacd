// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input is FFTW's wisdom: a text that FFTW takes must not spoil a plan.

// The fuzzed input is FFTW's wisdom in the wisdom file. A text that FFTW accepts must not
// spoil a plan.

#include "fuzz_support.h"

#include "fft/fftw_plan.h"

#include <fftw3.h>

#include <cmath>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using cldsp::fftw_direction;
    constexpr std::size_t length = 16;
    const std::string text = fuzz::text_of(data, size);
    fftwf_forget_wisdom();
    if (!cldsp::import_fftw_wisdom(text))
        return 0;
    fuzz::require(cldsp::import_fftw_wisdom(cldsp::export_fftw_wisdom()),
                  "what was exported can be imported");

    cldsp::fftw_vector<std::complex<float>> in(length), out(length);
    in[1] = 1;
    cldsp::fftw_plan::get(length, fftw_direction::forward)
        ->execute(in.data(), out.data());
    for (std::size_t i = 0; i < length; i++) {
        const double turns = -static_cast<double>(i) / length;
        const auto wanted = std::polar(1.0, 2 * M_PI * turns);
        fuzz::require(std::abs(std::complex<double>(out[i]) - wanted) < 1e-5,
                      "a plan computes the transform");
    }
    return 0;
}
