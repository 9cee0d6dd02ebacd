// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes results, statistics of blocks and fractions of the roofline into reports.

#include "block_support.h"
#include "probe/report.h"
#include "probe/running_blocks.h"
#include <gnuradio/cldsp/engine_info.h>
#include <cldsp/errors.h>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>

namespace gr {
namespace cldsp {

namespace {

std::string microseconds(double seconds)
{
    return ::cldsp::number_text(seconds * 1e6, 4) + " us";
}

std::string counted(std::size_t count, const std::string& what)
{
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

//! Begins a report on a kernel with the keys that all of these reports have.
probe_report kernel_report(const std::string& event,
                           const std::string& text,
                           const ::cldsp::device_info& device,
                           const ::cldsp::device_tunable& kernel)
{
    probe_report report(event, kernel.family() + " on " + device.name + ": " + text);
    report.add("device", device.name);
    report.add("family", kernel.family());
    report.add("problem", kernel.problem().text());
    return report;
}

void hold_against_roof(block_statistics& s, const replannable& block, probe_roofs& roofs)
{
    s.renewals = block.renewals();
    const auto work = block.average_work();
    if (work.operations <= 0 || s.kernel_time <= 0)
        return;
    s.operations = work.operations / s.kernel_time;
    if (const auto roof = roofs.find(s.device))
        s.roof_fraction = work.fraction_of(*roof, s.kernel_time);
}

//! The number of rooflines that the probes of this process have measured or read.
std::atomic<std::size_t> measured_rooflines{ 0 };

} // namespace

probe_report::probe_report(const std::string& event, const std::string& text)
    : d_text(text), d_message(pmt::make_dict())
{
    add("event", event);
    add("text", text);
}

probe_report& probe_report::add(const char* key, const pmt::pmt_t& value)
{
    d_message = pmt::dict_add(d_message, pmt::intern(key), value);
    return *this;
}
probe_report& probe_report::add(const char* key, const std::string& value)
{
    return add(key, pmt::intern(value));
}
probe_report& probe_report::add(const char* key, double value)
{
    return add(key, pmt::from_double(value));
}
probe_report& probe_report::add_count(const char* key, std::uint64_t value)
{
    return add(key, pmt::from_uint64(value));
}
probe_report& probe_report::add_flag(const char* key, bool value)
{
    return add(key, pmt::from_bool(value));
}

probe_report progress_report(const ::cldsp::device_info& device,
                             const ::cldsp::device_tunable& kernel,
                             const ::cldsp::tuning_progress& progress)
{
    std::string text =
        std::to_string(progress.done) + " of " + std::to_string(progress.of) + " points";
    if (progress.best)
        text += ", best " + microseconds(progress.best->seconds);
    auto report = kernel_report("progress", text, device, kernel);
    report.add_count("done", progress.done)
        .add_count("of", progress.of)
        .add("seconds", progress.seconds);
    if (progress.best)
        report.add("best", progress.best->seconds);
    if (const auto* current = progress.current) {
        report.add("point", current->point.text());
        if (current->good())
            report.add("current", current->seconds);
        else
            report.add("failure", current->failure);
    }
    return report;
}

probe_report result_report(const ::cldsp::device_info& device,
                           const ::cldsp::device_tunable& kernel,
                           const ::cldsp::tuning_result& result)
{
    auto report = kernel_report("result", result.text(), device, kernel);
    report.add("default_seconds", result.default_seconds)
        .add("seconds", result.seconds)
        .add("speedup", result.speedup())
        .add("point",
             result.best ? result.points[*result.best].point.text() : std::string())
        .add_flag("confirmed", result.confirmed)
        .add_count("points", result.points.size())
        .add_count("failed", result.failed);
    return report;
}

probe_report roofline_report(const ::cldsp::device_info& device,
                             const ::cldsp::roofline& roof)
{
    const auto giga = [](double value) { return ::cldsp::number_text(value * 1e-9, 4); };
    probe_report report("roofline",
                        device.name + ": " + giga(roof.fp32) +
                            " GFLOP/s, global memory " +
                            giga(std::max(roof.global_read, roof.global_copy)) +
                            " GB/s, nearest " + giga(roof.local) + " GB/s");
    report.add("device", device.name);
    for (const auto& figure : ::cldsp::roofline_figures())
        report.add(figure.name, roof.*figure.value);
    return report;
}

probe_report blocks_report(const std::vector<block_statistics>& blocks)
{
    pmt::pmt_t all = pmt::make_dict();
    for (const auto& block : blocks) {
        pmt::pmt_t entry = pmt::make_dict();
        const auto add = [&](const char* key, const pmt::pmt_t& value) {
            entry = pmt::dict_add(entry, pmt::intern(key), value);
        };
        add("device", pmt::intern(block.device));
        add("algorithm", pmt::intern(block.algorithm));
        add("variant", pmt::intern(block.variant));
        add("transfer", pmt::intern(block.transfer));
        add("plan", pmt::intern(block.plan));
        add("kernel_time", pmt::from_double(block.kernel_time));
        add("transfer_time", pmt::from_double(block.transfer_time));
        add("samples", pmt::from_uint64(block.samples));
        add("renewals", pmt::from_uint64(block.renewals));
        add("operations", pmt::from_double(block.operations));
        add("roof_fraction", pmt::from_double(block.roof_fraction));
        add("fell_back", pmt::from_bool(block.fell_back));
        all = pmt::dict_add(all, pmt::intern(block.alias), entry);
    }
    return probe_report("blocks", counted(blocks.size(), "block") + " running")
        .add("blocks", all);
}

probe_report done_report(const probe_outcome& outcome, bool stopped)
{
    std::string text = outcome.note;
    if (text.empty())
        text = counted(outcome.tuned, "kernel") + " tuned, " +
               counted(outcome.renewed, "block") +
               (outcome.renewed == 1 ? " chose its variant again"
                                     : " chose their variants again");
    if (outcome.failed)
        text += "; " + counted(outcome.failed, "failure");
    if (stopped)
        text += "; it was stopped";
    return probe_report("done", text)
        .add_count("tuned", outcome.tuned)
        .add_count("renewed", outcome.renewed)
        .add_count("failed", outcome.failed)
        .add_flag("stopped", stopped);
}

std::vector<block_statistics> running_statistics(probe_roofs& roofs)
{
    std::vector<block_statistics> all;
    for (const auto& block : running_blocks()) {
        const auto* info = dynamic_cast<const engine_info*>(block.get());
        if (!info)
            continue;
        block_statistics s;
        s.alias = block->alias();
        s.device = info->device_name();
        s.algorithm = info->algorithm_name();
        s.variant = info->variant_name();
        s.transfer = info->transfer_name();
        s.plan = info->plan();
        s.kernel_time = info->kernel_time_avg();
        s.transfer_time = info->transfer_time_avg();
        s.fell_back = info->fell_back();
        if (auto* streaming = dynamic_cast<gr::block*>(block.get()))
            s.samples = streaming->nitems_written(0);
        if (const auto* planned = dynamic_cast<const replannable*>(block.get()))
            hold_against_roof(s, *planned, roofs);
        all.push_back(std::move(s));
    }
    return all;
}

void probe_roofs::add(const std::string& device, const ::cldsp::roofline& roof)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_roofs[device] = roof;
    d_last = device;
    measured_rooflines++;
}

std::optional<::cldsp::roofline> probe_roofs::find(const std::string& device)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const std::size_t measured = measured_rooflines;
    if (d_measured != measured)
        forget_unknown();
    d_measured = measured;
    const auto known = d_roofs.find(device);
    if (known != d_roofs.end())
        return known->second;
    auto& roof = d_roofs[device];
    for (const auto& candidate : registry().find_devices("auto")) {
        if (candidate.name != device)
            continue;
        try {
            roof = known_roofline(candidate);
        } catch (const std::exception&) { // the kernel folder lacks this kernel
        }
        break;
    }
    return roof;
}

void probe_roofs::look_again()
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    forget_unknown();
}

void probe_roofs::forget_unknown()
{
    for (auto it = d_roofs.begin(); it != d_roofs.end();)
        it = it->second ? std::next(it) : d_roofs.erase(it);
}

std::string probe_roofs::last() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_last;
}

} // namespace cldsp
} // namespace gr
