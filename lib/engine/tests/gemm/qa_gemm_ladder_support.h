/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tests/support/qa_gemm_support.h"

#include <cldsp/errors.h>

#include <cppunit/TestAssert.h>

#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The variants of a ladder on the device under test, and the checks that each has to
//! pass.
class gemm_ladder
{
public:
    explicit gemm_ladder(const std::string& name) : d_name(name) {}

    struct rung {
        std::string name;
        gemm_type type;
    };
    //! Every variant with every type that it takes.
    std::vector<rung> rungs() const
    {
        std::vector<rung> all;
        for (const auto& variant : gemm_variants())
            if (variant.ladder == d_name)
                for (const auto type : variant.types)
                    all.push_back({ variant.name, type });
        return all;
    }

    const std::shared_ptr<context>& device() const { return d_device; }
    //! Gives the device other limits.
    void limit(const device_limits& limits)
    {
        device_info info = d_device->device();
        info.limits = limits;
        d_device = std::make_shared<context>(info, test_options());
        d_queue = d_device->make_queue();
    }

    std::unique_ptr<gemm_kernel> make(const rung& r) const
    {
        return make_gemm_kernel(r.name, { d_device, d_queue, r.type });
    }

    //! The reason why the device does not take a variant; empty if it takes it.
    std::string refusal(const rung& r) const
    {
        try {
            make(r);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    }

    void check(const rung& r,
               gemm_kernel& kernel,
               const gemm_shape& shape,
               std::complex<float> alpha,
               std::complex<float> beta,
               bool hold = false,
               std::size_t offset = 0,
               std::size_t gap = 3) const
    {
        const unsigned seed = shape.m + 131 * shape.n + 17161 * shape.k;
        const gemm_case c(r.type, shape, alpha, beta, seed, gap);
        const double error = c.error(c.run(kernel, *d_device, d_queue, hold, offset));
        CPPUNIT_ASSERT_MESSAGE(r.name + " " + c.describe() + (hold ? " held" : "") +
                                   " offset " + std::to_string(offset) + " gap " +
                                   std::to_string(gap) + ": " + std::to_string(error),
                               error <= c.bound());
    }

    /*!
     * Checks each size of gemm_sizes() for all three dimensions, and every pair of sizes
     * for each two dimensions. Factors, offsets, gaps and holding take turns.
     */
    void check_sizes(const rung& r) const
    {
        const auto kernel = make(r);
        const auto sizes = gemm_sizes();
        const auto scale = factors(r.type);
        const std::size_t n = sizes.size();
        std::size_t turn = 0;
        const auto next = [&](const gemm_shape& shape) {
            check(r,
                  *kernel,
                  shape,
                  scale[turn % scale.size()],
                  scale[turn / scale.size() % scale.size()],
                  turn % 3 == 1,
                  turn % 5,
                  turn % 4);
            ++turn;
        };
        for (std::size_t i = 0; i < n; ++i)
            next({ sizes[i], sizes[i], sizes[i] });
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                next({ sizes[i], sizes[j], sizes[(i + j) % n] });
    }

    void check_random_rectangles(const rung& r) const
    {
        const auto kernel = make(r);
        std::mt19937 random(7);
        std::uniform_int_distribution<std::size_t> size(1, small_tests() ? 20 : 150);
        // Sizes beyond those that a chunk of k, and a group's tiles, hold.
        std::vector<gemm_shape> shapes = { { 3, 2, small_tests() ? 270u : 1030u } };
        if (!small_tests())
            shapes.insert(shapes.end(), { { 300, 5, 9 }, { 5, 300, 9 }, { 1, 1, 2049 } });
        for (int i = 0; i < (small_tests() ? 2 : 10); ++i) {
            const std::size_t m = size(random), n = size(random), k = size(random);
            shapes.push_back({ m, n, k });
        }
        bool hold = false;
        for (const auto& shape : shapes) {
            check(r, *kernel, shape, 1.5f, -0.5f, hold, size(random) % 9, size(random));
            hold = !hold;
        }
    }

    //! Checks every alpha with every beta; gemm_case fills C with NaN where beta is 0.
    void check_factors(const rung& r) const
    {
        const auto kernel = make(r);
        const gemm_shape shape =
            small_tests() ? gemm_shape{ 9, 6, 7 } : gemm_shape{ 19, 22, 21 };
        unsigned number = 0;
        for (const auto alpha : factors(r.type))
            for (const auto beta : factors(r.type))
                for (const bool hold : { false, true })
                    // In a simulator every fifth of these, which has each factor.
                    if (++number % 5 == 0 || !small_tests())
                        check(r, *kernel, shape, alpha, beta, hold, 1);
    }

    //! Checks that no matrices are needed if nothing is multiplied.
    void check_without_products(const rung& r) const
    {
        const auto kernel = make(r);
        std::vector<std::uint8_t> bytes(6 * element_size(r.type), 0xff); // not a number
        gemm_device_call call;
        call.shape = { 2, 3, 4 };
        call.alpha = 0;
        call.beta = 0;
        call.c.leading = 3;
        call.c.buffer =
            cl::Buffer(d_device->cl_context(), CL_MEM_READ_WRITE, bytes.size());
        d_queue.enqueueWriteBuffer(call.c.buffer, CL_TRUE, 0, bytes.size(), bytes.data());
        kernel->enqueue(call);
        d_queue.enqueueReadBuffer(call.c.buffer, CL_TRUE, 0, bytes.size(), bytes.data());
        CPPUNIT_ASSERT_MESSAGE(r.name,
                               bytes == std::vector<std::uint8_t>(bytes.size(), 0));
    }

    //! Checks calls of one kernel without a wait in between, in growing and falling
    //! sizes.
    void check_calls_in_a_row(const rung& r) const
    {
        const auto kernel = make(r);
        struct running {
            gemm_case problem;
            gemm_device_call call;
        };
        std::vector<running> all;
        for (const std::size_t size : { 5, 17, 9, 20, 3 }) {
            const gemm_shape shape = { size, size + 1, size + 2 };
            gemm_case problem(r.type, shape, 1, 1, static_cast<unsigned>(size));
            auto call = problem.upload(*d_device, d_queue);
            all.push_back({ std::move(problem), std::move(call) });
        }
        // The B of the last call is held while the other calls run.
        const auto& last = all.back();
        kernel->hold_b(last.call.shape.k, last.call.shape.n, last.call.b);
        for (std::size_t i = 0; i + 1 < all.size(); ++i)
            kernel->enqueue(all[i].call);
        kernel->enqueue_held(last.call);
        for (const auto& one : all) {
            const double error =
                one.problem.error(one.problem.download(d_queue, one.call));
            CPPUNIT_ASSERT_MESSAGE(r.name + " " + one.problem.describe(),
                                   error <= one.problem.bound());
        }
    }

    //! Checks that a call that the driver refuses throws, and that the next call
    //! computes.
    void check_failures(const rung& r) const
    {
        for (const auto what : { injected_call::enqueue, injected_call::allocate })
            for (int after = 0; after < 3; ++after) {
                const auto kernel = make(r);
                const gemm_case c(r.type, { 9, 5, 6 }, 1, 0);
                d_device->inject_failure(what, after);
                bool failed = false;
                try {
                    c.run(*kernel, *d_device, d_queue);
                } catch (const opencl_error&) {
                    failed = true;
                }
                d_device->inject_failure(injected_call::none);
                if (what == injected_call::enqueue && after == 0)
                    CPPUNIT_ASSERT_MESSAGE(r.name, failed);
                CPPUNIT_ASSERT_MESSAGE(
                    r.name, c.error(c.run(*kernel, *d_device, d_queue)) <= c.bound());
            }
    }

    void check_nothing_held(const rung& r) const
    {
        const auto kernel = make(r);
        gemm_device_call call;
        call.c.buffer = cl::Buffer(d_device->cl_context(), CL_MEM_READ_WRITE, 4);
        call.c.leading = 1;
        CPPUNIT_ASSERT_THROW_MESSAGE(
            r.name, kernel->enqueue_held(call), std::logic_error);
    }

private:
    static std::vector<std::complex<float>> factors(gemm_type type)
    {
        if (type == gemm_type::c32)
            return { 1, 0, { 0.5f, -2 }, { 0, 1 } };
        return { 1, 0, -0.75f, 2.5f };
    }

    const std::string d_name;
    context_registry d_registry{ test_options() };
    std::shared_ptr<context> d_device = d_registry.get(test_device());
    cl::CommandQueue d_queue = d_device->make_queue();
};

} // namespace cldsp
