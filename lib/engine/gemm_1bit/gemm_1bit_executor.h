// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of what correlates 1-bit sequences, and the codes in panels.

#pragma once

#include "planning/operation_executor.h"

#include <cldsp/context.h>
#include <cldsp/gemm_1bit.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Valid codes, stored one after the other without gaps.
struct gemm_1bit_codes {
    std::size_t bits = 8;
    std::size_t count = 0;
    std::vector<std::uint8_t> bytes;

    std::size_t bytes_each() const { return bits / 8; }
    //! The number of words of \p word_bytes bytes that hold one code.
    std::size_t words(std::size_t word_bytes) const
    {
        return (bytes_each() + word_bytes - 1) / word_bytes;
    }
    //! One word of a code. Bytes beyond the end of the code, and codes beyond the last
    //! one, are zero.
    template <class Word>
    Word word(std::size_t code, std::size_t index) const
    {
        Word value = 0;
        const std::size_t at = index * sizeof(Word);
        if (code < count && at < bytes_each())
            std::memcpy(&value,
                        bytes.data() + code * bytes_each() + at,
                        std::min(sizeof(Word), bytes_each() - at));
        return value;
    }
};

/*!
 * Packs codes into panels of \p codes codes each, from code \p first on. A panel holds
 * the first word of each of its codes, then the second word of each, up to \p words
 * words.
 */
template <class Word>
void pack_panels(const gemm_1bit_codes& from,
                 std::size_t first,
                 std::size_t panels,
                 std::size_t codes,
                 std::size_t words,
                 Word* to)
{
    for (std::size_t panel = 0; panel < panels; panel++)
        for (std::size_t w = 0; w < words; w++)
            for (std::size_t j = 0; j < codes; j++)
                *to++ = from.word<Word>(first + panel * codes + j, w);
}

//! One way of computing correlations. Between calls it keeps the codes.
class gemm_1bit_executor : public operation_executor
{
public:
    using operation_executor::operation_executor;

    //! Replaces the codes by the same number of codes of the same length.
    virtual void set_codes(const gemm_1bit_codes& codes) = 0;
    //! \throws opencl_error if the device failed; the output is then undefined
    virtual void
    run(const std::uint8_t* items, std::size_t count, std::int32_t* correlations) = 0;
    virtual void set_stream_memory(memory_region, memory_region) {}
};

//! Makes the executor of the host, which uses every core.
std::unique_ptr<gemm_1bit_executor> make_host_gemm_1bit(const gemm_1bit_codes& codes);

/*!
 * Makes an executor on an OpenCL device.
 *
 * \param device the context of the device
 * \param variant the name of the variant
 * \param transfer see make_device_transfer()
 * \param codes the codes to correlate with
 * \param tuned values that the kernel is built with instead of the defaults, see
 *        gemm_1bit_parameters(); ignored if the variant has nothing to tune
 * \throws std::invalid_argument if the device cannot run the variant with such codes;
 *         opencl_error
 */
std::unique_ptr<gemm_1bit_executor>
make_opencl_gemm_1bit(std::shared_ptr<context> device,
                      const std::string& variant,
                      const std::string& transfer,
                      const gemm_1bit_codes& codes,
                      const tuning_values& tuned = {});

} // namespace cldsp
