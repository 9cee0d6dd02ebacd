/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/ladder/gemm_kernel_ladder.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

// Sizes of work-groups: enough work-items to hide a GPU's latencies, and few enough that
// little is wasted at the edges of C.
constexpr std::size_t element_group = 8; // rows and columns of the group
constexpr std::size_t row_group = 64;
// The number of floats of a row of A in private memory, or of a column of B in local
// memory.
constexpr std::size_t max_chunk = 256;
constexpr std::size_t chunk_step = 8;

//! `naive`, `coalesced` and `private_sum`: a work-item computes one element of C.
class gemm_kernel_elements : public gemm_kernel_ladder
{
public:
    gemm_kernel_elements(const std::string& rung, const gemm_kernel_args& args)
        : gemm_kernel_ladder(args),
          d_transposed(rung != "naive"),
          d_sums_apart(rung != "private_sum" && args.type == gemm_type::f16),
          d_kernel(device().build("gemm_desktop", type_option()), rung.c_str()),
          d_group(group_of(d_kernel, element_group, element_group))
    {
    }

protected:
    void prepare_b(std::size_t k,
                   std::size_t n,
                   const gemm_device_matrix& b,
                   gemm_prepared_b& to,
                   std::vector<cl::Event>& events) override
    {
        to.matrix = d_transposed ? transpose(b, k, n, k, to.space, events) : b;
    }
    void multiply(const gemm_device_call& call,
                  const gemm_prepared_b& b,
                  gemm_events& events) override
    {
        const auto& s = call.shape;
        gemm_kernel_arguments arguments(d_kernel);
        arguments.add_matrix(call.a).add_matrix(b.matrix).add_product(call);
        if (d_sums_apart)
            arguments.add(
                d_sums.grow(device(), s.m * s.n * sizeof(float), "C's sums in float"));
        events.multiply.push_back(launch(d_kernel, { s.m, s.n }, d_group));
    }

private:
    const bool d_transposed;
    const bool d_sums_apart; // sums are kept in float, because C in half precision would
                             // round each of them
    cl::Kernel d_kernel;
    const std::array<std::size_t, 2> d_group;
    gemm_work_space d_sums;
};

//! The name of a variant's kernel; the variant's own name may be a word of OpenCL C.
std::string kernel_of(const std::string& rung)
{
    return rung == "float4" ? "float4_made" : rung == "float8" ? "float8_row" : rung;
}

//! `row_per_item` and the variants after it: a work-item computes one row of C. Only for
//! matrices of float.
class gemm_kernel_rows : public gemm_kernel_ladder
{
public:
    gemm_kernel_rows(const std::string& rung, const gemm_kernel_args& args)
        : gemm_kernel_ladder(args),
          d_kernel(device().build("gemm_desktop_rows",
                                  "-DCHUNK=" + std::to_string(chunk(rung))),
                   kernel_of(rung).c_str()),
          d_group(group_of(d_kernel, row_group, 1))
    {
    }

protected:
    void prepare_b(std::size_t k,
                   std::size_t n,
                   const gemm_device_matrix& b,
                   gemm_prepared_b& to,
                   std::vector<cl::Event>& events) override
    {
        to.matrix = transpose(b, k, n, k, to.space, events);
    }
    void multiply(const gemm_device_call& call,
                  const gemm_prepared_b& b,
                  gemm_events& events) override
    {
        gemm_kernel_arguments(d_kernel)
            .add_matrix(call.a)
            .add_matrix(b.matrix)
            .add_product(call);
        events.multiply.push_back(launch(d_kernel, { call.shape.m, 1 }, d_group));
    }

private:
    static bool shares_columns(const std::string& rung)
    {
        return rung != "row_per_item" && rung != "row_private";
    }

    //! The number of floats of a row or a column that are kept at a time. A shared column
    //! takes at most half of the local memory, because the driver may need some itself.
    std::size_t chunk(const std::string& rung) const
    {
        if (!shares_columns(rung))
            return max_chunk;
        const std::size_t local = device().limits().local_memory;
        const std::size_t least = 2 * chunk_step * sizeof(float);
        if (local < least)
            throw_invalid("variant",
                          rung,
                          "one that needs less than " + std::to_string(least) +
                              " bytes of local memory: device '" + device().name() +
                              "' has " + std::to_string(local));
        return std::min(max_chunk, local / 2 / sizeof(float)) / chunk_step * chunk_step;
    }

    cl::Kernel d_kernel;
    const std::array<std::size_t, 2> d_group;
};

} // namespace

std::unique_ptr<gemm_kernel> make_gemm_kernel_desktop(const std::string& rung,
                                                      const gemm_kernel_args& args)
{
    const bool elements = rung == "naive" || rung == "coalesced" || rung == "private_sum";
    try {
        if (elements)
            return std::make_unique<gemm_kernel_elements>(rung, args);
        return std::make_unique<gemm_kernel_rows>(rung, args);
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), args.device->name());
    }
}

} // namespace cldsp
