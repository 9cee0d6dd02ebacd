/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/stream_matrix.h>

#include "gemm/gemm_selection.h"
#include "gemm/gemm_tuning.h"
#include "planning/planner.h"
#include "gemm/stream_executor.h"
#include "base/trial_memory.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// Below this a call on the host takes less than a device needs to be asked.
constexpr double min_device_operations = 1e6;

//! A typical call of a candidate.
class stream_trial final : public plan_trial
{
public:
    stream_trial(std::unique_ptr<stream_executor> executor,
                 gemm_type type,
                 std::size_t rows,
                 std::size_t columns,
                 std::size_t items)
        : d_items(items), d_executor(std::move(executor))
    {
        const auto kind = type == gemm_type::c32 ? sample_type::fc32 : sample_type::f32;
        for (std::size_t k = 0; k < columns; k++)
            d_in.push_back(trial_input(kind, items));
        for (std::size_t l = 0; l < rows; l++)
            d_out.push_back(trial_memory(items * element_size(type)));
        for (const auto& stream : d_in)
            d_in_at.push_back(stream.as<void>());
        for (const auto& stream : d_out)
            d_out_at.push_back(stream.as<void>());
        d_executor->set_matrix(trial_input(kind, rows * columns).as<void>());
    }

    double run() override
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        d_executor->multiply(d_in_at.data(), d_out_at.data(), d_items);
        return std::chrono::duration<double>(clock::now() - start).count();
    }

private:
    std::size_t d_items;
    std::vector<trial_memory> d_in, d_out;
    std::vector<const void*> d_in_at;
    std::vector<void*> d_out_at;
    std::unique_ptr<stream_executor> d_executor;
};

void check(gemm_type type, std::size_t rows, std::size_t columns, std::size_t items)
{
    if (type == gemm_type::f16)
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
    std::unique_ptr<stream_executor> executor;
    chosen_plan plan;
    bool fell_back = false, takes_devices = false;

    using maker = std::function<std::unique_ptr<stream_executor>()>;

    //! What the options leave open; gemm has checked them.
    void
    choose(std::size_t items, const gemm_options& options, context_registry& registry)
    {
        const double operations = gemm_shape{ rows, items, columns }.operations(type);
        std::vector<plan_candidate> candidates;
        std::vector<maker> makers;
        tuned_gemms tuned(registry, type, { rows, items, columns });
        const auto add = [&](const device_info& device, const std::string& variant) {
            plan_candidate c;
            c.device = device;
            c.algorithm = "gemm";
            c.variant = variant;
            c.transfer = gemm_transfer(device);
            c.rows = 0;
            tuned.of(device, variant);
            takes_devices = takes_devices || !device.is_host();
            // All are measured where there is a choice.
            c.predicted = operations / 1e10;
            makers.push_back([=, &registry]() -> std::unique_ptr<stream_executor> {
                if (device.is_host())
                    return make_host_streams(type, rows, columns);
                gemm_options named = options;
                named.device = device.id();
                named.variant = variant;
                // The log tells which way was chosen for the streams. What gemm tells
                // of itself is a detail of that.
                named.log = [log = options.log](log_level level,
                                                const std::string& text) {
                    log_to(
                        log, level == log_level::info ? log_level::debug : level, text);
                };
                return make_gemm_streams(type, rows, columns, items, named, registry);
            });
            c.make_trial = [=, make = makers.back()]() -> std::unique_ptr<plan_trial> {
                return std::make_unique<stream_trial>(make(), type, rows, columns, items);
            };
            candidates.push_back(std::move(c));
        };
        const bool small = options.device == "auto" && options.variant == "auto" &&
                           operations < min_device_operations;
        const bool wants_host = options.variant == "simd";
        for (const auto& device : find_devices(options.device, options.log))
            if (device.is_host() ? options.variant == "auto" || wants_host
                                 : !small && !wants_host)
                add(device,
                    options.variant == "auto" ? automatic_gemm_variant(device)
                                              : options.variant);
        if (candidates.empty())
            candidates_missing(options);
        plan_request request;
        std::ostringstream key;
        key << "stream_matrix " << type_name(type) << " rows=" << rows
            << " columns=" << columns << " items=" << items
            << " device=" << options.device << " variant=" << options.variant
            << tuned.text();
        request.problem = key.str();
        request.items = static_cast<std::size_t>(operations);
        request.unit = "GFLOP/s";
        request.unit_items = 1e9;
        request.log = options.log;
        const auto choice =
            choose_plan(request, candidates, registry, [&](std::size_t index) {
                executor = makers[index]();
            });
        plan = choice.plan;
    }

    [[noreturn]] void candidates_missing(const gemm_options& options) const
    {
        if (options.device == "auto")
            throw opencl_error("clGetDeviceIDs",
                               CL_DEVICE_NOT_FOUND,
                               "",
                               "variant '" + options.variant + "' needs OpenCL");
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      "one that device '" + options.device + "' can run");
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
    auto& s = *d_impl;
    s.type = type;
    s.rows = rows;
    s.columns = columns;
    check_gemm_variant(type, options.variant);
    try {
        s.choose(typical_items, options, registry);
    } catch (const opencl_error& e) {
        log_to(options.log,
               log_level::warning,
               std::string("the host computes instead: ") + e.what());
        s.executor = make_host_streams(type, rows, columns);
        s.plan = host_plan("gemm", "simd", e.what());
        s.fell_back = true;
    }
    const std::vector<std::uint8_t> zeros(rows * columns * element_size(type));
    s.executor->set_matrix(zeros.data());
}

stream_matrix::~stream_matrix() = default;
stream_matrix::stream_matrix(stream_matrix&&) noexcept = default;
stream_matrix& stream_matrix::operator=(stream_matrix&&) noexcept = default;

void stream_matrix::set_matrix(const void* a) { d_impl->executor->set_matrix(a); }

void stream_matrix::multiply(const void* const* in, void* const* out, std::size_t items)
{
    if (items)
        d_impl->executor->multiply(in, out, items);
}

std::size_t stream_matrix::rows() const { return d_impl->rows; }
std::size_t stream_matrix::columns() const { return d_impl->columns; }
bool stream_matrix::may_use_devices() const { return d_impl->takes_devices; }
std::string stream_matrix::device_name() const { return d_impl->executor->device_name(); }
std::string stream_matrix::variant_name() const
{
    return d_impl->executor->variant_name();
}
std::string stream_matrix::transfer_name() const
{
    return d_impl->executor->transfer_name();
}
std::string stream_matrix::plan() const { return chosen().text(); }
chosen_plan stream_matrix::chosen() const
{
    const auto now = d_impl->executor->plan();
    return now.algorithm.empty() ? d_impl->plan : now;
}
run_statistics stream_matrix::statistics() const
{
    return d_impl->executor->statistics();
}
bool stream_matrix::fell_back() const
{
    return d_impl->fell_back || d_impl->executor->fell_back();
}

} // namespace cldsp
