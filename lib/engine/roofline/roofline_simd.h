/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*!
 * Loops that keep a core's units busy, as compiled for one instruction set. Each returns
 * a value that depends on all it did, so that nothing of it can be left out.
 */
struct roofline_kernels {
    const char* name;
    double operations; //!< of a pass of multiply_add() and of integer()
    float (*multiply_add)(std::size_t passes);
    std::uint32_t (*integer)(std::size_t passes);

    double words; //!< 32-bit ones of a pass of count_bits()
    std::uint32_t (*count_bits)(std::size_t passes);
    //! The same in the lanes of vectors; null, or not to be called, where
    //! has_bit_vectors() says that there is no instruction for it.
    double vector_words;
    std::uint32_t (*count_bits_in_vectors)(std::size_t passes);
    bool (*has_bit_vectors)();

    //! \param bytes a multiple of 1024
    std::uint32_t (*read)(const void* data, std::size_t bytes);
};

//! The sets of loops that this machine can run, the fastest first; never empty.
std::vector<const roofline_kernels*> available_roofline_kernels();

} // namespace cldsp
