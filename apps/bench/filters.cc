// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Workloads of filters and banks, by every variant of each device.

#include "base/reason.h"
#include "bench/plans.h"
#include "bench/workloads.h"
#include "output.h"

#include "common/text.h"
#include "filters/bank_candidates.h"
#include "filters/bank_workloads.h"

#include <algorithm>
#include <exception>
#include <memory>

namespace cldsp::app {

namespace {

using namespace cldsp::bench;

constexpr std::size_t ladder_items = 8340; // items of a call in a flowgraph
constexpr std::size_t quick_items = ladder_items;

//! The group of a device's kernels that is measured.
enum class kernels { of_production, of_fast_convolution, of_the_ladder };

bool belongs_to(const variant_info& variant, kernels which)
{
    switch (which) {
    case kernels::of_production:
        return variant.production;
    case kernels::of_fast_convolution:
        return variant.production && variant.algorithm == "fast_convolution";
    case kernels::of_the_ladder:
        return variant.algorithm == "direct";
    }
    return false;
}

std::string filter_text(const workload& filter)
{
    std::string text = std::to_string(filter.taps) + " taps, decimation " +
                       std::to_string(filter.decimation);
    if (filter.input != sample_type::fc32)
        text += std::string(", ") + sample_type_name(filter.input) + " input";
    return text;
}

//! A candidate before it is made.
struct wished {
    device_info device;
    engine_wish wish;
};

//! Every variant of each device, and the engine's own choice among them; for a bank also
//! all devices working together.
std::vector<wished> wishes(const bench_session& session, bool is_bank, kernels which)
{
    std::vector<wished> all;
    for (const auto& device : session.wish().devices)
        for (const auto& variant : freq_xlating_fir_variants()) {
            if (variant.host != device.is_host() || !belongs_to(variant, which) ||
                !session.wish().wants(variant.name) ||
                (variant.name == "dft_bank" && !is_bank))
                continue;
            engine_wish wish;
            wish.device = device.id();
            wish.algorithm = variant.algorithm;
            wish.variant = variant.name;
            all.push_back({ device, wish });
        }
    const bool shared = is_bank && !session.wish().shared.empty();
    if ((session.wish().automatic || shared) && session.wish().wants("auto") &&
        which != kernels::of_the_ladder) {
        engine_wish wish;
        if (shared)
            wish.device = session.wish().shared;
        if (which == kernels::of_fast_convolution)
            wish.algorithm = "fast_convolution";
        all.push_back({ {}, wish });
    }
    return all;
}

void hold_against_the_roof(bench_session& session,
                           const bank_workload& work,
                           const std::vector<device_info>& known,
                           bench_row& row)
{
    const auto& m = row.measured;
    const auto* device = device_of(m, known);
    if (!m.failure.empty() || !device)
        return;
    const std::size_t outputs = m.items / work.filter.decimation;
    row.work = filter_work(make_bank_problem(work),
                           m.plan->variant,
                           m.plan->ifft_size,
                           engine_wish().accuracy,
                           outputs);
    // One filter runs on one thread of the host.
    const unsigned threads = device->is_host() && !work.is_bank() ? 1 : 0;
    const double kernel = m.kernel_median_seconds();
    row.roof_part = row.work.fraction_of(session.roof(*device, threads),
                                         kernel > 0 ? kernel : m.median_seconds());
}

//! The workload with the input that is asked for.
bank_workload with_input(bank_workload work, const bench_wish& wish)
{
    if (wish.input)
        work.filter.input = *wish.input;
    return work;
}

bench_table measure_filter(bench_session& session,
                           const bank_workload& usual,
                           const std::string& name,
                           std::size_t usual_items,
                           kernels which)
{
    const auto work = with_input(usual, session.wish());
    const std::size_t items =
        session.wish().items_of(usual_items, std::min(usual_items, quick_items));
    bench_table result;
    result.workload = name;
    result.title =
        (work.is_bank() ? std::to_string(work.channels) + " channels of " : "") +
        filter_text(work.filter) + ", " + items_text(items) + " items per call";
    const call_memory memory(work, items);
    std::vector<std::unique_ptr<candidate>> candidates;
    std::vector<wished> made;
    const auto wanted = wishes(session, work.is_bank(), which);
    const auto tell = terminal_progress(result.workload);
    for (std::size_t i = 0; i < wanted.size(); i++) {
        const auto& w = wanted[i];
        tell(i, wanted.size(), "making " + w.wish.device + " " + w.wish.variant);
        try {
            candidates.push_back(
                make_filter_candidate(work, memory, w.wish, session.registry()));
            made.push_back(w);
        } catch (const std::exception& e) {
            bench_row row;
            row.device = w.wish.device;
            row.method = w.wish.variant;
            row.left_out = reason_of(e);
            result.rows.push_back(row);
        }
    }
    const expected_channels expected(work, memory);
    const auto measured = measure_filters(
        candidates,
        session.wish().how,
        [&](candidate& filter) { return expected.error_db(filter); },
        terminal_progress(result.workload));
    end_progress();

    const auto known = session.devices();
    std::vector<bench_row> rows;
    for (std::size_t i = 0; i < measured.size(); i++) {
        bench_row row;
        row.device = made[i].wish.device;
        row.method = made[i].wish.variant;
        row.measured = measured[i];
        row.ran = what_ran(measured[i]);
        hold_against_the_roof(session, work, known, row);
        rows.push_back(std::move(row));
    }
    result.rows.insert(result.rows.begin(), rows.begin(), rows.end());
    return result;
}

} // namespace

std::vector<bench_workload> filter_workloads()
{
    std::vector<bench_workload> all;
    for (const auto& work : all_bank_workloads()) {
        const std::string filter = filter_text(work.filter);
        const auto add = [&, work](const std::string& name,
                                   const std::string& description,
                                   kernels which) {
            all.push_back({ name,
                            description,
                            which == kernels::of_production && work.by_default,
                            [=](bench_session& session) {
                                return measure_filter(
                                    session, work, name, work.items, which);
                            } });
        };
        add(work.name,
            work.is_bank() ? std::to_string(work.channels) + " channels of " + filter
                           : filter,
            kernels::of_production);
        add(work.name + "-fast",
            "the same by fast convolution alone",
            kernels::of_fast_convolution);
    }
    all.push_back({ "ladder",
                    "every kernel of the direct algorithm on W1 in small calls",
                    false,
                    [](bench_session& session) {
                        return measure_filter(session,
                                              find_bank_workload("W1"),
                                              "ladder",
                                              ladder_items,
                                              kernels::of_the_ladder);
                    } });
    return all;
}

} // namespace cldsp::app
