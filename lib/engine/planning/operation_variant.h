// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A variant of an operation: one way to compute it, and what a plan has to know of it.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/tuning_space.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! The work of a call, by which its time is predicted.
struct operation_work {
    double operations;
    double bytes;   //!< on their way to a device or back
    double buffers; //!< pieces of memory that the bytes lie in
};

//! The place and the manner in which a variant computes.
struct operation_place {
    device_info device;
    std::string transfer = "none"; //!< see plan_candidate
    std::string precision = {};    //!< see plan_candidate
    tuning_values tuned = {};      //!< found by a tuner; else empty
    //! The device's context, for operation_variant::make(); null on the host.
    std::shared_ptr<context> opened = {};
};

//! Seconds of a call on the host.
//! \param rate the operations per second of one thread
double host_seconds(const operation_work& work, double rate);
//! Seconds of a call on an OpenCL device, estimated from its properties.
//! \param per_flop the operations that take as long as a floating-point operation of a
//!        usual kernel
double
device_seconds(const operation_work& work, const operation_place& place, double per_flop);

//! A question to a device, see operation_variant::suits().
using device_question = bool (*)(const device_info&);
inline bool suits_any(const device_info&) { return true; }
inline bool suits_none(const device_info&) { return false; }
inline bool suits_cpu(const device_info& device)
{
    return device.kind == device_kind::cpu;
}
inline bool suits_gpu(const device_info& device) { return !suits_cpu(device); }

/*!
 * A variant of an operation. The table of the operation lists its variants, and a plan
 * takes one.
 *
 * \tparam Problem see operation
 */
template <class Problem>
class operation_variant
{
public:
    using executor = typename Problem::executor;

    virtual ~operation_variant() = default;
    operation_variant(const operation_variant&) = delete;
    operation_variant& operator=(const operation_variant&) = delete;

    const std::string name;
    const bool host; //!< runs on the host, not through OpenCL
    //! Whether a plan that leaves the variant open measures this one on a device of its
    //! kind. Variants for comparison suit none, and run where their names are given.
    const device_question suits;

    //! Whether the variant computes such a problem at all.
    virtual bool takes(const Problem&) const { return true; }
    //! The precisions, see plan_candidate, in which a plan measures the variant.
    //! \param is_named whether the options name it
    virtual std::vector<std::string> precisions(const Problem&, bool /*is_named*/) const
    {
        return { {} };
    }
    //! The seconds of a typical call.
    //! \param host_rate the operations per second of one thread of the host
    virtual double
    predict(const Problem& problem, const operation_place& place, double host_rate) const
    {
        return host ? host_seconds(problem.work(), host_rate)
                    : device_seconds(problem.work(), place, operations_per_flop());
    }
    //! \throws std::invalid_argument if the problem does not fit; opencl_error
    virtual std::unique_ptr<executor> make(const Problem& problem,
                                           const operation_place& place) const = 0;

protected:
    operation_variant(std::string its_name, bool on_host, device_question where)
        : name(std::move(its_name)), host(on_host), suits(where)
    {
    }
    //! See device_seconds().
    virtual double operations_per_flop() const { return 1; }
};

} // namespace cldsp
