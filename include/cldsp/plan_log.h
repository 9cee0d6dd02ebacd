// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The lines of a log for users: what computes, that it has changed, and what takes long.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * Tells a user where an engine computes, e.g. "runs on the host's SIMD units". A line
 * that another engine of the registry has told before is a debug message; filters and the
 * kinds of products each have a line of their own.
 *
 * Whoever owns an engine calls this function for the first one, and tell_move() for the
 * next ones: an owner may make several before it runs one of them.
 */
void tell_start(const context_registry& registry,
                const logger& log,
                const chosen_plan& plan);

/*!
 * Tells a user that a stream has changed to another device, e.g. "moved to 'NAME', 4.1
 * times as fast". The ratio is told where both rates were measured together. Another
 * plan on the same device is a debug message.
 */
void tell_move(const context_registry& registry,
               const logger& log,
               const chosen_plan& before,
               const chosen_plan& now);

//! Calls tell_move() for an owner of engines that looks after each call.
class plan_news
{
public:
    //! \param registry,log where the lines are remembered, and told
    //! \param first the plan of the first engine
    plan_news(std::shared_ptr<const context_registry> registry,
              logger log,
              const chosen_plan& first);
    //! \param renewals the number of times that another engine has taken over
    //! \param now the plan of the engine that computes
    void look(std::size_t renewals, const chosen_plan& now)
    {
        if (renewals != d_renewals)
            tell(renewals, now);
    }

private:
    void tell(std::size_t renewals, const chosen_plan& now);

    std::shared_ptr<const context_registry> d_registry;
    logger d_log;
    chosen_plan d_last;
    std::size_t d_renewals = 0;
};

//! Tells a developer what was chosen, with predictions, rates and the runner-up, and
//! whether the measured rate differs from the prediction by more than a factor of three:
//! then the prediction does not suit the machine, or the machine was busy.
void tell_details(const logger& log, const chosen_plan& plan);

/*!
 * Tells a user what makes the caller wait, and for how long.
 *
 * \param registry,log where the line is remembered, and told
 * \param devices the names of the devices whose kernels are compiled and measured; if
 * there are none, it takes no time that a person notices, and nothing is told
 * \param seconds the time that it may take
 */
void tell_wait(const context_registry& registry,
               const logger& log,
               const std::vector<std::string>& devices,
               double seconds);

//! A logger for work for which nobody waits, and whose result is told later: messages for
//! users become debug messages.
logger without_news(const logger& log);

} // namespace cldsp
