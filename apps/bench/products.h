// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A product that can be timed, and the rows of a table of products.

#pragma once

#include "bench/workloads.h"

#include "common/timed_work.h"

#include <cldsp/kernel_work.h>
#include <cldsp/roofline.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::app {

//! The number of rows and columns of a matrix in a quick run.
constexpr std::size_t quick_matrix_size = 128;

//! A product of matrices that can be timed; it becomes one row of a table.
class product : public bench::timed_work
{
public:
    product(std::string device, std::string method, std::size_t outputs)
        : d_device(std::move(device)), d_method(std::move(method)), d_outputs(outputs)
    {
    }
    bench::candidate_name name() const override
    {
        return { "", d_device, d_method, "", "" };
    }
    std::size_t items() const override { return d_outputs; }
    const std::string& device() const { return d_device; }
    const std::string& method() const { return d_method; }

    //! The error of a new call, in dB.
    virtual double error() = 0;

private:
    std::string d_device, d_method;
    std::size_t d_outputs;
};

//! The rows of a table of products, made one by one and then timed together.
class product_rows
{
public:
    product_rows(bench_session& session, bench_table& to) : d_session(session), d_to(to)
    {
    }

    //! Adds the product that \p make returns, or a row with the reason why \p make
    //! refuses. Does nothing if the kernel \p method is not wanted.
    void add(const std::string& device,
             const std::string& method,
             const std::function<std::unique_ptr<product>()>& make);

    //! Times all products and adds them to the table.
    //! \param work the operations and bytes of one product
    //! \param roof converts a device's roofline to the operations of \p work
    void measure_all(const kernel_work& work,
                     const std::function<roofline(const roofline&)>& roof);

private:
    bench_session& d_session;
    bench_table& d_to;
    std::vector<std::unique_ptr<product>> d_products;
    std::vector<bench_row> d_left_out;
};

//! A table without rows, for products of \p outputs elements and \p operations per call.
bench_table product_table(const std::string& name,
                          const std::string& title,
                          const std::string& operation,
                          double operations,
                          std::size_t outputs);

} // namespace cldsp::app
