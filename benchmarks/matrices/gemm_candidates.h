// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Everything that can multiply the matrices of a workload.

#pragma once

#include "matrices/gemm_workloads.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! The duration of a call, in seconds.
struct gemm_time {
    double whole = 0;    //!< from the start of the first command to the end of the last
    double multiply = 0; //!< without packing, transposing and copies into images,
                         //!< where they are known
};

//! Something that multiplies a workload's matrices.
class gemm_candidate
{
public:
    virtual ~gemm_candidate() = default;
    virtual gemm_time call() = 0;
    //! Fills C with values that no product gives, to check the next call.
    virtual void clear() = 0;
    //! The matrix C of the latest call.
    virtual std::vector<std::uint8_t> result() = 0;
    virtual std::string note() const { return ""; }
    virtual std::optional<chosen_plan> plan() const { return {}; }
};

//! A function that makes a candidate. It may throw an exception that says why there is
//! none.
struct gemm_entry {
    std::string name;
    std::string ladder;
    bool held; //!< all calls use a B that is packed once
    std::function<std::unique_ptr<gemm_candidate>(const gemm_data&)> make;
    gemm_precision precision = gemm_precision::exact; //!< of floats
};

//! Every variant that runs through OpenCL, those for matrix units in each precision. They
//! share the matrices of a product on the device. Their times are those of the device's
//! commands.
std::vector<gemm_entry> device_gemm_entries(const std::shared_ptr<context>& device);
//! The variant "simd" and OpenBLAS, where it can be loaded, timed by the clock.
std::vector<gemm_entry> host_gemm_entries();
//! The engine's own choice among all devices, timed by the clock. The time of a whole
//! call includes the transfer of the matrices; "multiply" is computing alone.
gemm_entry chosen_gemm_entry(context_registry& registry);

} // namespace cldsp::bench
