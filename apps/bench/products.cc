// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Times products in turns, and compares their results with the exact ones.

#include "base/reason.h"
#include "bench/products.h"

#include "bench/plans.h"

#include "common/text.h"

#include <exception>

namespace cldsp::app {

using namespace cldsp::bench;

void product_rows::add(const std::string& device,
                       const std::string& method,
                       const std::function<std::unique_ptr<product>()>& make)
{
    if (!d_session.wish().wants(method))
        return;
    try {
        d_products.push_back(make());
    } catch (const std::exception& e) {
        bench_row row;
        row.device = device;
        row.method = method;
        row.left_out = reason_of(e);
        d_left_out.push_back(row);
    }
}

void product_rows::measure_all(const kernel_work& work,
                               const std::function<roofline(const roofline&)>& roof)
{
    std::vector<timed_work*> works;
    for (const auto& p : d_products)
        works.push_back(p.get());
    const auto measured = measure(
        works,
        d_session.wish().how,
        [](timed_work& w) { return static_cast<product&>(w).error(); },
        terminal_progress(d_to.workload));
    end_progress();
    const auto known = d_session.devices();
    for (std::size_t i = 0; i < measured.size(); i++) {
        bench_row row;
        row.device = d_products[i]->device();
        row.method = d_products[i]->method();
        row.measured = measured[i];
        row.work = work;
        const auto* device = device_of(measured[i], known);
        row.ran = what_ran(measured[i]);
        for (const auto& k : known)
            if (!device && k.id() == row.device)
                device = &k;
        const double kernel = row.measured.kernel_median_seconds();
        if (device && measured[i].failure.empty())
            row.roof_part =
                work.fraction_of(roof(d_session.roof(*device)),
                                 kernel > 0 ? kernel : row.measured.median_seconds());
        d_to.rows.push_back(std::move(row));
    }
    d_to.rows.insert(d_to.rows.end(), d_left_out.begin(), d_left_out.end());
}

bench_table product_table(const std::string& name,
                          const std::string& title,
                          const std::string& operation,
                          double operations,
                          std::size_t outputs)
{
    bench_table table;
    table.workload = name;
    table.title = title;
    table.unit = "G" + operation + "/s";
    table.scale = 1e-9 * operations / static_cast<double>(outputs);
    table.operation = operation;
    return table;
}

} // namespace cldsp::app
