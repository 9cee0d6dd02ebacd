/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "flowgraphs/flowgraph_blocks.h"

#include <gnuradio/blocks/rotator_cc.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter_volk.h>
#include <gnuradio/filter/fft_filter_ccc.h>
#include <gnuradio/filter/freq_xlating_fir_filter.h>

#include <cmath>
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
    if (block->algorithm_name() == "fast_convolution")
        result.bound_db = accuracy_bound_db(problem, freq_xlating_fir_options().accuracy);
    else
        result.bound_db = block->variant_name() == "volk" ? -105 : -120;
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

} // namespace

filter_blocks in_tree_fir(const freq_xlating_fir_problem& p)
{
    filter_blocks result;
    result.bound_db = in_tree_bound_db;
    const auto block = gr::filter::freq_xlating_fir_filter_ccc::make(
        static_cast<int>(p.decimation), p.taps, p.center_freq, p.sampling_freq);
    result.first = result.last = block;
    result.set_center_freq = [block](double freq) { block->set_center_freq(freq); };
    return result;
}

filter_blocks in_tree_fft(const freq_xlating_fir_problem& p)
{
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

maker cldsp_ccf(const std::string& device)
{
    return [device](const freq_xlating_fir_problem& p) {
        return engine_filter(
            gr::cldsp::freq_xlating_fir_filter_ccf::make(static_cast<int>(p.decimation),
                                                         real_taps(p),
                                                         p.center_freq,
                                                         p.sampling_freq,
                                                         device),
            p);
    };
}

maker cldsp_ccc(const std::string& device)
{
    return [device](const freq_xlating_fir_problem& p) {
        return engine_filter(
            gr::cldsp::freq_xlating_fir_filter_ccc::make(static_cast<int>(p.decimation),
                                                         p.taps,
                                                         p.center_freq,
                                                         p.sampling_freq,
                                                         device),
            p);
    };
}

filter_blocks cldsp_bank(const bank_workload& work, const std::string& device)
{
    const auto filter = make_problem(work.filter, prototype::real);
    if (!work.is_bank())
        return cldsp_ccf(device)(filter);
    const auto bank = make_bank_problem(work);
    auto result = engine_block(
        gr::cldsp::freq_xlating_filter_bank_ccf::make(static_cast<int>(bank.decimation),
                                                      { real_taps(filter) },
                                                      bank.center_freqs,
                                                      bank.sampling_freq,
                                                      device),
        filter);
    result.outputs = work.channels;
    return result;
}

filter_blocks cldsp_volk(const freq_xlating_fir_problem& p)
{
    return engine_filter(
        gr::cldsp::freq_xlating_fir_filter_volk_ccf::make(
            static_cast<int>(p.decimation), real_taps(p), p.center_freq, p.sampling_freq),
        p);
}

} // namespace cldsp::bench
