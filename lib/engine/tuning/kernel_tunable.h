/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tuning/tuning_choice.h"

#include <cldsp/context.h>
#include <cldsp/run_statistics.h>
#include <cldsp/tuned.h>

#include <memory>
#include <optional>
#include <string>

namespace cldsp {

//! The common part of the engine's tunable kernels. Each runs on an OpenCL device, and a
//! trial leaves nothing on the disk.
class kernel_tunable : public device_tunable
{
public:
    std::string family() const override { return d_place.family; }
    tuning_problem problem() const override { return d_problem; }
    tuning_place place() const override { return d_place; }
    const tuning_space& space() const override { return *d_space; }
    tuning_point default_point() const override { return d_default; }
    double tolerance() const override { return d_tolerance; }

protected:
    kernel_tunable(context_registry& registry, const device_info& device);

    /*!
     * Describes the kernel; every constructor has to call it.
     *
     * \param place the kernel family, and where it runs
     * \param problem the problem to tune for
     * \param space the points that can be tried
     * \param untuned the values that are used where nothing was tuned; they lie in the
     *        space
     * \param tolerance see tunable::tolerance()
     * \throws std::invalid_argument if the device cannot run the default
     */
    void describe(const kernel_place& place,
                  const tuning_problem& problem,
                  const tuning_space& space,
                  const tuning_values& untuned,
                  double tolerance);

    bool is_cpu() const { return d_trials->device().kind == device_kind::cpu; }
    //! The context in which points are tried.
    const std::shared_ptr<context>& trials() const { return d_trials; }
    //! The context in which the best point is put to use.
    std::shared_ptr<context> adopting() const { return d_registry.get(d_device); }

private:
    context_registry& d_registry;
    device_info d_device;
    std::shared_ptr<context> d_trials;
    tuning_place d_place;
    tuning_problem d_problem;
    std::optional<tuning_space> d_space;
    tuning_point d_default;
    double d_tolerance = 0;
};

//! The variant \p name itself; for "auto" the variant for this kind of device.
//! \throws std::invalid_argument unless the name is "auto", "cpu_tile" or "gpu_tile"
std::string tiled_variant(const std::string& name, const device_info& device);

//! A trial that computes one typical call again and again. The time is that of whole
//! calls on a CPU device, and that of the kernels alone on other devices.
class call_trial : public tuning_trial
{
public:
    explicit call_trial(bool whole_calls) : d_whole(whole_calls) {}

    double check() override
    {
        spoil_output();
        call();
        return error();
    }
    double run() override;

protected:
    //! Overwrites the output, so that the results of an earlier point cannot pass for
    //! those of this point.
    virtual void spoil_output() = 0;
    virtual void call() = 0;
    virtual double error() const = 0; //!< the error of the last call
    virtual run_statistics statistics() const = 0;

private:
    double timed_call();
    double kernel_seconds() const;

    bool d_whole;
};

} // namespace cldsp
