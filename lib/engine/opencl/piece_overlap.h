// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs the pieces of a call in turns on several queues, so that copies overlap kernels.

#pragma once

#include "base/thread_pool.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace cldsp {

//! The smallest piece of a call, in bytes of both ways together, that is worth the host's
//! work for its commands: 100 to 200 us.
constexpr std::size_t min_bytes_per_piece = std::size_t(8) << 20;
//! The number of pieces of a long call. Neither the first upload nor the last download
//! overlaps anything.
constexpr std::size_t usual_pieces = 8;
//! The largest piece, in bytes of its outputs. On an NVIDIA H200 kernels work best on
//! pieces of 128 MiB. But with pieces of 64 or 128 MiB, a call whose input and outputs
//! are in the host's memory is slower by a quarter: the outputs of all pipelines no
//! longer fit the host's caches.
constexpr std::size_t max_output_bytes_per_piece = std::size_t(32) << 20;

/*!
 * Runs the pieces of a call on several pipelines in turns, so that the copies of one
 * piece overlap the kernels of another. A pipeline is a queue with buffers of its own.
 *
 * One thread enqueues, and another one waits for the outputs and brings them to their
 * places.
 */
class piece_overlap
{
public:
    //! One pipeline uploads, one computes and one downloads.
    static constexpr std::size_t pipelines = 3;

    //! The steps of a piece. take() and note() never run at the same time; enqueue() and
    //! finish() of different pieces do.
    struct steps {
        //! Decides on the next piece. \returns false if there is none
        std::function<bool()> take;
        //! Enqueues the piece that was taken last, on a pipeline below \ref pipelines.
        std::function<void(std::size_t pipeline)> enqueue;
        //! Waits until the outputs of a pipeline's piece are in their places.
        std::function<void(std::size_t pipeline)> finish;
        //! Learns from a piece that is finished, before its pipeline gets another one.
        std::function<void(std::size_t pipeline)> note;
    };

    //! Whether there are two threads. The system may refuse to start another one.
    bool has_threads();

    //! Runs all pieces of a call. If a step throws, so does run(), and commands may be in
    //! flight.
    void run(const steps& call);

private:
    std::unique_ptr<thread_pool> d_sides; //!< one enqueues, the other one finishes
};

} // namespace cldsp
