// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Cuts a call of a filter bank into pieces whose copies and kernels overlap.

#pragma once

#include "base/arithmetic.h"
#include "base/call_statistics.h"
#include "opencl/commands.h"
#include "opencl/kernel_pace.h"
#include "opencl/piece_overlap.h"

#include <algorithm>
#include <cstddef>

namespace cldsp {

//! The sizes that decide how a call of a bank is cut into pieces, which are whole blocks.
struct piece_sizes {
    std::size_t block_items, block_bytes; //!< new items of a block, and their bytes
    std::size_t block_output_bytes;       //!< of the block's outputs of all channels
    std::size_t tile = 1;                 //!< blocks that kernels compute together
    std::size_t max_blocks;               //!< of a piece
    std::size_t max_output_bytes;         //!< of a piece
};

/*!
 * The blocks of a piece of a call of \p blocks blocks, if copies and kernels of different
 * pieces run at the same time: an eighth of the call, but not too little for the commands
 * of a piece.
 */
inline std::size_t overlapping_blocks(const piece_sizes& sizes, std::size_t blocks)
{
    // Smaller pieces would cost more in commands than overlapping them gains.
    constexpr std::size_t min_items = std::size_t(1) << 18;
    const std::size_t bytes = sizes.block_bytes + sizes.block_output_bytes;
    const std::size_t most =
        std::max<std::size_t>(1, sizes.max_output_bytes / sizes.block_output_bytes);
    const std::size_t least =
        std::max(std::min(divide_up(min_items, sizes.block_items), most),
                 divide_up(min_bytes_per_piece, bytes));
    std::size_t piece =
        std::min({ blocks,
                   sizes.max_blocks,
                   std::max(least, std::min(divide_up(blocks, usual_pieces), most)) });
    // A tile of blocks takes as long with fewer. A call that is one piece stays one.
    if (piece < blocks && piece > sizes.tile)
        piece -= piece % sizes.tile;
    return piece;
}

//! A call that is cut into pieces.
struct piecewise_call {
    std::size_t outputs;       //!< of each channel
    std::size_t piece_outputs; //!< at most; whole blocks
    std::size_t block_outputs;
    bool overlaps; //!< whether several pipelines hide the copies
};

/*!
 * Runs the pieces of a call.
 *
 * \param pipeline pipeline(i) is the pipeline with that index, below
 *        piece_overlap::pipelines. Its finish() waits for its piece, whose blocks(),
 *        kernels(), longest_kernel() and transfer_time() it has then
 * \param enqueue enqueue(pipeline, first, outputs) enqueues a piece on a pipeline
 * \param pace counts blocks
 */
template <class Pipelines, class Enqueue>
void run_pieces(const context& device,
                const piecewise_call& call,
                const Pipelines& pipeline,
                const Enqueue& enqueue,
                piece_overlap& threads,
                kernel_pace& pace,
                call_statistics& sums)
{
    time_spans kernels(device); // of different pipelines may run at the same time
    double transfer_time = 0;
    std::size_t next = 0; // output
    const auto piece = [&] {
        return std::min(pace.units(call.piece_outputs / call.block_outputs) *
                            call.block_outputs,
                        call.outputs - next);
    };
    const auto begin = [&](std::size_t index, std::size_t outputs) {
        enqueue(pipeline(index), next, outputs);
        next += outputs;
    };
    const auto add_up = [&](std::size_t index) {
        for (const auto& kernel : pipeline(index).kernels())
            kernels.add(kernel);
        transfer_time += pipeline(index).transfer_time();
    };
    const auto note = [&](std::size_t index) {
        pace.ran(pipeline(index).blocks(), pipeline(index).longest_kernel());
    };
    if (call.overlaps && piece() < call.outputs && threads.has_threads()) {
        pipeline(piece_overlap::pipelines - 1); // makes all of them
        std::size_t taken = 0;
        threads.run({ [&] {
                         taken = next < call.outputs ? piece() : 0;
                         return taken > 0;
                     },
                      [&](std::size_t index) { begin(index, taken); },
                      [&](std::size_t index) {
                          pipeline(index).finish();
                          add_up(index);
                      },
                      note });
    } else {
        while (next < call.outputs) {
            begin(0, piece());
            pipeline(0).finish();
            add_up(0);
            note(0);
        }
    }
    sums.add_times(kernels.seconds(), transfer_time);
}

} // namespace cldsp
