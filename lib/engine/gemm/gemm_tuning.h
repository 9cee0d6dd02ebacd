/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/page_memory.h"
#include "gemm/gemm_executor.h"
#include "gemm/gemm_parameters.h"
#include "planning/output_check.h"
#include "tuning/tuning_choice.h"

#include <cldsp/context.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <complex>
#include <string>

namespace cldsp {

//! Random elements for a measurement, the same in every run.
page_memory trial_matrix(gemm_type type, std::size_t elements);

//! The bound of output_error for a product of trial_matrix()'s floats.
double max_trial_error(gemm_precision precision);
//! Tells a comparison how large the sums of \p k such terms are, where rounded factors
//! make their error depend on the terms. See output_comparison::expect_peak().
void expect_trial_peak(output_comparison& comparison,
                       gemm_precision precision,
                       std::size_t k);

//! The matrices of a typical call, the same for all candidates.
struct typical_product {
    //! \param type_ the type of the elements
    //! \param s the sizes of the product
    //! \param hold_b whether B is held, as by gemm::hold_b()
    typical_product(gemm_type type_, const gemm_shape& s, bool hold_b = false)
        : type(type_),
          held(hold_b),
          shape(s),
          a(trial_matrix(type, s.m * s.k)),
          b(trial_matrix(type, s.k * s.n)),
          c(s.m * s.n * result_size(type))
    {
    }

    gemm_call call() const
    {
        gemm_call result;
        result.shape = shape;
        result.a = { a.as<void>(), shape.k };
        result.b = { b.as<void>(), shape.n };
        result.c = { c.as<void>(), shape.n };
        return result;
    }

    void lend_to(gemm_executor& executor) const
    {
        if (held)
            executor.hold_b(shape.k, shape.n, call().b);
    }
    //! Replaces B by one element that is never destroyed, because the executor keeps a
    //! pointer.
    void take_from(gemm_executor& executor) const
    {
        static const std::complex<float> element = 0;
        if (held)
            executor.hold_b(1, 1, { &element, 1 });
    }
    void run(gemm_executor& executor) const
    {
        if (held)
            executor.multiply_held(call());
        else
            executor.multiply(call());
    }
    void spoil() const { fill_with_nonsense(c.as<void>(), c.region().bytes); }
    output_error error(const gemm_executor& executor) const
    {
        // A result in half precision may be rounded to the other of its two neighbours.
        return { error_of_c(executor.precision()),
                 type == gemm_type::f16 ? 1e-2 : max_trial_error(executor.precision()) };
    }

    //! The difference of some rows of C, which were computed in this precision, from the
    //! host's; see output_error.
    double error_of_c(gemm_precision precision) const;

    void keep() const noexcept
    {
        a.keep();
        b.keep();
        c.keep();
    }
    bool is_kept() const noexcept { return a.is_kept(); }

    gemm_type type;
    bool held;
    gemm_shape shape;
    page_memory a, b, c;
};

//! A variant of the multiplication that can be tuned ("cpu_tile" or "gpu_tile"), and the
//! device that it runs on.
struct gemm_place : tiled_place {
    gemm_place(const std::string& name, const context& where)
        : gemm_place(name, where.device(), where.options())
    {
    }
    gemm_place(const std::string& name,
               const device_info& where,
               const context_options& with)
        : tiled_place("gemm", "gemm", name, where, with)
    {
    }
};

//! The values that the kernel can be built with.
tuning_space gemm_tuning_space(const gemm_place& place, gemm_type type);
tuning_problem gemm_tuning_problem(gemm_type type, const gemm_shape& shape);

/*!
 * The values that a kernel is built with: those that suit the device, changed by the
 * options' tuning_defaults, then by \p tuned. If the values of one of these two do not
 * fit, all its values are ignored.
 *
 * \param place the variant, and where it runs
 * \param type the type of the elements
 * \param tuned values that a tuner has found
 */
tuning_values
gemm_values(const gemm_place& place, gemm_type type, const tuning_values& tuned = {});

/*!
 * The values that are used for a shape if nothing was tuned: those of gemm_values(). Only
 * gpu_tile has several shipped sets of values, and uses the set that suits the shape.
 */
tuning_values
untuned_gemm_values(const gemm_place& place, gemm_type type, const gemm_shape& shape);

//! The values that the wisdom holds for this problem, or else for the nearest one; empty
//! if there are none.
tuning_values tuned_gemm_values(wisdom& all,
                                const gemm_place& place,
                                gemm_type type,
                                const gemm_shape& shape);

//! Looks up the tuned values for one problem, see tuned_lookup.
class tuned_gemms
{
public:
    tuned_gemms(context_registry& registry, gemm_type type, const gemm_shape& shape)
        : d_lookup(registry), d_type(type), d_shape(shape)
    {
    }

    //! The values of a variant on a device; empty if there are none, or nothing to tune.
    const tuning_values& of(const device_info& device, const std::string& variant);
    std::string text() const { return d_lookup.text(); }

private:
    tuned_lookup d_lookup;
    gemm_type d_type;
    gemm_shape d_shape;
};

gemm_cpu_parameters gemm_cpu_parameters_of(gemm_type type, const tuning_values& values);
gemm_gpu_parameters gemm_gpu_parameters_of(const tuning_values& values);

} // namespace cldsp
