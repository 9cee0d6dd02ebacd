/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "gemm_1bit_bi_impl.h"
#include "gemm_load.h"
#include <gnuradio/block_detail.h>
#include <gnuradio/buffer_reader.h>
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace gr {
namespace cldsp {

namespace {

using code_list = gemm_1bit_bi_impl::code_list;

//! K / 8 bytes. \throws std::invalid_argument for codes that give no length
std::size_t code_bytes(const code_list& codes)
{
    if (codes.empty())
        ::cldsp::throw_invalid("codes", "empty", "one code at least");
    if (codes.front().empty())
        ::cldsp::throw_invalid("codes[0]", "empty", "one byte long at least");
    return codes.front().size();
}

//! An output item's bytes. \throws as code_bytes()
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
 * Items of a call of work(), where the stream has them: as many as make a device or
 * several threads worth their while, as long as the buffers stay small.
 */
int batch_items(const code_list& codes)
{
    constexpr double operations = 2e8;
    constexpr double most_bytes = 1024 * 1024;
    const auto bytes = static_cast<double>(code_bytes(codes));
    const auto count = static_cast<double>(codes.size());
    const double wanted = operations / (2 * 8 * bytes * count);
    return static_cast<int>(std::max(
        1.0, std::min({ wanted, most_bytes / bytes, most_bytes / (4 * count) })));
}

//! The beginning of a message, for the log.
std::string shown(const pmt::pmt_t& message)
{
    return pmt::write_string(message).substr(0, 200);
}

::cldsp::gemm_options options_of(const std::string& device,
                                 const std::string& variant,
                                 const gr::logger_ptr& logger)
{
    const auto chosen = with_preferences({ device, variant, "auto", "auto", 0 });
    ::cldsp::gemm_options options;
    options.device = chosen.device;
    options.variant = chosen.variant;
    options.log = engine_logger(logger);
    return options;
}

} // namespace

gemm_1bit_bi::sptr gemm_1bit_bi::make(const code_list& codes,
                                      const std::string& device,
                                      const std::string& variant)
{
    return gnuradio::make_block_sptr<gemm_1bit_bi_impl>(codes, device, variant);
}

gemm_1bit_bi_impl::gemm_1bit_bi_impl(const code_list& codes,
                                     const std::string& device,
                                     const std::string& variant)
    : gr::sync_block("gemm_1bit_bi",
                     gr::io_signature::make(1, 1, static_cast<int>(code_bytes(codes))),
                     gr::io_signature::make(1, 1, output_bytes(codes))),
      d_bits(8 * code_bytes(codes)),
      d_batch(batch_items(codes)),
      d_options(options_of(device, variant, d_logger)),
      d_codes(codes),
      d_engine(make_engine(codes))
{
    // Unlike an output multiple, an alignment may be missed: what is left at the end of a
    // stream, or comes slowly, is taken as it is.
    set_alignment(d_batch);

    const pmt::pmt_t port = pmt::intern("set_codes");
    message_port_register_in(port);
    set_msg_handler(port, [this](const pmt::pmt_t& message) { handle_codes(message); });
}

::cldsp::gemm_1bit gemm_1bit_bi_impl::make_engine(const code_list& codes) const
{
    return { codes, d_bits, static_cast<std::size_t>(d_batch), d_options, registry() };
}

// The stream goes on while the engine is made, and its codes may change.
void gemm_1bit_bi_impl::choose_again() { d_fresh.offer(make_engine(codes())); }

void gemm_1bit_bi_impl::take_fresh()
{
    d_fresh.take([this](::cldsp::gemm_1bit&& fresh) {
        fresh.set_codes(d_codes);
        fresh.set_stream_memory(d_in_memory, d_out_memory);
        d_engine = std::move(fresh);
    });
}

std::size_t gemm_1bit_bi_impl::renewals() const
{
    const auto guard = lock();
    return d_fresh.taken();
}

std::vector<kernel_to_tune> gemm_1bit_bi_impl::kernels_to_tune() const
{
    const auto count = codes().size();
    return kernels_to_tune_of_1bit({ static_cast<std::size_t>(d_batch), count, d_bits },
                                   d_options.variant);
}

// What a 1-bit product counts is nothing in single precision.
::cldsp::kernel_work gemm_1bit_bi_impl::average_work() const
{
    const auto guard = lock();
    const auto count = static_cast<double>(d_codes.size());
    const double items = outputs_of_a_call(d_engine.statistics()) / count;
    const double item_bytes = static_cast<double>(d_bits) / 8;
    ::cldsp::kernel_work work;
    if (items > 0)
        work.bytes = (items + count) * item_bytes + items * count * sizeof(std::int32_t);
    return work;
}

void gemm_1bit_bi_impl::set_codes(const code_list& codes)
{
    const auto guard = lock();
    d_engine.set_codes(codes);
    d_codes = codes;
}

code_list gemm_1bit_bi_impl::codes() const
{
    const auto guard = lock();
    return d_codes;
}

// An exception in a message handler would end the block's thread and hang the flowgraph.
void gemm_1bit_bi_impl::handle_codes(const pmt::pmt_t& message)
{
    try {
        if (!pmt::is_vector(message))
            ::cldsp::throw_invalid("codes", shown(message), "a vector of u8vectors");
        code_list codes;
        for (std::size_t i = 0; i < pmt::length(message); i++) {
            const pmt::pmt_t code = pmt::vector_ref(message, i);
            if (!pmt::is_u8vector(code))
                ::cldsp::throw_invalid(
                    "codes[" + std::to_string(i) + "]", shown(code), "a u8vector");
            codes.push_back(pmt::u8vector_elements(code));
        }
        set_codes(codes);
    } catch (const std::exception& e) {
        d_logger->error("message on port set_codes dropped: {}", e.what());
    }
}

// Called before the buffers are allocated.
bool gemm_1bit_bi_impl::check_topology(int ninputs, int noutputs)
{
    if (alignment() == d_batch && !output_multiple_set())
        set_alignment(limited_batch(*this, d_batch, noutputs));
    return gr::sync_block::check_topology(ninputs, noutputs);
}

bool gemm_1bit_bi_impl::start()
{
    const auto guard = lock();
    const auto streams = detail();
    d_in_memory = region_of(*streams->input(0)->buffer());
    d_out_memory = region_of(*streams->output(0));
    d_engine.set_stream_memory(d_in_memory, d_out_memory);
    return base::start();
}

bool gemm_1bit_bi_impl::stop()
{
    const bool stopped = base::stop();
    const auto guard = lock();
    d_in_memory = d_out_memory = {};
    d_engine.set_stream_memory({}, {});
    return stopped;
}

int gemm_1bit_bi_impl::work(int noutput_items,
                            gr_vector_const_void_star& input_items,
                            gr_vector_void_star& output_items)
{
    const auto guard = lock();
    try {
        take_fresh();
        const auto items = static_cast<std::size_t>(noutput_items);
        d_engine.correlate(
            { static_cast<const std::uint8_t*>(input_items[0]), items * d_bits / 8 },
            { static_cast<std::int32_t*>(output_items[0]), items * d_codes.size() });
        return noutput_items;
    } catch (const std::exception& e) {
        d_logger->error("the stream ends here: {}", e.what());
        return gr::block::WORK_DONE;
    }
}

} // namespace cldsp
} // namespace gr
