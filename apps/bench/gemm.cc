// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Workloads of matrix products, by every variant of each device.

#include "bench/products.h"

#include "common/text.h"
#include "matrices/gemm_candidates.h"
#include "matrices/gemm_workloads.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace cldsp::app {

namespace {

using namespace cldsp::bench;

constexpr std::size_t quick_samples = 1024;

// A call that takes minutes shows nothing that a smaller product would not show.
constexpr double longest_call = 30; // seconds
constexpr std::size_t trial_size = 512;
constexpr double trial_from_operations = 2e10;

double decibels(double ratio) { return 20 * std::log10(ratio); }

class float_product final : public product
{
public:
    float_product(const std::string& device,
                  const gemm_entry& entry,
                  const gemm_data& data)
        : product(device, entry.name, data.work().shape.m * data.work().shape.n),
          d_data(data),
          d_bound(data.bound(entry.precision)),
          d_candidate(entry.make(data))
    {
    }
    double bound_db() const override { return decibels(d_bound); }
    void call() override
    {
        const auto time = d_candidate->call();
        d_whole += time.whole;
        d_multiply += time.multiply;
    }
    std::optional<double> own_seconds() const override { return d_whole; }
    double kernel_seconds() const override { return d_multiply; }
    std::string note() const override { return d_candidate->note(); }
    std::optional<chosen_plan> plan() const override { return d_candidate->plan(); }
    double error() override
    {
        d_candidate->clear();
        call();
        return decibels(d_data.error(d_candidate->result()));
    }

private:
    const gemm_data& d_data;
    const double d_bound;
    std::unique_ptr<gemm_candidate> d_candidate;
    double d_whole = 0, d_multiply = 0;
};

//! Refuses a product that would take far too long, judged by the time of a smaller
//! product.
//! \throws std::runtime_error if it would
void refuse_slow(const gemm_entry& entry,
                 const gemm_workload& work,
                 const gemm_data& trial)
{
    const double operations = work.shape.operations(work.type);
    if (operations < trial_from_operations)
        return;
    const auto candidate = entry.make(trial);
    candidate->call(); // this call may build programs
    const double expected =
        candidate->call().whole * operations / trial.work().shape.operations(work.type);
    if (expected > longest_call)
        throw std::runtime_error("a call would take about " + number(expected, 2) + " s");
}

std::string shape_text(std::size_t m, std::size_t n, std::size_t k)
{
    return "m " + std::to_string(m) + ", n " + std::to_string(n) + ", k " +
           std::to_string(k);
}

//! The kernels of a table of products.
enum class gemm_kernels {
    of_production, //!< those that blocks use, and those of libraries for OpenCL
    of_the_ladder, //!< those for comparison as well
    all            //!< those with a held B, and OpenBLAS, too
};

bool takes_part(const gemm_entry& entry, gemm_kernels which)
{
    if (which == gemm_kernels::all)
        return true;
    if (entry.held || entry.name == "OpenBLAS")
        return false;
    return which == gemm_kernels::of_the_ladder || entry.ladder == "host" ||
           entry.ladder == "production" || entry.ladder == "library";
}

bench_table
measure_gemm(bench_session& session, const gemm_workload& work, gemm_kernels which)
{
    const auto& shape = work.shape;
    const double operations = shape.operations(work.type);
    auto table =
        product_table(work.name,
                      work.description + ", " + shape_text(shape.m, shape.n, shape.k),
                      work.type == gemm_type::s8 ? "op" : "FLOP",
                      operations,
                      shape.m * shape.n);
    const gemm_data data(work);
    auto small = work;
    small.shape = { trial_size, trial_size, trial_size };
    const gemm_data trial(small);
    product_rows rows(session, table);
    const auto add = [&](const std::string& device, const gemm_entry& entry) {
        rows.add(device, entry.name, [&] {
            refuse_slow(entry, work, trial);
            return std::make_unique<float_product>(device, entry, data);
        });
    };
    for (const auto& device : session.wish().devices) {
        std::vector<gemm_entry> entries;
        try {
            entries = device.is_host()
                          ? host_gemm_entries()
                          : device_gemm_entries(session.registry().get(device));
        } catch (const std::exception& e) {
            rows.add(device.id(), "", [&]() -> std::unique_ptr<product> { throw; });
        }
        for (const auto& entry : entries)
            if (takes_part(entry, which))
                add(device.id(), entry);
    }
    if (session.wish().automatic && which != gemm_kernels::of_the_ladder)
        add("auto", chosen_gemm_entry(session.registry()));

    kernel_work once;
    once.operations = operations;
    once.bytes = static_cast<double>(data.a().size() + data.b().size() + data.c_bytes());
    rows.measure_all(once, [](const roofline& roof) { return roof; });
    return table;
}

//! The workload in the size that was asked for, and with all kernels if that was.
bench_table
measure_gemm_as_wished(bench_session& session, gemm_workload work, gemm_kernels which)
{
    const auto& wish = session.wish();
    auto& shape = work.shape;
    if (work.columns_are_samples && wish.size.size() != 3) {
        shape.n = wish.items_of(shape.n, quick_samples);
    } else {
        constexpr std::size_t quick = quick_matrix_size;
        const auto sizes =
            wish.sizes_of({ shape.m, shape.n, shape.k }, { quick, quick, quick });
        if (sizes != bench_wish::product_sizes{ shape.m, shape.n, shape.k })
            work.description = "product of " + type_name(work.type);
        shape = { sizes[0], sizes[1], sizes[2] };
    }
    return measure_gemm(session, work, wish.all_kernels ? gemm_kernels::all : which);
}

bench_workload
workload_of(const gemm_workload& work, const std::string& description, gemm_kernels which)
{
    return { work.name, description, work.by_default, [=](bench_session& session) {
                return measure_gemm_as_wished(session, work, which);
            } };
}

} // namespace

std::vector<bench_workload> gemm_workloads()
{
    std::vector<bench_workload> all;
    for (const auto& work : bench::gemm_workloads())
        all.push_back(
            workload_of(work,
                        "product, " + work.description + ", " +
                            shape_text(work.shape.m, work.shape.n, work.shape.k),
                        gemm_kernels::of_production));
    return all;
}

std::vector<bench_workload> gemm_ladder_workloads()
{
    auto ladder = find_gemm_workload("G1");
    ladder.name = "gemm_ladder";
    ladder.by_default = false;
    return { workload_of(ladder, "every kernel of G1", gemm_kernels::of_the_ladder) };
}

} // namespace cldsp::app
