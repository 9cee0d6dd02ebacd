// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Times the planner's choice against the best forced one, and its first use.

#include "filters/auto_judge.h"

#include "common/scratch_folder.h"
#include "filters/auto_problems.h"

#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

// A choice whose call takes this many times as long as auto's is not measured further.
constexpr double hopeless = 20;
constexpr std::size_t finalists = 3;
constexpr std::size_t worst_shown = 10;
constexpr double good_ratio = 0.9;

struct verdict {
    bank_workload work;
    std::size_t items = 0;
    measurement automatic;
    std::string best;       //!< a plan; the plan of auto itself if no choice was faster
    double ratio = 1;       //!< speed of auto divided by that of the best choice, at most
                            //!< 1
    double noise = 0;       //!< the same ratio for auto's own choice, forced by name; 0:
                            //!< not known
    double first_use = 0;   //!< seconds to construct the filter with nothing remembered
    double second_use = 0;  //!< seconds to construct it again with the remembered results
    std::size_t forced = 0; //!< number of choices that were tried
    std::size_t hopeless = 0; //!< number of these choices that were dropped after a call
                              //!< or two
    std::vector<std::string> left_out;
};

template <class Action>
double seconds_for(const Action& action)
{
    const auto start = clock::now();
    action();
    return std::chrono::duration<double>(clock::now() - start).count();
}

using candidates = std::vector<std::unique_ptr<candidate>>;

std::vector<measurement>
measure_quietly(const candidates& all, const measuring& how, const std::string& what)
{
    return measure(
        all, how, [](const candidate&) { return nullptr; }, terminal_progress(what));
}

//! Makes the candidate auto, then every forced choice that is not far slower.
candidates worth_a_look(verdict& v,
                        std::unique_ptr<candidate> automatic,
                        const call_memory& memory,
                        context_registry& registry)
{
    const auto call = [](candidate& c) {
        c.begin();
        double seconds = seconds_for([&] { c.call(); });
        if (seconds < 0.1) // the first call also pages memory in
            seconds = std::min(seconds, seconds_for([&] { c.call(); }));
        c.end();
        return seconds;
    };
    const double limit = hopeless * call(*automatic);
    candidates result;
    result.push_back(std::move(automatic));
    for (const auto& choice : forced_choices(v.work, memory, registry)) {
        try {
            auto forced = choice.make(v.work, memory, registry);
            v.forced++;
            if (call(*forced) > limit)
                v.hopeless++;
            else
                result.push_back(std::move(forced));
        } catch (const std::exception& e) {
            v.left_out.push_back(choice.wish.variant + " on " + choice.wish.device +
                                 ": " + e.what());
        }
    }
    return result;
}

//! After a short measurement of many choices the best one is partly due to chance, so the
//! fastest ones are measured again.
void compare_with_best(verdict& v, candidates all, const measuring& how)
{
    measuring look = how;
    look.repetitions = 2;
    look.seconds = how.seconds / 5;
    const auto looks = measure_quietly(all, look, v.work.name);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 1; i < all.size(); i++)
        if (looks[i].failure.empty())
            order.push_back({ looks[i].median_seconds(), i });
    std::sort(order.begin(), order.end());
    candidates last;
    last.push_back(std::move(all[0]));
    for (std::size_t i = 0; i < std::min(finalists, order.size()); i++)
        last.push_back(std::move(all[order[i].second]));

    const auto measured = measure_quietly(last, how, v.work.name);
    const double error_db = v.automatic.error_db;
    v.automatic = measured[0];
    v.automatic.error_db = error_db;
    v.best = v.automatic.note;
    for (std::size_t i = 1; i < measured.size(); i++) {
        // Each repetition is compared with the neighbouring one.
        std::vector<double> parts;
        const auto& seconds = measured[i].seconds;
        const auto& own = v.automatic.seconds;
        for (std::size_t r = 0; r < std::min(seconds.size(), own.size()); r++)
            parts.push_back(seconds[r] / own[r]);
        if (parts.empty())
            continue;
        // This is auto's own choice, so that its difference from auto is the error of the
        // measurement.
        if (measured[i].note == v.automatic.note) {
            v.noise = median(parts);
        } else if (median(parts) < v.ratio) {
            v.ratio = median(parts);
            v.best = measured[i].note;
        }
    }
}

verdict judge(const bank_workload& work, const benchmark_run& run)
{
    verdict v;
    v.work = work;
    const auto& chunks = run.opts.chunks;
    const call_memory memory(work, *std::min_element(chunks.begin(), chunks.end()));
    v.items = memory.items();

    const scratch_folder folder;
    auto options = make_context_options(run.opts.verbose);
    options.cache_folder = folder.path();
    options.wisdom_file = true;
    std::unique_ptr<candidate> automatic;
    {
        const auto first = std::make_shared<context_registry>(options);
        fftwf_forget_wisdom();
        v.first_use = seconds_for([&] {
            if (run.opts.while_running)
                plan_while_running(work, memory, first);
            else
                automatic = make_filter_candidate(work, memory, {}, *first);
        });
        automatic.reset();
    }
    context_registry registry(options);
    fftwf_forget_wisdom();
    v.second_use = seconds_for(
        [&] { automatic = make_filter_candidate(work, memory, {}, registry); });

    const expected_channels expected(work, memory);
    v.automatic.error_db = expected.error_db(*automatic);
    compare_with_best(
        v, worth_a_look(v, std::move(automatic), memory, registry), run.opts.how);
    end_progress();
    return v;
}

nlohmann::json to_json(const verdict& v)
{
    return { { "workload", v.work.name },
             { "taps", v.work.filter.taps },
             { "decimation", v.work.filter.decimation },
             { "channels", v.work.channels },
             { "items", v.items },
             { "plan", v.automatic.note },
             { "msps", v.automatic.items_per_second() / 1e6 },
             { "best", v.best },
             { "ratio", v.ratio },
             { "noise", v.noise },
             { "first_use_s", v.first_use },
             { "second_use_s", v.second_use },
             { "forced", v.forced },
             { "hopeless", v.hopeless },
             { "left_out", v.left_out },
             { "error_db", v.automatic.error_db },
             { "bound_db", v.automatic.bound_db },
             { "correct", v.automatic.correct() } };
}

std::string markdown(const std::vector<const verdict*>& verdicts)
{
    table t({ "problem",
              "taps",
              "decimation",
              "channels",
              "auto took",
              "MS/s",
              "the best",
              "auto / best",
              "auto / itself",
              "of choices",
              "first use s",
              "later s" });
    for (const auto* v : verdicts)
        t.add({ v->work.name,
                std::to_string(v->work.filter.taps),
                std::to_string(v->work.filter.decimation),
                std::to_string(v->work.channels),
                v->automatic.note + (v->automatic.correct() ? "" : " WRONG"),
                number(v->automatic.items_per_second() / 1e6),
                v->best == v->automatic.note ? "the same" : v->best,
                number(v->ratio),
                v->noise > 0 ? number(v->noise) : "-",
                std::to_string(v->forced),
                number(v->first_use),
                number(v->second_use) });
    return t.markdown();
}

std::string summary(const std::vector<verdict>& all)
{
    std::vector<double> ratios, later, added;
    for (const auto& v : all) {
        ratios.push_back(v.ratio);
        later.push_back(v.second_use);
        added.push_back(v.first_use - v.second_use);
    }
    const auto below = std::count_if(
        ratios.begin(), ratios.end(), [](double r) { return r < good_ratio; });
    return std::to_string(all.size()) + " problems: auto / best is " +
           number(median(ratios)) + " in the median, " +
           number(*std::min_element(ratios.begin(), ratios.end())) + " at worst, below " +
           number(good_ratio) + " for " + std::to_string(below) + "; first use takes " +
           number(median(added)) + " s longer than a later one (" +
           number(median(later)) + " s) in the median, " +
           number(*std::max_element(added.begin(), added.end())) + " s at worst\n";
}

} // namespace

void judge_auto(benchmark_run& run)
{
    auto problems = run.opts.banks;
    const auto& wanted = run.opts.problems;
    for (const auto& work : random_problems(run.opts.random_problems, run.opts.seed))
        if (wanted.empty() ||
            std::any_of(wanted.begin(), wanted.end(), [&](std::size_t number) {
                return work.name == "random " + std::to_string(number);
            }))
            problems.push_back(work);
    std::vector<verdict> verdicts;
    nlohmann::json results = nlohmann::json::array();
    for (const auto& work : problems) {
        verdicts.push_back(judge(work, run));
        const auto& v = verdicts.back();
        for (const auto& reason : v.left_out)
            std::cout << "  left out: " << work.name << ", " << reason << "\n";
        run.all_correct = run.all_correct && v.automatic.correct();
        results.push_back(to_json(v));
    }

    run.report["auto"].push_back({ { "seed", run.opts.seed }, { "results", results } });

    const auto named = static_cast<std::ptrdiff_t>(run.opts.banks.size());
    std::vector<const verdict*> workloads, worst;
    for (const auto& v : verdicts)
        (std::distance(&*verdicts.cbegin(), &v) < named ? workloads : worst)
            .push_back(&v);
    std::sort(worst.begin(), worst.end(), [](const verdict* a, const verdict* b) {
        return a->ratio < b->ratio;
    });
    worst.resize(std::min(worst.size(), worst_shown));
    std::cout << "auto against every forced choice, "
              << items_text(
                     *std::min_element(run.opts.chunks.begin(), run.opts.chunks.end()))
              << " items per call\n\n"
              << markdown(workloads) << "\n";
    if (!worst.empty())
        std::cout << "The worst of the random problems (seed " << run.opts.seed << ")\n\n"
                  << markdown(worst) << "\n";
    std::cout << summary(verdicts) << "\n" << std::flush;
}

} // namespace cldsp::bench
