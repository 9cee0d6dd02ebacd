// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes any kernel with a table of parameters tunable.

#pragma once

#include "base/page_memory.h"
#include "tuning/kernel_parameters.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/run_statistics.h>
#include <cldsp/tuned.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace cldsp {

/*!
 * What a tuner has to know of a kernel.
 *
 * \tparam Executor computes calls with the kernel; it has statistics() and
 *         device_is_lost()
 * \tparam Call the memory of a call, with these functions: lend_to() gives it to an
 *         executor, run() computes with one, spoil() overwrites the outputs; keep()
 *         and is_kept() are those of page_memory
 */
template <class Executor, class Call>
struct executor_tuning {
    kernel_parameters parameters;
    tuning_problem problem;
    tuning_values untuned; //!< the configuration that is used if nothing was tuned
    //! Makes the call that is timed. It is the same for all configurations.
    std::function<std::shared_ptr<const Call>()> make_call;
    //! Makes an executor with a configuration.
    std::function<std::unique_ptr<Executor>(
        const std::shared_ptr<context>&, const Call&, const tuning_values&)>
        make;
    //! The error of a call's outputs against the reference, in a unit of its own.
    std::function<double(const Call&)> error;
    double tolerance; //!< the largest error that counts as correct
    std::optional<tuned_work_group> work_groups = {}; //!< see tunable::work_groups()
};

//! A context for a device whose programs are not stored on the disk.
std::shared_ptr<context> context_for_trials(const context_registry& registry,
                                            const device_info& device);

//! The point of a space that has these values.
//! \throws std::invalid_argument if the device cannot run it
tuning_point point_of(const tuning_space& space,
                      const tuning_values& values,
                      const std::string& family);

//! The variant \p name itself; for "auto" the variant for this kind of device.
//! \throws std::invalid_argument unless the name is "auto", "cpu_tile" or "gpu_tile"
std::string tiled_variant(const std::string& name, const device_info& device);

//! A trial that computes one call again and again. The time is that of whole calls on a
//! CPU device, and that of the kernels alone on other devices.
class timed_trial : public tuning_trial
{
public:
    explicit timed_trial(const context& device)
        : d_whole(device.device().kind == device_kind::cpu)
    {
    }
    double run() override;
    virtual void call() = 0;

protected:
    virtual run_statistics statistics() const = 0;

private:
    double timed_call();
    double kernel_seconds() const;

    bool d_whole;
};

//! A kernel that a tuner can tune. A trial leaves nothing on the disk.
template <class Executor, class Call>
class executor_tunable final : public device_tunable
{
public:
    using tuning = executor_tuning<Executor, Call>;

    //! \param describe tells about the kernel in the context in which it is tried
    executor_tunable(context_registry& registry,
                     const device_info& device,
                     const std::function<tuning(const context&)>& describe)
        : d_registry(registry),
          d_device(device),
          d_trials(context_for_trials(registry, device)),
          d_tuning(describe(*d_trials)),
          d_space(d_tuning.parameters.also(d_tuning.untuned).space()),
          d_default(point_of(d_space, d_tuning.untuned, family()))
    {
    }

    std::string family() const override { return d_tuning.parameters.family().name; }
    tuning_problem problem() const override { return d_tuning.problem; }
    tuning_place place() const override
    {
        return d_tuning.parameters.place(d_trials->device(), d_trials->options());
    }
    const tuning_space& space() const override { return d_space; }
    tuning_point default_point() const override { return d_default; }
    double tolerance() const override { return d_tuning.tolerance; }
    std::optional<tuned_work_group> work_groups() const override
    {
        return d_tuning.work_groups;
    }
    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        return std::make_unique<trial>(d_tuning, d_trials, typical_call(), point);
    }
    void adopt(const tuning_point& point) override
    {
        // Some sizes need a program of their own, which the first call builds.
        trial(d_tuning, d_registry.get(d_device), typical_call(), point).call();
    }

private:
    class trial final : public timed_trial
    {
    public:
        trial(const tuning& of,
              const std::shared_ptr<context>& device,
              std::shared_ptr<const Call> its_call,
              const tuning_point& point)
            : timed_trial(*device),
              d_error(of.error),
              d_call(std::move(its_call)),
              d_executor(of.make(device, *d_call, point.by_name()))
        {
            d_call->lend_to(*d_executor);
        }
        double check() override
        {
            // The results of an earlier configuration must not pass for those of this
            // one.
            d_call->spoil();
            call();
            return d_error(*d_call);
        }
        void call() override { d_call->run(*d_executor); }

    protected:
        run_statistics statistics() const override { return d_executor->statistics(); }

    private:
        std::function<double(const Call&)> d_error;
        std::shared_ptr<const Call>
            d_call; // outlives the executor, which uses its memory
        std::unique_ptr<Executor> d_executor;
        kept_if_lost<Executor, Call> d_kept{ *d_executor, *d_call };
    };

    //! The call, made anew if a lost device may still write to the memory of the last
    //! one.
    std::shared_ptr<const Call> typical_call()
    {
        if (!d_call || d_call->is_kept())
            d_call = d_tuning.make_call();
        return d_call;
    }

    context_registry& d_registry;
    device_info d_device;
    std::shared_ptr<context> d_trials;
    tuning d_tuning;
    tuning_space d_space;
    tuning_point d_default;
    std::shared_ptr<const Call> d_call;
};

} // namespace cldsp
