// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tells which of NVIDIA's matrix units a GPU has, and how kernels use them.

#pragma once

#include <cldsp/device.h>
#include <cldsp/device_limits.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

//! The first compute capability whose matrix units multiply words of tf32, and bits by a
//! logical and.
constexpr int min_tensor_capability = 80;

//! The work-items of a work-group of the kernel, in four warps of 32.
constexpr std::size_t tensor_group_items = 128;

//! The compute capability of NVIDIA's Hopper GPUs, whose matrix units multiply matrices
//! in local memory for four warps at a time. Later GPUs have other instructions.
constexpr int warpgroup_capability = 90;

//! Whether it makes sense to build a kernel for matrix units with tiles that take about
//! 96 KB of local memory. NVIDIA's OpenCL reports 48 KB, and builds kernels with as much
//! as the GPU has: 99 KB or more from compute capability 8.0 on. If the limits were
//! lowered, these are kept. \param limits the limits of the device's context \param items
//! the work-items of a group
inline bool may_use_large_tiles(const device_limits& limits, std::size_t items)
{
    return limits.local_memory >= 48 * 1024 && limits.max_work_group_size >= items &&
           limits.max_work_item_sizes[0] >= items;
}

//! Matrix units round their sums toward zero. As many terms may run through them where
//! the factors or the result are rounded to 11 bits: the error is then an eighth of that
//! rounding, or less.
constexpr std::size_t max_terms_of_halves = 8192;

//! How kernels/gemm_tensor.cl and gemm_warpgroup.cl multiply: with NVIDIA's matrix units,
//! or, for tests, with OpenCL C that computes the same on any device.
enum class tensor_mode { native, emulated };

//! The reason why a device has no matrix units that the kernel can use; empty if it has
//! some.
std::string missing_tensor_reason(const device_info& device);
//! The same reason, for a device of this name, compute capability and limits.
std::string missing_tensor_reason(const std::string& name,
                                  int capability,
                                  const device_limits& limits);

//! The reason why a device cannot run kernels/gemm_warpgroup.cl; empty if it may be able
//! to.
std::string missing_warpgroup_reason(const device_info& device);
//! The same reason, for a device of this name, compute capability and limits.
std::string missing_warpgroup_reason(const std::string& name,
                                     int capability,
                                     const device_limits& limits);

//! Whether a device has matrix units, and those of Hopper GPUs.
bool has_tensor_units(const device_info& device);
bool has_warpgroup_units(const device_info& device);

//! The architecture for which kernels/gemm_warpgroup.cl is translated, see
//! context::build(); empty for the device's own.
inline std::string warpgroup_architecture(tensor_mode mode)
{
    return mode == tensor_mode::native ? "sm_90a" : "";
}

//! The work-items of a group that packs blocks, and the rows that it packs.
constexpr std::size_t warpgroup_pack_items = 128, warpgroup_pack_rows = 32;

/*!
 * A matrix as kernels/gemm_warpgroup.cl reads it: blocks of 64 rows by 32 words, with
 * zeros at the ends.
 */
struct warpgroup_blocks {
    static constexpr std::size_t rows_each = 64, words_each = 32;
    static constexpr std::size_t bytes_each = rows_each * words_each * 4;

    std::size_t rows;  //!< rows of A, or columns of B
    std::size_t words; //!< of a row
    std::size_t
        parts; //!< blocks of the same words: 2 for floats in two parts, otherwise 1

    std::size_t blocks() const { return (rows + rows_each - 1) / rows_each; }
    //! The steps along K, at least one.
    std::size_t steps() const
    {
        return words ? (words + words_each - 1) / words_each : 1;
    }
    std::size_t bytes() const { return blocks() * steps() * parts * bytes_each; }
    //! The work-groups that pack them.
    std::size_t pack_groups() const
    {
        return blocks() * rows_each / warpgroup_pack_rows * steps();
    }
    //! The place of a word of the first part, in words.
    std::size_t index(std::size_t row, std::size_t column) const
    {
        const std::size_t block =
            (row / rows_each * steps() + column / words_each) * parts;
        const std::size_t in_row = column % words_each;
        return block * rows_each * words_each + row % rows_each * words_each +
               ((in_row / 4 ^ row % 8) * 4 + in_row % 4);
    }
};


//! The parameters of kernels/gemm_warpgroup.cl, which must be as said here: see
//! check_tile().
struct warpgroup_tile {
    std::size_t groups;  //!< of four warps, each of which computes 64 rows
    std::size_t columns; //!< 64, 128 or 256
    std::size_t stages;  //!< steps of K in local memory, 2 to 8
    std::size_t parts;   //!< see warpgroup_blocks
    bool is_summed; //!< whether sums leave the matrix units after each step; at most 128
                    //!< columns then

    std::size_t rows() const { return groups * warpgroup_blocks::rows_each; }
    //! The work-items for a product. Those for a correlator have no warp for copies.
    std::size_t items() const { return 128 * groups + (is_summed ? 0 : 32); }
    //! The local memory of a work-group in bytes, without 16 bytes for each stage.
    std::size_t local_memory() const
    {
        return stages * parts * (rows() + columns) * warpgroup_blocks::words_each * 4;
    }
    //! The number of work-groups for a product of this size; columns in floats.
    std::size_t count(std::size_t m, std::size_t n) const
    {
        return (m + rows() - 1) / rows() * ((n + columns - 1) / columns);
    }
    //! The work of the busiest of some compute units, by which tiles are compared.
    double work(std::size_t m, std::size_t n, std::size_t compute_units) const;
    //! The macros of the kernel.
    std::string options(int type, int precision, tensor_mode mode) const;
};

/*!
 * The parameters of the same kernel for products of complex floats whose B has many
 * columns, and few rows. It is not packed: the matrix units read it from registers.
 */
struct warpgroup_wide_tile {
    std::size_t groups;  //!< of four warps, each of which computes 64 columns at a time
    std::size_t columns; //!< 64 or 128: twice the most rows of A
    std::size_t steps;   //!< each of 16 terms: the most that A may have
    std::size_t min_columns; //!< of B; for fewer ones the other kernel is faster

    std::size_t items() const { return 128 * groups; }
    //! The local memory of a work-group in bytes, without 8 bytes. \param parts see
    //! warpgroup_blocks
    std::size_t local_memory(std::size_t parts) const
    {
        return steps * parts * columns * warpgroup_blocks::words_each * 4 +
               groups * 4 * slots * slot_bytes;
    }
    bool suits(std::size_t m, std::size_t n, std::size_t k) const
    {
        return 2 * m <= columns && k <= 16 * steps && n >= min_columns;
    }
    //! The work-groups of a product, each for several tiles if it has more tiles than
    //! there are compute units.
    std::size_t count(std::size_t n, std::size_t compute_units) const
    {
        const std::size_t tiles = (n + 64 * groups - 1) / (64 * groups);
        const std::size_t rounds = (tiles + compute_units - 1) / compute_units;
        return (tiles + rounds - 1) / rounds;
    }
    //! The macros of the kernel.
    std::string options(int type, int precision, tensor_mode mode) const;

    // SLOTS of the kernel, and the bytes of one: 16 rows of 16 columns.
    static constexpr std::size_t slots = 6, slot_bytes = 2048;
};

//! The choice, of some that have a `tile`, that gives the busiest compute unit the least
//! work.
template <class Choice>
Choice& best_choice(std::vector<Choice>& choices,
                    std::size_t m,
                    std::size_t n,
                    std::size_t compute_units)
{
    const auto work = [&](const Choice& each) {
        return each.tile.work(m, n, compute_units);
    };
    return *std::min_element(
        choices.begin(), choices.end(), [&](const auto& a, const auto& b) {
            return work(a) < work(b);
        });
}

//! The largest work-group of the tiles that are used.
constexpr std::size_t max_warpgroup_items = 288;

//! Checks parameters before a kernel is built with them. An emulated kernel may have a
//! single stage.
//! \throws std::invalid_argument for parameters out of range, or too large for the device
void check_tile(const warpgroup_tile& tile,
                const device_limits& limits,
                tensor_mode mode);
//! The same for wide products. \param parts see warpgroup_blocks
void check_tile(const warpgroup_wide_tile& tile,
                std::size_t parts,
                const device_limits& limits,
                tensor_mode mode);

} // namespace cldsp
