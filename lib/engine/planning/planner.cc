// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses a candidate: a remembered one, or the fastest of those that compute correctly.

#include "base/reason.h"
#include "planning/planner.h"

#include "base/json_value.h"
#include "fft/fftw_plan.h"
#include "fft/vkfft_plan.h"
#include "opencl/kernel_source.h"
#include "planning/measurement.h"
#include "storage/host_identity.h"

#include <cldsp/errors.h>
#include <cldsp/plan_log.h>
#include <cldsp/told_lines.h>
#include <cldsp/wisdom.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <utility>

namespace cldsp {

namespace {

// The factor by which a new plan has to be faster to be worth measuring.
constexpr double clearly_faster = 1.25;

// The kinds of this file's answers in the wisdom.
constexpr const char* plan_kind = "plans";
constexpr const char* check_kind = "checks";

//! Chooses the candidate that computes one problem.
class choosing
{
public:
    choosing(const plan_request& request,
             const std::vector<plan_candidate>& candidates,
             context_registry& registry)
        : d_request(request),
          d_candidates(candidates),
          d_registry(registry),
          d_key(plan_key(request, candidates, registry))
    {
    }

    plan_choice run()
    {
        const bool measuring = d_candidates.size() > 1 && d_request.measuring;
        if (measuring)
            if (auto choice = remembered())
                return logged(std::move(*choice));
        if (d_request.at_once)
            return at_once(measuring);
        if (measuring) {
            tell_wait(d_registry, d_request.log, names_of_devices(), longest_seconds());
            d_measured = measure_candidates(
                d_request,
                d_candidates,
                d_failed,
                [this](auto index, auto error) { report(index, error); },
                [this](auto index, auto& trial) { verify(index, trial); });
            compare_with_running();
        }
        log_measured();
        // The fastest candidate that still works; otherwise the best predicted one that
        // works.
        for (auto& m : d_measured) {
            if (auto trial = ready(m.index, std::move(m.trial)))
                return logged(remember(choice_of(
                    m.index, rate(m.seconds), next_to(m.index), std::move(trial))));
        }
        for (const auto index : by_prediction())
            if (auto trial = ready(index))
                return logged(choice_of(index, 0, next_to(index), std::move(trial)));
        give_up();
    }

private:
    //! Beside a stream that takes all processors, whatever computes on these looks slow.
    //! The stream's own engine tells by how much.
    void compare_with_running()
    {
        const auto running = d_request.running ? d_request.running() : running_rate();
        const auto same =
            std::find_if(d_measured.begin(), d_measured.end(), [&](const auto& m) {
                const auto its = d_candidates[m.index].as_plan();
                return its.engine() == running.plan.engine() &&
                       its.transfer == running.plan.transfer;
            });
        if (same == d_measured.end() || !(running.items_per_second > 0))
            return;
        const double factor = running.items_per_second / rate(same->seconds);
        if (factor <= 1)
            return;
        const auto seconds = [&](const plan_measurement& m) {
            return handicapped(d_candidates[m.index], m.seconds);
        };
        for (auto& m : d_measured)
            if (const auto kind = d_candidates[m.index].device.kind;
                kind == device_kind::host || kind == device_kind::cpu)
                m.seconds /= factor;
        std::stable_sort(d_measured.begin(), d_measured.end(), [&](auto& a, auto& b) {
            return seconds(a) < seconds(b);
        });
    }

    //! The best predicted candidate on the host.
    //! \param measuring whether a measurement may prefer another one later
    plan_choice at_once(bool measuring)
    {
        bool device_first = false;
        for (const auto index : by_prediction()) {
            if (!d_candidates[index].device.is_host()) {
                device_first = true;
                continue;
            }
            auto trial = ready(index);
            if (!trial)
                continue;
            auto choice = choice_of(index, 0, next_to(index), std::move(trial));
            choice.plan.provisional = measuring || device_first;
            return logged(std::move(choice));
        }
        if (!device_first)
            give_up();
        plan_choice none;
        none.plan.provisional = true;
        return none;
    }

    //! A rate as text for people.
    std::string spoken(double items_per_second) const
    {
        return number_text(items_per_second / d_request.unit_items, 4) + ' ' +
               d_request.unit;
    }

    double rate(double seconds) const
    {
        return seconds > 0 ? static_cast<double>(d_request.items) / seconds : 0;
    }

    std::vector<std::size_t> by_prediction() const
    {
        std::vector<std::size_t> sorted(d_candidates.size());
        for (std::size_t i = 0; i < sorted.size(); i++)
            sorted[i] = i;
        std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) {
            return handicapped(d_candidates[a], d_candidates[a].predicted) <
                   handicapped(d_candidates[b], d_candidates[b].predicted);
        });
        return sorted;
    }

    std::vector<std::string> names_of_devices() const
    {
        std::vector<std::string> names;
        for (const auto& c : d_candidates)
            if (!c.device.is_host() &&
                std::find(names.begin(), names.end(), c.device.name) == names.end())
                names.push_back(c.device.name);
        return names;
    }

    //! The time for making the candidates and for measuring them, see
    //! measure_candidates().
    double longest_seconds() const { return d_request.seconds * (1 + making_share); }

    //! The rate of the host's fastest candidate; 0: none was measured.
    double host_rate() const
    {
        for (const auto& m : d_measured)
            if (d_candidates[m.index].device.is_host() && !d_failed.count(m.index))
                return rate(m.seconds);
        return 0;
    }

    //! Logs and remembers why a candidate is left out.
    void report(std::size_t index, std::exception_ptr error)
    {
        d_failed.insert(index);
        const std::string what = d_candidates[index].describe() + " is left out: ";
        try {
            std::rethrow_exception(error);
        } catch (const std::invalid_argument& e) {
            d_misfit = error;
            log_to(d_request.log, log_level::debug, what + e.what());
        } catch (const std::exception& e) {
            d_failure = error;
            d_broken.insert(index);
            d_lacked_memory =
                d_lacked_memory || dynamic_cast<const std::bad_alloc*>(&e) != nullptr;
            // What a device refuses it mostly refuses all candidates, for every block.
            const auto& device = d_candidates[index].device;
            const bool is_new = d_registry.told().is_new(
                device.id() + " " + device.name + " failed: " + reason_of(e));
            log_to(d_request.log,
                   is_new ? log_level::warning : log_level::debug,
                   what + reason_of(e));
        }
    }

    //! The key of a successful check. Checks are kept in memory only, because another
    //! driver may be installed before the next process starts.
    std::string check_key(std::size_t index) const
    {
        return d_candidates[index].describe() + " for " + d_key;
    }

    void verify(std::size_t index, plan_trial& trial)
    {
        const auto compared = trial.check();
        if (!compared.is_right())
            throw wrong_outputs(d_candidates[index].device.name, compared.text());
        d_registry.wisdom().store_in_memory(check_kind, check_key(index), "right");
    }

    //! Compares the outputs of a device that was not measured, once in a process.
    void verify_once(std::size_t index, plan_trial& trial)
    {
        if (d_candidates[index].device.is_host() ||
            !d_registry.wisdom().find(check_kind, check_key(index)).empty())
            return;
        trial.prepare(trial_call::brief);
        verify(index, trial);
    }

    //! Returns a candidate that can compute: \p trial, or a new one. Null if it fails.
    std::unique_ptr<plan_trial> ready(std::size_t index,
                                      std::unique_ptr<plan_trial> trial = nullptr)
    {
        if (d_failed.count(index))
            return nullptr;
        throw_if_stopped(d_request);
        try {
            if (!trial) {
                trial = d_candidates[index].make();
                verify_once(index, *trial);
            }
            trial->finish();
            return trial;
        } catch (const std::exception&) {
            report(index, std::current_exception());
            return nullptr;
        }
    }

    [[noreturn]] void give_up() const
    {
        // If a device failed, the problem may fit the host. The caller then uses the host
        // instead.
        if (d_failure)
            std::rethrow_exception(d_failure);
        if (d_misfit)
            std::rethrow_exception(d_misfit);
        throw std::invalid_argument("there is nothing to choose from");
    }

    plan_choice logged(plan_choice choice) const
    {
        tell_details(d_request.log, choice.plan);
        return choice;
    }

    void log_measured() const
    {
        if (d_measured.empty())
            return;
        std::string text = "measured:";
        for (const auto& m : d_measured)
            text += (&m == &d_measured.front() ? " " : "; ") +
                    d_candidates[m.index].describe() + " " + spoken(rate(m.seconds));
        log_to(d_request.log, log_level::debug, text);
    }

    //! Whether two candidates differ in more than the block size. Such a runner-up tells
    //! people more than the winner with another block size.
    bool differs(std::size_t a, std::size_t b) const
    {
        const auto& one = d_candidates[a];
        const auto& other = d_candidates[b];
        return one.algorithm != other.algorithm || one.variant != other.variant ||
               one.device.id() != other.device.id();
    }

    std::string next_to(std::size_t chosen) const
    {
        const auto named = [&](std::size_t index, const std::string& speed) {
            return d_candidates[index].describe() + " " + speed;
        };
        for (const bool other_kind : { true, false })
            for (const auto& m : d_measured)
                if (m.index != chosen && !d_failed.count(m.index) &&
                    (!other_kind || differs(m.index, chosen)))
                    return named(m.index, spoken(rate(m.seconds)));
        for (const bool other_kind : { true, false })
            for (const auto i : by_prediction())
                if (i != chosen && !d_failed.count(i) &&
                    (!other_kind || differs(i, chosen)))
                    return named(i,
                                 "predicted " + spoken(rate(d_candidates[i].predicted)));
        return "nothing else";
    }

    plan_choice choice_of(std::size_t index,
                          double measured,
                          const std::string& next,
                          std::unique_ptr<plan_trial> trial = nullptr) const
    {
        plan_choice choice{ index, d_candidates[index].as_plan(), std::move(trial) };
        choice.plan.predicted = rate(d_candidates[index].predicted);
        choice.plan.measured = measured;
        choice.plan.host_measured = host_rate();
        choice.plan.runner_up = next;
        choice.plan.placeholder = d_request.placeholder;
        choice.plan.unit = d_request.unit;
        choice.plan.unit_rate = d_request.unit_items;
        return choice;
    }

    //! Whether some device could compute nothing at all. It may work another time, so the
    //! plan is not kept on disk.
    bool device_was_out_of_order() const
    {
        return std::any_of(d_broken.begin(), d_broken.end(), [&](auto broken) {
            const auto id = d_candidates[broken].device.id();
            for (std::size_t i = 0; i < d_candidates.size(); i++)
                if (d_candidates[i].device.id() == id && !d_failed.count(i))
                    return false;
            return true;
        });
    }

    plan_choice remember(plan_choice choice) const
    {
        const auto& c = d_candidates[choice.index];
        const json_value answer =
            json_value::object{ { "device", c.device.id() },
                                { "algorithm", c.algorithm },
                                { "variant", c.variant },
                                { "transfer", c.transfer },
                                { "precision", c.precision },
                                { "rows", c.ifft_size },
                                { "measured", choice.plan.measured },
                                { "host", choice.plan.host_measured },
                                { "next", choice.plan.runner_up } };
        const auto text = answer.print();
        if (d_lacked_memory || device_was_out_of_order())
            d_registry.wisdom().store_in_memory(plan_kind, d_key, text);
        else
            d_registry.wisdom().store(plan_kind, d_key, text);
        return choice;
    }

    //! The remembered answer, if there is one that still works.
    std::optional<plan_choice> remembered()
    {
        const auto text = d_registry.wisdom().find(plan_kind, d_key);
        if (text.empty())
            return std::nullopt;
        // If this program did not write the answer, a measurement gives a new one.
        const auto answer = json_value::parse(text).value_or(json_value());
        const auto measured = answer["measured"].number();
        const auto next = answer["next"].text();
        for (std::size_t i = 0; measured && next && i < d_candidates.size(); i++) {
            const auto& c = d_candidates[i];
            if (answer["device"].text() != c.device.id() ||
                answer["algorithm"].text() != c.algorithm ||
                answer["variant"].text() != c.variant ||
                answer["transfer"].text() != c.transfer ||
                answer["precision"].text().value_or("") != c.precision ||
                answer["rows"].count() != c.ifft_size)
                continue;
            if (d_request.at_once && !c.device.is_host())
                return std::nullopt;
            auto choice = choice_of(i, *measured, std::string(*next));
            choice.plan.remembered = true;
            choice.plan.host_measured = answer["host"].number().value_or(0);
            choice.trial = ready(i);
            if (choice.trial)
                return choice;
            break;
        }
        d_registry.wisdom().forget(plan_kind, d_key);
        return std::nullopt;
    }

    const plan_request& d_request;
    const std::vector<plan_candidate>& d_candidates;
    context_registry& d_registry;
    std::string d_key;
    std::set<std::size_t> d_failed, d_broken; // left out; left out because of a failure
    std::exception_ptr d_misfit, d_failure;
    bool d_lacked_memory = false; // a candidate did, which may have it another time
    std::vector<plan_measurement> d_measured;
};

} // namespace

std::string plan_candidate::describe() const { return as_plan().engine(); }

chosen_plan plan_candidate::as_plan() const
{
    chosen_plan plan;
    plan.device = device.id();
    plan.device_name = device.is_host() ? "host" : device.name;
    plan.algorithm = algorithm;
    plan.variant = variant;
    plan.transfer = transfer;
    plan.precision = precision;
    plan.ifft_size = ifft_size;
    plan.tuned = tuned;
    plan.exact_because = exact_because;
    return plan;
}

plan_choice choose_plan(const plan_request& request,
                        const std::vector<plan_candidate>& candidates,
                        context_registry& registry)
{
    const bool with_fftw =
        std::any_of(candidates.begin(), candidates.end(), [](const plan_candidate& c) {
            return c.device.is_host() && c.algorithm == "fast_convolution";
        });
    if (!with_fftw)
        return choosing(request, candidates, registry).run();
    if (request.at_once) {
        fftw_memory::recall_once(registry.wisdom());
        return choosing(request, candidates, registry).run();
    }
    fftw_memory transforms(registry.wisdom());
    auto choice = choosing(request, candidates, registry).run();
    transforms.save();
    return choice;
}

const plan_candidate* find_candidate(const std::vector<plan_candidate>& candidates,
                                     const chosen_plan& plan)
{
    for (const auto& c : candidates)
        if (c.device.id() == plan.device && c.algorithm == plan.algorithm &&
            c.variant == plan.variant && c.transfer == plan.transfer &&
            c.precision == plan.precision && (c.ifft_size > 0) == (plan.ifft_size > 0))
            return &c;
    return nullptr;
}

bool is_outdated(const plan_request& request,
                 const std::vector<plan_candidate>& candidates,
                 const chosen_plan& plan,
                 double predicted)
{
    const auto* const candidate = find_candidate(candidates, plan);
    if (!candidate || !plan.reason.empty())
        return true;
    if (plan.placeholder && !request.placeholder)
        return true;
    if (candidates.size() > 1 && request.measuring && !(plan.measured > 0))
        return true;
    double best = std::numeric_limits<double>::infinity();
    for (const auto& c : candidates)
        best = std::min(best, handicapped(c, c.predicted));
    return handicapped(*candidate, predicted) > clearly_faster * best;
}

std::string plan_key(const plan_request& request,
                     const std::vector<plan_candidate>& candidates,
                     const context_registry& registry)
{
    std::set<std::string> devices;
    for (const auto& c : candidates)
        devices.insert(c.device.is_host()
                           ? "host " + host_identity()
                           : c.device.id() + " " + c.device.lasting_name() + " (" +
                                 c.device.driver_version + ")");
    std::string key = request.problem;
    bool opencl = false;
    for (const auto& c : candidates)
        opencl = opencl || !c.device.is_host();
    if (opencl)
        key += " profile=" + registry.options().profile +
               " kernels=" + kernels_hash(registry.options().kernel_path) +
               " vkfft=" + vkfft_plan::version();
    for (const auto& device : devices)
        key += " | " + device;
    return key;
}

} // namespace cldsp
