// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The sizes of the measured products, their matrices and expected results.

#include "matrices/gemm_workloads.h"

#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace cldsp::bench {

const std::vector<gemm_workload>& gemm_workloads()
{
    const auto square = [](std::size_t size) { return gemm_shape{ size, size, size }; };
    static const std::vector<gemm_workload> workloads = {
        { "G1", "square", gemm_type::f32, square(1024), true },
        { "G1_4096", "large and square", gemm_type::f32, square(4096) },
        { "G1_oblong", "oblong", gemm_type::f32, { 2048, 512, 768 } },
        { "G1_complex", "square, complex", gemm_type::c32, square(1024) },
        { "G1_halves", "square, half precision", gemm_type::f16, square(1024) },
        { "G1_bytes", "square, bytes", gemm_type::s8, square(1024) },
        { "G2",
          "64 beams of 64 antennas",
          gemm_type::c32,
          { 64, 65536, 64 },
          true,
          true },
    };
    return workloads;
}

const gemm_workload& find_gemm_workload(const std::string& name)
{
    std::string known;
    for (const auto& work : gemm_workloads()) {
        if (work.name == name)
            return work;
        known += (known.empty() ? "" : ", ") + work.name;
    }
    throw_invalid("workloads", "'" + name + "'", "some of " + known);
}

namespace {

std::vector<std::uint8_t>
random_matrix(gemm_type type, std::size_t elements, unsigned seed)
{
    std::vector<std::uint8_t> bytes(elements * element_size(type));
    std::mt19937 random(seed);
    const auto next = [&random] {
        return static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f;
    };
    if (type == gemm_type::s8)
        for (auto& byte : bytes)
            byte = static_cast<std::uint8_t>(random());
    else if (type == gemm_type::f16)
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
            const std::uint16_t half = to_half(next());
            std::memcpy(bytes.data() + i, &half, 2);
        }
    else
        for (std::size_t i = 0; i < bytes.size(); i += 4) {
            const float value = next();
            std::memcpy(bytes.data() + i, &value, 4);
        }
    return bytes;
}

std::vector<std::size_t> some_of(std::size_t count, unsigned seed)
{
    std::vector<std::size_t> chosen;
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < std::min(count, gemm_data::checked_rows); i++)
        chosen.push_back(count <= gemm_data::checked_rows ? i : random() % count);
    return chosen;
}

//! The elements in some rows and columns of a matrix without gaps.
std::vector<std::uint8_t> taken(const std::vector<std::uint8_t>& matrix,
                                std::size_t columns,
                                std::size_t size,
                                const std::vector<std::size_t>& at_rows,
                                const std::vector<std::size_t>& at_columns)
{
    std::vector<std::uint8_t> result;
    result.reserve(at_rows.size() * at_columns.size() * size);
    for (const auto row : at_rows)
        for (const auto column : at_columns) {
            const auto* element = matrix.data() + (row * columns + column) * size;
            result.insert(result.end(), element, element + size);
        }
    return result;
}

} // namespace

gemm_data::gemm_data(const gemm_workload& work)
    : d_work(work),
      d_a(random_matrix(work.type, work.shape.m * work.shape.k, 1)),
      d_b(random_matrix(work.type, work.shape.k * work.shape.n, 2))
{
}

std::size_t gemm_data::c_bytes() const
{
    return d_work.shape.m * d_work.shape.n * result_size(d_work.type);
}

std::vector<std::uint8_t> gemm_data::empty_c() const
{
    // All bits set are NaN in every type of floats, and -1 otherwise.
    return std::vector<std::uint8_t>(c_bytes(), 0xff);
}

double gemm_data::error(const std::vector<std::uint8_t>& c) const
{
    const auto& shape = d_work.shape;
    const std::size_t size = element_size(d_work.type);
    std::vector<std::size_t> terms(shape.k);
    for (std::size_t i = 0; i < terms.size(); i++)
        terms[i] = i;
    const auto rows = some_of(shape.m, 3);
    const auto columns = some_of(shape.n, 4);
    const auto some_a = taken(d_a, shape.k, size, rows, terms);
    const auto some_b = taken(d_b, shape.n, size, terms, columns);
    const auto some_c = taken(c, shape.n, result_size(d_work.type), rows, columns);
    const const_gemm_matrix result = { some_c.data(), columns.size() };
    return gemm_error(d_work.type,
                      { rows.size(), columns.size(), shape.k },
                      1,
                      { some_a.data(), shape.k },
                      { some_b.data(), columns.size() },
                      0,
                      result,
                      result);
}

double gemm_data::bound(gemm_precision precision) const
{
    if (d_work.type == gemm_type::s8)
        return 0;
    const double place = d_work.type == gemm_type::f16 ? 1e-3 : 2e-7;
    const double sums = place * (4 + std::sqrt(static_cast<double>(d_work.shape.k)));
    // Each of a term's two factors is rounded by at most 2^-11 of its magnitude.
    return precision == gemm_precision::exact ? sums : sums + 0x1p-10;
}

} // namespace cldsp::bench
