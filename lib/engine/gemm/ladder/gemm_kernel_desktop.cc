// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The steps from a naive product to shared rows and columns on GPUs, for comparison.

#include "gemm/gemm_problem.h"
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
    struct rung {
        const char* kernel;
        bool transposed;     //!< B is transposed first
        bool sums_in_memory; //!< in C's, or for halves in memory of their own
    };

    gemm_kernel_elements(const rung& its, const gemm_kernel_args& args)
        : gemm_kernel_ladder(args),
          d_transposed(its.transposed),
          d_sums_apart(its.sums_in_memory && args.type == gemm_type::f16),
          d_kernel(device().build("gemm_desktop", type_option()), its.kernel),
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

//! `row_per_item` and the variants after it: a work-item computes one row of C. Only for
//! matrices of float.
class gemm_kernel_rows : public gemm_kernel_ladder
{
public:
    struct rung {
        const char* name;
        const char* kernel;  //!< the variant's name may be a word of OpenCL C
        bool shares_columns; //!< of B, in local memory
    };

    gemm_kernel_rows(const rung& its, const gemm_kernel_args& args)
        : gemm_kernel_ladder(args),
          d_kernel(device().build("gemm_desktop_rows",
                                  "-DCHUNK=" + std::to_string(chunk(its))),
                   its.kernel),
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
    //! The number of floats of a row or a column that are kept at a time. A shared column
    //! takes at most half of the local memory, because the driver may need some itself.
    std::size_t chunk(const rung& its) const
    {
        if (!its.shares_columns)
            return max_chunk;
        const std::size_t local = device().limits().local_memory;
        const std::size_t least = 2 * chunk_step * sizeof(float);
        if (local < least)
            throw_invalid("variant",
                          its.name,
                          "one that needs less than " + std::to_string(least) +
                              " bytes of local memory: device '" + device().name() +
                              "' has " + std::to_string(local));
        return std::min(max_chunk, local / 2 / sizeof(float)) / chunk_step * chunk_step;
    }

    cl::Kernel d_kernel;
    const std::array<std::size_t, 2> d_group;
};

// It lives as long as the process, as every variant does.
const gemm_variant* by_elements(const char* name,
                                const char* description,
                                bool transposed,
                                bool sums_in_memory)
{
    const gemm_kernel_elements::rung its{ name, transposed, sums_in_memory };
    return new gemm_variant({ name, description, "desktop", gemm_types_without_bytes() },
                            [its](const gemm_kernel_args& args) {
                                return make_on_ladder<gemm_kernel_elements>(args, its);
                            });
}

const gemm_variant* by_rows(const char* name,
                            const char* description,
                            const char* kernel,
                            bool shares_columns = true)
{
    const gemm_kernel_rows::rung its{ name, kernel, shares_columns };
    return new gemm_variant({ name, description, "desktop", { gemm_type::f32 } },
                            [its](const gemm_kernel_args& args) {
                                return make_on_ladder<gemm_kernel_rows>(args, its);
                            });
}

} // namespace

const variant_table<gemm_problem>& gemm_desktop_ladder()
{
    static const auto& table = *new variant_table<gemm_problem>{
        by_elements(
            "naive", "one element of C a work-item, summed in C's memory", false, true),
        by_elements("coalesced",
                    "as naive with B transposed first, so that both are read along rows",
                    true,
                    true),
        by_elements("private_sum", "as coalesced, summed in a register", true, false),
        by_rows("row_per_item", "one row of C a work-item", "row_per_item", false),
        by_rows("row_private",
                "as row_per_item; the row of A is kept in private memory",
                "row_private",
                false),
        by_rows("column_local",
                "as row_private; the group shares the column of B in local memory",
                "column_local"),
        by_rows("float4",
                "as column_local, with dot products of float4 made in the inner loop",
                "float4_made"),
        by_rows("float4_row",
                "as float4; the row of A is kept as float4, made once",
                "float4_row"),
        by_rows("float8",
                "as float4_row with float8, each two halves and two dot products",
                "float8_row"),
    };
    return table;
}

} // namespace cldsp
