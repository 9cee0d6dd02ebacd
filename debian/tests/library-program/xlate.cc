// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shifts a tone to 0 Hz with the installed block, and checks each output.

#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/blocks/vector_source.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/top_block.h>

#include <cmath>
#include <complex>
#include <iostream>

//! Shifts a tone to 0 Hz: every output is 1.
int main()
{
    constexpr double sampling_freq = 48000, frequency = 12000;
    std::vector<gr_complex> tone;
    for (int i = 0; i < 4800; i++)
        tone.push_back(
            gr_complex(std::polar(1.0, 2 * M_PI * frequency / sampling_freq * i)));

    auto top_block = gr::make_top_block("xlate");
    auto source = gr::blocks::vector_source_c::make(tone);
    auto filter = gr::cldsp::freq_xlating_fir_filter_ccf::make(
        4, { 1.0f }, frequency, sampling_freq, "host");
    auto sink = gr::blocks::vector_sink_c::make();
    top_block->connect(source, 0, filter, 0);
    top_block->connect(filter, 0, sink, 0);
    top_block->run();

    double error = 0;
    for (const gr_complex& sample : sink->data())
        error = std::max<double>(error, std::abs(sample - gr_complex(1)));
    std::cout << sink->data().size() << " samples, largest error " << error << "\n";
    return sink->data().size() == 1200 && error < 1e-4 ? 0 : 1;
}
