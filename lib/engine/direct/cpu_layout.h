// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How the direct kernel for CPUs cuts taps and outputs into vectors and tiles.

#pragma once

#include "base/arithmetic.h"
#include "filter/filter_executor.h"

#include <cstddef>
#include <vector>

namespace cldsp {

//! The parameters of the kernel for CPU devices that can be tuned. 0: the value that the
//! device and the problem suggest.
struct cpu_tuning {
    std::size_t width = 0; //!< floats in a vector: 4, 8 or 16
    std::size_t tile_outputs = 0, tile_taps = 0;
    //! Items in the scratch memory of a work-item. It should be so large that
    //! neighbouring windows overlap little, and so small that it stays in a core's own
    //! cache beside the taps.
    std::size_t scratch_items = 0;
    //! Cycles that one more work-item costs a call, because its thread has to be woken
    //! and waited for.
    std::size_t item_cycles = 0;
};

//! The register tile that fits a vector width: its accumulators must stay in registers.
struct register_tile {
    std::size_t width; //!< floats in a vector
    std::size_t outputs, taps;
    std::size_t max_taps; //!< the most taps that registers have room for

    register_tile(std::size_t native_width, bool two_planes);
    std::size_t lanes() const { return width / 2; } //!< complex values in a vector
    //! The rough number of cycles of one step, in which `taps` taps meet `outputs`
    //! vectors.
    double cycles() const;
};

//! How the taps are cut into vectors for one group size, see the head of
//! kernels/freq_xlating_fir_cpu.cl.
struct cpu_layout {
    std::size_t group, rows, columns;
};

/*!
 * How the kernel for CPU devices computes a problem: the form that suits the types of
 * items and taps, the tile, the scratch memory, and the tables.
 */
class cpu_shape
{
public:
    static constexpr std::size_t max_groups = 8;
    static constexpr std::size_t fine_phasors = 64; //!< FINE in the kernel

    //! Takes the values that \p tuned gives. If it gives no number of taps for the tile,
    //! takes the number that costs the fewest cycles, padding included.
    cpu_shape(const filter_channel& setup,
              std::size_t native_width,
              const cpu_tuning& tuned = {});

    //! Items are real. Each is stored twice, (x, x), and multiplied by a tap (re, im).
    bool real_input;
    bool lanes_are_taps; //!< lanes of a vector are taps; otherwise outputs
    bool translate;      //!< items are moved to 0 Hz, taps are real
    bool two_planes;     //!< items and taps are complex
    register_tile tile;
    std::size_t scratch_wanted; //!< items in the scratch of a work-item
    std::size_t item_cycles;    //!< cycles that one more work-item costs

    //! The values that this shape uses, without any 0.
    cpu_tuning tuning() const;

    cpu_layout layout(const filter_channel& setup, std::size_t group) const;
    //! The number of scratch items that a work-item with \p outputs outputs reads,
    //! padding included.
    std::size_t scratch_items(const cpu_layout& layout,
                              std::size_t outputs,
                              std::size_t decimation) const;
    //! Rough cycles of the tiles that compute \p outputs outputs, padding included.
    double cost(const cpu_layout& layout, std::size_t outputs) const;
    //! Rough cycles of one more output, the preparation of its items included.
    double output_cycles(const filter_channel& setup) const;
    /*!
     * The number of work-items that share \p outputs outputs on a device with \p units
     * compute units. Each takes at most \p most outputs.
     */
    std::size_t work_items(const filter_channel& setup,
                           std::size_t outputs,
                           std::size_t units,
                           std::size_t most) const;
    //! The number of outputs of a full tile.
    std::size_t granule() const;

    //! The taps, reversed, padded with zeros, in the order in which the kernel loads
    //! them.
    std::vector<float> taps_table(const filter_channel& setup,
                                  const cpu_layout& layout) const;

private:
    //! The number of items from one row of taps to the next.
    std::size_t row_items(const filter_channel& setup, std::size_t group) const;
};

/*!
 * The phasors exp(-j w m) of the translation, as products from two tables, so that little
 * has to be computed and transferred after a retune. `fine` has m below fine_phasors, as
 * planes (re, re) and (-im, im). `coarse` has the multiples of fine_phasors.
 */
std::vector<float> translation_table(const filter_channel& setup, std::size_t items);
//! The phasors exp(-j w D i) of the outputs i of a work-item, padded to whole vectors of
//! \p lanes values.
std::vector<float>
rotation_table(const filter_channel& setup, std::size_t outputs, std::size_t lanes);

} // namespace cldsp
