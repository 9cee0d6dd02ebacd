// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that correlates 1-bit samples with many codes.

#ifndef INCLUDED_CLDSP_GEMM_1BIT_BI_H
#define INCLUDED_CLDSP_GEMM_1BIT_BI_H

#include <gnuradio/cldsp/api.h>
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/sync_block.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief Correlates blocks of 1-bit samples with many codes at once, on an OpenCL device
 * or the host, whichever is faster.
 *
 * An input item is a vector of K / 8 bytes: K samples, the first in the most significant
 * place of the first byte, 1 for +1 and 0 for -1. An output item is a vector of 32-bit
 * integers, one per code: the sum of the products of sample and code, from -K to K.
 *
 * Message port:
 * - set_codes (input): a vector of u8vectors, one per code, as for set_codes().
 *   Other messages are logged and dropped.
 *
 * The preferences are those of freq_xlating_fir_filter.
 */
class CLDSP_API gemm_1bit_bi : virtual public gr::sync_block, virtual public engine_info
{
public:
    using sptr = std::shared_ptr<gemm_1bit_bi>;

    /*!
     * \param codes one at least, all of the same length of K / 8 bytes, 1 byte at least
     * \param device "auto" (measured, the host included), "gpu", "cpu" (an OpenCL CPU
     *        device), "host", "P:D" (platform and device index) or part of a device's
     *        name
     * \param variant "auto", "naive", "private_sum", "cpu_tile", "gpu_tile", "tensor",
     *        "warpgroup" or "simd" (the host's)
     * \param plan "auto": the block starts at once on the host, and moves to what is
     *        planned while it runs; or "wait": the constructor plans
     * \throws std::invalid_argument naming the parameter, its value and the range; also
     *         for a named device that cannot be used
     */
    static sptr make(const std::vector<std::vector<std::uint8_t>>& codes,
                     const std::string& device = "auto",
                     const std::string& variant = "auto",
                     const std::string& plan = "auto");

    /*!
     * Sets other codes from the next call of work() on. Their number and their length do
     * not change.
     * \throws std::invalid_argument for another number or length; the old codes stay then
     */
    virtual void set_codes(const std::vector<std::vector<std::uint8_t>>& codes) = 0;
    //! The codes that were set last.
    virtual std::vector<std::vector<std::uint8_t>> codes() const = 0;
    //! K, the number of samples of an input item.
    virtual std::size_t bits() const = 0;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_1BIT_BI_H */
