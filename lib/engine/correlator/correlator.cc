// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The public correlator of antennas: integrations in pieces, in calls of any length.

#include <cldsp/correlator.h>

#include "base/arithmetic.h"
#include "correlator/correlator_problem.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace cldsp {

namespace {

// The most bytes of sums that one call of the executor computes. The sums of a single
// integration may be larger.
constexpr std::size_t max_sum_bytes = std::size_t(1) << 20;

} // namespace

struct correlator::implementation {
    implementation(const correlator_problem& problem,
                   std::uint64_t its_integration,
                   const correlator_options& options,
                   context_registry& registry)
        : engine(problem, operation_options::of(options), registry),
          type(problem.type),
          antennas(problem.antennas),
          integration(its_integration)
    {
    }

    operation<correlator_problem> engine;
    const sample_type type;
    const std::size_t antennas;
    std::uint64_t integration;

    std::uint64_t position = 0; // samples of this integration, held ones included
    std::vector<std::complex<double>> sums; // of the samples before the held ones

    // The samples of an incomplete piece, antenna by antenna.
    std::vector<unsigned char> held;
    std::size_t held_samples = 0;
    std::size_t held_room = 0;        // samples of an antenna
    std::vector<const void*> held_at; // each antenna's place
    std::size_t piece = 0;            // samples of a piece, unless the integration ends

    std::vector<const void*> in; // the samples of the call that are left
    // What a call had done that ended in an exception; its repetition begins after that.
    std::size_t taken_before = 0, outputs_before = 0;

    std::size_t visibilities() const { return visibilities_of(antennas); }
    std::uint64_t left() const { return integration - position; }

    //! The samples of the piece that has begun or begins now.
    std::size_t piece_length()
    {
        if (held_samples == 0)
            piece = engine.executor().piece();
        const std::uint64_t begin = position - held_samples;
        return static_cast<std::size_t>(
            std::min<std::uint64_t>(piece, integration - begin));
    }

    void hold(std::size_t step, std::size_t samples, std::size_t length);
    void add(const correlator_batch& batch);
    void write(const std::complex<double>* from, std::complex<float>* out) const;
    std::size_t
    process_some(std::size_t step, std::size_t samples, std::complex<float>*& out);
};

//! Copies \p samples samples of each antenna behind those of the incomplete piece, which
//! has \p length, without counting them.
void correlator::implementation::hold(std::size_t step,
                                      std::size_t samples,
                                      std::size_t length)
{
    const std::size_t size = sample_size(type);
    if (held_samples == 0) {
        held_room = length;
        held.resize(std::max(held.size(), antennas * held_room * size));
        held_at.resize(antennas);
        for (std::size_t a = 0; a < antennas; a++)
            held_at[a] = held.data() + a * held_room * size;
    }
    for (std::size_t a = 0; a < antennas; a++) {
        auto* to = held.data() + (a * held_room + held_samples) * size;
        const auto* from = static_cast<const unsigned char*>(in[a]);
        if (step == 1)
            std::memcpy(to, from, samples * size);
        else
            for (std::size_t t = 0; t < samples; t++)
                std::memcpy(to + t * size, from + t * step * size, size);
    }
}

//! Adds a batch to the sums, which are 0 at the beginning of an integration.
void correlator::implementation::add(const correlator_batch& batch)
{
    const std::size_t count = batch.rows * visibilities();
    if (sums.size() < count)
        sums.resize(count);
    engine.run([&](correlator_executor& executor) { executor.add(batch, sums.data()); });
}

void correlator::implementation::write(const std::complex<double>* from,
                                       std::complex<float>* out) const
{
    // Integers are scaled after the sum, so that the sum is exact.
    const double scale = type == sample_type::cs8 ? 1.0 / (128 * 128) : 1;
    for (std::size_t i = 0; i < antennas; i++)
        for (std::size_t j = 0; j <= i; j++, from++, out++) {
            // Fused operations may leave a rounding error where the parts cancel.
            const double imaginary = i == j ? 0 : from->imag() * scale;
            *out = { static_cast<float>(from->real() * scale),
                     static_cast<float>(imaginary) };
        }
}

//! Takes some of the samples at `in`, and moves \p out past the integrations that end.
//! Returns the number of samples that it took. After an exception it has taken none.
std::size_t correlator::implementation::process_some(std::size_t step,
                                                     std::size_t samples,
                                                     std::complex<float>*& out)
{
    const std::size_t length = piece_length();
    std::size_t taken = 0, rows = 1;
    if (held_samples > 0 || samples < length) {
        taken = std::min(samples, length - held_samples);
        hold(step, taken, length);
        const bool is_whole = held_samples + taken == length;
        if (is_whole)
            add({ { held_at.data(), 1 }, 1, length });
        position += taken;
        held_samples = is_whole ? 0 : held_samples + taken;
        if (!is_whole)
            return taken;
    } else if (position == 0 && length == integration) {
        const std::size_t room = max_sum_bytes / sizeof(sums[0]) / visibilities();
        rows = std::min({ samples / length,
                          engine.executor().max_rows(length),
                          std::max<std::size_t>(1, room) });
        add({ { in.data(), step }, rows, length });
        taken = rows * length;
        position = integration;
    } else {
        // The device takes some whole pieces, or the last and shorter piece of an
        // integration.
        const auto pieces = std::min<std::uint64_t>(
            { samples / length, left() / length, engine.executor().max_rows(length) });
        taken = static_cast<std::size_t>(pieces) * length;
        add({ { in.data(), step }, 1, taken });
        position += taken;
    }
    if (position == integration) {
        for (std::size_t row = 0; row < rows; row++, out += visibilities())
            write(sums.data() + row * visibilities(), out);
        std::fill_n(sums.begin(), rows * visibilities(), std::complex<double>());
        position = 0;
    }
    return taken;
}

correlator::correlator(sample_type type,
                       std::size_t antennas,
                       std::uint64_t integration,
                       std::size_t typical_samples,
                       const correlator_options& options,
                       context_registry& registry)
{
    if (type != sample_type::fc32 && type != sample_type::cs8)
        throw_invalid("type", sample_type_name(type), "fc32 or cs8");
    check_antennas(antennas);
    check_integration(integration);
    if (typical_samples == 0)
        throw_invalid("typical_samples", "0", "1 or more");
    // The number is rounded, so that a measurement also serves calls of about this size.
    const std::size_t about = power_of_two_up_to(static_cast<std::size_t>(
        std::min<std::uint64_t>(typical_samples, max_integration)));
    d_impl = std::make_unique<implementation>(
        correlator_problem(type, antennas, about), integration, options, registry);
}

correlator::~correlator() = default;
correlator::correlator(correlator&&) noexcept = default;
correlator& correlator::operator=(correlator&&) noexcept = default;

std::size_t correlator::process(const antenna_samples& in,
                                std::size_t samples,
                                std::complex<float>* out)
{
    auto& s = *d_impl;
    const std::size_t bytes = in.step * sample_size(s.type);
    s.in.assign(in.first, in.first + s.antennas);
    std::size_t done = 0;
    const auto advance = [&](std::size_t taken) {
        for (auto& antenna : s.in)
            antenna = static_cast<const unsigned char*>(antenna) + taken * bytes;
        done += taken;
    };
    advance(s.taken_before);
    auto* next = out + s.outputs_before * s.visibilities();
    while (done < samples) {
        advance(s.process_some(in.step, samples - done, next));
        s.taken_before = done;
        s.outputs_before = static_cast<std::size_t>(next - out) / s.visibilities();
    }
    s.taken_before = s.outputs_before = 0;
    return static_cast<std::size_t>(next - out) / s.visibilities();
}

void correlator::reset()
{
    auto& s = *d_impl;
    s.position = 0;
    s.held_samples = 0;
    s.taken_before = s.outputs_before = 0;
    std::fill(s.sums.begin(), s.sums.end(), std::complex<double>());
}

std::uint64_t correlator::outputs_for(std::uint64_t samples) const
{
    return (d_impl->position + samples) / d_impl->integration;
}

std::uint64_t correlator::samples_for(std::uint64_t outputs) const
{
    const auto& s = *d_impl;
    if (outputs == 0)
        return 0;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return outputs > most / s.integration ? most : outputs * s.integration - s.position;
}

std::uint64_t correlator::position() const { return d_impl->position; }

void correlator::set_integration(std::uint64_t integration)
{
    check_integration(integration);
    if (d_impl->position != 0)
        throw std::logic_error("set_integration() within an integration");
    d_impl->integration = integration;
}

std::uint64_t correlator::integration() const { return d_impl->integration; }
std::size_t correlator::antennas() const { return d_impl->antennas; }
bool correlator::may_use_devices() const { return d_impl->engine.may_use_devices(); }
std::string correlator::device_name() const { return d_impl->engine.device_name(); }
std::string correlator::variant_name() const { return d_impl->engine.variant_name(); }
std::string correlator::transfer_name() const { return d_impl->engine.transfer_name(); }
std::string correlator::plan() const { return chosen().text(); }
const chosen_plan& correlator::chosen() const { return d_impl->engine.plan(); }
run_statistics correlator::statistics() const { return d_impl->engine.statistics(); }
bool correlator::fell_back() const { return d_impl->engine.fell_back(); }

void check_antennas(std::uint64_t antennas)
{
    if (antennas < 1 || antennas > max_antennas)
        throw_invalid(
            "antennas", std::to_string(antennas), "1 to " + std::to_string(max_antennas));
}

void check_integration(std::uint64_t integration)
{
    if (integration < 1 || integration > max_integration)
        throw_invalid("integration",
                      std::to_string(integration),
                      "1 to " + std::to_string(max_integration));
}

} // namespace cldsp
