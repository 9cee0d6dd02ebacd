// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Calls GNU Radio's FIR and FFT kernels with its rotator, without a flowgraph.

#include "filters/gr_kernels.h"

#include <gnuradio/blocks/rotator.h>
#include <gnuradio/filter/fft_filter.h>
#include <gnuradio/filter/fir_filter.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace cldsp::bench {

namespace {

// A rotator in single precision drifts; over a million outputs the drift dominates the
// error.
constexpr double in_tree_bound_db = -30;

//! The prototype's taps, moved to the centre frequency in double precision.
std::vector<gr_complex> rotated_taps(const freq_xlating_fir_problem& problem)
{
    std::vector<gr_complex> taps;
    for (std::size_t k = 0; k < problem.taps.size(); k++)
        taps.push_back(
            static_cast<gr_complex>(static_cast<std::complex<double>>(problem.taps[k]) *
                                    (problem.step() * k).phasor()));
    return taps;
}

//! A kernel of GNU Radio with its rotator, whose phase starts as in the xlating block.
class gr_kernel : public candidate
{
public:
    gr_kernel(const std::string& name, const workload& work, const stream& data)
        : d_name{ name, "host", "", "", "real" },
          d_problem(make_problem(work, prototype::real)),
          d_data(data)
    {
        d_rotator.set_phase_incr(static_cast<gr_complex>(
            (-(d_problem.step() * d_problem.decimation)).phasor()));
        const double turns = work.center_freq / work.sampling_freq * 0.5 *
                             static_cast<double>(work.taps - 1);
        d_first_phase = static_cast<gr_complex>(phase64::from_turns(-turns).phasor());
    }

    candidate_name name() const override { return d_name; }
    double bound_db() const override { return in_tree_bound_db; }

    void call() override
    {
        filter(outputs());
        d_rotator.rotateN(d_data.out(), d_data.out(), static_cast<int>(outputs()));
    }
    std::vector<std::complex<float>> first_outputs() override
    {
        d_rotator.set_phase(d_first_phase);
        call();
        return { d_data.out(), d_data.out() + outputs() };
    }

protected:
    virtual void filter(std::size_t outputs) = 0;
    std::size_t outputs() const { return items() / d_problem.decimation; }
    const freq_xlating_fir_problem& problem() const { return d_problem; }
    const stream& data() const { return d_data; }

private:
    candidate_name d_name;
    freq_xlating_fir_problem d_problem;
    const stream& d_data;
    gr::blocks::rotator d_rotator;
    gr_complex d_first_phase;
};

template <class IN_T>
class fir_kernel : public gr_kernel
{
public:
    fir_kernel(const workload& work, const stream& data)
        : gr_kernel(gr_fir_name(work.input), work, data), d_fir(rotated_taps(problem()))
    {
    }
    std::size_t items() const override { return data().items(); }

protected:
    void filter(std::size_t outputs) override
    {
        d_fir.filterNdec(data().out(),
                         static_cast<const IN_T*>(data().window()),
                         outputs,
                         problem().decimation);
    }

private:
    gr::filter::kernel::fir_filter<IN_T, gr_complex, gr_complex> d_fir;
};

//! GNU Radio's overlap-add keeps the past samples itself, in blocks of its own size.
class fft_kernel : public gr_kernel
{
public:
    fft_kernel(const workload& work, const stream& data)
        : gr_kernel("fft_filter_ccc", work, data),
          d_fft(static_cast<int>(work.decimation), rotated_taps(problem()))
    {
        if (work.input != sample_type::fc32)
            throw std::runtime_error("it takes complex input only");
        const auto block = static_cast<std::size_t>(d_fft.set_taps(d_fft.taps()));
        const std::size_t multiple = std::lcm(block, work.decimation);
        d_items = (data.items() + multiple - 1) / multiple * multiple;
        if (d_items > data.capacity())
            throw std::runtime_error("calls have to be of " + std::to_string(multiple) +
                                     " items");
    }
    std::size_t items() const override { return d_items; }
    std::string note() const override
    {
        return d_items == data().items() ? ""
                                         : std::to_string(d_items) + " items per call";
    }

protected:
    void filter(std::size_t outputs) override
    {
        d_fft.filter(static_cast<int>(outputs),
                     static_cast<const gr_complex*>(data().fresh()),
                     data().out());
    }

private:
    gr::filter::kernel::fft_filter_ccc d_fft;
    std::size_t d_items;
};

std::unique_ptr<candidate> make_fir_kernel(const workload& work, const stream& data)
{
    switch (work.input) {
    case sample_type::f32:
        return std::make_unique<fir_kernel<float>>(work, data);
    case sample_type::s16:
        return std::make_unique<fir_kernel<std::int16_t>>(work, data);
    case sample_type::fc32:
        return std::make_unique<fir_kernel<gr_complex>>(work, data);
    default:
        throw std::invalid_argument(std::string("GNU Radio has no FIR filter of ") +
                                    sample_type_name(work.input));
    }
}

} // namespace

std::string gr_fir_name(sample_type input)
{
    const std::string letter = is_complex(input)           ? "c"
                               : input == sample_type::f32 ? "f"
                                                           : "s";
    return "fir_filter_" + letter + "cc";
}

void add_gr_kernels(const workload& work, const stream& data, candidate_set& to)
{
    to.candidates.push_back(make_fir_kernel(work, data));
    try {
        to.candidates.push_back(std::make_unique<fft_kernel>(work, data));
    } catch (const std::runtime_error& e) {
        to.left_out.push_back({ { "fft_filter_ccc", "host", "", "", "real" }, e.what() });
    }
}

} // namespace cldsp::bench
