/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/trial_memory.h"
#include "filter/filter_executor.h"
#include "tuning/kernel_tunable.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! The input of a filter's typical call, and what is right: all outputs, or of a large
//! call pieces at its start, middle and end.
class checked_fir_call
{
public:
    //! \param items input items of the call
    checked_fir_call(const filter_channel& setup, std::size_t items);

    //! The largest error of what was checked, in dB of the outputs' peak.
    double error() const;
    fir_call call() const;
    std::size_t taps() const { return d_taps; }
    std::size_t outputs() const { return d_outputs; }
    memory_region in_region() const { return d_in.region(); }
    memory_region out_region() const { return d_out.region(); }
    void keep() const noexcept
    {
        d_in.keep();
        d_out.keep();
    }
    bool is_kept() const noexcept { return d_in.is_kept(); }

private:
    struct piece {
        std::size_t first;
        std::vector<std::complex<double>> outputs;
    };
    void add(const filter_channel& setup, std::size_t first, std::size_t count);

    std::size_t d_taps, d_outputs;
    trial_memory d_in, d_out;
    std::vector<piece> d_expected;
};

//! A bank of one of any algorithm, built with the values of a point.
class fir_trial final : public call_trial
{
public:
    fir_trial(std::unique_ptr<filter_executor> executor,
              std::shared_ptr<const checked_fir_call> call,
              bool whole_calls);

protected:
    void spoil_output() override;
    void call() override { run_one(*d_executor, d_call->call(), d_call->taps()); }
    double error() const override { return d_call->error(); }
    run_statistics statistics() const override { return d_executor->statistics(); }

private:
    std::shared_ptr<const checked_fir_call> d_call; // outlives what wraps its memory
    std::unique_ptr<filter_executor> d_executor;
    kept_if_lost<filter_executor, checked_fir_call> d_kept{ *d_executor, *d_call };
};

} // namespace cldsp
