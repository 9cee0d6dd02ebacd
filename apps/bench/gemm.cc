/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bench/products.h"

#include "common/report.h"
#include "matrices/gemm_candidates.h"
#include "matrices/gemm_workloads.h"

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

//! Whether an entry is measured: every variant of the ladders if \p ladder, otherwise the
//! variants that blocks use and the kernels of libraries.
bool takes_part(const gemm_entry& entry, bool ladder)
{
    return !entry.held &&
           (ladder || entry.ladder == "production" || entry.ladder == "library");
}

bench_table measure_gemm(bench_session& session, const gemm_workload& work, bool ladder)
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
        if (device.is_host()) {
            for (const auto& entry : host_gemm_entries())
                if (entry.ladder == "host" && !entry.held)
                    add(device.id(), entry);
            continue;
        }
        std::vector<gemm_entry> entries;
        try {
            entries = device_gemm_entries(session.registry().get(device));
        } catch (const std::exception& e) {
            rows.add(device.id(), "", [&]() -> std::unique_ptr<product> { throw; });
        }
        for (const auto& entry : entries)
            if (takes_part(entry, ladder))
                add(device.id(), entry);
    }
    if (session.wish().automatic && !ladder)
        add("auto", chosen_gemm_entry(session.registry()));

    kernel_work once;
    once.operations = operations;
    once.bytes = static_cast<double>(data.a().size() + data.b().size() + data.c_bytes());
    rows.measure_all(once, [](const roofline& roof) { return roof; });
    return table;
}

//! The square product of a workload, in the size that was asked for.
gemm_workload
square(const bench_session& session, const std::string& benchmark, std::size_t when_quick)
{
    auto work = find_gemm_workload(benchmark);
    const std::size_t size = session.wish().size_of(work.shape.m, when_quick);
    work.shape = { size, size, size };
    return work;
}

} // namespace

std::vector<bench_workload> gemm_workloads()
{
    return {
        { "G1",
          "product of square matrices of 1024 rows, single precision",
          "",
          true,
          [](bench_session& session) {
              return measure_gemm(
                  session, square(session, "G1", quick_matrix_size), false);
          } },
        { "G1_4096",
          "the same of 4096 rows; G1 is both",
          "G1",
          false,
          [](bench_session& session) {
              return measure_gemm(
                  session, square(session, "G1_4096", 2 * quick_matrix_size), false);
          } },
        { "G2",
          "64 beams of 64 antennas, complex",
          "",
          true,
          [](bench_session& session) {
              auto work = find_gemm_workload("G2");
              work.shape.n = session.wish().items_of(work.shape.n, quick_samples);
              return measure_gemm(session, work, false);
          } },
        { "G1_bytes",
          "G1 with matrices of bytes",
          "",
          false,
          [](bench_session& session) {
              auto work = square(session, "B", quick_matrix_size);
              work.name = "G1_bytes";
              return measure_gemm(session, work, false);
          } },
        { "G3",
          "1-bit correlations of 4096 items with 4096 codes of 4096 bits",
          "",
          true,
          [](bench_session& session) {
              const std::size_t size = session.wish().size_of(4096, quick_matrix_size);
              return measure_gemm_1bit(session, size);
          } },
        { "gemm_ladder",
          "every kernel of G1",
          "",
          false,
          [](bench_session& session) {
              auto work = square(session, "G1", quick_matrix_size);
              work.name = "gemm_ladder";
              return measure_gemm(session, work, true);
          } },
    };
}

} // namespace cldsp::app
