// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A trial of an executor: its calls, their times, and the check of its outputs.

#pragma once

#include "planning/planner.h"

#include <cldsp/errors.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace cldsp {

/*!
 * The typical and the brief call of a problem, the same for all candidates. Each call is
 * made when a trial first needs it, because often no trial does.
 */
template <class Call>
class trial_calls
{
public:
    explicit trial_calls(std::function<std::shared_ptr<const Call>(trial_call)> make)
        : d_make(std::move(make))
    {
    }

    //! Returns a call. A new one is made where a lost device may still write to the
    //! memory of the previous one.
    std::shared_ptr<const Call> get(trial_call which)
    {
        auto& call = d_calls[which == trial_call::brief ? 1 : 0];
        if (!call || call->is_kept())
            call = d_make(which);
        return call;
    }

private:
    std::function<std::shared_ptr<const Call>(trial_call)> d_make;
    std::shared_ptr<const Call> d_calls[2];
};

//! A trial of an executor. The executor can be taken out of the trial and used.
template <class Executor>
class trial_of : public plan_trial
{
public:
    virtual std::unique_ptr<Executor> take_executor() = 0;
};

/*!
 * The trial of an executor.
 *
 * \tparam Executor has clear_statistics() and device_is_lost()
 * \tparam Call the memory of a call, with these functions: lend_to() and take_from() give
 *         the memory to an executor and take it back; run() computes with an executor,
 *         and error() compares the outputs; spoil() makes the outputs nonsense; keep()
 *         and is_kept() are those of page_memory
 */
template <class Executor, class Call>
class executor_trial final : public trial_of<Executor>
{
public:
    executor_trial(std::unique_ptr<Executor> executor, trial_calls<Call>& calls)
        : d_calls(calls), d_executor(std::move(executor))
    {
    }
    ~executor_trial() override
    {
        if (d_call && d_executor && d_executor->device_is_lost())
            d_call->keep();
    }

    void prepare(trial_call which) override
    {
        d_call = d_calls.get(which);
        // Must come before lend_to(): a device may keep a copy of the memory's content.
        d_call->spoil();
        d_call->lend_to(*d_executor);
    }
    double run() override
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        d_call->run(*d_executor);
        return std::chrono::duration<double>(clock::now() - start).count();
    }
    output_error check() override
    {
        run();
        return d_call->error(*d_executor);
    }
    void finish() override
    {
        if (!d_call)
            return;
        if (d_executor->device_is_lost())
            throw opencl_error("clFinish",
                               CL_DEVICE_NOT_AVAILABLE,
                               d_executor->device_name(),
                               "the device is lost");
        d_call->take_from(*d_executor);
        d_executor->clear_statistics();
        d_call.reset();
    }

    std::unique_ptr<Executor> take_executor() override { return std::move(d_executor); }

private:
    trial_calls<Call>& d_calls;
    std::shared_ptr<const Call> d_call; // outlives the executor, which uses its memory
    std::unique_ptr<Executor> d_executor;
};

} // namespace cldsp
