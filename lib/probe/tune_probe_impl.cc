// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Starts tunings in the background, answers messages, and sends their reports.

#include <cldsp/background_thread.h>
#include "block_support.h"
#include "message_text.h"
#include "probe/message.h"
#include "probe/running_blocks.h"
#include "probe/tune_probe_impl.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <stdexcept>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::device_info;

using clock = std::chrono::steady_clock;

const pmt::pmt_t system_port = pmt::intern("system"); // every block has it
const pmt::pmt_t tune_port = pmt::intern("tune");
const pmt::pmt_t query_port = pmt::intern("query");
const pmt::pmt_t report_port = pmt::intern("report");

//! Whether a tuning runs in this process. Two at a time would disturb each other's
//! measurements.
std::atomic<bool> under_way{ false };

std::vector<device_info> candidates_of(const std::string& device)
{
    // A device in the preferences replaces "auto" here, as it does in the blocks.
    return registry().find_devices(
        with_preferences({ device, "auto", "auto", "auto", 0 }).device);
}

double checked_interval(double report_s)
{
    if (report_s != 0 && !(report_s >= 0.01 && report_s <= 3600))
        ::cldsp::throw_invalid("report_s",
                               ::cldsp::number_text(report_s),
                               "0.01 to 3600, or 0 for never");
    return report_s;
}

} // namespace

/*!
 * \brief A tuning in the background. It passes the reports to its block as long as the
 * block exists.
 */
class tune_probe_impl::tuning_task : public probe_listener
{
public:
    tuning_task(tune_probe_impl& block, const probe_request& request)
        : d_block(&block),
          d_request(request),
          d_candidates(block.d_candidates),
          d_signals(block.d_signals),
          d_log(block.d_log)
    {
    }

    //! Lets the tuning begin. \throws std::runtime_error at the end of the process, or if
    //! the system gives no thread
    static void post(const std::shared_ptr<tuning_task>& task)
    {
        // If the closure is dropped, the promise is broken, and nobody waits.
        auto ended = std::make_shared<std::promise<void>>();
        task->d_ended = ended->get_future();
        const bool begins = ::cldsp::background_thread::tuning().post([task, ended] {
            task->run();
            ended->set_value();
        });
        if (!begins)
            throw std::runtime_error("the process ends");
    }

    //! Waits until the last report was passed on.
    void wait() const { d_ended.wait(); }

    //! The block ends: it gets no report any more.
    void leave()
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_block = nullptr;
    }

    void on_progress(const device_info& device,
                     const ::cldsp::device_tunable& kernel,
                     const ::cldsp::tuning_progress& progress) override
    {
        tell([&](auto& block) { block.on_progress(device, kernel, progress); });
    }
    void on_result(const device_info& device,
                   const ::cldsp::device_tunable& kernel,
                   const ::cldsp::tuning_result& result) override
    {
        tell([&](auto& block) { block.on_result(device, kernel, result); });
    }
    void on_step(std::size_t done, std::size_t of, const std::string& text) override
    {
        tell([&](auto& block) { block.on_step(done, of, text); });
    }
    void on_roofline(const device_info& device, const ::cldsp::roofline& roof) override
    {
        tell([&](auto& block) { block.on_roofline(device, roof); });
    }
    void on_error(const std::string& text) override
    {
        tell([&](auto& block) { block.on_error(text); });
    }

private:
    void run()
    {
        const auto process_ends = [] { return ::cldsp::background_thread::tuning().ending(); };
        probe_outcome outcome;
        try {
            outcome = run_probe(d_request,
                                d_candidates,
                                { [this] { return d_signals->stopped.load(); },
                                  [&] { return d_signals->ending || process_ends(); } },
                                *this,
                                d_log);
        } catch (const std::exception& e) {
            outcome.failed++;
            on_error(e.what());
        }
        if (!tell([&](auto& block) { block.on_end(outcome); }))
            under_way = false;
    }

    //! \return whether the block still exists
    template <class CALL>
    bool tell(const CALL& call)
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        if (!d_block)
            return false;
        call(*d_block);
        return true;
    }

    std::mutex d_mutex; // guards d_block, which therefore does not end in a call
    tune_probe_impl* d_block;
    const probe_request d_request;
    const std::vector<device_info> d_candidates;
    const std::shared_ptr<signals> d_signals;
    const ::cldsp::logger d_log;
    std::future<void> d_ended;
};

tune_probe::sptr tune_probe::make(const std::string& device,
                                  const std::string& what,
                                  double budget_s,
                                  const std::string& strategy,
                                  bool at_start,
                                  double report_s)
{
    return gnuradio::make_block_sptr<tune_probe_impl>(
        device, what, budget_s, strategy, at_start, report_s);
}

tune_probe_impl::tune_probe_impl(const std::string& device,
                                 const std::string& what,
                                 double budget_s,
                                 const std::string& strategy,
                                 bool at_start,
                                 double report_s)
    : gr::block(
          "tune_probe", gr::io_signature::make(0, 0, 0), gr::io_signature::make(0, 0, 0)),
      d_candidates(candidates_of(device)),
      d_request{ what, budget_s, strategy },
      d_at_start(at_start),
      d_report_s(checked_interval(report_s)),
      d_log(engine_logger({ d_logger, d_debug_logger }))
{
    d_request.check();
    message_port_register_out(report_port);
    message_port_register_in(tune_port);
    set_msg_handler(tune_port,
                    [this](const pmt::pmt_t& message) { handle_tune(message); });
    message_port_register_in(query_port);
    set_msg_handler(query_port, [this](const pmt::pmt_t&) { handle_query(); });
}

tune_probe_impl::~tune_probe_impl()
{
    end_watch();
    d_signals->ending = true;
    const std::lock_guard<std::mutex> guard(d_task_mutex);
    if (d_task && d_waits_at_end)
        d_task->wait();
    else if (d_task)
        d_task->leave();
}

bool tune_probe_impl::start()
{
    // This message is handled when every block of the flowgraph has started.
    d_begins = d_at_start;
    if (d_at_start)
        _post(tune_port, pmt::PMT_NIL);
    begin_watch();
    return gr::block::start();
}

bool tune_probe_impl::stop()
{
    end_watch();
    const std::lock_guard<std::mutex> guard(d_task_mutex);
    if (d_task) {
        d_signals->ending = true;
        d_task->wait();
        d_signals->ending = false;
    }
    return gr::block::stop();
}

void tune_probe_impl::end_watch()
{
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_watch_ended = true;
    }
    d_watch_changes.notify_all();
    if (d_watch.joinable())
        d_watch.join();
}

// A block without streams runs until a message on the system port tells it that the other
// blocks are done. A message that is still in the queue from an earlier run must not end
// this run.
void tune_probe_impl::begin_watch()
{
    while (delete_head_nowait(system_port)) {
    }
    {
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_watch_ended = false;
        d_alone_since.reset();
    }
    d_at_last_end = at_last_end([probe = weak_from_this()] {
        if (const auto held = probe.lock()) {
            auto& self = dynamic_cast<tune_probe_impl&>(*held);
            const std::lock_guard<std::mutex> guard(self.d_mutex);
            self.d_alone_since = clock::now();
            self.d_watch_changes.notify_all();
        }
    });
    if (!d_watch.joinable())
        d_watch = std::thread([this] { watch(); });
}

// Publishes reports, and ends the block some time after the other blocks have ended. If
// the flowgraph was stopped or reconfigured, stop() comes within that time; then the
// blocks that listen to this one must not be told that it is done.
void tune_probe_impl::watch()
{
    constexpr auto grace = std::chrono::milliseconds(500);
    constexpr auto forever = std::chrono::hours(1000);
    const auto interval = [this]() -> clock::duration {
        if (d_report_s == 0)
            return forever;
        return std::chrono::duration_cast<clock::duration>(
            std::chrono::duration<double>(d_report_s));
    };
    auto report_at = clock::now() + interval();
    std::unique_lock<std::mutex> lock(d_mutex);
    while (!d_watch_ended) {
        const auto end_at = d_alone_since.value_or(clock::now() + forever) + grace;
        const auto next = std::min(report_at, end_at);
        if (clock::now() < next) {
            d_watch_changes.wait_until(lock, next);
            continue;
        }
        if (next == end_at)
            d_alone_since.reset();
        lock.unlock();
        if (next == report_at) {
            handle_query();
            report_at = clock::now() + interval();
        }
        const bool others_run = next != end_at || !running_blocks().empty();
        const bool busy = d_begins || d_tuning;
        if (!others_run && !busy)
            _post(system_port, pmt::cons(pmt::mp("done"), pmt::from_long(1)));
        lock.lock();
        if (!others_run && busy)
            d_alone_since = clock::now();
    }
}

bool tune_probe_impl::tune(const std::string& what,
                           double budget_s,
                           const std::string& strategy)
{
    auto request = d_request;
    if (!what.empty())
        request.what = what;
    if (budget_s != 0)
        request.budget_s = budget_s;
    if (!strategy.empty())
        request.strategy = strategy;
    request.check();

    const std::lock_guard<std::mutex> guard(d_task_mutex);
    if (under_way.exchange(true)) {
        on_error("refused: a tuning is under way in this process");
        return false;
    }
    if (d_task)
        d_task->wait(); // the previous tuning has ended
    d_signals->stopped = false;
    d_progress = 0;
    d_tuning = true;
    set_state("tuning");
    try {
        d_task = std::make_shared<tuning_task>(*this, request);
        tuning_task::post(d_task);
    } catch (...) {
        d_task.reset();
        d_tuning = false;
        set_state("failed");
        under_way = false;
        throw;
    }
    return true;
}

void tune_probe_impl::on_end(const probe_outcome& outcome)
{
    const bool stopped =
        d_signals->stopped || d_signals->ending || ::cldsp::background_thread::tuning().ending();
    d_progress = 1;
    set_state(stopped ? "stopped" : outcome.failed && !outcome.tuned ? "failed" : "done");
    d_roofs.look_again(); // rooflines may have been measured meanwhile
    const auto report = done_report(outcome, stopped);
    d_log(::cldsp::log_level::info, report.text());
    keep(report);
    // Cleared before the report is published, because its receiver may begin another
    // tuning.
    under_way = false;
    d_tuning = false;
    message_port_pub(report_port, report.message());
}

void tune_probe_impl::keep(const probe_report& report)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_last_report = report.text();
}

void tune_probe_impl::tell(const probe_report& report)
{
    keep(report);
    message_port_pub(report_port, report.message());
}

void tune_probe_impl::set_state(const std::string& state)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_state = state;
}

void tune_probe_impl::on_progress(const device_info& device,
                                  const ::cldsp::device_tunable& kernel,
                                  const ::cldsp::tuning_progress& progress)
{
    d_progress = progress.of ? static_cast<double>(progress.done) / progress.of : 0;
    tell(progress_report(device, kernel, progress));
}

void tune_probe_impl::on_result(const device_info& device,
                                const ::cldsp::device_tunable& kernel,
                                const ::cldsp::tuning_result& result)
{
    if (result.best)
        d_speedup = result.speedup();
    tell(result_report(device, kernel, result));
}

void tune_probe_impl::on_step(std::size_t done, std::size_t of, const std::string& text)
{
    d_progress = of ? static_cast<double>(done) / of : 0;
    tell(probe_report("progress", text).add_count("done", done).add_count("of", of));
}

void tune_probe_impl::on_roofline(const device_info& device,
                                  const ::cldsp::roofline& roof)
{
    d_roofs.add(device.name, roof);
    tell(roofline_report(device, roof));
}

void tune_probe_impl::on_error(const std::string& text)
{
    d_log(::cldsp::log_level::error, text);
    tell(probe_report("error", text));
}

// No exception may leave a message handler: it would end the thread of the block, and the
// flowgraph would hang.
void tune_probe_impl::handle_tune(const pmt::pmt_t& message)
{
    try {
        const auto wish = probe_wish_of(message);
        if (wish.stop)
            stop_tuning();
        else
            tune(wish.what, wish.budget_s, wish.strategy);
    } catch (const std::exception& e) {
        on_error("message on port tune dropped: " +
                 beginning_of(e.what(), max_error_characters));
    }
    d_begins = false;
}

void tune_probe_impl::handle_query()
{
    try {
        for (const auto& device : probe_targets(d_candidates))
            if (const auto roof = d_roofs.find(device.name))
                message_port_pub(report_port, roofline_report(device, *roof).message());
        message_port_pub(report_port, blocks_report(statistics()).message());
    } catch (const std::exception& e) {
        on_error(std::string("message on port query dropped: ") + e.what());
    }
}

std::map<std::string, double> tune_probe_impl::roofline() const
{
    std::string device = d_roofs.last();
    if (device.empty())
        device = probe_targets(d_candidates).front().name;
    std::map<std::string, double> figures;
    if (const auto roof = d_roofs.find(device))
        for (const auto& figure : ::cldsp::roofline_figures())
            figures[figure.name] = (*roof).*figure.value;
    return figures;
}

std::vector<block_statistics> tune_probe_impl::statistics() const
{
    return running_statistics(d_roofs);
}

std::string tune_probe_impl::last_report() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_last_report;
}

std::string tune_probe_impl::tuning_state() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_state;
}

} // namespace cldsp
} // namespace gr
