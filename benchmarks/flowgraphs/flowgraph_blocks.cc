// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes each filter as one block or two in a row, with its plan and its bound.

#include "flowgraphs/flowgraph_blocks.h"

#include "flowgraphs/measured_plans.h"

#include <gnuradio/blocks/rotator_cc.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>
#include <gnuradio/filter/fft_filter_ccc.h>
#include <gnuradio/filter/freq_xlating_fir_filter.h>

#include <cldsp/errors.h>

#include <type_traits>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace cldsp::bench {

namespace {

constexpr double pi = 3.14159265358979323846;
// A rotator in single precision drifts; over many outputs the drift dominates the error.
constexpr double in_tree_bound_db = -30;

std::vector<float> real_taps(const freq_xlating_fir_problem& p)
{
    std::vector<float> taps;
    for (const auto& tap : p.taps)
        taps.push_back(tap.real());
    return taps;
}

//! Fills in the parts that the filter and the bank have in common.
template <class BLOCK>
filter_blocks engine_block(const std::shared_ptr<BLOCK>& block,
                           const freq_xlating_fir_problem& problem)
{
    filter_blocks result;
    result.first = result.last = block;
    result.note = [block] {
        std::string text = block->device_name() + " " + block->variant_name();
        if (block->transfer_name() != "none")
            text += " " + block->transfer_name();
        return text;
    };
    result.plan = [block] { return block->plan_details(); };
    result.bound_db = plan_bound_db(
        problem, freq_xlating_filter_bank_options().accuracy, block->plan_details());
    return result;
}

template <class BLOCK>
filter_blocks engine_filter(const std::shared_ptr<BLOCK>& block,
                            const freq_xlating_fir_problem& problem)
{
    auto result = engine_block(block, problem);
    result.set_center_freq = [block](double freq) { block->set_center_freq(freq); };
    return result;
}

template <class TAP_T>
std::vector<TAP_T> taps_of(const freq_xlating_fir_problem& p)
{
    if constexpr (std::is_same_v<TAP_T, float>)
        return real_taps(p);
    else
        return p.taps;
}

template <class IN_T, class TAP_T>
filter_blocks make_in_tree(const freq_xlating_fir_problem& p)
{
    filter_blocks result;
    result.bound_db = in_tree_bound_db;
    const auto block = gr::filter::freq_xlating_fir_filter<IN_T, gr_complex, TAP_T>::make(
        static_cast<int>(p.decimation),
        taps_of<TAP_T>(p),
        p.center_freq,
        p.sampling_freq);
    result.first = result.last = block;
    result.set_center_freq = [block](double freq) { block->set_center_freq(freq); };
    return result;
}

template <class IN_T, class TAP_T>
filter_blocks make_cldsp(const freq_xlating_fir_problem& p, const std::string& device)
{
    wait_for_plans();
    return engine_filter(gr::cldsp::freq_xlating_fir_filter<IN_T, TAP_T>::make(
                             static_cast<int>(p.decimation),
                             taps_of<TAP_T>(p),
                             p.center_freq,
                             p.sampling_freq,
                             device),
                         p);
}

//! \param filter the problem of the first channel
template <class IN_T>
filter_blocks make_bank(const bank_workload& work,
                        const freq_xlating_fir_problem& filter,
                        const std::string& device)
{
    wait_for_plans();
    const auto bank = make_bank_problem(work);
    auto result = engine_block(gr::cldsp::freq_xlating_filter_bank<IN_T, float>::make(
                                   static_cast<int>(bank.decimation),
                                   { real_taps(filter) },
                                   bank.center_freqs,
                                   bank.sampling_freq,
                                   device),
                               filter);
    result.outputs = work.channels;
    return result;
}

//! The blocks of a type.
struct block_type {
    std::string name;
    sample_type input;
    filter_blocks (*in_tree)(const freq_xlating_fir_problem& p);
    filter_blocks (*cldsp)(const freq_xlating_fir_problem& p, const std::string& device);
};

template <class IN_T, class TAP_T>
block_type blocks_of(const std::string& name, sample_type input)
{
    return { name, input, make_in_tree<IN_T, TAP_T>, make_cldsp<IN_T, TAP_T> };
}

const block_type& find_type(const std::string& name)
{
    static const std::vector<block_type> types{
        blocks_of<gr_complex, gr_complex>("ccc", sample_type::fc32),
        blocks_of<gr_complex, float>("ccf", sample_type::fc32),
        blocks_of<float, gr_complex>("fcc", sample_type::f32),
        blocks_of<float, float>("fcf", sample_type::f32),
        blocks_of<std::int16_t, gr_complex>("scc", sample_type::s16),
        blocks_of<std::int16_t, float>("scf", sample_type::s16)
    };
    for (const auto& type : types)
        if (type.name == name)
            return type;
    throw_invalid("type", "'" + name + "'", "ccc, ccf, fcc, fcf, scc or scf");
}

//! The type's letter of the input.
std::string input_letter(sample_type input)
{
    for (const std::string type : { "ccc", "fcc", "scc" })
        if (input_of(type) == input)
            return type.substr(0, 1);
    throw_invalid("input", sample_type_name(input), "fc32, f32 or s16");
}

} // namespace

std::string filter_type(const freq_xlating_fir_problem& p)
{
    return input_letter(p.input) + (p.has_real_taps() ? "cf" : "cc");
}

sample_type input_of(const std::string& type) { return find_type(type).input; }

filter_blocks in_tree_filter(const std::string& type, const freq_xlating_fir_problem& p)
{
    return find_type(type).in_tree(p);
}

filter_blocks cldsp_filter(const std::string& type,
                           const freq_xlating_fir_problem& p,
                           const std::string& device)
{
    return find_type(type).cldsp(p, device);
}

std::string in_tree_type(const freq_xlating_fir_problem& p)
{
    return p.input == sample_type::fc32 ? "ccc" : filter_type(p);
}

filter_blocks in_tree_fir(const freq_xlating_fir_problem& p)
{
    return in_tree_filter(in_tree_type(p), p);
}

filter_blocks in_tree_fft(const freq_xlating_fir_problem& p)
{
    if (p.input != sample_type::fc32)
        throw_invalid("input",
                      sample_type_name(p.input),
                      "complex float, which alone GNU Radio's FFT filters take");
    filter_blocks result;
    result.bound_db = in_tree_bound_db;
    const double omega = 2 * pi * p.center_freq / p.sampling_freq;
    auto taps = p.taps;
    for (std::size_t k = 0; k < taps.size(); k++)
        taps[k] *= static_cast<std::complex<float>>((p.step() * k).phasor());
    result.first = gr::filter::fft_filter_ccc::make(static_cast<int>(p.decimation), taps);
    result.last = gr::blocks::rotator_cc::make(
        std::remainder(-omega * static_cast<double>(p.decimation), 2 * pi));
    // The FFT filter leaves out the constant phase of the xlating FIR block.
    const double turns =
        -p.center_freq / p.sampling_freq * 0.5 * static_cast<double>(p.taps.size() - 1);
    result.phase = static_cast<std::complex<float>>(phase64::from_turns(turns).phasor());
    return result;
}

maker cldsp_on(const std::string& device)
{
    return [device](const freq_xlating_fir_problem& p) {
        return cldsp_filter(filter_type(p), p, device);
    };
}

filter_blocks cldsp_bank(const bank_workload& work, const std::string& device)
{
    const auto filter = make_problem(work.filter, prototype::real);
    if (!work.is_bank())
        return cldsp_on(device)(filter);
    switch (filter.input) {
    case sample_type::fc32:
        return make_bank<gr_complex>(work, filter, device);
    case sample_type::f32:
        return make_bank<float>(work, filter, device);
    case sample_type::s16:
        return make_bank<std::int16_t>(work, filter, device);
    default:
        throw_invalid(
            "input", sample_type_name(filter.input), "of a type that banks take");
    }
}

filter_blocks cldsp_volk(const freq_xlating_fir_problem& p)
{
    const auto make = [&p](auto item) {
        return engine_filter(
            gr::cldsp::freq_xlating_fir_filter_volk<decltype(item), float>::make(
                static_cast<int>(p.decimation),
                real_taps(p),
                p.center_freq,
                p.sampling_freq),
            p);
    };
    const std::string letter = input_letter(p.input);
    if (letter == "f")
        return make(float());
    return letter == "s" ? make(std::int16_t()) : make(gr_complex());
}

} // namespace cldsp::bench
