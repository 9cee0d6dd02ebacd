// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of all blocks with an engine: exceptions, call sizes, reports.

#ifndef INCLUDED_CLDSP_ENGINE_BLOCK_H
#define INCLUDED_CLDSP_ENGINE_BLOCK_H

#include "block_support.h"
#include "control_port.h"
#include "message_text.h"
#include "probe/running_blocks.h"
#include <gnuradio/block.h>
#include <gnuradio/cldsp/engine_info.h>
#include <cldsp/chosen_plan.h>
#include <cldsp/plan_log.h>
#include <cldsp/run_statistics.h>
#include <pmt/pmt.h>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * \brief The base of every block with an engine: it catches exceptions in work() and in
 * message handlers, asks for large calls, and reports the state of the engine.
 *
 * The report is a copy, renewed when a call of work() ends. A thread that asks for it
 * therefore never waits for a call of work(), even if the device of the engine is slow or
 * hangs.
 *
 * A block derives from its public class and from this one. Its public class declares what
 * it offers, and this class implements engine_info, which both share.
 *
 * \p BLOCK is the class of GNU Radio's that the public class is, such as gr::sync_block;
 * \p ENGINE is the engine's class.
 */
template <class BLOCK, class ENGINE>
class engine_block : virtual public BLOCK, virtual public engine_info, public replannable
{
public:
    std::string device_name() const override { return report().device; }
    std::string algorithm_name() const override { return report().algorithm; }
    std::string variant_name() const override { return report().variant; }
    std::string transfer_name() const override { return report().transfer; }
    std::string plan() const override { return report().plan.text(); }
    engine_plan plan_details() const override
    {
        const auto now = report().plan;
        std::vector<engine_share> shares;
        for (const auto& share : now.shares)
            shares.push_back({ share.device,
                               share.device_name,
                               share.channels,
                               share.algorithm,
                               share.variant,
                               share.transfer });
        return { now.device,   now.device_name, now.algorithm,   now.variant,
                 now.transfer, now.ifft_size,   now.fft_size,    now.predicted,
                 now.measured, now.remembered,  now.provisional, now.runner_up,
                 now.tuned,    now.reason,      shares };
    }
    double kernel_time_avg() const override { return statistics().kernel_time; }
    double transfer_time_avg() const override { return statistics().transfer_time; }
    bool fell_back() const override { return report().fell_back; }
    std::size_t renewals() const override { return report().renewals; }

    // GNU Radio calls this function before it allocates the buffers.
    bool check_topology(int ninputs, int noutputs) override
    {
        d_asked_buffers.forget_made(*this, noutputs);
        if (d_batch && this->alignment() == d_batch && !this->output_multiple_set())
            this->set_alignment(limited_batch(*this, d_batch, noutputs));
        d_asked_buffers.round_up(*this);
        return BLOCK::check_topology(ninputs, noutputs);
    }
    bool start() override
    {
        d_asked_buffers.note_made(*this);
        renew_report(false);
        add_running_block(this->shared_from_this());
        return BLOCK::start();
    }
    bool stop() override
    {
        remove_running_block(*this);
        return BLOCK::stop();
    }

    void setup_rpc() override { add_engine_variables(*this); }

protected:
    // Once the block is made, only its own thread calls these three functions.
    //! The engine; one that takes over is moved to where it is.
    virtual const ENGINE& engine() const = 0;
    virtual std::string algorithm() const = 0; //!< the algorithm of the engine
    //! The number of times that another engine has taken over.
    virtual std::size_t engines_taken() const = 0;

    //! Asks GNU Radio for calls of \p batch outputs, if the stream has them.
    void take_large_calls(int batch)
    {
        d_batch = batch;
        // GNU Radio may miss an alignment, unlike an output multiple: the items at the
        // end of a stream, and those of a slow stream, still come in smaller calls.
        this->set_alignment(batch);
    }

    /*!
     * Registers a message port whose messages go to \p handle. If a message is not valid,
     * \p handle throws, and the message is logged and dropped.
     */
    template <class HANDLE>
    void take_messages(const std::string& port, HANDLE handle)
    {
        this->message_port_register_in(pmt::intern(port));
        // An exception that left the handler would end the thread of the block, and the
        // flowgraph would hang.
        this->set_msg_handler(
            pmt::intern(port), [this, port, handle](const pmt::pmt_t& message) {
                try {
                    if (!is_complete(message))
                        throw std::invalid_argument("it is " + message_text(message) +
                                                    ", but None is no value of PMT");
                    handle(message);
                } catch (const std::exception& e) {
                    // The text may quote a path as long as the message.
                    log_if_possible([&] {
                        return "message on port " + port + " dropped: " +
                               beginning_of(e.what(), max_error_characters);
                    });
                }
            });
    }

    /*!
     * Renews the report. The constructor calls this function, and the thread of the block
     * calls it when it has used the engine. After most calls only counters have changed.
     * The log tells users what computes, and when that changes.
     *
     * \param changed true if the engine was configured anew, or another one has taken
     * over
     */
    void renew_report(bool changed)
    {
        if (changed || d_engine->fell_back() != d_report->fell_back)
            renew_description();
        const auto statistics = d_engine->statistics();
        const std::lock_guard<std::mutex> guard(d_report_mutex);
        d_statistics = statistics;
    }

    /*!
     * The part of work() that uses the engine. An exception ends the stream.
     *
     * \param compute a function that uses the engine, and returns true if the engine was
     * configured anew, or another one has taken over
     * \return the value that work() has to return
     */
    template <class COMPUTE>
    int work_with_engine(int noutput_items, COMPUTE&& compute)
    {
        try {
            renew_report(compute());
            return noutput_items;
        } catch (const std::exception& e) {
            log_if_possible(
                [&] { return std::string("the stream ends here: ") + e.what(); });
            renew_last_report();
            return gr::block::WORK_DONE;
        }
    }

    //! The statistics of all calls so far.
    ::cldsp::run_statistics statistics() const
    {
        const std::lock_guard<std::mutex> guard(d_report_mutex);
        return d_statistics;
    }

private:
    struct description {
        std::string device, algorithm, variant, transfer;
        ::cldsp::chosen_plan plan;
        bool fell_back;
        std::size_t renewals;
    };

    void renew_description()
    {
        d_engine = &engine();
        auto fresh =
            std::make_shared<const description>(description{ d_engine->device_name(),
                                                             algorithm(),
                                                             d_engine->variant_name(),
                                                             d_engine->transfer_name(),
                                                             d_engine->chosen(),
                                                             d_engine->fell_back(),
                                                             engines_taken() });
        {
            const std::lock_guard<std::mutex> guard(d_report_mutex);
            d_report.swap(fresh);
        }
        tell_change(fresh.get());
    }

    // The exception that is reported may be a lack of memory, which the report needs too.
    template <class TEXT>
    void log_if_possible(const TEXT& text) const noexcept
    {
        try {
            log_error(this->d_logger, text());
        } catch (...) {
            // Without the message the stream ends all the same, or the message is
            // dropped.
        }
    }

    // At the end of a stream the device may have failed since the last report.
    void renew_last_report() noexcept
    {
        try {
            renew_report(true);
        } catch (...) {
            // The previous report remains.
        }
    }

    //! \param before the report before the present one; null: there was none
    void tell_change(const description* before) const
    {
        const block_logs logs{ this->d_logger, this->d_debug_logger };
        if (!before)
            ::cldsp::tell_start(registry(), engine_logger(logs), d_report->plan);
        else if (before->renewals != d_report->renewals)
            ::cldsp::tell_move(
                registry(), engine_logger(logs), before->plan, d_report->plan);
    }

    description report() const
    {
        std::shared_ptr<const description> now;
        {
            const std::lock_guard<std::mutex> guard(d_report_mutex);
            now = d_report;
        }
        return *now;
    }

    int d_batch = 0; // the outputs of a call that the block asks for; 0: it does not ask
    asked_buffers d_asked_buffers;
    const ENGINE* d_engine = nullptr; // engine(), once the block is made

    mutable std::mutex d_report_mutex; // guards the next two members, held only to copy
    std::shared_ptr<const description> d_report; // changed by the block's thread alone
    ::cldsp::run_statistics d_statistics;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_BLOCK_H */
