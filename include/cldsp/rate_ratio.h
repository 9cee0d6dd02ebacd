// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The rate of a channel's outputs as a ratio of integers.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The rate of a channel's outputs: P outputs for Q input items, in lowest terms.
 *
 * The time of output m is m Q / P, counted in input items since the stream began. The
 * output is computed from the items up to newest_item(m), and returned once all items
 * before the time of output m + 1 have arrived. So K items give floor(K P / Q) outputs; a
 * decimation by D, where P is 1 and Q is D, gives floor(K / D).
 */
struct rate_ratio {
    std::size_t interpolation = 1; //!< P, 1 to max_interpolation
    std::size_t decimation = 1;    //!< Q, 1 to max_decimation

    static constexpr std::size_t max_interpolation = 4096;
    static constexpr std::size_t max_decimation = std::size_t(1) << 24;
    //! The largest relative difference of a rate from the wanted one. The clocks of
    //! receivers are not better.
    static constexpr double max_deviation = 1e-6;

    //! P and Q in lowest terms.
    static rate_ratio of(std::size_t interpolation, std::size_t decimation);
    /*!
     * The ratio of two rates. If it is no P / Q with P and Q in their ranges, as with the
     * rate 1000000.026491 that a driver reports, it is the simplest P / Q whose rate
     * differs by at most max_deviation; other_rate_text() tells of that.
     *
     * \param output_rate in Hz, at most 0.9 of the input's rate, or all of it
     * \param sampling_freq rate of the input in Hz, finite and above 0
     * \param name the name of output_rate in the message of the exception
     * \throws std::invalid_argument if output_rate is out of range, or no ratio is that
     * close; the message names the nearest rate that has one
     */
    static rate_ratio of_rates(double output_rate,
                               double sampling_freq,
                               const std::string& name = "output_rate");

    bool is_integer() const { return interpolation == 1; }
    //! The number of outputs that the first \p items items of a stream give.
    std::uint64_t outputs(std::uint64_t items) const;
    //! The number of items from which on there are \p outputs outputs.
    std::uint64_t items(std::uint64_t outputs) const;
    //! The index of the newest item that output \p output needs, floor(m Q / P).
    std::uint64_t newest_item(std::uint64_t output) const;
    //! The rate of the outputs in Hz.
    double rate(double sampling_freq) const
    {
        return sampling_freq * static_cast<double>(interpolation) /
               static_cast<double>(decimation);
    }
    //! The rate of the outputs in Hz; the wanted one if only rounding makes a difference.
    double rate_near(double wanted, double sampling_freq) const;
    //! E.g. "48000.001 Hz instead of 48000 Hz, 6/125 of 1000000.02 Hz"; empty if the rate
    //! of the outputs is the wanted one.
    std::string other_rate_text(double wanted, double sampling_freq) const;
    //! E.g. "42", or "128/3" for 3 outputs of 128 items.
    std::string text() const;
    /*!
     * The taps by which the filter of a channel is longer than its prototype; 0 for a
     * decimation. Between the input items, the filter's values are interpolated with a
     * windowed sinc, which delays the outputs by half as many items.
     */
    std::size_t further_taps() const;

    bool operator==(const rate_ratio& o) const
    {
        return interpolation == o.interpolation && decimation == o.decimation;
    }
    bool operator!=(const rate_ratio& o) const { return !(*this == o); }

    //! \param name the name of the parameter in the message of the exception
    //! \throws std::invalid_argument unless P and Q are in their ranges, and P / Q is at
    //! most 0.9, or 1
    void check(const std::string& name = "rate") const;
};

//! Each of the rates once, in the order of their first places.
std::vector<rate_ratio> different_rates(const std::vector<rate_ratio>& rates);

} // namespace cldsp
