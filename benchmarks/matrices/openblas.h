// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products by OpenBLAS, which is loaded if it is installed.

#pragma once

#include <cldsp/gemm.h>

#include <memory>
#include <string>

namespace cldsp::bench {

//! OpenBLAS on every core, loaded at run time if it is installed.
class openblas
{
public:
    //! \throws std::runtime_error if it cannot be loaded
    openblas();
    ~openblas();

    //! Computes C = A B, row-major without gaps, for f32 or c32.
    void multiply(gemm_type type,
                  const gemm_shape& shape,
                  const void* a,
                  const void* b,
                  void* c) const;
    //! The version of OpenBLAS, the kernels that it has picked, and its threads.
    std::string describe() const;

private:
    struct functions;
    std::unique_ptr<functions> d_functions;
};

} // namespace cldsp::bench
