/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/simd_layout.h"
#include "simd/dispatch.h"

#include "base/arithmetic.h"

#include <algorithm>

namespace cldsp {

CLDSP_DECLARE_KERNELS(simd_kernels, kernels)

std::vector<const simd_kernels*> available_simd_kernels()
{
    return runnable_kernels<simd_kernels>(CLDSP_KERNEL_SETS(kernels));
}

namespace {

std::size_t vectors(const simd_layout& layout)
{
    return layout.full_rows * layout.columns + layout.last_columns;
}

simd_layout over_outputs(const simd_kernels& kernels, std::size_t taps)
{
    simd_layout layout = {};
    layout.lanes_over_outputs = true;
    layout.decimation = 1;
    layout.interleave = 1;
    layout.row = kernels.lanes;
    layout.columns = kernels.lanes;
    layout.full_rows = divide_up(taps, layout.row) - 1;
    layout.last_columns = taps - layout.full_rows * layout.row;
    return layout;
}

simd_layout over_taps(const simd_kernels& kernels,
                      std::size_t taps,
                      std::size_t decimation,
                      std::size_t interleave)
{
    simd_layout layout = {};
    layout.decimation = decimation;
    layout.interleave = interleave;
    layout.row = interleave * decimation;
    layout.columns = divide_up(layout.row, kernels.lanes);
    layout.full_rows = divide_up(taps, layout.row) - 1;
    layout.last_columns = divide_up(taps - layout.full_rows * layout.row, kernels.lanes);
    return layout;
}

} // namespace

simd_layout
make_simd_layout(const simd_kernels& kernels, std::size_t taps, std::size_t decimation)
{
    if (decimation == 1)
        return over_outputs(kernels, taps);

    // Rows of several decimation steps fill their last vector better, but span more
    // items: a longer row must save a fiftieth.
    simd_layout best = over_taps(kernels, taps, decimation, 1);
    for (std::size_t interleave = 2; interleave <= kernels.lanes; interleave++) {
        const simd_layout layout = over_taps(kernels, taps, decimation, interleave);
        if (50 * vectors(layout) < 49 * vectors(best))
            best = layout;
    }
    return best;
}

void lay_out_taps(const simd_kernels& kernels,
                  const simd_layout& layout,
                  const std::vector<std::complex<float>>& taps,
                  volk::vector<std::complex<float>>& out)
{
    const std::size_t width = layout.lanes_over_outputs ? 1 : kernels.lanes;
    out.resize(vectors(layout) * width);
    auto to = out.begin();
    const auto add = [&](std::size_t row, std::size_t rows, std::size_t c) {
        // What lies beyond a row's end belongs to the next one.
        const std::size_t inside = std::min(width, layout.row - c * width);
        for (std::size_t q = row; q < row + rows; q++, to += width) {
            const std::size_t first = std::min(q * layout.row + c * width, taps.size());
            const std::size_t count = std::min(inside, taps.size() - first);
            std::copy_n(taps.begin() + first, count, to);
            std::fill(to + count, to + width, std::complex<float>());
        }
    };

    std::size_t row = 0;
    for (; row + kernels.tile_rows <= layout.full_rows; row += kernels.tile_rows) {
        for (std::size_t c = 0; c < layout.columns; c++)
            add(row, kernels.tile_rows, c);
    }
    const std::size_t rest = layout.full_rows - row;
    for (std::size_t c = 0; c < layout.last_columns; c++)
        add(row, rest + 1, c);
    for (std::size_t c = layout.last_columns; c < layout.columns; c++)
        add(row, rest, c);
}

} // namespace cldsp
