/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/stream_matrix.h>

#include "base/text_stream.h"
#include "gemm/gemm_choice.h"
#include "gemm/gemm_selection.h"
#include "gemm/gemm_tuning.h"
#include "gemm/stream_executor.h"
#include "gemm/typical_product.h"
#include "planning/lost_device.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// A call of fewer operations takes less time on the host than it takes to start a device.
constexpr double min_device_operations = 1e6;

} // namespace

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
    gemm_type type;
    std::size_t rows, columns;
    gemm_options options;
    std::vector<unsigned char> a; // the coefficients, for the host after a device has
                                  // failed
    selection<stream_executor> selected;
    bool takes_devices = false;

    //! Chooses among the candidates that the options leave open.
    void choose(std::size_t items, context_registry& registry)
    {
        const gemm_shape shape{ rows, items, columns };
        const double operations = shape.operations(type);
        tuned_gemms tuned(registry, type, shape);
        trial_calls<trial_streams> calls([&](trial_call which) {
            constexpr std::size_t brief_items = 64;
            return std::make_shared<const trial_streams>(
                type,
                rows,
                columns,
                which == trial_call::brief ? std::min(brief_items, items) : items);
        });
        std::vector<plan_candidate> candidates;
        const auto add = [&](const device_info& device, const gemm_way& way) {
            auto c = gemm_candidate(device, way);
            // All predictions are equal, so that all candidates are measured if there are
            // several.
            c.predicted = operations / 1e10;
            c.tuned = tuned_text(tuned.of(device, way.variant));
            c.make = [&, device, way] {
                return std::make_unique<executor_trial<stream_executor, trial_streams>>(
                    make(device, way, tuned, registry), calls);
            };
            candidates.push_back(std::move(c));
            takes_devices = takes_devices || !device.is_host();
        };
        const bool small = options.device == "auto" && options.variant == "auto" &&
                           operations < min_device_operations;
        for (const auto& device : registry.find_devices(
                 small ? "host" : gemm_devices(type, options), options.log))
            for (const auto& way : gemm_ways(type, options, device))
                add(device, way);
        explain_exact(candidates,
                      type,
                      options,
                      small ? "the host multiplies small matrices" : "no matrix units");
        text_stream key;
        key << "stream_matrix " << type_name(type) << " rows=" << rows
            << " columns=" << columns << " items=" << items
            << " device=" << options.device << " variant=" << options.variant
            << " precision=" << options.precision << tuned.text();
        selected = choose_gemm<stream_executor>(
            candidates, key.str(), operations, "GFLOP/s", options, registry);
        if (!selected.executor)
            take_host(selected.plan.reason);
    }

    std::unique_ptr<stream_executor> make(const device_info& device,
                                          const gemm_way& way,
                                          tuned_gemms& tuned,
                                          context_registry& registry) const
    {
        if (device.is_host())
            return make_host_streams(type, rows, columns);
        return make_gemm_streams(type,
                                 rows,
                                 columns,
                                 make_opencl_gemm(registry.get(device),
                                                  way.variant,
                                                  gemm_transfer(device),
                                                  type,
                                                  tuned.of(device, way.variant),
                                                  way.precision));
    }

    void set_matrix(const void* coefficients)
    {
        const auto* bytes = static_cast<const unsigned char*>(coefficients);
        a.assign(bytes, bytes + rows * columns * element_size(type));
        selected.executor->set_matrix(a.data());
    }

    void take_host(const std::string& why)
    {
        selected.executor = make_host_streams(type, rows, columns);
        selected.plan = host_plan("gemm", "simd", why);
        selected.fell_back = true;
    }

    void lose_device(const std::string& why)
    {
        take_host(tell_lost_device(options.log, selected.executor->device_name(), why));
        selected.executor->set_matrix(a.data());
    }
};

stream_matrix::stream_matrix(gemm_type type,
                             std::size_t rows,
                             std::size_t columns,
                             std::size_t typical_items,
                             const gemm_options& options,
                             context_registry& registry)
    : d_impl(std::make_unique<implementation>())
{
    check(type, rows, columns, typical_items);
    check_gemm_options(type, options);
    auto& s = *d_impl;
    s.type = type;
    s.rows = rows;
    s.columns = columns;
    s.options = options;
    s.choose(typical_items, registry);
    const std::vector<unsigned char> zeros(rows * columns * element_size(type));
    s.set_matrix(zeros.data());
}

stream_matrix::~stream_matrix() = default;
stream_matrix::stream_matrix(stream_matrix&&) noexcept = default;
stream_matrix& stream_matrix::operator=(stream_matrix&&) noexcept = default;

void stream_matrix::set_matrix(const void* a) { d_impl->set_matrix(a); }

void stream_matrix::multiply(const void* const* in, void* const* out, std::size_t items)
{
    auto& s = *d_impl;
    if (items)
        run_or_lose_device([&] { s.selected.executor->multiply(in, out, items); },
                           [&](const char* why) { s.lose_device(why); });
}

std::size_t stream_matrix::rows() const { return d_impl->rows; }
std::size_t stream_matrix::columns() const { return d_impl->columns; }
bool stream_matrix::may_use_devices() const { return d_impl->takes_devices; }
std::string stream_matrix::device_name() const
{
    return d_impl->selected.executor->device_name();
}
std::string stream_matrix::variant_name() const
{
    return d_impl->selected.executor->variant_name();
}
std::string stream_matrix::transfer_name() const
{
    return d_impl->selected.executor->transfer_name();
}
std::string stream_matrix::plan() const { return chosen().text(); }
chosen_plan stream_matrix::chosen() const { return d_impl->selected.plan; }
run_statistics stream_matrix::statistics() const
{
    return d_impl->selected.executor->statistics();
}
bool stream_matrix::fell_back() const { return d_impl->selected.fell_back; }

} // namespace cldsp
