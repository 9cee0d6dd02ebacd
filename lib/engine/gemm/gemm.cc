// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The public matrix product: checks of sizes and factors, and the matrix that is held.

#include <cldsp/gemm.h>

#include "base/page_memory.h"
#include "gemm/gemm_problem.h"

#include <cldsp/errors.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace cldsp {

namespace {

void check_size(const char* name, std::size_t size)
{
    if (size == 0)
        throw_invalid(name, "0", "1 or more");
}

void check_matrix(const std::string& name,
                  const void* data,
                  std::size_t leading,
                  std::size_t rows,
                  std::size_t columns,
                  std::size_t element)
{
    if (!data)
        throw_invalid(name, "null", "a matrix");
    if (leading < columns)
        throw_invalid("leading dimension of " + name,
                      std::to_string(leading),
                      std::to_string(columns) + " or more, its columns");
    const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / element;
    if (rows > most / leading)
        throw_invalid("rows of " + name,
                      std::to_string(rows),
                      "at most " + std::to_string(most / leading));
}

//! Checks the number of rows of a matrix of the largest elements.
void check_addressable(const char* name, std::size_t rows, std::size_t columns)
{
    const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() /
                             sizeof(std::complex<float>) / columns;
    if (rows > most)
        throw_invalid(name,
                      std::to_string(rows),
                      "at most " + std::to_string(most) + ", for " +
                          std::to_string(columns) + " columns");
}

void check_factor(const char* name, std::complex<float> factor, gemm_type type)
{
    if (type != gemm_type::c32 && factor.imag() != 0)
        throw_invalid(name,
                      number_text(factor.real()) + " + " + number_text(factor.imag()) +
                          " i",
                      "real for matrices of " + type_name(type));
    if (type == gemm_type::s8 && factor.real() != 0 && factor.real() != 1)
        throw_invalid(name,
                      number_text(factor.real()),
                      "0 or 1 for matrices of " + type_name(type));
}

void check_terms(std::size_t k, gemm_type type)
{
    if (type == gemm_type::s8 && k > max_s8_terms)
        throw_invalid("k",
                      std::to_string(k),
                      "at most " + std::to_string(max_s8_terms) + " for matrices of " +
                          type_name(type) + ", whose sums have 32 bits");
}

void check(const gemm_call& call, gemm_type type)
{
    const auto& s = call.shape;
    check_gemm_shape(s);
    check_terms(s.k, type);
    check_matrix("a", call.a.data, call.a.leading, s.m, s.k, element_size(type));
    check_matrix("b", call.b.data, call.b.leading, s.k, s.n, element_size(type));
    check_matrix("c", call.c.data, call.c.leading, s.m, s.n, result_size(type));
    check_factor("alpha", call.alpha, type);
    check_factor("beta", call.beta, type);
}

void copy_rows(std::uint8_t* to,
               std::size_t to_step,
               const std::uint8_t* from,
               std::size_t from_step,
               std::size_t rows,
               std::size_t row)
{
    for (std::size_t i = 0; i < rows; i++)
        std::memcpy(to + i * to_step, from + i * from_step, row);
}

} // namespace

struct gemm::implementation {
    implementation(const gemm_problem& problem,
                   const gemm_options& options,
                   context_registry& registry)
        : type(problem.type), engine(problem, gemm_operation_options(options), registry)
    {
    }

    const gemm_type type;

    // The B that is held, row by row without gaps. It outlives the executors.
    std::unique_ptr<page_memory> held;
    std::size_t held_k = 0, held_n = 0;

    operation<gemm_problem> engine;
    std::unique_ptr<gemm_executor> host; // for calls that the device cannot take
    bool engine_holds = false, host_holds = false;

    std::vector<std::uint8_t> old_c; // a copy of the call's C, if the call reads C
    std::string told;                // the last reason that was logged for a call on the
                                     // host

    ~implementation()
    {
        if (held && engine.device_is_lost())
            held->keep();
    }

    const_gemm_matrix held_b() const { return { held->as<void>(), held_n }; }

    //! Runs a call on the device. If the device fails, the same call runs on the host.
    void run(const gemm_call& call, bool with_held)
    {
        if (engine.on_host()) {
            run_on(engine.executor(), engine_holds, call, with_held);
            return;
        }
        keep_c(call);
        try {
            run_on(engine.executor(), engine_holds, call, with_held);
        } catch (const opencl_error& e) {
            restore_c(call);
            lose_device(e.what());
            run_on(engine.executor(), engine_holds, call, with_held);
        } catch (const std::invalid_argument& e) {
            restore_c(call);
            tell(e.what());
            if (!host)
                host = engine.make_on_host();
            run_on(*host, host_holds, call, with_held);
        }
    }

    //! \param executor the executor
    //! \param holds whether the executor already holds the present B
    //! \param call the call
    //! \param with_held whether to use the B that is held
    void
    run_on(gemm_executor& executor, bool& holds, const gemm_call& call, bool with_held)
    {
        if (!with_held) {
            executor.multiply(call);
            return;
        }
        if (!holds)
            executor.hold_b(held_k, held_n, held_b());
        holds = true;
        executor.multiply_held(call);
    }

    void hold(std::size_t k, std::size_t n, const_gemm_matrix b)
    {
        const std::size_t element = element_size(type);
        auto fresh = std::make_unique<page_memory>(k * n * element);
        copy_rows(fresh->as<std::uint8_t>(),
                  n * element,
                  static_cast<const std::uint8_t*>(b.data),
                  b.leading * element,
                  k,
                  n * element);
        // The executors point to the old B until they get the new one.
        auto old = std::exchange(held, std::move(fresh));
        const auto old_k = std::exchange(held_k, k), old_n = std::exchange(held_n, n);
        engine_holds = host_holds = false;
        try {
            hold_on_device();
        } catch (...) { // no memory
            held.swap(old);
            held_k = old_k;
            held_n = old_n;
            if (engine.device_is_lost())
                old->keep();
            throw;
        }
        if (old && engine.device_is_lost())
            old->keep();
    }

    void hold_on_device()
    {
        try {
            engine.executor().hold_b(held_k, held_n, held_b());
            engine_holds = true;
        } catch (const opencl_error& e) {
            lose_device(e.what());
        } catch (const std::invalid_argument&) {
            // Each call finds that the device cannot take these sizes, and goes to the
            // host.
        }
    }

    void keep_c(const gemm_call& call)
    {
        if (call.beta == std::complex<float>(0))
            return;
        const std::size_t row = call.shape.n * result_size(type);
        old_c.resize(call.shape.m * row);
        copy_rows(old_c.data(),
                  row,
                  static_cast<const std::uint8_t*>(call.c.data),
                  call.c.leading * result_size(type),
                  call.shape.m,
                  row);
    }

    void restore_c(const gemm_call& call) const
    {
        if (call.beta == std::complex<float>(0))
            return;
        const std::size_t row = call.shape.n * result_size(type);
        copy_rows(static_cast<std::uint8_t*>(call.c.data),
                  call.c.leading * result_size(type),
                  old_c.data(),
                  row,
                  call.shape.m,
                  row);
    }

    void lose_device(const std::string& why)
    {
        if (held && engine.device_is_lost())
            held->keep();
        engine.lose_device(why);
        engine_holds = false;
    }

    void tell(const std::string& why)
    {
        if (why == told)
            return;
        told = why;
        log_to(engine.log(),
               log_level::warning,
               "the host computes what does not fit the device: " + why);
    }
};

gemm::gemm(gemm_type type,
           const gemm_shape& typical,
           const gemm_options& options,
           context_registry& registry)
{
    check_gemm_shape(typical);
    check_addressable("m", typical.m, typical.k);
    check_addressable("k", typical.k, typical.n);
    check_addressable("m", typical.m, typical.n);
    check_terms(typical.k, type);
    d_impl = std::make_unique<implementation>(
        gemm_problem(type, typical, options.held_b, permitted_precision(type, options)),
        options,
        registry);
}

gemm::~gemm() = default;
gemm::gemm(gemm&&) noexcept = default;
gemm& gemm::operator=(gemm&&) noexcept = default;

void gemm::multiply(const gemm_shape& shape,
                    std::complex<float> alpha,
                    const_gemm_matrix a,
                    const_gemm_matrix b,
                    std::complex<float> beta,
                    gemm_matrix c)
{
    const gemm_call call{ shape, alpha, a, b, beta, c };
    check(call, d_impl->type);
    d_impl->run(call, false);
}

void gemm::hold_b(std::size_t k, std::size_t n, const_gemm_matrix b)
{
    check_size("k", k);
    check_size("n", n);
    check_terms(k, d_impl->type);
    check_matrix("b", b.data, b.leading, k, n, element_size(d_impl->type));
    d_impl->hold(k, n, b);
}

void gemm::hold_b_of(const gemm& other)
{
    const auto& its = *other.d_impl;
    if (its.held)
        hold_b(its.held_k, its.held_n, its.held_b());
}

void gemm::multiply_held(std::size_t m,
                         std::complex<float> alpha,
                         const_gemm_matrix a,
                         std::complex<float> beta,
                         gemm_matrix c)
{
    auto& s = *d_impl;
    if (!s.held)
        throw std::logic_error("multiply_held() without hold_b()");
    const gemm_call call{ { m, s.held_n, s.held_k }, alpha, a, s.held_b(), beta, c };
    check(call, s.type);
    s.run(call, true);
}

gemm_type gemm::type() const { return d_impl->type; }
std::string gemm::device_name() const { return d_impl->engine.device_name(); }
std::string gemm::variant_name() const { return d_impl->engine.variant_name(); }
std::string gemm::transfer_name() const { return d_impl->engine.transfer_name(); }
std::string gemm::plan() const { return chosen().text(); }
const chosen_plan& gemm::chosen() const { return d_impl->engine.plan(); }
run_statistics gemm::statistics() const { return d_impl->engine.statistics(); }
bool gemm::fell_back() const { return d_impl->engine.fell_back(); }
bool gemm::device_is_lost() const { return d_impl->engine.device_is_lost(); }

} // namespace cldsp
