/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filters/engine_candidates.h"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>

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

class engine_candidate : public candidate
{
public:
    engine_candidate(const workload& work,
                     prototype kind,
                     const stream& data,
                     const candidate_name& name,
                     context_registry& registry)
        : d_data(data),
          d_name(name),
          d_filter(bank_of_one(make_problem(work, kind)), options(name, data), registry)
    {
        d_name.taps = kind == prototype::real ? "real" : "complex";
        check_device();
    }

    candidate_name name() const override { return d_name; }
    std::size_t items() const override { return d_data.items(); }
    double bound_db() const override
    {
        return engine_bound_db(d_filter.problem().channel(0),
                               freq_xlating_filter_bank_options().accuracy,
                               d_filter.algorithm_name(),
                               d_filter.variant_name());
    }

    void begin() override
    {
        d_filter.set_stream_memory(d_data.in_region(), d_data.out_region());
    }
    void call() override { process(); }
    void end() override
    {
        // The wrapping ends here, so that two filters never wrap the same memory at the
        // same time.
        d_filter.set_stream_memory({}, {});
        check_device();
    }

    double kernel_seconds() const override
    {
        const auto s = d_filter.statistics();
        return s.kernel_time * static_cast<double>(s.calls);
    }
    std::vector<std::complex<float>> first_outputs() override
    {
        d_filter.reset();
        return { d_data.out(), d_data.out() + process() };
    }
    std::string note() const override
    {
        if (d_name.device != "auto" && d_name.variant != "auto")
            return {};
        std::string text = d_filter.device_name() + " " + d_filter.variant_name();
        if (d_filter.transfer_name() != "none")
            text += " " + d_filter.transfer_name();
        return text;
    }

protected:
    freq_xlating_filter_bank& filter() { return d_filter; }

private:
    static freq_xlating_filter_bank_options options(const candidate_name& name,
                                                    const stream& data)
    {
        freq_xlating_filter_bank_options result;
        result.threads = 1;
        result.device = name.device;
        result.variant = name.variant;
        result.transfer = name.transfer == "none" ? "auto" : name.transfer;
        result.typical_items = data.items();
        return result;
    }
    //! \return the number of outputs
    std::size_t process()
    {
        std::complex<float>* const out = d_data.out();
        return d_filter
            .process(
                d_data.window(), d_data.history() + d_data.items(), &out, d_data.items())
            .produced;
    }
    void check_device() const
    {
        if (d_filter.fell_back() && d_name.device != "auto")
            throw std::runtime_error("the device failed and the host took over");
    }

    const stream& d_data;
    candidate_name d_name;
    freq_xlating_filter_bank d_filter;
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
    void retune() { filter().set_center_freq(0, retuned_freq(d_retunes++)); }

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
