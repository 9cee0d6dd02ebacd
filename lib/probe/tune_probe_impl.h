// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block that tunes and reports while a flowgraph runs.

#ifndef INCLUDED_CLDSP_TUNE_PROBE_IMPL_H
#define INCLUDED_CLDSP_TUNE_PROBE_IMPL_H

#include "control_port.h"
#include "probe/report.h"
#include "probe/run.h"
#include <gnuradio/cldsp/tune_probe.h>
#include <condition_variable>
#include <pmt/pmt.h>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace gr {
namespace cldsp {

//! \brief The block behind tune_probe: ports, threads and reports.
class tune_probe_impl : public tune_probe
{
public:
    tune_probe_impl(const std::string& device,
                    const std::string& what,
                    double budget_s,
                    const std::string& strategy,
                    bool at_start,
                    double report_s);
    ~tune_probe_impl() override;

    bool
    tune(const std::string& what, double budget_s, const std::string& strategy) override;
    void set_wait_at_end(bool wait) override { d_waits_at_end = wait; }
    void stop_tuning() override { d_signals->stopped = true; }
    bool tuning() const override { return d_tuning; }
    std::map<std::string, double> roofline() const override;
    std::vector<block_statistics> statistics() const override;
    std::string last_report() const override;
    std::string tuning_state() const override;
    double tuning_progress() const override { return d_progress; }
    double tuning_speedup() const override { return d_speedup; }

    bool start() override;
    bool stop() override;
    void setup_rpc() override { add_probe_variables(*this); }

private:
    class tuning_task;

    //! These end a tuning early. It may outlive the block.
    struct signals {
        std::atomic<bool> stopped{ false }; //!< stop_tuning() was called
        std::atomic<bool> ending{ false };  //!< the flowgraph or the block ends
    };

    void on_progress(const ::cldsp::device_info& device,
                     const ::cldsp::device_tunable& kernel,
                     const ::cldsp::tuning_progress& progress);
    void on_result(const ::cldsp::device_info& device,
                   const ::cldsp::device_tunable& kernel,
                   const ::cldsp::tuning_result& result);
    void on_step(std::size_t done, std::size_t of, const std::string& text);
    void on_roofline(const ::cldsp::device_info& device, const ::cldsp::roofline& roof);
    void on_error(const std::string& text);
    void on_end(const probe_outcome& outcome);

    void handle_tune(const pmt::pmt_t& message);
    void handle_query();
    void begin_watch();
    void watch();
    void end_watch();
    void keep(const probe_report& report);
    void tell(const probe_report& report);
    void set_state(const std::string& state);

    const std::vector<::cldsp::device_info> d_candidates;
    const probe_request d_request;
    const bool d_at_start;
    const double d_report_s;
    const ::cldsp::logger d_log;
    const std::shared_ptr<signals> d_signals = std::make_shared<signals>();

    std::atomic<bool> d_tuning{ false };
    std::atomic<bool> d_begins{ false }; //!< the tuning at start has not begun yet
    std::shared_ptr<const std::function<void()>> d_at_last_end;
    std::atomic<double> d_progress{ 0 }, d_speedup{ 0 };

    std::atomic<bool> d_waits_at_end{ true };
    std::mutex d_task_mutex; // guards d_task and its start
    std::shared_ptr<tuning_task> d_task;
    std::thread d_watch;

    mutable std::mutex d_mutex; // guards the members below, except d_roofs
    std::condition_variable d_watch_changes;
    bool d_watch_ended = false;
    //! The time at which the last other block ended; empty: other blocks still run.
    std::optional<std::chrono::steady_clock::time_point> d_alone_since;
    std::string d_state = "idle", d_last_report;

    mutable probe_roofs d_roofs;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_TUNE_PROBE_IMPL_H */
