/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe/running_blocks.h"
#include "probe/tune_probe_impl.h"
#include <algorithm>
#include <chrono>

namespace gr {
namespace cldsp {

namespace {

using clock = std::chrono::steady_clock;

const pmt::pmt_t system_port = pmt::intern("system"); // of every block

} // namespace

// A block without streams runs until a message tells it that the others are done. What
// is left of such a message from an earlier run must not end this one.
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

// Publishes reports, and ends the block some time after the others have ended: if the
// flowgraph is stopped or reconfigured this block is stopped too by then, and who listens
// to it must not hear that it is done.
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

} // namespace cldsp
} // namespace gr
