// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Random matrices with gaps that a product must leave alone, and its exact result.

#pragma once

#include "gemm/gemm_executor.h"
#include "gemm/gemm_kernel.h"
#include "tests/support/qa_support.h"

#include <cldsp/gemm_reference.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A multiplication with random matrices. The rows have gaps, which are filled with NaN,
 * or with other random bytes if the type is s8. The multiplication must not change the
 * gaps, nor the memory after the last row. Factors of s8 other than 0 count as 1.
 */
class gemm_case
{
public:
    struct matrix {
        std::size_t rows = 0, columns = 0, leading = 0;
        std::size_t element = 0; //!< bytes
        std::vector<std::uint8_t> bytes;
    };

    gemm_case(gemm_type type,
              const gemm_shape& shape,
              std::complex<float> alpha,
              std::complex<float> beta,
              unsigned seed = 1,
              std::size_t gap = 3)
        : d_type(type),
          d_shape(shape),
          d_alpha(factor(type, alpha)),
          d_beta(factor(type, beta)),
          d_random(seed)
    {
        // BLAS does not read A and B if alpha is 0, nor C if beta is 0.
        const bool unread = alpha == std::complex<float>(0);
        const std::size_t element = element_size(type);
        d_a = make(shape.m, shape.k, gap, unread, element);
        d_b = make(shape.k, shape.n, gap, unread, element);
        d_c = make(
            shape.m, shape.n, gap, beta == std::complex<float>(0), result_size(type));
    }

    //! Fills A and B with this byte.
    void fill_bytes(std::int8_t byte)
    {
        for (auto* m : { &d_a, &d_b })
            std::memset(m->bytes.data(), byte, m->bytes.size());
    }

    //! Gives the bits of a float to an element of A, or to its real part; in half
    //! precision, the sign and the highest bits of the mantissa of a number that is none.
    void set_a(std::size_t row, std::size_t column, std::uint32_t bits)
    {
        set(d_a, row, column, bits);
    }
    void set_b(std::size_t row, std::size_t column, std::uint32_t bits)
    {
        set(d_b, row, column, bits);
    }

    //! Whether an element of a result is a finite number.
    bool is_finite(const matrix& result, std::size_t row, std::size_t column) const
    {
        const auto* at =
            result.bytes.data() + (row * result.leading + column) * result.element;
        if (d_type == gemm_type::f16) {
            std::uint16_t half;
            std::memcpy(&half, at, sizeof(half));
            return std::isfinite(from_half(half));
        }
        float parts[2] = {};
        std::memcpy(parts, at, std::min(sizeof(parts), result.element));
        return std::isfinite(parts[0]) && std::isfinite(parts[1]);
    }

    //! Multiplies the elements of A and B by powers of two, which differ within each sum:
    //! by 2^-20 to 2^20 for floats, by 1/4 to 4 for halves. Bytes stay as they are.
    void scale_badly()
    {
        const int range = d_type == gemm_type::f16 ? 2 : 20;
        for (auto* m : { &d_a, &d_b })
            change(*m, [&](float value) {
                return std::ldexp(value,
                                  static_cast<int>(d_random() % (2 * range + 1)) - range);
            });
    }

    //! Makes no element smaller than \p least, for halves, which keep fewer bits below
    //! 6.1e-5. Bytes stay as they are.
    void keep_from_zero(float least)
    {
        for (auto* m : { &d_a, &d_b, &d_c })
            change(*m, [&](float value) {
                return std::abs(value) < least ? std::copysign(least, value) : value;
            });
    }

    std::string describe() const
    {
        const auto number = [](std::complex<float> x) {
            return std::to_string(x.real()) + "+" + std::to_string(x.imag()) + "i";
        };
        return type_name(d_type) + " " + std::to_string(d_shape.m) + "x" +
               std::to_string(d_shape.n) + "x" + std::to_string(d_shape.k) + " alpha " +
               number(d_alpha) + " beta " + number(d_beta);
    }

    //! Runs the case on the device, in buffers made for it. The matrices begin \p offset
    //! elements into their buffers.
    matrix run(gemm_kernel& kernel,
               const context& device,
               const cl::CommandQueue& queue,
               bool hold = false,
               std::size_t offset = 0) const
    {
        const gemm_device_call call = upload(device, queue, offset);
        if (hold) {
            kernel.hold_b(d_shape.k, d_shape.n, call.b);
            return run_held(kernel, device, queue, offset);
        }
        kernel.enqueue(call);
        return download(queue, call);
    }

    //! Runs the case with the B that \p kernel already holds.
    matrix run_held(gemm_kernel& kernel,
                    const context& device,
                    const cl::CommandQueue& queue,
                    std::size_t offset = 0) const
    {
        gemm_device_call call = upload(device, queue, offset);
        call.b = {};
        kernel.enqueue_held(call);
        return download(queue, call);
    }

    //! Uploads the matrices to buffers made for this call.
    gemm_device_call upload(const context& device,
                            const cl::CommandQueue& queue,
                            std::size_t offset = 0) const
    {
        gemm_device_call call;
        call.shape = d_shape;
        call.alpha = d_alpha;
        call.beta = d_beta;
        call.a = upload(device, queue, d_a, offset);
        call.b = upload(device, queue, d_b, offset);
        call.c = upload(device, queue, d_c, offset);
        return call;
    }
    //! Reads C back after the call.
    matrix download(const cl::CommandQueue& queue, const gemm_device_call& call) const
    {
        matrix result = d_c;
        queue.enqueueReadBuffer(call.c.buffer,
                                CL_TRUE,
                                call.c.offset * d_c.element,
                                result.bytes.size(),
                                result.bytes.data());
        return result;
    }

    //! Runs the case with the engine's class, from host memory.
    matrix run(gemm& engine, bool hold = false) const { return run_host(engine, hold); }
    //! Runs the case with an engine that has the same calls, from host memory.
    template <class Engine>
    matrix run_host(Engine& engine, bool hold = false) const
    {
        if (hold) {
            engine.hold_b(d_shape.k, d_shape.n, view(d_b));
            return run_held_on_host(engine);
        }
        matrix result = d_c;
        engine.multiply(d_shape,
                        d_alpha,
                        view(d_a),
                        view(d_b),
                        d_beta,
                        { result.bytes.data(), result.leading });
        return result;
    }
    //! Runs the case with the B that \p engine already holds, from host memory.
    template <class Engine>
    matrix run_held_on_host(Engine& engine) const
    {
        matrix result = d_c;
        engine.multiply_held(d_shape.m,
                             d_alpha,
                             view(d_a),
                             d_beta,
                             { result.bytes.data(), result.leading });
        return result;
    }

    //! Runs the case with one of the engine's executors, from host memory.
    matrix run(gemm_executor& executor, bool hold = false) const
    {
        matrix result = d_c;
        const gemm_call call = { d_shape,   d_alpha,
                                 view(d_a), view(d_b),
                                 d_beta,    { result.bytes.data(), result.leading } };
        if (hold) {
            executor.hold_b(d_shape.k, d_shape.n, call.b);
            executor.multiply_held(call);
        } else {
            executor.multiply(call);
        }
        return result;
    }

    //! Runs items \p first to \p first + \p count of the streams of \p engine, which has
    //! the matrix A: the rows of B are its inputs, those of C its outputs.
    template <class Engine>
    matrix run_streams(Engine& engine, std::size_t first, std::size_t count) const
    {
        matrix result = d_c;
        run_streams(engine, first, count, result);
        return result;
    }
    template <class Engine>
    void run_streams(Engine& engine,
                     std::size_t first,
                     std::size_t count,
                     matrix& result) const
    {
        std::vector<const void*> in;
        std::vector<void*> out;
        for (std::size_t i = 0; i < d_b.rows; i++)
            in.push_back(d_b.bytes.data() + (i * d_b.leading + first) * d_b.element);
        for (std::size_t i = 0; i < d_c.rows; i++)
            out.push_back(result.bytes.data() + (i * d_c.leading + first) * d_c.element);
        engine.multiply(in.data(), out.data(), count);
    }

    //! The error of gemm_error(); NaN if memory outside of C's elements has changed.
    double error(const matrix& result) const
    {
        const std::size_t row = d_shape.n * d_c.element;
        const std::size_t step = d_c.leading * d_c.element;
        for (std::size_t i = 0; i < d_shape.m; ++i)
            if (std::memcmp(result.bytes.data() + i * step + row,
                            d_c.bytes.data() + i * step + row,
                            step - row) != 0)
                return std::numeric_limits<double>::quiet_NaN();
        return gemm_error(d_type,
                          d_shape,
                          d_alpha,
                          view(d_a),
                          view(d_b),
                          d_beta,
                          view(d_c),
                          view(result));
    }

    //! The largest error() that rounding may cause.
    double bound(gemm_precision precision = gemm_precision::exact) const
    {
        if (d_type == gemm_type::s8)
            return 0;
        const double place = d_type == gemm_type::f16 ? 1e-3 : 2e-7;
        const double sums = place * (4 + std::sqrt(static_cast<double>(d_shape.k)));
        // Each of a term's two factors is rounded by at most 2^-11 of its magnitude.
        const double factors = (1 + 0x1p-11) * (1 + 0x1p-11) - 1;
        return precision == gemm_precision::exact ? sums : sums + factors;
    }

    static const_gemm_matrix view(const matrix& m)
    {
        return { m.bytes.data(), m.leading };
    }
    //! A row by row.
    std::vector<std::uint8_t> a_without_gaps() const
    {
        std::vector<std::uint8_t> rows;
        for (std::size_t i = 0; i < d_a.rows; i++) {
            const auto first = d_a.bytes.begin() + i * d_a.leading * d_a.element;
            rows.insert(rows.end(), first, first + d_a.columns * d_a.element);
        }
        return rows;
    }
    const matrix& a() const { return d_a; }
    const matrix& b() const { return d_b; }
    const matrix& c() const { return d_c; }

private:
    static std::complex<float> factor(gemm_type type, std::complex<float> given)
    {
        return type == gemm_type::s8 && given != std::complex<float>(0) ? 1 : given;
    }

    matrix make(std::size_t rows,
                std::size_t columns,
                std::size_t gap,
                bool unreadable,
                std::size_t element)
    {
        matrix m;
        m.rows = rows;
        m.columns = columns;
        m.leading = columns + gap;
        m.element = element;
        m.bytes.resize(rows * m.leading * element);
        if (d_type == gemm_type::s8) {
            for (auto& byte : m.bytes)
                byte = static_cast<std::uint8_t>(d_random());
            // The model's sums do not wrap around: C is at most half of the largest.
            if (element == sizeof(std::int32_t))
                for (std::size_t i = 3; i < m.bytes.size(); i += element)
                    m.bytes[i] = static_cast<std::uint8_t>(m.bytes[i] % 128 - 64);
            return m;
        }
        std::uniform_real_distribution<float> uniform(-1, 1);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::size_t floats = d_type == gemm_type::c32 ? 2 : 1;
        for (std::size_t i = 0; i < rows * m.leading * floats; ++i) {
            const bool outside = i / floats % m.leading >= columns;
            const float value = outside || unreadable ? nan : uniform(d_random);
            if (d_type == gemm_type::f16) {
                const std::uint16_t half = to_half(value);
                std::memcpy(m.bytes.data() + 2 * i, &half, 2);
            } else {
                std::memcpy(m.bytes.data() + 4 * i, &value, 4);
            }
        }
        return m;
    }

    void set(matrix& m, std::size_t row, std::size_t column, std::uint32_t bits) const
    {
        auto* at = m.bytes.data() + (row * m.leading + column) * m.element;
        const auto half = static_cast<std::uint16_t>((bits >> 16 & 0x8000) | 0x7c00 |
                                                     (bits >> 13 & 0x3ff));
        if (d_type == gemm_type::f16)
            std::memcpy(at, &half, sizeof(half));
        else
            std::memcpy(at, &bits, sizeof(bits));
    }

    //! Changes every number of a matrix, those of gaps included, unless they are bytes.
    template <class Change>
    void change(matrix& m, const Change& changed) const
    {
        if (d_type == gemm_type::f16)
            for (std::size_t i = 0; i < m.bytes.size(); i += sizeof(std::uint16_t)) {
                std::uint16_t half;
                std::memcpy(&half, m.bytes.data() + i, sizeof(half));
                half = to_half(changed(from_half(half)));
                std::memcpy(m.bytes.data() + i, &half, sizeof(half));
            }
        else if (d_type != gemm_type::s8)
            for (std::size_t i = 0; i < m.bytes.size(); i += sizeof(float)) {
                float value;
                std::memcpy(&value, m.bytes.data() + i, sizeof(value));
                value = changed(value);
                std::memcpy(m.bytes.data() + i, &value, sizeof(value));
            }
    }

    gemm_device_matrix upload(const context& device,
                              const cl::CommandQueue& queue,
                              const matrix& m,
                              std::size_t offset) const
    {
        const std::size_t before = offset * m.element;
        gemm_device_matrix result;
        result.offset = offset;
        result.leading = m.leading;
        result.buffer =
            cl::Buffer(device.cl_context(), CL_MEM_READ_WRITE, before + m.bytes.size());
        queue.enqueueWriteBuffer(
            result.buffer, CL_TRUE, before, m.bytes.size(), m.bytes.data());
        return result;
    }

    gemm_type d_type;
    gemm_shape d_shape;
    std::complex<float> d_alpha, d_beta;
    std::mt19937 d_random;
    matrix d_a, d_b, d_c;
};

//! Sizes at every edge of tiles and vectors; fewer sizes for a simulator.
inline std::vector<std::size_t> gemm_sizes()
{
    if (small_tests())
        return { 1, 5, 17 };
    return { 1, 3, 4, 5, 16, 17, 63, 64, 65, 127 };
}

} // namespace cldsp
