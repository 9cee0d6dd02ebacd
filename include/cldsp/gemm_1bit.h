/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/memory_region.h>
#include <cldsp/run_statistics.h>
#include <cldsp/span.h>
#include <cldsp/variant_info.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Variants of the 1-bit correlation, in the ladder's order; `types` is empty.
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
 * If a device fails while running, the host completes the call and continues, and the
 * reason is logged. One thread at a time.
 */
class gemm_1bit
{
public:
    /*!
     * \param codes one at least, each of \p bits / 8 bytes
     * \param bits K of a code, a multiple of 8, from 8 to 2^30
     * \param typical_items items of a typical call, 1 or more; "auto" decides by it
     * \throws std::invalid_argument for codes of another length, an unknown or unfitting
     *         device or variant, or an explicitly named device that cannot be used or
     *         whose buffers are too small for a code
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
     * Returns when the correlations are complete. The memory may lie anywhere; kernels
     * work on it without a copy where the device can.
     *
     * \param items bytes of whole items, K / 8 each; none is allowed
     * \param correlations exactly codes() values per item, those of an item side by side
     * \throws std::invalid_argument if the sizes do not fit together
     */
    void correlate(span<const std::uint8_t> items, span<std::int32_t> correlations);

    //! Sets as many codes of the same length, from the next call on.
    //! \throws std::invalid_argument, and keeps the old codes
    void set_codes(const std::vector<std::vector<std::uint8_t>>& codes);

    /*!
     * Sets the memory that holds later calls' data, so that it is wrapped for the device
     * only once; see freq_xlating_fir::set_stream_memory().
     */
    void set_stream_memory(memory_region items, memory_region correlations);

    std::size_t bits() const;
    std::size_t codes() const;
    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "popcount"
    std::string variant_name() const;   //!< the variant that runs, never "auto"
    //! "copy", "mapped", "zero_copy", or "none" (host).
    std::string transfer_name() const;
    //! One line: the choice and its reason.
    std::string plan() const;
    const chosen_plan& chosen() const; //!< the same as data
    //! Outputs are correlations.
    run_statistics statistics() const;
    bool fell_back() const; //!< the device was lost and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
