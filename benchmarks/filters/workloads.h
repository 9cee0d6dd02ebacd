// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The single filters that this project measures, with their signals.

#pragma once

#include <cldsp/freq_xlating_filter_bank.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

//! The sampling rate and the centre frequency in Hz, unless a workload has its own.
constexpr double usual_sampling_freq = 2016000;
constexpr double usual_center_freq = 437123.7;

//! One of the filters that the benchmarks of this project measure.
struct workload {
    std::string name;
    std::size_t taps;
    std::size_t decimation;
    double cutoff; //!< of the low pass, in Hz
    sample_type input = sample_type::fc32;
    double sampling_freq = usual_sampling_freq;
    double center_freq = usual_center_freq;

    //! The operations of the direct form, whichever algorithm computes: 8 flops for each
    //! multiply-add with a complex item, and 4 with a real item.
    double flops_per_item() const
    {
        return (is_complex(input) ? 8.0 : 4.0) * static_cast<double>(taps) /
               static_cast<double>(decimation);
    }
};

//! Whether the prototype at 0 Hz is a plain low pass or one for a single sideband.
enum class prototype { real, complex };

//! W1 to W4 and R1.
const std::vector<workload>& all_workloads();
//! \throws std::invalid_argument for an unknown name
const workload& find_workload(const std::string& name);

//! The taps of firdes.low_pass with gain 1 and a Hamming window, for a given number of
//! taps.
std::vector<float> low_pass(double sampling_freq, double cutoff, std::size_t taps);

//! The filter to compute.
freq_xlating_fir_problem make_problem(const workload& work, prototype kind);

//! Writes white noise that is the same in every run: floats within -1 and 1, and integers
//! of all values.
void fill_with_noise(sample_type input, unsigned char* first, std::size_t bytes);

/*!
 * The input of a call and room for its outputs, in page-aligned memory like that of a
 * stream buffer. The input is a history of zeros, then white noise that is the same in
 * every run.
 */
class stream
{
public:
    //! \param items the input items of the usual call; there is room for some more, see
    //! capacity()
    stream(const workload& work, std::size_t items);
    //! For a filter of \p taps taps.
    stream(sample_type input,
           std::size_t taps,
           std::size_t decimation,
           std::size_t items);

    //! The input items of a call, a multiple of D.
    std::size_t items() const { return d_items; }
    std::size_t capacity() const { return d_capacity; }
    std::size_t history() const { return d_history; }

    std::size_t item_size() const { return d_item_size; }

    const void* window() const { return d_in.get(); } //!< history first
    //! The new item with this index.
    const void* fresh(std::size_t index = 0) const
    {
        return d_in.get() + (d_history + index) * d_item_size;
    }
    std::complex<float>* out() const
    {
        return reinterpret_cast<std::complex<float>*>(d_out.get());
    }
    memory_region in_region() const { return { d_in.get(), d_in_bytes }; }
    memory_region out_region() const { return { d_out.get(), d_out_bytes }; }

private:
    struct release {
        void operator()(unsigned char* p) const;
    };
    using memory = std::unique_ptr<unsigned char[], release>;
    static memory allocate(std::size_t wanted, std::size_t& bytes);

    std::size_t d_item_size, d_items, d_capacity, d_history;
    std::size_t d_in_bytes = 0, d_out_bytes = 0;
    memory d_in, d_out;
};

//! The largest difference from the exact filter's outputs on white noise, in dB of their
//! peak, if the response may be wrong by \p accuracy at any frequency.
double accuracy_bound_db(const freq_xlating_fir_problem& problem, double accuracy);

//! The largest permitted error of an algorithm and a variant, in dB of the outputs' peak.
double engine_bound_db(const freq_xlating_fir_problem& problem,
                       double accuracy,
                       const std::string& algorithm,
                       const std::string& variant);

/*!
 * As engine_bound_db(), for the plan of an engine or of a block. If engines share the
 * channels of a bank, the plan does not tell which channels each of them has: this is the
 * largest of their bounds.
 */
template <class PLAN>
double
plan_bound_db(const freq_xlating_fir_problem& problem, double accuracy, const PLAN& plan)
{
    double largest = engine_bound_db(problem, accuracy, plan.algorithm, plan.variant);
    for (const auto& share : plan.shares)
        largest = std::max(
            largest, engine_bound_db(problem, accuracy, share.algorithm, share.variant));
    return largest;
}

//! The expected outputs of a call at its beginning and at its end.
struct expected_outputs {
    expected_outputs(const freq_xlating_fir_problem& problem,
                     const stream& data,
                     std::size_t outputs);
    //! The error of a call's outputs, in dB of the expected peak; the larger one of the
    //! two pieces. Outputs before the noise has filled the filter are small: there the
    //! error is in dB of the level of the later outputs.
    double error_db(const std::vector<std::complex<float>>& outputs) const;

private:
    struct piece {
        std::size_t first;
        std::vector<std::complex<double>> values;
    };
    std::vector<piece> d_pieces;
    double d_level; //!< root mean square of the outputs of a filled filter
};

} // namespace cldsp::bench
