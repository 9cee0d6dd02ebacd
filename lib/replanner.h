// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes a better engine for new taps in the background.

#ifndef INCLUDED_CLDSP_REPLANNER_H
#define INCLUDED_CLDSP_REPLANNER_H

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/shared_taps.h>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace gr {
namespace cldsp {

//! Whether a plan for one list of taps is equally good for the other, for each channel of
//! a bank. A single list is the list of all channels.
bool same_kind(const std::vector<::cldsp::shared_taps>& a,
               const std::vector<::cldsp::shared_taps>& b);

/*!
 * \brief Makes another engine for new taps in the background, if a new one is predicted
 * to be clearly faster than the engine that runs, which was chosen for other taps.
 *
 * Thread-safe. The destructor does not wait: planning that has begun ends by itself, and
 * its engine is dropped.
 */
class replanner
{
public:
    using engine_type = ::cldsp::freq_xlating_filter_bank;
    using problem_type = ::cldsp::freq_xlating_filter_bank_problem;
    using options_type = ::cldsp::freq_xlating_filter_bank_options;

    replanner(const options_type& options, ::cldsp::context_registry& registry);
    ~replanner();
    replanner(const replanner&) = delete;
    replanner& operator=(const replanner&) = delete;

    /*!
     * Asks for an engine for \p problem, if \p plan is outdated for it. A new request
     * replaces the earlier one.
     *
     * \param plan the plan of the engine that runs
     */
    void want(problem_type problem, ::cldsp::chosen_plan plan);

    /*!
     * Passes the new engine to \p use, if it was made for taps of the same kind as those
     * of \p running. (Newer taps may still wait to be applied.) If the device of \p
     * running has failed, only an engine on the host is taken.
     *
     * \return whether an engine was taken
     */
    bool take(const engine_type& running, const std::function<void(engine_type&&)>& use);
    //! The number of engines that were taken. Only the thread that takes them may call
    //! this.
    std::size_t taken() const;

private:
    struct state;

    std::shared_ptr<state> d_state;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_REPLANNER_H */
