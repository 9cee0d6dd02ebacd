// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The product that the planner and the tuner time, and its comparison with the host's.

#pragma once

#include "base/page_memory.h"
#include "gemm/gemm_executor.h"
#include "planning/output_check.h"

#include <cldsp/gemm.h>

#include <complex>
#include <cstddef>

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

} // namespace cldsp
