// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Candidates whose calls take the times that a test sets.

#pragma once

#include "planning/measurement.h"
#include "planning/planner.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include <cppunit/TestFixture.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! Candidates whose calls take the times that a test sets, on a clock that only these
//! calls advance.
class planner_fixture : public CppUnit::TestFixture
{
public:
    void setUp() override { set_memory(""); }

protected:
    //! The behaviour of a fake candidate.
    struct behaviour {
        std::function<double()> seconds; //!< the seconds of its next call
        double making = 0;               //!< the seconds that its construction takes
        std::function<void()> on_make = [] {};
        std::function<void()> on_finish = [] {};
        output_error error{}; //!< the error of its outputs
        int made = 0, prepared = 0, calls = 0, checks = 0;
    };

    class fake_trial final : public plan_trial
    {
    public:
        fake_trial(behaviour& b, double& clock, std::function<void()> finished)
            : d_behaviour(b), d_clock(clock), d_finished(std::move(finished))
        {
        }
        void prepare(trial_call call) override
        {
            if (call == trial_call::typical)
                d_behaviour.prepared++;
        }
        double run() override
        {
            const double seconds = d_behaviour.seconds();
            d_behaviour.calls++;
            d_clock += seconds;
            return seconds;
        }
        output_error check() override
        {
            d_behaviour.checks++;
            return d_behaviour.error;
        }
        void finish() override
        {
            d_behaviour.on_finish();
            d_finished();
        }

    private:
        behaviour& d_behaviour;
        double& d_clock;
        std::function<void()> d_finished;
    };

    double d_clock = 100;
    std::vector<std::unique_ptr<behaviour>> d_behaviours;
    std::vector<plan_candidate> d_candidates;
    std::vector<std::string> d_log;
    std::unique_ptr<context_registry> d_registry;
    std::vector<std::size_t> d_chosen; // in the order in which they were chosen

    static device_info device(device_kind kind, const std::string& name)
    {
        device_info info;
        info.kind = kind;
        info.name = name;
        info.driver_version = "1";
        return info;
    }

    //! Adds a candidate that takes \p seconds and is predicted to take \p predicted.
    behaviour& add(const std::string& algorithm,
                   double predicted,
                   double seconds,
                   std::size_t ifft_size = 0,
                   const device_info& where = device(device_kind::host, "host"))
    {
        d_behaviours.push_back(std::make_unique<behaviour>());
        behaviour& b = *d_behaviours.back();
        b.seconds = [seconds] { return seconds; };
        plan_candidate c;
        c.device = where;
        c.algorithm = algorithm;
        c.variant = algorithm == "direct" ? "simd" : "selected_bins";
        c.transfer = where.is_host() ? "none" : "copy";
        c.ifft_size = ifft_size;
        c.predicted = predicted;
        c.make = [this, &b, index = d_candidates.size()] {
            b.made++;
            d_clock += b.making;
            b.on_make();
            return std::make_unique<fake_trial>(
                b, d_clock, [this, index] { d_chosen.push_back(index); });
        };
        d_candidates.push_back(c);
        return b;
    }

    plan_request request(const std::string& problem = "a problem")
    {
        plan_request r;
        r.problem = problem;
        r.items = 1000000;
        r.seconds = 0.7;
        r.log = [this](log_level, const std::string& text) { d_log.push_back(text); };
        r.now = [this] { return d_clock; };
        return r;
    }

    plan_choice choose(const plan_request& r)
    {
        return choose_plan(r, d_candidates, *d_registry);
    }

    plan_choice choose() { return choose(request()); }

    int calls() const
    {
        int sum = 0;
        for (const auto& b : d_behaviours)
            sum += b->calls;
        return sum;
    }

    bool logged(const std::string& part) const
    {
        return std::any_of(d_log.begin(), d_log.end(), [&](const auto& line) {
            return line.find(part) != std::string::npos;
        });
    }

    void set_memory(const std::string& folder)
    {
        context_options options;
        options.cache_folder = folder;
        options.wisdom_file = !folder.empty();
        d_registry = std::make_unique<context_registry>(options);
    }
};

} // namespace cldsp
