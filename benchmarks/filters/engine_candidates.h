/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/candidate.h"

#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

//! What of the engine is wanted; an empty list means everything there is.
struct engine_choice {
    std::vector<device_info> devices; //!< the host is one of them
    std::vector<std::string> variants;
    std::vector<std::string> transfers;
};

//! Candidates of a comparison, and what could not become one.
struct candidate_set {
    struct skipped {
        candidate_name name;
        std::string reason;
    };
    std::vector<std::unique_ptr<candidate>> candidates;
    std::vector<skipped> left_out;
};

//! A filter of the engine with the names given; "auto" is one too.
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

//! Memory that a filter's process gains, in KiB, by \p count retunes after the first
//! ones.
double retuning_growth(const workload& work,
                       const stream& data,
                       const candidate_name& name,
                       context_registry& registry,
                       std::size_t count);

//! The process's memory in use, in KiB; 0 where the system does not tell.
double resident_kib();

//! The i-th of the frequencies that retuning steps through.
double retuned_freq(std::size_t i);

//! Every combination of device, variant and transfer that was chosen.
std::vector<candidate_name> engine_names(const engine_choice& choice);

/*!
 * All those of a comparison: each combination with the real prototype, then the choice
 * that the engine makes by itself, then the production variants with a complex prototype.
 */
void add_engine_candidates(const workload& work,
                           const stream& data,
                           const engine_choice& choice,
                           context_registry& registry,
                           candidate_set& to);

} // namespace cldsp::bench
