/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/arithmetic.h"
#include "filter/filter_executor.h"

#include <cstddef>
#include <vector>

namespace cldsp {

//! What of the kernel for CPU devices can be tuned; 0: as the device and the problem
//! suggest.
struct cpu_tuning {
    std::size_t width = 0; //!< floats in a vector: 4, 8 or 16
    std::size_t tile_outputs = 0, tile_taps = 0;
    //! Of a work-item: large enough that windows overlap little, small enough to stay in
    //! a core's own cache beside the taps.
    std::size_t scratch_items = 0;
    //! What one more work-item costs a call, in cycles: its thread is woken, and waited
    //! for.
    std::size_t item_cycles = 0;
};

//! The register tile that fits a vector width: its accumulators must stay in registers.
struct register_tile {
    std::size_t width; //!< floats in a vector
    std::size_t outputs, taps;
    std::size_t max_taps; //!< that registers have room for

    register_tile(std::size_t native_width, bool two_planes);
    std::size_t lanes() const { return width / 2; } //!< complex values in a vector
    //! Rough cycles of one step, `taps` taps against `outputs` vectors.
    double cycles() const;
};

//! How taps are cut into vectors for one group size, see the kernel's head.
struct cpu_layout {
    std::size_t group, rows, columns;
};

/*!
 * How the kernel for CPU devices computes a problem: the form that the types of items and
 * taps allow, and the tile. What it needs in scratch, and its tables.
 */
class cpu_shape
{
public:
    static constexpr std::size_t max_groups = 8;
    static constexpr std::size_t fine_phasors = 64; //!< the kernel's FINE

    //! With the tile whose multiple pads these taps least, where \p tuned does not say
    //! more.
    cpu_shape(const filter_channel& setup,
              std::size_t native_width,
              const cpu_tuning& tuned = {});

    //! items are real; each is stored twice, (x, x), and multiplied by a tap (re, im)
    bool real_input;
    bool lanes_are_taps; //!< else outputs
    bool translate;      //!< items are moved to 0 Hz, taps are real
    bool two_planes;     //!< items and taps are complex
    register_tile tile;
    std::size_t scratch_wanted; //!< items of a work-item
    std::size_t item_cycles;    //!< of one more work-item

    //! All of it as it is.
    cpu_tuning tuning() const;

    cpu_layout layout(const filter_channel& setup, std::size_t group) const;
    //! Items of scratch that a work-item with this many outputs reads, padding included.
    std::size_t scratch_items(const cpu_layout& layout,
                              std::size_t outputs,
                              std::size_t decimation) const;
    //! Rough cycles of the tiles that compute \p outputs outputs, padding included.
    double cost(const cpu_layout& layout, std::size_t outputs) const;
    //! Rough cycles of one more output, the preparation of its items included.
    double output_cycles(const filter_channel& setup) const;
    /*!
     * Among how many work-items \p outputs outputs are shared on a device with \p units
     * compute units, each with \p most outputs at most.
     */
    std::size_t work_items(const filter_channel& setup,
                           std::size_t outputs,
                           std::size_t units,
                           std::size_t most) const;
    //! The fewest outputs that fill a tile.
    std::size_t granule() const;

    //! Reversed, padded with zeros, in the order in which the kernel loads them.
    std::vector<float> taps_table(const filter_channel& setup,
                                  const cpu_layout& layout) const;

private:
    //! Items from one row of taps to the next.
    std::size_t row_items(const filter_channel& setup, std::size_t group) const;
};

/*!
 * exp(-j w m) for the translation, in two factors, so that little has to be made and
 * moved after a retune: `fine` for m modulo fine_phasors as planes (re, re) and (-im,
 * im), and `coarse` for its multiples.
 */
std::vector<float> translation_table(const filter_channel& setup, std::size_t items);
//! exp(-j w D i) of a work-item's outputs, \p lanes a vector.
std::vector<float>
rotation_table(const filter_channel& setup, std::size_t outputs, std::size_t lanes);

} // namespace cldsp
