// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The seconds that a core of the host needs for each unit of work.

#pragma once

#include "planning/memory_rates.h"

#include <complex>

namespace cldsp {

//! Bytes of a complex value, and the bytes of traffic when one is written, see
//! memory_rates.
constexpr double value_bytes = sizeof(std::complex<float>);
constexpr double written_bytes = 2 * value_bytes;

/*!
 * The speed of one core of the host, in seconds for each unit of work. The values were
 * measured with the workloads of docs/benchmarks.md on a 2.6 GHz server with AVX-512.
 * calibrated_rates() scales those of reference_rates() to this machine, and measures
 * those of its memory.
 */
struct host_rates {
    double call = 4e-7;          //!< per call, whatever it computes
    double simd_tap = 3.7e-11;   //!< per real tap of an output; twice for a complex tap
    double simd_output = 3e-10;  //!< per output of a channel at decimation 1
    double simd_sum = 2e-9;      //!< per output at other decimations: lanes are summed
    double simd_window = 9e-9;   //!< per output whose window does not meet the next
    double simd_item = 8e-11;    //!< per input item of a channel, for its preparation
    double volk_tap = 2e-10;     //!< per tap of an output, VOLK's kernels
    double volk_output = 3.5e-9; //!< per output of a channel, VOLK's kernels
    double polyphase_item = 5.5e-10; //!< per item of a block, with the padding of rows
    //! Per item of a block of polyphase, for each output of a row and each channel.
    double polyphase_fold = 1.5e-10;
    //! Per item and direction, forward or inverse, times log2 of the block's items.
    double four_step_item = 4.5e-11;
    double selected_item = 7e-11; //!< per item of a block, times log2 of its items
    double odd_factor = 0.35;     //!< fraction that each odd prime factor of N adds
    double odd_size = 2;          //!< factor if N is odd, so that nothing fills vectors
    //! Factor if a prime factor of N is larger than those that FFTW has code for.
    double large_prime = 4;
    double far_items = 1.4; //!< factor if the items exceed the nearest cache
    //! As selected_item, for our own transform by rows and columns. The padding of the
    //! rows counts as items.
    double columns_item = 8.5e-11;
    //! Per real item, after a transform by columns: each bin of the items is made of bins
    //! of their pairs.
    double split_item = 2e-10;
    double pair_item = 2.5e-9; //!< as split_item, after other transforms
    //! Per complex item of a block that is taken as a grid, besides FFTW's transforms of
    //! its rows.
    double grid_item = 7.6e-10;
    //! Per complex item of a selective_transform whose passes all have the size 16.
    double selective_item = 1.2e-9;
    double large_item = 3.4e-9;   //!< per complex item of other large blocks, by FFTW
    double selected_fold = 3e-10; //!< per kept bin of a channel that is folded alone
    //! Per bin of a channel that is folded with others, in the vectors that are kept.
    double group_fold = 4.7e-11;
    double gather_item = 2e-10; //!< per bin that is copied into the order of one rate
    //! Per operation of an inverse transform; one of n values counts 5 n log2 n.
    double inverse_flop = 1.4e-11;
    double rotate_output = 1e-9; //!< per output of a channel, for a separate rotator
    //! Per output, for inverse transform and rotation, where one kernel does both.
    double inverse_output = 8.2e-10;
    //! The fraction that each doubling beyond inverse_size adds: the values no longer fit
    //! the registers.
    double inverse_doubling = 0.3;
    double block = 2e-7;         //!< per block, whatever its size
    double block_channel = 8e-8; //!< per channel of a block, whatever its size
    //! The factor by which this machine is slower than the one that the values were
    //! measured on. It is no rate.
    double slowness = 1;
    memory_rates memory; //!< beyond the cache, where long blocks lie

    //! These rates, those of the memory and the slowness, times a factor.
    host_rates scaled(double factor) const;
};

//! The rates of a Cortex-A72 at 1.5 GHz, as in a Raspberry Pi 4. They come from a model
//! of its cycles, and nothing was timed.
host_rates arm64_rates();

//! The rates that are scaled to this machine: those of a processor of its family.
host_rates reference_rates();

} // namespace cldsp
