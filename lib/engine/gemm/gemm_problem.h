// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What products of matrices compute: the problem of their plan, and their variants.

#pragma once

#include "gemm/gemm_executor.h"
#include "gemm/gemm_kernel.h"
#include "gemm/gemm_tuning.h"
#include "gemm/typical_product.h"
#include "planning/operation.h"

#include <cldsp/gemm.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! \throws std::invalid_argument if a size is 0
void check_gemm_shape(const gemm_shape& shape);

//! The way in which matrices reach an OpenCL device; see gemm::transfer_name().
inline std::string gemm_transfer(const device_info& device)
{
    return operation_problem::transfer(device);
}

//! The precision that the options permit for a type.
//! \throws std::invalid_argument for an unknown precision
gemm_precision permitted_precision(gemm_type type, const gemm_options& options);

//! The options of an operation, with the precision.
operation_options gemm_operation_options(const gemm_options& options);

/*!
 * Sets plan_candidate::exact_because of the exact candidates, where the options permit
 * less.
 *
 * \param candidates all candidates
 * \param permitted see permitted_precision()
 * \param options the options
 * \param otherwise the reason if no candidate is less precise and no variant was named
 */
void explain_exact(std::vector<plan_candidate>& candidates,
                   gemm_precision permitted,
                   const operation_options& options,
                   const std::string& otherwise = "no matrix units");

//! The work of a product.
operation_work gemm_work(gemm_type type, const gemm_shape& shape);

class gemm_variant;

//! The problem of a plan, see operation.
struct gemm_problem : operation_problem {
    using executor = gemm_executor;
    using variant = gemm_variant;
    using trial = typical_product;
    static constexpr const char* algorithm = "gemm";
    static const variant_table<gemm_problem>& variants();

    explicit gemm_problem(gemm_type its_type,
                          const gemm_shape& its_shape,
                          bool shares_b = false,
                          gemm_precision least_precise = gemm_precision::exact)
        : type(its_type), typical(its_shape), held(shares_b), permitted(least_precise)
    {
    }

    std::string what_variants_take() const { return " for " + type_name(type); }
    tuned_gemms tuned(context_registry& registry) const
    {
        return { registry, type, typical };
    }
    void explain(std::vector<plan_candidate>& candidates,
                 const operation_options& options) const
    {
        explain_exact(candidates, permitted, options);
    }
    operation_work work() const;
    std::string unit() const;
    std::string key() const;
    std::shared_ptr<const typical_product> make_trial(trial_call which) const;
    std::string rate_name() const { return "gemm " + type_name(type); }
    gemm_problem of_calibration() const { return gemm_problem(type, { 96, 64, 64 }); }

    gemm_type type;
    gemm_shape typical;       //!< of a typical call
    bool held;                //!< whether calls share one B, see gemm_options::held_b
    gemm_precision permitted; //!< see permitted_precision()
};

//! A variant: a kernel for OpenCL devices, or the host's.
class gemm_variant final : public operation_variant<gemm_problem>
{
public:
    using kernel_maker =
        std::function<std::unique_ptr<gemm_kernel>(const gemm_kernel_args&)>;

    //! \param its_info what people see of it
    //! \param make makes the kernel; empty: the variant of the host
    //! \param where see operation_variant
    gemm_variant(gemm_variant_info its_info,
                 kernel_maker make,
                 device_question where = suits_none)
        : operation_variant(its_info.name, !make, where),
          info(std::move(its_info)),
          make_kernel(std::move(make))
    {
    }

    const gemm_variant_info info;
    const kernel_maker make_kernel;

    bool takes(const gemm_problem& problem) const override
    {
        return info.takes(problem.type);
    }
    //! Matrix units are measured exact, and in the precision that is permitted. If the
    //! options name the variant, only the latter counts.
    std::vector<std::string> precisions_within(gemm_precision permitted,
                                               bool is_named) const;
    std::vector<std::string> precisions(const gemm_problem& problem,
                                        bool is_named) const override
    {
        return precisions_within(problem.permitted, is_named);
    }
    //! Makes the executor for a device.
    std::unique_ptr<gemm_executor> make_on_device(gemm_type type,
                                                  const operation_place& place) const;
    std::unique_ptr<gemm_executor> make(const gemm_problem& problem,
                                        const operation_place& place) const override
    {
        return host ? make_host_gemm(problem.type) : make_on_device(problem.type, place);
    }
};

// The variants, each in the file that computes it. Those of the ladders are in the order
// in which they were developed.
const variant_table<gemm_problem>& gemm_desktop_ladder();
const variant_table<gemm_problem>& gemm_mobile_ladder();
const gemm_variant& gemm_cpu_tile_variant();
const gemm_variant& gemm_gpu_tile_variant();
const gemm_variant& gemm_tensor_variant();
const gemm_variant& gemm_warpgroup_variant();
const gemm_variant& gemm_clblast_variant();
const gemm_variant& gemm_simd_variant();

//! The types that most variants take, and all of them.
const std::vector<gemm_type>& gemm_types_without_bytes();
const std::vector<gemm_type>& gemm_types_with_bytes();

} // namespace cldsp
