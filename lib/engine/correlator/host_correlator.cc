// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Packs samples in blocks, and shares the squares of the triangle among threads.

#include "correlator/host_correlator.h"

#include "base/aligned_vector.h"
#include "base/arithmetic.h"
#include "correlator/correlator_problem.h"
#include "simd/dispatch.h"

#include <algorithm>
#include <string>
#include <vector>

namespace cldsp {

//! A square of the triangle: its first row and column of squares.
struct triangle_square {
    std::size_t row, column;
};

namespace {

// The most bytes of packed samples in a call: they stay in a cache that the cores share.
// A single piece may be larger.
constexpr std::size_t max_packed_bytes = std::size_t(4) << 20;
// The largest side of a square of antennas: the samples of one piece of its rows and
// columns stay in a core's own cache.
constexpr std::size_t max_square = 48;
// Squares for each thread. If one square is held up, there are enough others to keep the
// other threads busy.
constexpr std::size_t squares_per_thread = 4;
// Calls of fewer operations use one thread, because waking the others would cost more.
constexpr double min_threaded_operations = 2e6;
// The padding between the blocks of two antennas, so that equal places of several
// antennas do not compete for the same few ways of a cache.
constexpr std::size_t padding = 32; // floats

// The antennas whose samples one thread packs together if they lie together in memory:
// those of a cache line.
constexpr std::size_t antennas_per_line = 8;

std::vector<triangle_square> triangle_of_squares(std::size_t squares)
{
    std::vector<triangle_square> result;
    result.reserve(squares * (squares + 1) / 2);
    for (std::size_t i = 0; i < squares; i++)
        for (std::size_t j = 0; j <= i; j++)
            result.push_back({ i, j });
    return result;
}

class host_correlator_executor final : public correlator_executor
{
public:
    host_correlator_executor(sample_type type, std::size_t antennas)
        : correlator_executor({ "host", "simd" }),
          d_antennas(antennas),
          d_host(type, antennas, *available_host_correlator_kernels().front(), 0)
    {
    }

    void add(const correlator_batch& batch, std::complex<double>* sums) override
    {
        d_sums.time_call(batch.rows * batch.length * visibilities_of(d_antennas),
                         [&] { d_host.add(batch, sums); });
    }
    std::size_t piece() const override { return host_correlator_piece; }
    std::size_t max_rows(std::size_t length) const override
    {
        return d_host.max_rows(length);
    }

private:
    std::size_t d_antennas;
    host_correlator d_host;
};

} // namespace

CLDSP_DECLARE_KERNELS(host_correlator_kernels, correlator_kernels)

std::vector<const host_correlator_kernels*> available_host_correlator_kernels()
{
    return runnable_kernels<host_correlator_kernels>(
        CLDSP_KERNEL_SETS(correlator_kernels));
}

unsigned correlator_threads(const thread_pool& pool,
                            std::size_t antennas,
                            const correlator_batch& batch)
{
    const double operations = 8 * static_cast<double>(visibilities_of(antennas)) *
                              static_cast<double>(batch.rows) *
                              static_cast<double>(batch.length);
    return operations < min_threaded_operations ? 1 : pool.threads();
}

void pack_samples(void (*pack)(const correlator_packing&),
                  sample_type type,
                  std::size_t antennas,
                  const correlator_batch& batch,
                  const packed_size& size,
                  thread_pool& pool,
                  unsigned threads,
                  float* to)
{
    const std::size_t group = batch.in.step == 1 ? 1 : antennas_per_line;
    const std::size_t row_bytes = batch.length * batch.in.step * sample_size(type);
    pool.share(divide_up(antennas, group), threads, [&](std::size_t i, unsigned) {
        const std::size_t first = i * group;
        const std::size_t count = std::min(group, antennas - first);
        std::vector<const void*> in(batch.in.first + first,
                                    batch.in.first + first + count);
        for (std::size_t row = 0; row < batch.rows; row++) {
            pack({ in.data(),
                   batch.in.step,
                   count,
                   batch.length,
                   to + first * size.antenna + row * size.row,
                   size.antenna });
            for (auto& antenna : in)
                antenna = static_cast<const char*>(antenna) + row_bytes;
        }
    });
}

struct host_correlator::implementation {
    sample_type type;
    std::size_t antennas;
    const host_correlator_kernels& kernels;
    thread_pool pool;
    aligned_vector<float> blocks; // of all antennas
    std::size_t square;           // antennas on each side of a square
    std::vector<triangle_square> squares;

    implementation(sample_type t,
                   std::size_t n,
                   const host_correlator_kernels& k,
                   unsigned threads)
        : type(t), antennas(n), kernels(k), pool(threads)
    {
        const std::size_t wanted =
            pool.threads() > 1 ? squares_per_thread * pool.threads() : 1;
        square = round_up(max_square, kernels.tile);
        const auto across = [&] { return divide_up(antennas, square); };
        while (square > kernels.tile && across() * (across() + 1) / 2 < wanted)
            square = round_up(square / 2, kernels.tile);
        squares = triangle_of_squares(across());
    }

    void add(const correlator_batch& batch, std::complex<double>* sums);
};

void host_correlator::implementation::add(const correlator_batch& batch,
                                          std::complex<double>* sums)
{
    const unsigned threads = correlator_threads(pool, antennas, batch);
    const std::size_t row_blocks = divide_up(batch.length, correlator_block);
    const std::size_t row_floats = 2 * row_blocks * correlator_block;
    const std::size_t stride = batch.rows * row_floats + padding;
    if (blocks.size() < antennas * stride)
        blocks.resize(antennas * stride);

    pack_samples(type == sample_type::cs8 ? kernels.pack_cs8 : kernels.pack_fc32,
                 type,
                 antennas,
                 batch,
                 { row_floats, stride },
                 pool,
                 threads,
                 blocks.data());

    // Several rows form a task, so that tasks of short rows are not too short.
    const std::size_t max_groups =
        divide_up(squares_per_thread * threads, squares.size());
    const std::size_t group = divide_up(batch.rows, max_groups);
    const std::size_t groups = divide_up(batch.rows, group);
    pool.share(groups * squares.size(), threads, [&](std::size_t i, unsigned) {
        const auto& s = squares[i % squares.size()];
        const std::size_t first = i / squares.size() * group;
        const std::size_t end = std::min(first + group, batch.rows);
        for (std::size_t row = first; row < end; row++)
            kernels.multiply(
                { blocks.data() + row * row_floats,
                  stride,
                  row_blocks,
                  s.row * square,
                  std::min((s.row + 1) * square, antennas),
                  s.column * square,
                  std::min((s.column + 1) * square, antennas),
                  reinterpret_cast<double*>(sums + row * visibilities_of(antennas)) });
    });
}

host_correlator::host_correlator(sample_type type,
                                 std::size_t antennas,
                                 const host_correlator_kernels& kernels,
                                 unsigned threads)
    : d_impl(std::make_unique<implementation>(type, antennas, kernels, threads))
{
}
host_correlator::~host_correlator() = default;

void host_correlator::add(const correlator_batch& batch, std::complex<double>* sums)
{
    d_impl->add(batch, sums);
}

std::size_t host_correlator::max_rows(std::size_t length) const
{
    const std::size_t row_bytes =
        round_up(length, correlator_block) * d_impl->antennas * 2 * sizeof(float);
    return std::max<std::size_t>(1, max_packed_bytes / row_bytes);
}

std::unique_ptr<correlator_executor> make_host_correlator(sample_type type,
                                                          std::size_t antennas)
{
    return std::make_unique<host_correlator_executor>(type, antennas);
}

const correlator_variant& correlator_simd_variant()
{
    static const auto& variant = *new correlator_variant("simd", nullptr, suits_any);
    return variant;
}

} // namespace cldsp
