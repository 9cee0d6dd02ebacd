// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The engine's filter, as named by the user, as candidates of a comparison.

#pragma once

#include "filters/bank_workloads.h"
#include "filters/candidate.h"

#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

//! The selected parts of the engine; an empty list means everything that exists.
struct engine_choice {
    std::vector<device_info> devices; //!< includes the host
    std::vector<std::string> variants;
    std::vector<std::string> transfers;
};

//! The candidates of a comparison, and those that could not be made.
struct candidate_set {
    struct skipped {
        candidate_name name;
        std::string reason;
    };
    std::vector<std::unique_ptr<candidate>> candidates;
    std::vector<skipped> left_out;
};

//! The options to pass to the engine; see freq_xlating_filter_bank_options.
struct engine_wish {
    std::string device = "auto";
    std::string algorithm = "auto";
    std::string variant = "auto";
    std::string transfer = "auto";
    double accuracy = 1e-5;
    unsigned threads = 0; //!< threads of a bank on the host; 0: all cores
};

//! Makes a freq_xlating_filter_bank, which for a filter has one channel and one thread.
//! The candidate's note is the plan.
//! \throws the exceptions of its constructor
std::unique_ptr<candidate> make_filter_candidate(const bank_workload& work,
                                                 const call_memory& memory,
                                                 const engine_wish& wish,
                                                 context_registry& registry);

//! Lets auto plan such a filter in the background, while it runs on the host and takes half
//! of the time. The registry remembers the plan.
void plan_while_running(const bank_workload& work,
                        const call_memory& memory,
                        const std::shared_ptr<context_registry>& registry);

//! A filter of the engine with the given names; each name may be "auto".
std::unique_ptr<candidate> make_engine_candidate(const workload& work,
                                                 prototype kind,
                                                 const stream& data,
                                                 const candidate_name& name,
                                                 context_registry& registry);

//! The same filter, retuned 1000 times a second.
std::unique_ptr<candidate> make_retuned_candidate(const workload& work,
                                                  const stream& data,
                                                  const candidate_name& name,
                                                  context_registry& registry);

//! The memory, in KiB, that the process of a filter gains during \p count retunes after
//! the first retunes.
double retuning_growth(const workload& work,
                       const stream& data,
                       const candidate_name& name,
                       context_registry& registry,
                       std::size_t count);

//! The memory that the process uses, in KiB; 0 if the system does not report it.
double resident_kib();

//! The i-th of the frequencies that retuning steps through.
double retuned_freq(std::size_t i);

//! Every combination of device, variant and transfer that was chosen.
std::vector<candidate_name> engine_names(const engine_choice& choice);

/*!
 * Adds all candidates of a comparison: each combination with the real prototype, then
 * the choice that the engine makes by itself, then the production variants with a complex
 * prototype.
 */
void add_engine_candidates(const workload& work,
                           const stream& data,
                           const engine_choice& choice,
                           context_registry& registry,
                           candidate_set& to);

} // namespace cldsp::bench
