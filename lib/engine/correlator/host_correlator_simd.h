// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The blocks of samples, and the kernels that multiply pairs of antennas.

#pragma once

#include <cstddef>
#include <vector>

namespace cldsp {

/*
 * Kernels read the samples of an antenna in blocks of a fixed number of samples, first
 * their real and then their imaginary parts, as floats. Zeros fill the last block.
 */
constexpr std::size_t correlator_block = 16; //!< samples in a block

//! The most samples that are summed in floats: 8-bit samples stay exact, because a lane
//! of the narrowest vectors then has 512 of them, whose sum is at most 2^24.
constexpr std::size_t host_correlator_piece = 2048;

//! The samples of some antennas that are converted into blocks.
struct correlator_packing {
    const void* const* in; //!< the first sample of each antenna
    std::size_t step;      //!< samples from a sample of an antenna to its next
    std::size_t antennas;
    std::size_t samples;
    float* to;          //!< the blocks of the first antenna
    std::size_t stride; //!< floats from antenna to antenna
};

//! A part of the triangle of products: antennas i of some rows, j of some columns, i >=
//! j.
struct correlator_part {
    const float* blocks; //!< of antenna 0
    std::size_t stride;  //!< floats from antenna to antenna
    std::size_t count;   //!< number of blocks of an antenna
    std::size_t first_row, end_row;
    std::size_t first_column, end_column;
    double* sums; //!< the whole triangle, to which the products are added; complex
};

//! The kernels as compiled for one instruction set.
struct host_correlator_kernels {
    const char* name;
    std::size_t tile; //!< antennas on each side of the register tile
    void (*pack_fc32)(const correlator_packing& call);
    void (*pack_cs8)(const correlator_packing& call);
    void (*multiply)(const correlator_part& part);
};

//! The sets that this machine can run, the fastest first; never empty.
std::vector<const host_correlator_kernels*> available_host_correlator_kernels();

} // namespace cldsp
