// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Cuts a mixer's items into groups, and gives each group the coefficients of its phase.

#include "simd/mixer.h"

#include "base/arithmetic.h"
#include "base/phase_curve.h"
#include "simd/dispatch.h"

#include <algorithm>

namespace cldsp {

CLDSP_DECLARE_KERNELS(mixer_kernels, on_mixer)

namespace {

constexpr std::size_t groups_per_call = 32;

//! The upper 32 bits of a phase, rounded. \p rest gets the rounding error in turns.
std::uint32_t split(phase128 phase, float& rest)
{
    const std::uint64_t bits = phase.high();
    const std::uint64_t upper = (bits + 0x80000000u) >> 32;
    rest = static_cast<float>(static_cast<std::int64_t>(bits - (upper << 32))) * 0x1p-64f;
    return static_cast<std::uint32_t>(upper);
}

} // namespace

std::vector<const mixer_kernels*> available_mixer_kernels()
{
    return runnable_kernels<mixer_kernels>(CLDSP_KERNEL_SETS(on_mixer));
}

void mix_to_zero(const void* in,
                 sample_type type,
                 const phase_curve& curve,
                 std::int64_t first,
                 std::complex<float>* out,
                 std::size_t items)
{
    static const mixer_kernels& kernels = *available_mixer_kernels().front();
    mix_to_zero(kernels, in, type, curve, first, out, items);
}

void mix_to_zero(const mixer_kernels& kernels,
                 const void* in,
                 sample_type type,
                 const phase_curve& curve,
                 std::int64_t first,
                 std::complex<float>* out,
                 std::size_t items)
{
    constexpr auto size = static_cast<std::int64_t>(mixer_group_items);
    const auto* bytes = static_cast<const char*>(in);
    auto* parts = reinterpret_cast<float*>(out);
    std::size_t skip = static_cast<std::size_t>(first & (size - 1));

    // The phases are added up in integers without rounding, so that a group gets the same
    // coefficients wherever a call begins.
    const std::int64_t start = first - static_cast<std::int64_t>(skip);
    phase128 phase = -curve.at(start);
    phase128 step = -curve.step_after(start);
    const phase128 bend = -(curve.bend + curve.bend);
    const phase128 step_change = bend * size;
    const phase128 bend_sum = bend * (size * (size - 1) / 2);
    mixer_group groups[groups_per_call];
    mixer_group next;
    next.bend = split(bend, next.bend_rest);

    while (items > 0) {
        const std::size_t count =
            std::min(items, groups_per_call * mixer_group_items - skip);
        const std::size_t used = divide_up(skip + count, mixer_group_items);
        for (std::size_t i = 0; i < used; i++) {
            // The phase's rounding error, below 10^-9, is the same for the whole group.
            float unused;
            next.phase = split(phase, unused);
            next.step = split(step, next.step_rest);
            groups[i] = next;
            phase += step * size + bend_sum;
            step += step_change;
        }
        kernels.mix(bytes, type, groups, skip, parts, count);
        bytes += count * sample_size(type);
        parts += 2 * count;
        items -= count;
        skip = 0;
    }
}

} // namespace cldsp
