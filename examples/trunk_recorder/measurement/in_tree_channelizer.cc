// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Connects GNU Radio's filters at the rates and with the taps of trunk-recorder.

#include "in_tree_channelizer.h"
#include <gnuradio/blocks/add_const_ff.h>
#include <gnuradio/blocks/divide.h>
#include <gnuradio/blocks/float_to_complex.h>
#include <gnuradio/blocks/multiply_const.h>
#include <gnuradio/blocks/rms_cf.h>
#include <gnuradio/blocks/rotator_cc.h>
#include <gnuradio/digital/fll_band_edge_cc.h>
#include <gnuradio/filter/fft_filter_ccc.h>
#include <gnuradio/filter/fft_filter_ccf.h>
#include <gnuradio/filter/pfb_arb_resampler_ccf.h>
#include <gnuradio/io_signature.h>
#include <cmath>
#include <complex>

namespace trunk_recorder {

namespace {

constexpr double pi = 3.14159265358979323846;

// The taps of the first filter at the channel's frequency. The in-tree filters round the
// phase of one item to single precision, and so does this.
std::vector<gr_complex> shifted(const std::vector<float>& taps, float radians_per_item)
{
    std::vector<gr_complex> all;
    for (std::size_t k = 0; k < taps.size(); k++)
        all.push_back(taps[k] *
                      std::polar(1.0f, static_cast<float>(k) * radians_per_item));
    return all;
}

} // namespace

in_tree_channelizer::sptr in_tree_channelizer::make(const channel_plan& plan,
                                                    double input_rate,
                                                    double center_freq,
                                                    bool whole)
{
    return gnuradio::get_initial_sptr(
        new in_tree_channelizer(plan, input_rate, center_freq, whole));
}

in_tree_channelizer::in_tree_channelizer(const channel_plan& plan,
                                         double input_rate,
                                         double center_freq,
                                         bool whole)
    : gr::hier_block2("in_tree_channelizer",
                      gr::io_signature::make(1, 1, sizeof(gr_complex)),
                      gr::io_signature::make(1, 1, sizeof(gr_complex)))
{
    namespace blocks = gr::blocks;
    gr::basic_block_sptr last = self();
    const auto append = [&](const gr::basic_block_sptr& next) {
        connect(last, 0, next, 0);
        last = next;
    };
    const auto radians = static_cast<float>(2 * pi * center_freq / input_rate);
    append(gr::filter::fft_filter_ccc::make(plan.first_decimation(),
                                            shifted(plan.first_taps(), radians)));
    append(blocks::rotator_cc::make(-plan.first_decimation() * radians));
    append(
        gr::filter::fft_filter_ccf::make(plan.second_decimation(), plan.second_taps()));
    if (plan.resamples())
        append(gr::filter::pfb_arb_resampler_ccf::make(
            static_cast<float>(plan.channel_rate() / plan.filtered_rate()),
            plan.resampler_taps()));
    if (whole) {
        const auto level = blocks::rms_cf::make(0.45);
        const auto scale = blocks::multiply_const_ff::make(1 / 0.85);
        const auto floor = blocks::add_const_ff::make(1e-18f);
        const auto divisor = blocks::float_to_complex::make();
        const auto divide = blocks::divide_cc::make();
        connect(last, 0, level, 0);
        connect(level, 0, scale, 0);
        connect(scale, 0, floor, 0);
        connect(floor, 0, divisor, 0);
        connect(divisor, 0, divide, 1);
        append(divide);
        const int symbol = plan.samples_per_symbol();
        append(gr::digital::fll_band_edge_cc::make(
            symbol, 0.2f, 2 * symbol + 1, static_cast<float>(2 * pi / symbol / 250)));
    }
    connect(last, 0, self(), 0);
}

} // namespace trunk_recorder
