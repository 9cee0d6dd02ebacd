// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What 1-bit products compute: the problem of their plan, and their variants.

#pragma once

#include "gemm_1bit/gemm_1bit_executor.h"
#include "gemm_1bit/gemm_1bit_tuning.h"
#include "gemm_1bit/typical_1bit_call.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "planning/operation.h"

#include <cldsp/gemm_1bit.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace cldsp {

//! \param name name of the argument, for the message
//! \param bits number of bits in a code
//! \throws std::invalid_argument if codes cannot have this number of bits
void check_gemm_1bit_bits(const std::string& name, std::size_t bits);

class gemm_1bit_variant;

//! The problem of a plan, see operation.
struct gemm_1bit_problem : operation_problem {
    using executor = gemm_1bit_executor;
    using variant = gemm_1bit_variant;
    using trial = typical_1bit_call;
    static constexpr const char* algorithm = "popcount";
    static const variant_table<gemm_1bit_problem>& variants();

    gemm_1bit_problem(gemm_1bit_codes its_codes, std::size_t typical_items)
        : codes(std::move(its_codes)), items(typical_items)
    {
    }

    static std::string transfer(const device_info&) { return "zero_copy"; }
    tuned_gemms_1bit tuned(context_registry& registry) const
    {
        return { registry, { items, codes.count, codes.bits } };
    }
    operation_work work() const;
    std::string unit() const { return "Gop/s"; }
    std::string key() const;
    std::shared_ptr<const typical_1bit_call> make_trial(trial_call which) const;
    std::string rate_name() const { return "gemm_1bit"; }
    gemm_1bit_problem of_calibration() const;

    gemm_1bit_codes codes; //!< the present ones
    std::size_t items;     //!< of a typical call
};

//! A variant: a kernel for OpenCL devices, or the host's.
class gemm_1bit_variant final : public operation_variant<gemm_1bit_problem>
{
public:
    using kernel_maker =
        std::function<std::unique_ptr<gemm_1bit_kernel>(const gemm_1bit_kernel_args&)>;

    //! \param its_info what people see of it
    //! \param make makes the kernel; empty: the variant of the host
    //! \param where see operation_variant
    gemm_1bit_variant(gemm_variant_info its_info,
                      kernel_maker make,
                      device_question where = suits_none)
        : operation_variant(its_info.name, !make, where),
          info(std::move(its_info)),
          make_kernel(std::move(make))
    {
    }

    const gemm_variant_info info;
    const kernel_maker make_kernel;

    std::unique_ptr<gemm_1bit_executor> make(const gemm_1bit_problem& problem,
                                             const operation_place& place) const override;

protected:
    //! On bits.
    double operations_per_flop() const override { return 4; }
};

// The variants, each in the file that computes it.
const gemm_1bit_variant& gemm_1bit_naive_variant();
const gemm_1bit_variant& gemm_1bit_private_sum_variant();
const gemm_1bit_variant& gemm_1bit_cpu_tile_variant();
const gemm_1bit_variant& gemm_1bit_gpu_tile_variant();
const gemm_1bit_variant& gemm_1bit_tensor_variant();
const gemm_1bit_variant& gemm_1bit_warpgroup_variant();
const gemm_1bit_variant& gemm_1bit_simd_variant();

} // namespace cldsp
