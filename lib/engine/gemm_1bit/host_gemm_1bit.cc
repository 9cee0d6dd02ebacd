// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit products on every core of the host.

#include "gemm_1bit/gemm_1bit_problem.h"

#include "base/aligned_vector.h"
#include "base/thread_pool.h"
#include "gemm_1bit/popcount.h"

#include <algorithm>

namespace cldsp {

namespace {

// The size of the pieces that are shared among the cores: enough bits that waking a
// thread pays, and the most items that use a panel while it is in the nearest cache.
constexpr double bits_per_piece = 1 << 25;
constexpr std::size_t max_items_per_piece = 256;

class host_gemm_1bit final : public gemm_1bit_executor
{
public:
    explicit host_gemm_1bit(const gemm_1bit_codes& codes)
        : gemm_1bit_executor({ "host", "simd" }),
          d_kernels(*available_popcount_kernels().front()),
          d_pool(0)
    {
        set_codes(codes);
    }

    void set_codes(const gemm_1bit_codes& codes) override
    {
        d_bits = codes.bits;
        d_codes = codes.count;
        d_words = codes.words(sizeof(std::uint64_t));
        const std::size_t panels = (d_codes + d_kernels.panel - 1) / d_kernels.panel;
        d_packed.resize(panels * d_kernels.panel * d_words);
        pack_panels(codes, 0, panels, d_kernels.panel, d_words, d_packed.data());
    }

    void
    run(const std::uint8_t* items, std::size_t count, std::int32_t* correlations) override
    {
        d_sums.time_call(count * d_codes, [&] { compute(items, count, correlations); });
    }

private:
    void compute(const std::uint8_t* items, std::size_t count, std::int32_t* correlations)
    {
        const std::size_t panels = (d_codes + d_kernels.panel - 1) / d_kernels.panel;
        const double bits_per_item =
            static_cast<double>(d_kernels.panel) * static_cast<double>(d_bits);
        const auto piece =
            std::clamp(static_cast<std::size_t>(bits_per_piece / bits_per_item),
                       std::size_t(1),
                       max_items_per_piece);
        const std::size_t pieces = (count + piece - 1) / piece;
        // Neighbouring indices use the same items, so that the rows of correlations that
        // a thread writes are near each other.
        const std::size_t panels_each = std::max<std::size_t>(
            1,
            static_cast<std::size_t>(bits_per_piece / bits_per_item) /
                std::min(piece, std::max<std::size_t>(1, count)));
        const std::size_t columns = (panels + panels_each - 1) / panels_each;
        d_pool.parallel_for(pieces * columns, [&](std::size_t index, unsigned) {
            const std::size_t first = index / columns * piece;
            const std::size_t panel = index % columns * panels_each;
            for (std::size_t p = panel; p < std::min(panels, panel + panels_each); p++)
                correlate(items, first, std::min(piece, count - first), p, correlations);
        });
    }

    void correlate(const std::uint8_t* items,
                   std::size_t first_item,
                   std::size_t count,
                   std::size_t panel,
                   std::int32_t* correlations) const
    {
        const std::size_t item_bytes = d_bits / 8;
        popcount_task task;
        task.items = items + first_item * item_bytes;
        task.item_bytes = item_bytes;
        task.item_count = count;
        task.start = static_cast<std::int32_t>(d_bits);
        task.out = correlations + first_item * d_codes + panel * d_kernels.panel;
        task.out_step = d_codes;
        task.codes = std::min(d_kernels.panel, d_codes - panel * d_kernels.panel);
        for (std::size_t w = 0; w < d_words; w += popcount_kernels::max_words) {
            task.first = w;
            task.count = std::min(popcount_kernels::max_words, d_words - w);
            task.panel = d_packed.data() + (panel * d_words + w) * d_kernels.panel;
            task.add = w > 0;
            d_kernels.correlate(task);
        }
    }

    const popcount_kernels& d_kernels;
    thread_pool d_pool;
    std::size_t d_bits = 8, d_codes = 0, d_words = 0;
    aligned_vector<std::uint64_t> d_packed;
};

} // namespace

std::unique_ptr<gemm_1bit_executor> make_host_gemm_1bit(const gemm_1bit_codes& codes)
{
    return std::make_unique<host_gemm_1bit>(codes);
}

const gemm_1bit_variant& gemm_1bit_simd_variant()
{
    static const auto& variant = *new gemm_1bit_variant(
        { "simd",
          "on the host: a code in each lane of a vector, with its popcount or carry-save "
          "adders",
          "host",
          {} },
        nullptr,
        suits_any);
    return variant;
}

} // namespace cldsp
