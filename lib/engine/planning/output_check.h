/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! A device computed something else than the host does.
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

//! How far outputs are from the host's, relative to the host's largest.
struct output_error {
    double error = 0; //!< infinite: an output is no number
    double bound = 1; //!< what rounding and the algorithm's accuracy stay well below

    bool is_right() const { return error <= bound; }
    //! E.g. "its outputs differ from the host's by -12.3 dB of their peak".
    std::string text() const;
};

// What is right is below -120 dB (see docs/algorithms.md), and nonsense is far above
// this.
constexpr double max_output_error = 1e-3;

//! Collects the largest difference of outputs.
class output_comparison
{
public:
    //! \tparam Number float or std::int32_t
    template <class Number>
    void add(const Number* got, const Number* expected, std::size_t count);
    void add(const std::complex<float>* got,
             const std::complex<float>* expected,
             std::size_t count);

    //! 0 where the host's outputs are too small, or too large, to tell anything.
    double error() const;

private:
    double d_difference = 0, d_peak = 0;
    bool d_no_number = false;
};

//! Some of a call's outputs, for a comparison that costs little.
struct output_range {
    std::size_t first, count;
};

//! Up to \p each at the beginning, in the middle and at the end; none twice.
std::vector<output_range> some_outputs(std::size_t outputs, std::size_t each);

//! What nothing computes: written where a device shall write, so that it is seen if it
//! does not. Not a number as float, and as a sum of as many ones as minus ones, odd.
void fill_with_nonsense(void* data, std::size_t bytes);

} // namespace cldsp
