/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/page_memory.h"
#include "direct/cpu_layout.h"
#include "direct/gpu_layout.h"
#include "filter/filter_executor.h"
#include "tuning/kernel_tunable.h"
#include "tuning/tuning_choice.h"

#include <cldsp/context.h>
#include <cldsp/tuned.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! A variant of the direct filter that can be tuned, "cpu_tile" or "gpu_tile", and the
//! device that it runs on.
struct fir_place : tiled_place {
    fir_place(const std::string& name, const context& where)
        : fir_place(name, where.device(), where.options())
    {
    }
    fir_place(const std::string& name,
              const device_info& where,
              const context_options& with)
        : tiled_place("fir", "freq_xlating_fir", name, where, with)
    {
    }
};

/*!
 * The values that a direct filter's kernel can be built with.
 *
 * \param groups work-group sizes of gpu_tile, besides powers of two; those that the
 *        device does not take are left out
 */
tuning_space fir_tuning_space(const fir_place& place,
                              const filter_channel& setup,
                              const std::vector<std::int64_t>& groups = {});
//! As fir_tuning_space(), with the work-group size of \p values, if they have one,
//! besides powers of two.
tuning_space fir_tuning_space_for(const tuning_values& values,
                                  const fir_place& place,
                                  const filter_channel& setup);

//! \param items input items of a typical call
tuning_problem fir_tuning_problem(const filter_channel& setup, std::size_t items);

/*!
 * The values that a kernel is built with: those that the device and the problem suggest,
 * changed by the options' tuning_defaults, then by \p tuned. Each of these two sets is
 * ignored as a whole if it does not fit.
 */
tuning_values fir_values(const fir_place& place,
                         const filter_channel& setup,
                         const tuning_values& tuned = {});

//! The values that the wisdom has for a problem or the nearest one; empty if there are
//! none.
tuning_values tuned_fir_values(wisdom& all,
                               const fir_place& place,
                               const filter_channel& setup,
                               std::size_t items);

//! The tuned values for filters whose typical calls have one size, see tuned_lookup.
class tuned_firs
{
public:
    //! \param items input items of a typical call
    tuned_firs(tuned_lookup& lookup, std::size_t items) : d_lookup(lookup), d_items(items)
    {
    }

    //! The tuned values of a variant on a device; empty if there are none, or nothing to
    //! tune.
    const tuning_values& of(const device_info& device,
                            const std::string& variant,
                            const filter_channel& setup);

private:
    tuned_lookup& d_lookup;
    std::size_t d_items;
};

cpu_tuning cpu_tuning_of(const tuning_values& values);
gpu_layout gpu_layout_of(const tuning_values& values);

//! The input of a typical call of a filter, and the correct outputs: all of them, or for
//! a large call three pieces at its start, middle and end.
class checked_fir_call
{
public:
    //! \param items input items of the call
    checked_fir_call(const filter_channel& setup, std::size_t items);

    //! The largest error of the checked outputs, in dB of their peak.
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
    page_memory d_in, d_out;
    std::vector<piece> d_expected;
};

//! A trial of a bank of one channel, of any algorithm, built with the values of a tuning
//! point.
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
    // Outlives the executor, which may wrap its memory.
    std::shared_ptr<const checked_fir_call> d_call;
    std::unique_ptr<filter_executor> d_executor;
    kept_if_lost<filter_executor, checked_fir_call> d_kept{ *d_executor, *d_call };
};

} // namespace cldsp
