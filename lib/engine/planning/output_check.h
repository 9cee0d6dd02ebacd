// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares the outputs of a device with those of the host.

#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! Thrown where a device's outputs differ from the host's.
class wrong_outputs : public std::runtime_error
{
public:
    wrong_outputs(std::string device, const std::string& what)
        : std::runtime_error(what), d_device(std::move(device))
    {
    }
    //! The device's name.
    const std::string& device() const { return d_device; }

private:
    std::string d_device;
};

//! The difference of outputs from the host's, relative to the host's largest output.
struct output_error {
    double error = 0; //!< infinite: an output is not a finite number
    double bound = 1; //!< rounding and the algorithm's accuracy stay well below this

    bool is_right() const { return error <= bound; }
    //! E.g. "its outputs differ from the host's by -12.3 dB of their peak".
    std::string text() const;
};

// Correct outputs differ by less than -120 dB (see docs/algorithms.md), which is far
// below this bound, and wrong ones by far more than this.
constexpr double max_output_error = 1e-3;

//! Finds the largest difference between outputs and the host's outputs.
class output_comparison
{
public:
    //! Compares \p count more outputs.
    //! \tparam Number float or std::int32_t
    template <class Number>
    void add(const Number* got, const Number* expected, std::size_t count);
    void add(const std::complex<float>* got,
             const std::complex<float>* expected,
             std::size_t count);

    //! Takes the host's peak for at least \p peak. Without this, sums whose terms happen
    //! to cancel would make the rounding of the terms look large.
    void expect_peak(double peak) { d_peak = std::max(d_peak, peak); }

    //! The largest difference, relative to the host's peak; 0 if the host's outputs are
    //! too small, or too large, for a comparison.
    double error() const;

private:
    double d_difference = 0, d_peak = 0;
    bool d_no_number = false;
};

//! A range of a call's outputs. Comparing a few ranges costs little.
struct output_range {
    std::size_t first, count;
};

//! Up to \p each outputs at the beginning, in the middle and at the end, without overlap.
std::vector<output_range> some_outputs(std::size_t outputs, std::size_t each);

//! Fills the output buffer of a device with a value that no computation gives, so that
//! outputs that the device never writes are found. As float the value is not a number. As
//! the sum of an even number of values of 1 and -1 it is impossible, because it is odd.
void fill_with_nonsense(void* data, std::size_t bytes);

} // namespace cldsp
