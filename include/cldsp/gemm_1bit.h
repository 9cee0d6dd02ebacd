/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/freq_xlating_fir.h>
#include <cldsp/gemm.h>
#include <cldsp/span.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Variants of the 1-bit correlation; `types` is empty.
const std::vector<gemm_variant_info>& gemm_1bit_variants();

/*!
 * The 1-bit matrix product: correlations of sequences of +1 and -1 with codes.
 *
 * Bits lie in bytes, the first in the most significant place; 1 is +1 and 0 is -1. For
 * each item i and each code j
 *
 *     correlation[i][j] = sum over k of item[i][k] * code[j][k]
 *                       = K - 2 popcount(item[i] xor code[j]).
 *
 * A device that fails while running is left for the host, with the reason logged, and the
 * call is completed there. One thread at a time.
 */
class gemm_1bit
{
public:
    /*!
     * \param codes each of \p bits / 8 bytes, one at least
     * \param bits K of a code, a multiple of 8, from 8 to 2^30
     * \param typical_items what calls typically bring: what "auto" decides by
     * \throws std::invalid_argument for codes of another length, an unknown or unfitting
     *         device or variant, or an explicitly named device that cannot be used
     */
    gemm_1bit(const std::vector<std::vector<std::uint8_t>>& codes,
              std::size_t bits,
              std::size_t typical_items,
              const gemm_options& options,
              context_registry& registry);
    ~gemm_1bit();
    gemm_1bit(gemm_1bit&&) noexcept;
    gemm_1bit& operator=(gemm_1bit&&) noexcept;

    /*!
     * \param items bytes of whole items, K / 8 each
     * \param correlations room for as many times codes() values, an item's side by side
     * \throws std::invalid_argument if the sizes do not fit together
     */
    void correlate(span<const std::uint8_t> items, span<std::int32_t> correlations);

    //! Other codes, as many and as long. \throws std::invalid_argument
    void set_codes(const std::vector<std::vector<std::uint8_t>>& codes);

    std::size_t bits() const;
    std::size_t codes() const;
    std::string device_name() const;
    std::string variant_name() const;
    std::string plan() const;
    //! Outputs are correlations.
    run_statistics statistics() const;
    bool fell_back() const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
