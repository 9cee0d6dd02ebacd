// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes a better bank in the background, while another one runs.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/planning_task.h>
#include <cldsp/shared_taps.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace cldsp {

//! Whether a plan for one list of taps is equally good for the other, for each channel of
//! a bank. A single list is the list of all channels.
bool same_kind(const std::vector<shared_taps>& a, const std::vector<shared_taps>& b);

/*!
 * Makes another bank in the background, if a new one is predicted to be clearly faster
 * than the bank that runs: that one was made at once, or its taps have changed since.
 *
 * Thread-safe. The destructor does not wait: planning that has begun ends by itself, and
 * its bank is dropped.
 */
class replanner
{
public:
    using problem_type = freq_xlating_filter_bank_problem;
    using options_type = freq_xlating_filter_bank_options;

    //! \param options those of the bank that runs, which may have been made at once
    //! \param registry stays alive while a plan is made
    replanner(const options_type& options, std::shared_ptr<context_registry> registry);
    ~replanner();
    replanner(const replanner&) = delete;
    replanner& operator=(const replanner&) = delete;

    /*!
     * Asks for a bank for \p problem, if \p plan is outdated for it. A new request
     * replaces the earlier one.
     *
     * \param problem the problem with its present taps
     * \param plan the plan of the bank that runs
     */
    void want(problem_type problem, chosen_plan plan);
    //! Offers a bank that somebody else has made.
    void offer(freq_xlating_filter_bank&& bank);
    //! Notes how fast the bank that runs is, for the comparison with others: a call
    //! beside which a plan is made disturbs its measurements. The thread of the stream
    //! calls this.
    void note_call(std::size_t items, double seconds);
    //! Between these two nothing is planned: what has begun is stopped, and begins anew
    //! afterwards.
    void pause();
    void resume();

    /*!
     * Passes the new bank to \p use, if it was made for taps of the same kind as those of
     * \p running. (Newer taps may still wait to be applied.) If the device of \p running
     * has failed, only a bank on the host is taken. One thread at a time may call this.
     *
     * \return whether a bank was taken
     */
    bool take(const freq_xlating_filter_bank& running,
              const std::function<void(freq_xlating_filter_bank&&)>& use);
    //! Whether a bank waits to be taken. Few calls of a stream find one, so that all look
    //! here first.
    const std::atomic<bool>& waits() const;

private:
    struct state;

    const std::shared_ptr<state> d_state;
    std::mutex d_mutex;                    // guards the next two members
    std::unique_ptr<planning_task> d_task; // of the newest request
    bool d_paused = false;
};

} // namespace cldsp
