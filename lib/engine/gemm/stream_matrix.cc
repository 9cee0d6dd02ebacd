// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The public product of streams with a matrix, with its variants and trial calls.

#include <cldsp/stream_matrix.h>

#include "base/text_stream.h"
#include "gemm/gemm_problem.h"
#include "gemm/stream_executor.h"
#include "gemm/typical_product.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace cldsp {

//! The coefficients, streams and products of a trial.
class trial_streams
{
public:
    trial_streams(gemm_type type,
                  std::size_t rows,
                  std::size_t columns,
                  std::size_t items)
        : d_type(type),
          d_items(items),
          d_a(trial_matrix(type, rows * columns)),
          d_x(trial_matrix(type, columns * items)),
          d_y(rows * items * element_size(type))
    {
        for (std::size_t k = 0; k < columns; k++)
            d_in.push_back(d_x.as<unsigned char>() + k * row_bytes());
        for (std::size_t l = 0; l < rows; l++)
            d_out.push_back(d_y.as<unsigned char>() + l * row_bytes());
    }

    void lend_to(stream_executor& executor) const { executor.set_matrix(d_a.as<void>()); }
    void take_from(stream_executor&) const {}
    void run(stream_executor& executor) const
    {
        executor.multiply(d_in.data(), d_out.data(), d_items);
    }
    void spoil() const { fill_with_nonsense(d_y.as<void>(), d_y.region().bytes); }

    //! The difference of some items from the host's.
    output_error error(const stream_executor& executor) const
    {
        constexpr std::size_t each = 16;
        const auto host = make_host_streams(d_type, d_out.size(), d_in.size());
        host->set_matrix(d_a.as<void>());
        output_comparison comparison;
        expect_trial_peak(comparison, executor.precision(), d_in.size());
        for (const auto& range : some_outputs(d_items, each)) {
            const std::size_t bytes = range.count * element_size(d_type);
            const std::size_t at = range.first * element_size(d_type);
            std::vector<const void*> in;
            for (const auto* stream : d_in)
                in.push_back(static_cast<const unsigned char*>(stream) + at);
            const page_memory expected(d_out.size() * bytes);
            std::vector<void*> out;
            for (std::size_t l = 0; l < d_out.size(); l++)
                out.push_back(expected.as<unsigned char>() + l * bytes);
            host->multiply(in.data(), out.data(), range.count);
            for (std::size_t l = 0; l < d_out.size(); l++)
                comparison.add(reinterpret_cast<const float*>(
                                   static_cast<const unsigned char*>(d_out[l]) + at),
                               static_cast<const float*>(out[l]),
                               bytes / sizeof(float));
        }
        return { comparison.error(), max_trial_error(executor.precision()) };
    }

    void keep() const noexcept {} // executors copy their arguments
    bool is_kept() const noexcept { return false; }

private:
    std::size_t row_bytes() const { return d_items * element_size(d_type); }

    gemm_type d_type;
    std::size_t d_items;
    page_memory d_a, d_x, d_y;
    std::vector<const void*> d_in;
    std::vector<void*> d_out;
};

class stream_variant;

//! The problem of a plan, see operation.
struct stream_problem : operation_problem {
    using executor = stream_executor;
    using variant = stream_variant;
    using trial = trial_streams;
    static constexpr const char* algorithm = gemm_problem::algorithm;
    static const variant_table<stream_problem>& variants();

    stream_problem(gemm_type its_type,
                   std::size_t outputs,
                   std::size_t inputs,
                   std::size_t typical_items,
                   gemm_precision least_precise = gemm_precision::exact)
        : type(its_type),
          rows(outputs),
          columns(inputs),
          items(typical_items),
          permitted(least_precise),
          matrix(rows * columns * element_size(type))
    {
    }

    gemm_shape shape() const { return { rows, items, columns }; }
    std::string what_variants_take() const { return " for " + type_name(type); }
    bool is_small() const { return work().operations < min_device_operations; }
    tuned_gemms tuned(context_registry& registry) const
    {
        return { registry, type, shape() };
    }
    void explain(std::vector<plan_candidate>& candidates,
                 const operation_options& options) const
    {
        explain_exact(candidates,
                      permitted,
                      options,
                      options.leave_all_open() && is_small()
                          ? "the host multiplies small matrices"
                          : "no matrix units");
    }
    operation_work work() const { return gemm_work(type, shape()); }
    std::string unit() const { return "GFLOP/s"; }
    std::string key() const
    {
        text_stream key;
        key << "stream_matrix " << type_name(type) << " rows=" << rows
            << " columns=" << columns << " items=" << items;
        return key.str();
    }
    std::shared_ptr<const trial_streams> make_trial(trial_call which) const
    {
        constexpr std::size_t brief_items = 64;
        return std::make_shared<const trial_streams>(
            type,
            rows,
            columns,
            which == trial_call::brief ? std::min(brief_items, items) : items);
    }
    std::string rate_name() const { return "stream_matrix " + type_name(type); }
    stream_problem of_calibration() const { return { type, 8, 8, 4096 }; }

    gemm_type type;
    std::size_t rows, columns, items;
    gemm_precision permitted; //!< see permitted_precision()
    std::vector<unsigned char> matrix;
};

//! A variant: that of products of matrices, or the host's for streams.
class stream_variant final : public operation_variant<stream_problem>
{
public:
    explicit stream_variant(const gemm_variant& of_products)
        : operation_variant(of_products.name, of_products.host, of_products.suits),
          d_products(of_products)
    {
    }

    bool takes(const stream_problem& problem) const override
    {
        return d_products.info.takes(problem.type);
    }
    std::vector<std::string> precisions(const stream_problem& problem,
                                        bool is_named) const override
    {
        return d_products.precisions_within(problem.permitted, is_named);
    }
    //! What streams cost on their way to a device, and in copies, was never estimated
    //! well. All predictions are the host's, so that all candidates are measured.
    double predict(const stream_problem& problem,
                   const operation_place&,
                   double host_rate) const override
    {
        return host_seconds(problem.work(), host_rate);
    }
    std::unique_ptr<stream_executor> make(const stream_problem& its,
                                          const operation_place& place) const override
    {
        auto made = host ? make_host_streams(its.type, its.rows, its.columns)
                         : make_gemm_streams(its.type,
                                             its.rows,
                                             its.columns,
                                             d_products.make_on_device(its.type, place));
        made->set_matrix(its.matrix.data());
        return made;
    }

private:
    const gemm_variant& d_products;
};

const variant_table<stream_problem>& stream_problem::variants()
{
    static const auto& all = *new auto([] {
        variant_table<stream_problem> table;
        for (const auto* variant : gemm_problem::variants())
            table.push_back(new stream_variant(*variant));
        return table;
    }());
    return all;
}

namespace {

void check(gemm_type type, std::size_t rows, std::size_t columns, std::size_t items)
{
    if (type != gemm_type::f32 && type != gemm_type::c32)
        throw_invalid("type", type_name(type), "f32 or c32");
    if (rows == 0)
        throw_invalid("rows", "0", "1 or more");
    if (columns == 0)
        throw_invalid("columns", "0", "1 or more");
    if (items == 0)
        throw_invalid("typical_items", "0", "1 or more");
}

} // namespace

struct stream_matrix::implementation {
    implementation(const stream_problem& problem,
                   const gemm_options& options,
                   context_registry& registry)
        : engine(problem, gemm_operation_options(options), registry)
    {
    }

    operation<stream_problem> engine;

    void set_matrix(const void* coefficients)
    {
        auto& matrix = engine.problem.matrix;
        const auto* bytes = static_cast<const unsigned char*>(coefficients);
        matrix.assign(bytes, bytes + matrix.size());
        engine.executor().set_matrix(matrix.data());
    }
};

stream_matrix::stream_matrix(gemm_type type,
                             std::size_t rows,
                             std::size_t columns,
                             std::size_t typical_items,
                             const gemm_options& options,
                             context_registry& registry)
{
    check(type, rows, columns, typical_items);
    const stream_problem problem(
        type, rows, columns, typical_items, permitted_precision(type, options));
    d_impl = std::make_unique<implementation>(problem, options, registry);
    // A trial has left its own matrix.
    d_impl->set_matrix(problem.matrix.data());
}

stream_matrix::~stream_matrix() = default;
stream_matrix::stream_matrix(stream_matrix&&) noexcept = default;
stream_matrix& stream_matrix::operator=(stream_matrix&&) noexcept = default;

void stream_matrix::set_matrix(const void* a) { d_impl->set_matrix(a); }

void stream_matrix::multiply(const void* const* in, void* const* out, std::size_t items)
{
    if (items)
        d_impl->engine.run(
            [&](stream_executor& executor) { executor.multiply(in, out, items); });
}

std::size_t stream_matrix::rows() const { return d_impl->engine.problem.rows; }
std::size_t stream_matrix::columns() const { return d_impl->engine.problem.columns; }
bool stream_matrix::may_use_devices() const { return d_impl->engine.may_use_devices(); }
std::string stream_matrix::device_name() const { return d_impl->engine.device_name(); }
std::string stream_matrix::variant_name() const { return d_impl->engine.variant_name(); }
std::string stream_matrix::transfer_name() const
{
    return d_impl->engine.transfer_name();
}
std::string stream_matrix::plan() const { return chosen().text(); }
chosen_plan stream_matrix::chosen() const { return d_impl->engine.plan(); }
run_statistics stream_matrix::statistics() const { return d_impl->engine.statistics(); }
bool stream_matrix::fell_back() const { return d_impl->engine.fell_back(); }

} // namespace cldsp
