/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_GETTERS_H
#define INCLUDED_CLDSP_ENGINE_GETTERS_H

#include "engine_variables.h"
#include "probe/running_blocks.h"
#include <gnuradio/block.h>
#include <gnuradio/cldsp/engine_info.h>
#include <cldsp/chosen_plan.h>
#include <cldsp/freq_xlating_fir.h>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

namespace gr {
namespace cldsp {

/*!
 * \brief What a block tells of the engine that computes for it.
 *
 * It is kept apart from the engine, which a call of work() may use for as long as its
 * device takes, or hangs: who asks waits for neither. What a call has changed is told
 * when it has ended.
 *
 * \p INTERFACE is the block's public class, a gr::block and engine_info; \p ENGINE is the
 * engine's class.
 */
template <class INTERFACE, class ENGINE>
class engine_getters : public INTERFACE, public replannable
{
public:
    std::string device_name() const override { return told().device; }
    std::string algorithm_name() const override { return told().algorithm; }
    std::string variant_name() const override { return told().variant; }
    std::string transfer_name() const override { return told().transfer; }
    std::string plan() const override { return told().plan.text(); }
    engine_plan plan_details() const override
    {
        const auto now = told().plan;
        return { now.device,     now.device_name, now.algorithm, now.variant,
                 now.transfer,   now.ifft_size,   now.predicted, now.measured,
                 now.remembered, now.runner_up,   now.tuned,     now.reason };
    }
    double kernel_time_avg() const override { return statistics().kernel_time; }
    double transfer_time_avg() const override { return statistics().transfer_time; }
    bool fell_back() const override { return told().fell_back; }
    std::size_t renewals() const override { return told().renewals; }

    bool start() override
    {
        tell_engine(false);
        add_running_block(this->shared_from_this());
        return INTERFACE::start();
    }
    bool stop() override
    {
        remove_running_block(*this);
        return INTERFACE::stop();
    }

    void setup_rpc() override { add_engine_variables(*this); }

protected:
    // These three are the block's thread's alone once the block is made.
    virtual const ENGINE& engine() const = 0;
    virtual std::string algorithm() const = 0; //!< the engine's
    //! How often another engine has taken over.
    virtual std::size_t engines_taken() const = 0;

    /*!
     * Tells what the engine is now: called by the constructor, and by the block's thread
     * when it has used the engine. After most calls only counters are new.
     *
     * \param changed whether the engine was configured anew
     */
    void tell_engine(bool changed)
    {
        const ENGINE& now = engine();
        const bool fell_back = now.fell_back();
        const std::size_t taken = engines_taken();
        if (changed || !d_told || d_told->fell_back != fell_back ||
            d_told->renewals != taken) {
            auto fresh =
                std::make_shared<const description>(description{ now.device_name(),
                                                                 algorithm(),
                                                                 now.variant_name(),
                                                                 now.transfer_name(),
                                                                 now.chosen(),
                                                                 fell_back,
                                                                 taken });
            const std::lock_guard<std::mutex> guard(d_told_mutex);
            d_told.swap(fresh);
        }
        const auto statistics = now.statistics();
        const std::lock_guard<std::mutex> guard(d_told_mutex);
        d_statistics = statistics;
    }

    /*!
     * What a call of work() does with the engine. An exception ends the stream.
     *
     * \param compute uses the engine, and returns whether it was configured anew
     * \return what work() returns
     */
    template <class COMPUTE>
    int work_with_engine(int noutput_items, COMPUTE&& compute)
    {
        try {
            tell_engine(compute());
            return noutput_items;
        } catch (const std::exception& e) {
            this->d_logger->error("the stream ends here: {}", e.what());
            tell_end();
            return gr::block::WORK_DONE;
        }
    }

    //! What the engine was when the stream ended: it may have left its device first.
    void tell_end() noexcept
    {
        try {
            tell_engine(true);
        } catch (const std::exception&) {
            // What was told last remains.
        }
    }

    //! Of the calls so far.
    ::cldsp::run_statistics statistics() const
    {
        const std::lock_guard<std::mutex> guard(d_told_mutex);
        return d_statistics;
    }

private:
    struct description {
        std::string device, algorithm, variant, transfer;
        ::cldsp::chosen_plan plan;
        bool fell_back;
        std::size_t renewals;
    };

    description told() const
    {
        std::shared_ptr<const description> now;
        {
            const std::lock_guard<std::mutex> guard(d_told_mutex);
            now = d_told;
        }
        return *now;
    }

    mutable std::mutex d_told_mutex; // of the two that follow; held for a copy only
    std::shared_ptr<const description> d_told; // changed by the block's thread alone
    ::cldsp::run_statistics d_statistics;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_GETTERS_H */
