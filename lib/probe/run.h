// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A tuning from its first job to its last, and who is told of it.

#ifndef INCLUDED_CLDSP_PROBE_RUN_H
#define INCLUDED_CLDSP_PROBE_RUN_H

#include "probe/jobs.h"
#include <cldsp/logger.h>
#include <cldsp/roofline.h>
#include <cldsp/tuned.h>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! Receives the reports of a tuning. The functions are called in the tuning thread.
class probe_listener
{
public:
    virtual ~probe_listener() = default;
    virtual void on_progress(const ::cldsp::device_info& device,
                             const ::cldsp::device_tunable& kernel,
                             const ::cldsp::tuning_progress& progress) = 0;
    virtual void on_result(const ::cldsp::device_info& device,
                           const ::cldsp::device_tunable& kernel,
                           const ::cldsp::tuning_result& result) = 0;
    virtual void on_step(std::size_t done, std::size_t of, const std::string& text) = 0;
    virtual void on_roofline(const ::cldsp::device_info& device,
                             const ::cldsp::roofline& roof) = 0;
    virtual void on_error(const std::string& text) = 0;
};

//! The outcome of a tuning.
struct probe_outcome {
    std::size_t tuned = 0;   //!< problems for which a correct point was found
    std::size_t renewed = 0; //!< blocks that chose their engine again
    std::size_t failed = 0;  //!< calls of on_error()
    std::string note;        //!< why nothing was done; empty: something was
};

//! The functions that tell a tuning to end early.
struct probe_interrupts {
    std::function<bool()> stopped; //!< store the results, and let blocks use them
    std::function<bool()> ending;  //!< the flowgraph ends: only store the results
};

/*!
 * Carries out a request on those devices of \p candidates that probe_targets() returns.
 * If a device or a kernel fails, the listener is told, and no exception is thrown.
 */
probe_outcome run_probe(const probe_request& request,
                        const std::vector<::cldsp::device_info>& candidates,
                        const probe_interrupts& interrupts,
                        probe_listener& listener,
                        const ::cldsp::logger& log);

//! The roofline of a device, if this or another process has measured it before.
std::optional<::cldsp::roofline> known_roofline(const ::cldsp::device_info& device);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_RUN_H */
