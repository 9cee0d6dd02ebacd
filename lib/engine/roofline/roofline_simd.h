// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Loops that keep the arithmetic units of a core busy.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*!
 * Loops that keep the units of a core busy, as compiled for one instruction set. Each
 * loop returns a value that depends on everything it computed, so that the compiler can
 * leave nothing out.
 */
struct roofline_kernels {
    const char* name;
    double operations; //!< operations in one pass of multiply_add(), and in one of
                       //!< integer()
    float (*multiply_add)(std::size_t passes);
    std::uint32_t (*integer)(std::size_t passes);

    double words; //!< 32-bit words in one pass of count_bits()
    std::uint32_t (*count_bits)(std::size_t passes);
    //! The same as count_bits(), in the lanes of vectors. Null if there is no instruction
    //! for it; must not be called if has_bit_vectors() returns false.
    double vector_words;
    std::uint32_t (*count_bits_in_vectors)(std::size_t passes);
    bool (*has_bit_vectors)();

    //! \param bytes a multiple of 1024
    std::uint32_t (*read)(const void* data, std::size_t bytes);
};

//! The sets of loops that this machine can run, the fastest first; never empty.
std::vector<const roofline_kernels*> available_roofline_kernels();

} // namespace cldsp
