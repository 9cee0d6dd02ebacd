/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_executor.h"
#include "base/trial_memory.h"

namespace cldsp {

//! Random elements for a measurement, the same in every run.
trial_memory trial_matrix(gemm_type type, std::size_t elements);

//! The matrices of a typical call, the same for all candidates.
struct typical_product {
    typical_product(gemm_type type, const gemm_shape& s)
        : shape(s),
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

    //! Of C against the host's, in some of its rows; see output_error.
    double error(gemm_type type) const;

    void keep() const noexcept
    {
        a.keep();
        b.keep();
        c.keep();
    }
    bool is_kept() const noexcept { return a.is_kept(); }

    gemm_shape shape;
    trial_memory a, b, c;
};

} // namespace cldsp
