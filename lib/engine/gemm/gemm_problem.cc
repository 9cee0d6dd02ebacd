// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How products of matrices are predicted, measured and named.

#include "gemm/gemm_problem.h"

#include "base/text_stream.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

// The most operations of a measured call: large enough that a larger call would not
// change the winner, small enough for a slow machine.
constexpr double max_operations = 5e8;
// The most operations of the brief call in which a device's product is compared.
constexpr double max_brief_operations = 5e7;

gemm_shape reduced(gemm_shape shape, gemm_type type, double most)
{
    while (shape.operations(type) > most) {
        auto& largest = shape.m >= shape.n && shape.m >= shape.k ? shape.m
                        : shape.n >= shape.k                     ? shape.n
                                                                 : shape.k;
        largest = (largest + 1) / 2;
    }
    return shape;
}

} // namespace

void check_gemm_shape(const gemm_shape& shape)
{
    const auto check_size = [](const char* name, std::size_t size) {
        if (size < 1)
            throw_invalid(name, "0", "1 or more");
    };
    check_size("m", shape.m);
    check_size("n", shape.n);
    check_size("k", shape.k);
}

gemm_precision permitted_precision(gemm_type type, const gemm_options& options)
{
    const auto permitted = gemm_precision_of(options.precision);
    const bool takes_floats = type == gemm_type::f32 || type == gemm_type::c32;
    return takes_floats ? permitted : gemm_precision::exact;
}

operation_options gemm_operation_options(const gemm_options& options)
{
    auto all = operation_options::of(options);
    all.precision = options.precision;
    return all;
}

void explain_exact(std::vector<plan_candidate>& candidates,
                   gemm_precision permitted,
                   const operation_options& options,
                   const std::string& otherwise)
{
    if (permitted == gemm_precision::exact)
        return;
    const bool any_less =
        std::any_of(candidates.begin(), candidates.end(), [](const plan_candidate& c) {
            return !c.precision.empty();
        });
    for (auto& c : candidates)
        if (c.precision.empty())
            c.exact_because = options.variant != "auto"
                                  ? "variant '" + c.variant + "' is always exact"
                              : any_less ? "matrix units with " + options.precision +
                                               " were slower, or were left out"
                                         : otherwise;
}

operation_work gemm_work(gemm_type type, const gemm_shape& shape)
{
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
    return { shape.operations(type),
             (m * k + k * n) * static_cast<double>(element_size(type)) +
                 m * n * static_cast<double>(result_size(type)),
             3 };
}

operation_work gemm_problem::work() const
{
    return gemm_work(type, reduced(typical, type, max_operations));
}

std::string gemm_problem::unit() const
{
    return type == gemm_type::s8 ? "Gop/s" : "GFLOP/s";
}

std::string gemm_problem::key() const
{
    const auto shape = reduced(typical, type, max_operations);
    text_stream key;
    key << "gemm " << type_name(type) << " m=" << shape.m << " n=" << shape.n
        << " k=" << shape.k << (held ? " held" : "");
    return key.str();
}

std::shared_ptr<const typical_product> gemm_problem::make_trial(trial_call which) const
{
    return std::make_shared<const typical_product>(
        type,
        reduced(typical,
                type,
                which == trial_call::brief ? max_brief_operations : max_operations),
        held);
}

std::vector<std::string> gemm_variant::precisions_within(gemm_precision permitted,
                                                         bool is_named) const
{
    if (info.min_compute_capability == 0 || permitted == gemm_precision::exact)
        return { {} };
    const auto less = precision_name(permitted);
    return is_named ? std::vector<std::string>{ less }
                    : std::vector<std::string>{ {}, less };
}

std::unique_ptr<gemm_executor>
gemm_variant::make_on_device(gemm_type type, const operation_place& place) const
{
    return make_opencl_gemm(place.opened,
                            name,
                            place.transfer,
                            type,
                            place.tuned,
                            place.precision.empty() ? gemm_precision::exact
                                                    : gemm_precision_of(place.precision));
}

} // namespace cldsp
