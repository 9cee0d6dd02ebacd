// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares, rotates and shares taps, and computes the exact phase step of a frequency.

#include "filter/filter_executor.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace cldsp {

bool are_real(const std::vector<std::complex<float>>& taps)
{
    return std::all_of(
        taps.begin(), taps.end(), [](const auto& tap) { return tap.imag() == 0; });
}

namespace {

// Bytes compare several times faster than numbers. Taps are finite, so the result is the
// same, except that a zero of the other sign counts as changed.
bool same_bits(const shared_taps::values& a, const shared_taps::values& b)
{
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

} // namespace

shared_taps::shared_taps(values taps)
{
    const bool real = cldsp::are_real(taps);
    d_list = std::make_shared<const list>(list{ std::move(taps), real });
}

bool operator==(const shared_taps& a, const shared_taps& b)
{
    return a.is(b) || same_bits(a, b);
}

namespace {

phase64 step_of(double center_freq, double sampling_freq)
{
    // A double holds the quotient to 2^-54 of a turn, an error that 10^10 samples would
    // make visible. fma() gives the remainder of the division exactly, which provides the
    // missing bits.
    const double rest = std::remainder(center_freq, sampling_freq);
    const double quotient = rest / sampling_freq;
    const double missing = std::fma(-quotient, sampling_freq, rest) / sampling_freq;
    return phase64::from_turns(quotient) + phase64::from_turns(missing);
}

} // namespace

bool freq_xlating_fir_problem::has_real_taps() const { return are_real(taps); }
phase64 freq_xlating_fir_problem::step() const
{
    return step_of(center_freq, sampling_freq);
}

channel_problem::channel_problem(const freq_xlating_fir_problem& problem)
    : input(problem.input),
      decimation(problem.decimation),
      taps(problem.taps),
      center_freq(problem.center_freq),
      sampling_freq(problem.sampling_freq),
      phase(problem.phase),
      interpolation(problem.interpolation)
{
}

channel_problem::channel_problem(const freq_xlating_filter_bank_problem& bank,
                                 const rate_ratio& its_rate,
                                 shared_taps its_taps,
                                 double its_center_freq)
    : input(bank.input),
      decimation(its_rate.decimation),
      taps(std::move(its_taps)),
      center_freq(its_center_freq),
      sampling_freq(bank.sampling_freq),
      phase(bank.phase),
      interpolation(its_rate.interpolation)
{
}

phase64 channel_problem::step() const { return step_of(center_freq, sampling_freq); }

std::vector<filter_channel> make_channels(const freq_xlating_filter_bank_problem& bank)
{
    std::vector<filter_channel> channels;
    channels.reserve(bank.channels());
    for (std::size_t c = 0; c < bank.channels(); c++)
        channels.emplace_back(
            channel_problem(bank, bank.rate(c), bank.taps_of(c), bank.center_freqs[c]));
    return channels;
}

void freq_xlating_fir_problem::check() const
{
    check_rates(decimation, sampling_freq);
    if (interpolation != 1)
        rate_ratio{ interpolation, decimation }.check("interpolation / decimation");
    check_taps(taps);
    check_center_freq(center_freq);
}

void check_rates(std::size_t decimation, double sampling_freq)
{
    if (decimation < 1)
        throw_invalid("decimation", std::to_string(decimation), "1 or more");
    if (!std::isfinite(sampling_freq) || sampling_freq <= 0)
        throw_invalid("sampling_freq", number_text(sampling_freq), "finite and above 0");
}

void check_taps(const std::vector<std::complex<float>>& taps, const std::string& name)
{
    if (taps.empty())
        throw_invalid(name, "empty", "one tap or more");
    for (std::size_t i = 0; i < taps.size(); i++) {
        if (!std::isfinite(taps[i].real()) || !std::isfinite(taps[i].imag())) {
            const std::string value = "(" + number_text(taps[i].real()) + ", " +
                                      number_text(taps[i].imag()) + ") at index " +
                                      std::to_string(i);
            throw_invalid(name, value, "finite numbers");
        }
    }
}

void check_center_freq(double center_freq, const std::string& name)
{
    if (!std::isfinite(center_freq))
        throw_invalid(name, std::to_string(center_freq), "finite");
}

filter_channel::filter_channel(const channel_problem& p)
    : problem(p), real_taps(p.taps.are_real()), step(p.step())
{
}

void filter_channel::set_center_freq(double center_freq)
{
    problem.center_freq = center_freq;
    step = problem.step();
}

void filter_channel::set_taps(const shared_taps& taps)
{
    problem.taps = taps;
    real_taps = taps.are_real();
}

bool filter_channel::has_taps(const shared_taps::values& other) const
{
    return same_bits(problem.taps, other);
}

std::vector<std::complex<double>> filter_channel::rotated() const
{
    std::vector<std::complex<double>> rotated(taps());
    // A retune happens while a stream runs, so most phasors are computed from the one
    // before. A fresh sine and cosine every `run` taps keep the rounding error of this
    // recurrence below 1e-14.
    constexpr std::size_t run = 64;
    const std::complex<double> turn = step.phasor();
    double re = 1;
    double im = 0;
    for (std::size_t k = 0; k < rotated.size(); k++) {
        if (k % run == 0) {
            const std::complex<double> anchor = (step * k).phasor();
            re = anchor.real();
            im = anchor.imag();
        }
        const double tap_re = problem.taps[k].real();
        const double tap_im = problem.taps[k].imag();
        rotated[k] = { tap_re * re - tap_im * im, tap_re * im + tap_im * re };
        const double next = re * turn.real() - im * turn.imag();
        im = re * turn.imag() + im * turn.real();
        re = next;
    }
    return rotated;
}

phase64 phase_correction(double hertz, double sampling_freq, std::size_t taps)
{
    // The product can be many turns, and half a turn matters. With an even number of
    // taps, the phases for two frequencies that are aliases of each other can differ by
    // half a turn, as in GNU Radio's own block.
    return phase64::from_turns(-hertz / sampling_freq *
                               (0.5 * static_cast<double>(taps - 1)));
}

} // namespace cldsp
