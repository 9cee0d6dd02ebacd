/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_BLOCK_H
#define INCLUDED_CLDSP_ENGINE_BLOCK_H

#include "block_support.h"
#include "engine_getters.h"
#include "probe/filter_load.h"
#include "message_text.h"
#include <pmt/pmt.h>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief What the blocks over the engine's filters share: large calls, the port "freq",
 * and what they tell of the engine.
 *
 * \p INTERFACE is the block's public class, a gr::sync_decimator and engine_info;
 * \p STREAM is the engine's filter in a stream, such as freq_xlating_fir_stream. The
 * final class constructs the gr::sync_decimator.
 */
template <class INTERFACE, class STREAM>
class engine_block : public engine_getters<INTERFACE, typename STREAM::engine_type>
{
    using base = engine_getters<INTERFACE, typename STREAM::engine_type>;

public:
    std::size_t max_taps() const override { return d_stream.max_taps(); }

    // Called before the buffers are allocated.
    bool check_topology(int ninputs, int noutputs) override
    {
        if (this->alignment() == d_batch && !this->output_multiple_set())
            this->set_alignment(limited_batch(*this, d_batch, noutputs));
        check_decimation();
        return base::check_topology(ninputs, noutputs);
    }

    // GNU Radio's own multiplies in 32 bits. A product that wraps looks like an input
    // that is there, and work() would be called without it.
    int fixed_rate_noutput_to_ninput(int noutput_items) override
    {
        const auto items = static_cast<std::int64_t>(noutput_items) * this->decimation() +
                           this->history() - 1;
        return static_cast<int>(
            std::min<std::int64_t>(items, std::numeric_limits<int>::max()));
    }

    void choose_again() override { d_stream.choose_again(); }

    std::string wanted_device() const override { return d_stream.wanted_device(); }
    std::vector<kernel_to_tune> kernels_to_tune() const override
    {
        return kernels_to_tune_of(load());
    }
    ::cldsp::kernel_work average_work() const override
    {
        return average_work_of(load(), this->variant_name(), this->plan_details().block);
    }

    bool stop() override
    {
        const bool stopped = base::stop();
        d_stream.stop();
        return stopped;
    }

protected:
    const typename STREAM::engine_type& engine() const override
    {
        return d_stream.engine();
    }
    std::string algorithm() const override { return engine().algorithm_name(); }
    std::size_t engines_taken() const override { return d_stream.renewals(); }

    //! \param batch outputs that a call shall make; see batch_outputs()
    template <class... ARGUMENTS>
    explicit engine_block(int batch, ARGUMENTS&&... stream)
        : d_stream(std::forward<ARGUMENTS>(stream)...), d_batch(batch)
    {
        // Set once: a change while running would shift the stream.
        this->set_history(d_stream.past_items() + 1);

        // Unlike an output multiple, an alignment may be missed: what is left at the end
        // of a stream, or comes slowly, is taken as it is.
        this->set_alignment(d_batch);
        check_decimation();

        const pmt::pmt_t port = pmt::intern("freq");
        this->message_port_register_in(port);
        this->set_msg_handler(
            port, [this](const pmt::pmt_t& message) { handle_freq(message); });
        this->tell_engine(true);
    }

    //! Sets what a message on the port "freq" says; false if it says nothing of use.
    virtual bool tune(const pmt::pmt_t& message) = 0;

    void tag_change(int output, double center_freq)
    {
        this->add_item_tag(output,
                           this->nitems_written(output),
                           pmt::intern("freq"),
                           pmt::from_double(center_freq),
                           this->alias_pmt());
    }

    STREAM d_stream; // the block's thread's, but for what any thread may ask of it

private:
    // Somebody may have set an output multiple since the block was made.
    void check_decimation() const
    {
        checked_decimation(static_cast<int>(this->decimation()),
                           this->input_signature()->sizeof_stream_item(0),
                           this->output_multiple(),
                           this->history());
    }

    filter_load load() const { return d_stream.load(this->statistics()); }

    // An exception in a message handler would end the block's thread and hang the
    // flowgraph.
    void handle_freq(const pmt::pmt_t& message)
    {
        try {
            if (!tune(message))
                this->d_logger->warn("message on port freq dropped: {}",
                                     message_text(message));
        } catch (const std::exception& e) {
            this->d_logger->error("message on port freq dropped: {}", e.what());
        }
    }

    const int d_batch;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_BLOCK_H */
