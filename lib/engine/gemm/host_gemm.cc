// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Cuts a product into blocks that fit the caches, and shares them among threads.

#include "gemm/host_gemm.h"

#include "base/aligned_vector.h"
#include "base/arithmetic.h"
#include "base/thread_pool.h"
#include "gemm/gemm_problem.h"
#include "gemm/host_gemm_simd.h"
#include "simd/dispatch.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace cldsp {

namespace {

// Blocks for each thread. If one block is held up, there are enough others to keep the
// other threads busy.
constexpr std::size_t blocks_a_thread = 8;
// The fewest tiles for which a block of B is packed once; with fewer, packing costs too
// much.
constexpr std::size_t host_min_tiles = 16;
constexpr std::size_t max_rows = 1024;
// The most terms for which a panel of B stays in a core's own cache. The sums of as many
// products of s8 are exact in floats.
constexpr std::size_t max_terms = 1024;
// A block of B with fewer terms (rows of B) gets more columns, so that longer runs are
// read from each memory page that is touched.
constexpr std::size_t host_few_terms = 256;
// Products of fewer operations use one thread, because waking the others would cost more.
constexpr double single_thread_operations = 2e6;

//! The size of equal parts of \p all that are at most \p most, rounded up to a multiple
//! of \p step.
std::size_t even(std::size_t all, std::size_t most, std::size_t step)
{
    return round_up(divide_up(all, divide_up(all, most)), step);
}

class host_executor final : public gemm_executor
{
public:
    explicit host_executor(gemm_type type)
        : gemm_executor({ "host", "simd" }), d_gemm(type)
    {
    }

    void multiply(const gemm_call& call) override
    {
        timed(call, [&] {
            d_gemm.multiply(call.shape, call.alpha, call.a, call.b, call.beta, call.c);
        });
    }
    void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b) override
    {
        d_gemm.hold_b(k, n, b);
    }
    void multiply_held(const gemm_call& call) override
    {
        timed(call, [&] {
            d_gemm.multiply_held(call.shape.m, call.alpha, call.a, call.beta, call.c);
        });
    }

private:
    template <class Action>
    void timed(const gemm_call& call, const Action& action)
    {
        d_sums.time_call(call.shape.m * call.shape.n, action);
    }

    host_gemm d_gemm;
};

} // namespace

CLDSP_DECLARE_KERNELS(host_gemm_set, gemm_set)

std::vector<const host_gemm_set*> available_host_gemm_sets()
{
    return runnable_kernels<host_gemm_set>(CLDSP_KERNEL_SETS(gemm_set));
}

struct host_gemm::implementation {
    gemm_type type;
    const host_gemm_kernels& kernels;
    thread_pool pool;
    std::vector<aligned_vector<float>> scratch; //!< one for each thread
    aligned_vector<float> a_floats; //!< A, converted from half precision or s8
    aligned_vector<float> held;     //!< panels of the B that is held
    std::size_t held_n = 0, held_k = 0;

    implementation(gemm_type t, const host_gemm_set& set, unsigned threads)
        : type(t),
          kernels(set.kernels[static_cast<int>(t)]),
          pool(threads),
          scratch(pool.threads())
    {
    }

    //! The sizes of the blocks into which a product is cut.
    struct cut {
        std::size_t rows, columns, k;
        std::size_t sum_floats, packed_floats;
    };
    cut cut_up(const gemm_shape& shape, bool packed) const;
    void for_each(std::size_t count, double operations, const thread_pool::body& body);
    const_gemm_matrix floats(const gemm_shape& shape, const_gemm_matrix a);
    void multiply(const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  const float* panels,
                  std::complex<float> beta,
                  gemm_matrix c);
    void hold(std::size_t k, std::size_t n, const_gemm_matrix b);
};

host_gemm::implementation::cut host_gemm::implementation::cut_up(const gemm_shape& shape,
                                                                 bool packed) const
{
    const std::size_t panel = kernels.panel_columns;
    const std::size_t panel_floats = panel * kernels.parts;
    const std::size_t wanted = pool.threads() > 1 ? blocks_a_thread * pool.threads() : 1;
    cut result = {};
    result.k = even(std::max<std::size_t>(shape.k, 1), max_terms, 1);
    result.rows = even(shape.m, round_up(max_rows, kernels.rows), kernels.rows);
    // Blocks of few terms get more columns, so that memory is read along longer rows.
    std::size_t panels = 1;
    if (result.k >= shape.k)
        panels = std::min(std::max<std::size_t>(host_few_terms / result.k, 1),
                          divide_up(shape.n, panel));
    const auto blocks = [&] {
        return divide_up(shape.m, result.rows) * divide_up(shape.n, panels * panel);
    };
    while (panels > 1 && blocks() < wanted)
        panels = divide_up(panels, 2);
    const std::size_t few_rows = host_min_tiles * kernels.rows;
    while (result.rows > few_rows && blocks() < wanted)
        result.rows =
            std::max(even(shape.m, divide_up(result.rows, 2), kernels.rows), few_rows);
    result.columns = panels * panel;
    result.sum_floats =
        (result.k < shape.k ? result.rows * panels : kernels.rows) * panel_floats;
    result.packed_floats = packed ? 0 : panels * result.k * panel_floats;
    return result;
}

void host_gemm::implementation::for_each(std::size_t count,
                                         double operations,
                                         const thread_pool::body& body)
{
    if (operations < single_thread_operations)
        for (std::size_t i = 0; i < count; ++i)
            body(i, 0);
    else
        pool.parallel_for(count, body);
}

//! Converts A to floats.
const_gemm_matrix host_gemm::implementation::floats(const gemm_shape& shape,
                                                    const_gemm_matrix a)
{
    a_floats.resize(shape.m * shape.k);
    const auto* from = static_cast<const std::uint8_t*>(a.data);
    const std::size_t row = a.leading * element_size(type);
    for_each(shape.m, shape.operations(type), [&](std::size_t i, unsigned) {
        kernels.to_floats(from + i * row, a_floats.data() + i * shape.k, shape.k);
    });
    return { a_floats.data(), shape.k };
}

void host_gemm::implementation::multiply(const gemm_shape& shape,
                                         std::complex<float> alpha,
                                         const_gemm_matrix a,
                                         const_gemm_matrix b,
                                         const float* panels,
                                         std::complex<float> beta,
                                         gemm_matrix c)
{
    host_gemm_block whole = {};
    whole.n = shape.n;
    whole.k = alpha == std::complex<float>(0) ? 0 : shape.k;
    if (whole.k && kernels.to_floats)
        a = floats(shape, a);
    const auto cut = cut_up({ shape.m, shape.n, whole.k }, panels != nullptr);
    whole.block_k = cut.k;
    whole.alpha[0] = alpha.real();
    whole.alpha[1] = alpha.imag();
    whole.beta[0] = beta.real();
    whole.beta[1] = beta.imag();
    whole.a = static_cast<const float*>(a.data);
    whole.a_leading = a.leading;
    whole.b = b.data;
    whole.b_leading = b.leading;
    whole.panels = panels;
    whole.c = c.data;
    whole.c_leading = c.leading;
    for (auto& room : scratch)
        if (room.size() < cut.sum_floats + cut.packed_floats)
            room.resize(cut.sum_floats + cut.packed_floats);

    const std::size_t down = divide_up(shape.m, cut.rows);
    const std::size_t across = divide_up(shape.n, cut.columns);
    for_each(down * across, shape.operations(type), [&](std::size_t i, unsigned worker) {
        host_gemm_block block = whole;
        block.first_row = i % down * cut.rows;
        block.end_row = std::min(block.first_row + cut.rows, shape.m);
        block.first_column = i / down * cut.columns;
        block.end_column = std::min(block.first_column + cut.columns, shape.n);
        block.sums = scratch[worker].data();
        block.packed = block.sums + cut.sum_floats;
        kernels.multiply(block);
    });
}

void host_gemm::implementation::hold(std::size_t k, std::size_t n, const_gemm_matrix b)
{
    held_n = held_k = 0;
    held.resize(round_up(n, kernels.width) * k * kernels.parts);
    const std::size_t panel = kernels.panel_columns;
    const auto* from = static_cast<const char*>(b.data);
    for_each(divide_up(n, panel),
             static_cast<double>(n) * static_cast<double>(k),
             [&](std::size_t i, unsigned) {
                 kernels.pack(from + i * panel * element_size(type),
                              b.leading,
                              k,
                              std::min(panel, n - i * panel),
                              held.data() + i * panel * k * kernels.parts,
                              0);
             });
    held_n = n;
    held_k = k;
}

host_gemm::host_gemm(gemm_type type)
    : host_gemm(type, *available_host_gemm_sets().front(), 0)
{
}
host_gemm::host_gemm(gemm_type type, const host_gemm_set& set, unsigned threads)
    : d_impl(std::make_unique<implementation>(type, set, threads))
{
}
host_gemm::~host_gemm() = default;
host_gemm::host_gemm(host_gemm&&) noexcept = default;
host_gemm& host_gemm::operator=(host_gemm&&) noexcept = default;

void host_gemm::multiply(const gemm_shape& shape,
                         std::complex<float> alpha,
                         const_gemm_matrix a,
                         const_gemm_matrix b,
                         std::complex<float> beta,
                         gemm_matrix c)
{
    d_impl->multiply(shape, alpha, a, b, nullptr, beta, c);
}

void host_gemm::hold_b(std::size_t k, std::size_t n, const_gemm_matrix b)
{
    d_impl->hold(k, n, b);
}

void host_gemm::multiply_held(std::size_t m,
                              std::complex<float> alpha,
                              const_gemm_matrix a,
                              std::complex<float> beta,
                              gemm_matrix c)
{
    if (d_impl->held_k == 0)
        throw std::logic_error("no matrix is held");
    d_impl->multiply({ m, d_impl->held_n, d_impl->held_k },
                     alpha,
                     a,
                     {},
                     d_impl->held.data(),
                     beta,
                     c);
}

std::unique_ptr<gemm_executor> make_host_gemm(gemm_type type)
{
    return std::make_unique<host_executor>(type);
}

const gemm_variant& gemm_simd_variant()
{
    static const auto& variant =
        *new gemm_variant({ "simd",
                            "on the host: B is packed, a register tile of vectors",
                            "host",
                            gemm_types_with_bytes() },
                          nullptr,
                          suits_any);
    return variant;
}

} // namespace cldsp
