// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit products: sequences of plus and minus one, correlated with codes.

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

//! The variants of the 1-bit correlation, from the simplest kernel to the fastest. Their
//! member `types` is empty.
const std::vector<gemm_variant_info>& gemm_1bit_variants();

/*!
 * The 1-bit matrix product: correlations of sequences of +1 and -1 with codes.
 *
 * The bits are packed into bytes, the first bit as the most significant one. A bit of 1
 * means +1, and a bit of 0 means -1. For each item i and each code j
 *
 *     correlation[i][j] = sum over k of item[i][k] * code[j][k]
 *                       = K - 2 popcount(item[i] xor code[j]).
 *
 * K is the number of bits of an item and of a code. If a device fails while running, the
 * host completes the call and continues, and the reason is logged. Only one thread may
 * use a gemm_1bit at a time.
 */
class gemm_1bit
{
public:
    /*!
     * \param codes one code or more, each of \p bits / 8 bytes
     * \param bits K, the length of a code and of an item: a multiple of 8, from 8 to 2^30
     * \param typical_items the number of items of a typical call, 1 or more, for which
     *         "auto" chooses
     * \param options the device and the variant; the products are exact in every
     *         precision that the options permit
     * \param registry has the contexts of the devices
     * \throws std::invalid_argument for codes of another length, an unknown or unsuitable
     *         device or variant, or a device that was named and cannot be used, or whose
     *         buffers are too small for a code
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
     * Returns when the correlations are complete. Any memory will do; kernels work on it
     * without a copy where the device can.
     *
     * \param items whole items of K / 8 bytes each; may be empty
     * \param correlations exactly codes() values for each item, item after item
     * \throws std::invalid_argument if the sizes do not fit together
     */
    void correlate(span<const std::uint8_t> items, span<std::int32_t> correlations);

    //! Replaces the codes from the next call on. Their number and length do not change.
    //! \throws std::invalid_argument for another number or length; the old codes stay
    //! then
    void set_codes(const std::vector<std::vector<std::uint8_t>>& codes);

    /*!
     * Names the memory in which the data of later calls will lie, so that it is wrapped
     * for the device only once; see
     * freq_xlating_filter_bank::set_stream_memory().
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
    const chosen_plan& chosen() const; //!< the plan as data
    //! The statistics of all calls; run_statistics::outputs counts correlations.
    run_statistics statistics() const;
    bool fell_back() const; //!< the device failed and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
