// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The matrix products that this project measures, by their names.

#pragma once

#include <cldsp/gemm.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp::bench {

//! A product that is measured: C = A B.
struct gemm_workload {
    std::string name;
    std::string description;
    gemm_type type;
    gemm_shape shape;
    bool by_default = false; //!< false: measured only where it is named
    //! Whether the columns of B are samples of a stream, so that any number of them will
    //! do.
    bool columns_are_samples = false;
};

//! G1 and its variants, and G2.
const std::vector<gemm_workload>& gemm_workloads();
//! \throws std::invalid_argument for an unknown name
const gemm_workload& find_gemm_workload(const std::string& name);

//! The matrices of a workload, without gaps: random A and B, and the expected values of
//! C.
class gemm_data
{
public:
    explicit gemm_data(const gemm_workload& work);

    const gemm_workload& work() const { return d_work; }
    const std::vector<std::uint8_t>& a() const { return d_a; }
    const std::vector<std::uint8_t>& b() const { return d_b; }
    std::size_t c_bytes() const;
    //! A matrix C with NaN in every element, or -1 for s8, which a product has to
    //! replace.
    std::vector<std::uint8_t> empty_c() const;

    //! The largest error, see gemm_error(), among the elements of \p c in some random
    //! rows and columns.
    double error(const std::vector<std::uint8_t>& c) const;
    //! The largest error that rounding may cause, if floats have this precision.
    double bound(gemm_precision precision) const;
    //! At most this many rows are checked, and as many columns.
    static constexpr std::size_t checked_rows = 64;

private:
    gemm_workload d_work;
    std::vector<std::uint8_t> d_a, d_b;
};

} // namespace cldsp::bench
