// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fills tables of phasors without drift, and converts samples by the fastest kernels.

#include "simd/dispatch.h"
#include "simd/samples.h"

#include <algorithm>

namespace cldsp {

CLDSP_DECLARE_KERNELS(sample_kernels, on_samples)

std::vector<const sample_kernels*> available_sample_kernels()
{
    return runnable_kernels<sample_kernels>(CLDSP_KERNEL_SETS(on_samples));
}

void convert_to_complex(const void* in,
                        sample_type type,
                        std::complex<float>* out,
                        std::size_t items)
{
    static const sample_kernels& kernels = *available_sample_kernels().front();
    // For real items the kernels give (x, x), which suits products with taps, instead of
    // (x, 0).
    if (is_complex(type))
        kernels.prepare(in, type, nullptr, reinterpret_cast<float*>(out), items);
    else
        convert_samples(in, type, out, items);
}

void convert_to_floats(const void* in, sample_type type, float* out, std::size_t items)
{
    static const sample_kernels& kernels = *available_sample_kernels().front();
    kernels.to_floats(in, type, out, items);
}

void fill_phasors(std::complex<float>* out,
                  std::size_t count,
                  phase64 start,
                  phase64 step)
{
    // Several recurrences run side by side. A single one would wait for the result of
    // each of its products.
    constexpr std::size_t lanes = 8;
    constexpr std::size_t run = 256;
    double turn_re[lanes], turn_im[lanes];
    for (std::size_t i = 0; i < lanes; i++) {
        const std::complex<double> turn = (step * i).phasor();
        turn_re[i] = turn.real();
        turn_im[i] = turn.imag();
    }
    const std::complex<double> stride = (step * lanes).phasor();
    const double stride_re = stride.real();
    const double stride_im = stride.imag();

    float* parts = reinterpret_cast<float*>(out);
    for (std::size_t first = 0; first < count; first += run) {
        const std::complex<double> anchor = (start + step * first).phasor();
        double re[lanes], im[lanes];
        for (std::size_t i = 0; i < lanes; i++) {
            re[i] = anchor.real() * turn_re[i] - anchor.imag() * turn_im[i];
            im[i] = anchor.real() * turn_im[i] + anchor.imag() * turn_re[i];
        }
        const std::size_t end = std::min(first + run, count);
        for (std::size_t at = first; at < end; at += lanes) {
            float values[2 * lanes];
            for (std::size_t i = 0; i < lanes; i++) {
                values[2 * i] = static_cast<float>(re[i]);
                values[2 * i + 1] = static_cast<float>(im[i]);
                const double next = re[i] * stride_re - im[i] * stride_im;
                im[i] = re[i] * stride_im + im[i] * stride_re;
                re[i] = next;
            }
            std::copy_n(values, 2 * std::min(lanes, end - at), parts + 2 * at);
        }
    }
}

} // namespace cldsp
