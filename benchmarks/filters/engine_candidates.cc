// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs the filter by each device, variant and transfer, with retunes or without.

#include "filters/engine_candidates.h"

#include <cldsp/replanner.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

const variant_info* find_variant(const std::string& name)
{
    for (const auto& v : freq_xlating_fir_variants())
        if (v.name == name)
            return &v;
    return nullptr;
}

bool wanted(const std::vector<std::string>& list, const std::string& name)
{
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

freq_xlating_filter_bank_options
filter_options(const engine_wish& wish,
               const freq_xlating_filter_bank_problem& bank,
               std::size_t items,
               const context_registry& registry)
{
    freq_xlating_filter_bank_options options;
    options.device = wish.device;
    options.algorithm = wish.algorithm;
    options.variant = wish.variant;
    options.transfer = wish.transfer == "none" ? "auto" : wish.transfer;
    options.accuracy = wish.accuracy;
    options.threads = bank.channels() > 1 ? wish.threads : 1;
    options.typical_items = items;
    options.log = registry.options().log;
    return options;
}

class engine_candidate : public candidate
{
public:
    //! \param channel the problem of each channel, for the bound of the error
    //! \param places the memory for the outputs of each channel
    engine_candidate(const freq_xlating_filter_bank_problem& bank,
                     const freq_xlating_fir_problem& channel,
                     prototype kind,
                     const engine_wish& wish,
                     const stream& data,
                     std::vector<std::complex<float>*> places,
                     context_registry& registry)
        : d_data(data),
          d_wish(wish),
          d_kind(kind),
          d_places(std::move(places)),
          d_bank(bank, filter_options(wish, bank, data.items(), registry), registry),
          d_bound_db(plan_bound_db(channel, wish.accuracy, d_bank.chosen()))
    {
        check_device();
    }
    //! A single filter.
    engine_candidate(const workload& work,
                     prototype kind,
                     const stream& data,
                     const candidate_name& name,
                     context_registry& registry)
        : engine_candidate(bank_of_one(make_problem(work, kind)),
                           make_problem(work, kind),
                           kind,
                           wish_of(name),
                           data,
                           { data.out() },
                           registry)
    {
    }

    candidate_name name() const override
    {
        return { "cldsp",
                 d_wish.device,
                 d_wish.variant,
                 d_wish.transfer,
                 d_kind == prototype::real ? "real" : "complex" };
    }
    std::size_t items() const override { return d_data.items(); }
    double bound_db() const override { return d_bound_db; }
    std::string note() const override
    {
        const auto& chosen = d_bank.chosen();
        return chosen.transfer == "none" ? chosen.engine()
                                         : chosen.engine() + ", " + chosen.transfer;
    }
    std::optional<chosen_plan> plan() const override { return d_bank.chosen(); }

    void begin() override
    {
        d_bank.set_stream_memory(d_data.in_region(), d_data.out_region());
    }
    void call() override
    {
        d_bank.process(d_data.window(),
                       d_data.history() + d_data.items(),
                       d_places.data(),
                       outputs());
    }
    void end() override
    {
        // The wrapping ends here, so that two filters never wrap the same memory at the
        // same time.
        d_bank.set_stream_memory({});
        check_device();
    }

    double kernel_seconds() const override
    {
        const auto s = d_bank.statistics();
        return s.kernel_time * static_cast<double>(s.calls);
    }
    std::vector<std::complex<float>> first_outputs() override
    {
        d_bank.reset();
        call();
        return channel_outputs(0);
    }
    std::vector<std::complex<float>> channel_outputs(std::size_t channel) const override
    {
        return { d_places.at(channel), d_places.at(channel) + outputs() };
    }

protected:
    freq_xlating_filter_bank& bank() { return d_bank; }

private:
    static engine_wish wish_of(const candidate_name& name)
    {
        engine_wish wish;
        wish.device = name.device;
        wish.variant = name.variant;
        wish.transfer = name.transfer;
        return wish;
    }
    std::size_t outputs() const { return d_data.items() / d_bank.problem().decimation; }
    void check_device() const
    {
        if (d_bank.fell_back() && d_wish.device != "auto")
            throw std::runtime_error("the device failed and the host took over");
    }

    const stream& d_data;
    engine_wish d_wish;
    prototype d_kind;
    std::vector<std::complex<float>*> d_places;
    freq_xlating_filter_bank d_bank;
    double d_bound_db;
};

class retuned_candidate : public engine_candidate
{
public:
    using engine_candidate::engine_candidate;

    candidate_name name() const override
    {
        auto result = engine_candidate::name();
        result.implementation += " retuned";
        return result;
    }
    void begin() override
    {
        engine_candidate::begin();
        d_due = clock::now();
    }
    void call() override
    {
        // A call longer than a millisecond is followed by several retunes.
        constexpr int max_at_once = 100;
        for (int i = 0; i < max_at_once && clock::now() >= d_due; i++) {
            retune();
            d_due += std::chrono::milliseconds(1);
        }
        engine_candidate::call();
    }
    void retune() { bank().set_center_freq(0, retuned_freq(d_retunes++)); }

private:
    clock::time_point d_due;
    std::size_t d_retunes = 0;
};

} // namespace

double retuned_freq(std::size_t i)
{
    return usual_center_freq + 100.0 * static_cast<double>(i % 64);
}

double resident_kib()
{
    std::ifstream statm("/proc/self/statm");
    double all = 0;
    double resident = 0;
    statm >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

std::unique_ptr<candidate> make_filter_candidate(const bank_workload& work,
                                                 const call_memory& memory,
                                                 const engine_wish& wish,
                                                 context_registry& registry)
{
    return std::make_unique<engine_candidate>(
        make_bank_problem(work),
        make_problem(work.filter, prototype::real),
        prototype::real,
        wish,
        memory.data(),
        std::vector<std::complex<float>*>(memory.out(), memory.out() + work.channels),
        registry);
}

void plan_while_running(const bank_workload& work,
                        const call_memory& memory,
                        const std::shared_ptr<context_registry>& registry)
{
    const auto problem = make_bank_problem(work);
    const auto& data = memory.data();
    const std::vector<std::complex<float>*> places(memory.out(),
                                                   memory.out() + work.channels);
    auto options = filter_options({}, problem, data.items(), *registry);
    options.at_once = true;
    freq_xlating_filter_bank bank(problem, options, *registry);
    if (!bank.chosen().provisional)
        return;
    replanner better(options, registry);
    better.want(problem, bank.chosen());
    const auto take = [&](freq_xlating_filter_bank&& fresh) {
        bank.take_engine(std::move(fresh));
    };
    while (!better.take(bank, take)) {
        const auto start = clock::now();
        bank.process(data.window(),
                     data.history() + data.items(),
                     places.data(),
                     data.items() / problem.decimation);
        std::this_thread::sleep_for(clock::now() - start);
    }
}

std::unique_ptr<candidate> make_engine_candidate(const workload& work,
                                                 prototype kind,
                                                 const stream& data,
                                                 const candidate_name& name,
                                                 context_registry& registry)
{
    return std::make_unique<engine_candidate>(work, kind, data, name, registry);
}

std::unique_ptr<candidate> make_retuned_candidate(const workload& work,
                                                  const stream& data,
                                                  const candidate_name& name,
                                                  context_registry& registry)
{
    return std::make_unique<retuned_candidate>(
        work, prototype::real, data, name, registry);
}

double retuning_growth(const workload& work,
                       const stream& data,
                       const candidate_name& name,
                       context_registry& registry,
                       std::size_t count)
{
    constexpr std::size_t retunes_per_call = 10;
    retuned_candidate filter(work, prototype::real, data, name, registry);
    const auto retune = [&](std::size_t times) {
        for (std::size_t i = 0; i < times; i++) {
            filter.retune();
            if (i % retunes_per_call == 0)
                filter.call();
        }
    };
    filter.begin();
    retune(count / 10 + 1);
    const double before = resident_kib();
    retune(count);
    const double growth = resident_kib() - before;
    filter.end();
    return growth;
}

std::vector<candidate_name> engine_names(const engine_choice& choice)
{
    std::vector<candidate_name> names;
    for (const auto& device : choice.devices)
        for (const auto& variant : freq_xlating_fir_variants()) {
            if (variant.host != device.is_host() ||
                !wanted(choice.variants, variant.name))
                continue;
            if (variant.host) {
                names.push_back({ "cldsp", "host", variant.name, "none", "real" });
                continue;
            }
            for (const char* transfer : { "copy", "mapped", "zero_copy" })
                if (wanted(choice.transfers, transfer))
                    names.push_back(
                        { "cldsp", device.id(), variant.name, transfer, "real" });
        }
    return names;
}

void add_engine_candidates(const workload& work,
                           const stream& data,
                           const engine_choice& choice,
                           context_registry& registry,
                           candidate_set& to)
{
    const auto add = [&](candidate_name name, prototype kind) {
        name.taps = kind == prototype::real ? "real" : "complex";
        try {
            to.candidates.push_back(
                make_engine_candidate(work, kind, data, name, registry));
        } catch (const std::exception& e) {
            to.left_out.push_back({ name, e.what() });
        }
    };
    const auto names = engine_names(choice);
    for (const auto& name : names)
        add(name, prototype::real);
    if (wanted(choice.variants, "auto"))
        add({ "cldsp", "auto", "auto", "auto", "" }, prototype::real);
    for (const auto& name : names)
        if (find_variant(name.variant)->production)
            add(name, prototype::complex);
}

} // namespace cldsp::bench
