// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Calls of a bank, each with the same white noise, as something that can be timed.

#pragma once

#include "common/timed_work.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

//! Calls of a bank, each with the same white noise. The channels may have different rates
//! and any type of input.
class bank_calls final : public timed_work
{
public:
    /*!
     * \param name the row of a table
     * \param problem the channels
     * \param options for the bank; a typical call becomes one of \p items
     * \param items the input items of a call
     * \param registry its devices; has to outlive this object
     * \throws the exceptions of the bank's constructor
     */
    bank_calls(const std::string& name,
               const freq_xlating_filter_bank_problem& problem,
               freq_xlating_filter_bank_options options,
               std::size_t items,
               context_registry& registry);

    //! Makes all channels idle but the first ones.
    void keep_active(std::size_t channels);
    double seconds_to_make() const { return d_seconds_to_make; }
    //! The largest error of the first channels at the start of a stream, in dB of each
    //! channel's peak.
    double error_db(std::size_t channels);

    candidate_name name() const override { return { d_name, "", "", "", "real" }; }
    std::size_t items() const override { return d_items; }
    double bound_db() const override { return d_bound_db; }
    std::optional<chosen_plan> plan() const override { return d_bank->chosen(); }
    void call() override;

private:
    std::string d_name;
    freq_xlating_filter_bank_problem d_problem;
    std::size_t d_items;
    double d_bound_db;
    double d_seconds_to_make = 0;
    std::unique_ptr<freq_xlating_filter_bank> d_bank;
    std::vector<unsigned char> d_in; //!< the bank's history of silence, then noise
    std::vector<std::vector<std::complex<float>>> d_out;
    std::vector<std::complex<float>*> d_places;
    std::vector<std::size_t> d_outputs;
};

} // namespace cldsp::bench
