/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/page_memory.h"
#include "gemm/gemm_executor.h"
#include "planning/output_check.h"

#include <complex>

namespace cldsp {

//! Random elements for a measurement, the same in every run.
page_memory trial_matrix(gemm_type type, std::size_t elements);

//! The matrices of a typical call, the same for all candidates.
struct typical_product {
    //! \param hold_b whether B is held, as of gemm::hold_b()
    typical_product(gemm_type type_, const gemm_shape& s, bool hold_b = false)
        : type(type_),
          held(hold_b),
          shape(s),
          a(trial_matrix(type, s.m * s.k)),
          b(trial_matrix(type, s.k * s.n)),
          c(s.m * s.n * element_size(type))
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
    //! One element that lasts as long as the process takes the place of B.
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
    output_error error(const gemm_executor&) const
    {
        // A half may be rounded to its other neighbour.
        return { error_of_c(), type == gemm_type::f16 ? 1e-2 : max_output_error };
    }

    //! Of C against the host's, in some of its rows; see output_error.
    double error_of_c() const;

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
