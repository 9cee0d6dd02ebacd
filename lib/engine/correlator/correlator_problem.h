// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What a correlator computes: the problem of its plan, its trials, and its variants.

#pragma once

#include "base/page_memory.h"
#include "correlator/correlator_executor.h"
#include "correlator/correlator_kernel.h"
#include "planning/operation.h"
#include "planning/output_check.h"

#include <cldsp/correlator.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! The samples and sums of a trial: one integration.
class trial_correlation
{
public:
    trial_correlation(sample_type type, std::size_t antennas, std::size_t samples);

    void lend_to(correlator_executor&) const {}
    void take_from(correlator_executor&) const {}
    void spoil() const;
    void run(correlator_executor& executor) const { add(executor, d_sums); }
    //! The difference of the sums from the host's. A sum that a device does not write
    //! stays 0.
    output_error error(const correlator_executor&) const;
    void keep() const noexcept {} // executors copy the samples
    bool is_kept() const noexcept { return false; }

private:
    void add(correlator_executor& executor,
             std::vector<std::complex<double>>& sums) const;

    sample_type d_type;
    std::size_t d_antennas, d_samples;
    page_memory d_in;
    std::vector<const void*> d_first;
    mutable std::vector<std::complex<double>> d_sums;
};

class correlator_variant;

//! The problem of a plan, see operation.
struct correlator_problem : operation_problem {
    using executor = correlator_executor;
    using variant = correlator_variant;
    using trial = trial_correlation;
    static constexpr const char* algorithm = "correlator";
    static const variant_table<correlator_problem>& variants();

    correlator_problem(sample_type its_type,
                       std::size_t its_antennas,
                       std::size_t typical_samples)
        : type(its_type), antennas(its_antennas), samples(typical_samples)
    {
    }

    std::string what_variants_take() const;
    bool is_small() const;
    operation_work work() const;
    std::string unit() const { return "GFLOP/s"; }
    std::string key() const;
    std::shared_ptr<const trial_correlation> make_trial(trial_call which) const;
    std::string rate_name() const;
    correlator_problem of_calibration() const { return { type, 16, 512 }; }

    sample_type type;
    std::size_t antennas;
    std::size_t samples; //!< of each antenna, in a typical call
};

//! A variant: a kernel for OpenCL devices, or the host's.
class correlator_variant final : public operation_variant<correlator_problem>
{
public:
    using kernel_maker =
        std::unique_ptr<correlator_kernel> (*)(const correlator_kernel_args&);

    //! \param its_name the name
    //! \param make makes the kernel; null: the variant of the host
    //! \param where see operation_variant
    //! \param bytes_alone whether it takes no other samples than cs8
    //! \param per_flop see device_seconds()
    correlator_variant(std::string its_name,
                       kernel_maker make,
                       device_question where,
                       bool bytes_alone = false,
                       double per_flop = 1)
        : operation_variant(std::move(its_name), !make, where),
          make_kernel(make),
          d_bytes_alone(bytes_alone),
          d_per_flop(per_flop)
    {
    }

    const kernel_maker make_kernel;

    bool takes(const correlator_problem& problem) const override
    {
        return !d_bytes_alone || problem.type == sample_type::cs8;
    }
    std::unique_ptr<correlator_executor>
    make(const correlator_problem& problem, const operation_place& place) const override;

protected:
    double operations_per_flop() const override { return d_per_flop; }

private:
    bool d_bytes_alone;
    double d_per_flop;
};

// The variants, each in the file that computes it.
const correlator_variant& correlator_simd_variant();
const correlator_variant& correlator_cpu_tile_variant();
const correlator_variant& correlator_gpu_tile_variant();
const correlator_variant& correlator_tensor_variant();
const correlator_variant& correlator_warpgroup_variant();

} // namespace cldsp
