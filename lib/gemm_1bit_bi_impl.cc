// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks codes and sizes of items, and runs 1-bit products of a stream.

#include "block_support.h"
#include "gemm_1bit_bi_impl.h"
#include "matrix.h"
#include "message_text.h"
#include "probe/kernels_to_tune.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <limits>
#include <utility>

namespace gr {
namespace cldsp {

namespace {

using code_list = gemm_1bit_bi_impl::code_list;

//! The bytes of a code, K / 8.
//! \throws std::invalid_argument for an empty list, or codes without a valid length
std::size_t code_bytes(const code_list& codes)
{
    if (codes.empty())
        ::cldsp::throw_invalid("codes", "empty", "one code at least");
    if (codes.front().empty())
        ::cldsp::throw_invalid("codes[0]", "empty", "one byte long at least");
    constexpr std::size_t most = std::numeric_limits<int>::max();
    if (codes.front().size() > most)
        ::cldsp::throw_invalid("codes[0]",
                               std::to_string(codes.front().size()) + " bytes long",
                               "at most " + std::to_string(most) + " bytes long");
    return codes.front().size();
}

//! The bytes of an output item.
//! \throws std::invalid_argument as code_bytes() does
int output_bytes(const code_list& codes)
{
    code_bytes(codes);
    constexpr std::size_t most = std::numeric_limits<int>::max() / sizeof(std::int32_t);
    if (codes.size() > most)
        ::cldsp::throw_invalid("codes",
                               std::to_string(codes.size()) + " of them",
                               "at most " + std::to_string(most));
    return static_cast<int>(codes.size() * sizeof(std::int32_t));
}

/*!
 * The number of items that the block asks for in a call of work(): enough to make a
 * device or several threads worthwhile, but so few that the buffers stay small.
 */
int batch_items(const code_list& codes)
{
    constexpr double operations = 2e8;
    constexpr double max_bytes = 1024 * 1024;
    const auto bytes = static_cast<double>(code_bytes(codes));
    const auto count = static_cast<double>(codes.size());
    const double wanted = operations / (2 * 8 * bytes * count);
    return static_cast<int>(
        std::max(1.0, std::min({ wanted, max_bytes / bytes, max_bytes / (4 * count) })));
}

//! Checks codes.
//! \throws std::invalid_argument unless there are \p count codes of \p bytes bytes
void check_codes(const code_list& codes, std::size_t count, std::size_t bytes)
{
    if (codes.size() != count)
        ::cldsp::throw_invalid("codes",
                               std::to_string(codes.size()) + " of them",
                               std::to_string(count) + ", as many as before");
    for (std::size_t i = 0; i < codes.size(); i++)
        if (codes[i].size() != bytes)
            ::cldsp::throw_invalid("codes[" + std::to_string(i) + "]",
                                   std::to_string(codes[i].size()) + " bytes long",
                                   std::to_string(bytes) + " bytes long");
}

//! The codes in a message.
//! \throws std::invalid_argument if the message has another content
code_list codes_of(const pmt::pmt_t& message)
{
    if (!pmt::is_vector(message))
        ::cldsp::throw_invalid("codes", message_text(message), "a vector of u8vectors");
    code_list codes;
    for (std::size_t i = 0; i < pmt::length(message); i++) {
        const pmt::pmt_t code = pmt::vector_ref(message, i);
        if (!pmt::is_u8vector(code))
            ::cldsp::throw_invalid(
                "codes[" + std::to_string(i) + "]", message_text(code), "a u8vector");
        codes.push_back(pmt::u8vector_elements(code));
    }
    return codes;
}

} // namespace

gemm_1bit_bi::sptr gemm_1bit_bi::make(const code_list& codes,
                                      const std::string& device,
                                      const std::string& variant,
                                      const std::string& plan)
{
    return gnuradio::make_block_sptr<gemm_1bit_bi_impl>(codes, device, variant, plan);
}

gemm_1bit_bi_impl::gemm_1bit_bi_impl(const code_list& codes,
                                     const std::string& device,
                                     const std::string& variant,
                                     const std::string& plan)
    : gr::sync_block("gemm_1bit_bi",
                     gr::io_signature::make(1, 1, static_cast<int>(code_bytes(codes))),
                     gr::io_signature::make(1, 1, output_bytes(codes))),
      // Codes that are set later have the same number and length.
      base(gemm_options_of(device, variant, plan, { d_logger, d_debug_logger }),
           [codes](const ::cldsp::gemm_options& options) {
               return ::cldsp::gemm_1bit(codes,
                                         8 * code_bytes(codes),
                                         static_cast<std::size_t>(batch_items(codes)),
                                         options,
                                         registry());
           }),
      d_bits(8 * code_bytes(codes)),
      d_count(codes.size()),
      d_batch(batch_items(codes)),
      d_wanted(codes)
{
    renew_report(true);
    take_large_calls(d_batch);
    take_messages("set_codes",
                  [this](const pmt::pmt_t& message) { set_codes(codes_of(message)); });
}

bool gemm_1bit_bi_impl::apply_change()
{
    const bool renewed = d_engine.renew();
    if (renewed)
        d_engine->set_stream_memory(d_in_memory, d_out_memory);
    code_list codes;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        // A new engine has the first codes.
        if (!d_changed && !renewed)
            return false;
        d_changed = false;
        codes = d_wanted;
    }
    d_engine->set_codes(codes);
    return true;
}

std::vector<kernel_to_tune> gemm_1bit_bi_impl::kernels_to_tune() const
{
    const ::cldsp::gemm_shape typical{ static_cast<std::size_t>(d_batch),
                                       d_count,
                                       d_bits };
    const auto& variant = d_options.variant;
    return if_tunable(variant, gemm_1bit_kernel(typical, variant));
}

// No operations are counted: a roofline counts them in single precision, and a 1-bit
// product has none.
::cldsp::kernel_work gemm_1bit_bi_impl::average_work() const
{
    const auto count = static_cast<double>(d_count);
    const double items = outputs_of_a_call(statistics()) / count;
    const double item_bytes = static_cast<double>(d_bits) / 8;
    ::cldsp::kernel_work work;
    if (items > 0)
        work.bytes = (items + count) * item_bytes + items * count * sizeof(std::int32_t);
    return work;
}

void gemm_1bit_bi_impl::set_codes(const code_list& codes)
{
    check_codes(codes, d_count, d_bits / 8);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_wanted = codes;
    d_changed = true;
}

code_list gemm_1bit_bi_impl::codes() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted;
}

bool gemm_1bit_bi_impl::start()
{
    const auto streams = detail();
    d_in_memory = region_of(*streams->input(0)->buffer());
    d_out_memory = region_of(*streams->output(0));
    d_engine->set_stream_memory(d_in_memory, d_out_memory);
    return base::start();
}

bool gemm_1bit_bi_impl::stop()
{
    const bool stopped = base::stop();
    d_in_memory = d_out_memory = {};
    d_engine->set_stream_memory({}, {});
    return stopped;
}

int gemm_1bit_bi_impl::work(int noutput_items,
                            gr_vector_const_void_star& input_items,
                            gr_vector_void_star& output_items)
{
    return work_with_engine(noutput_items, [&] {
        const bool changed = apply_change();
        const auto items = static_cast<std::size_t>(noutput_items);
        d_engine->correlate(
            { static_cast<const std::uint8_t*>(input_items[0]), items * d_bits / 8 },
            { static_cast<std::int32_t*>(output_items[0]), items * d_count });
        return changed;
    });
}

} // namespace cldsp
} // namespace gr
