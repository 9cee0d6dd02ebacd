// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Connects the filters to the source and null sinks, and runs the flowgraph.

#include "flowgraphs/flowgraph.h"

#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/blocks/vector_sink.h>
#include <gnuradio/logger.h>

#include <chrono>

namespace cldsp::bench {

void calm_blocks(bool verbose)
{
    if (!verbose)
        gr::logging::singleton().set_default_level(gr::log_level::warn);
}

flowgraph::flowgraph(std::vector<filter_blocks> filters,
                     const stream& data,
                     candidate_name name,
                     double seconds,
                     double scale)
    : d_name(std::move(name)),
      d_data(data),
      d_seconds(seconds),
      d_scale(scale),
      d_filters(std::move(filters))
{
    d_source = noise_source::make(data.fresh(), data.items(), data.item_size());
    d_top = gr::make_top_block("benchmark");
    connect(gr::blocks::null_sink::make(sizeof(std::complex<float>)));
}

std::size_t flowgraph::items() const
{
    return static_cast<std::size_t>(static_cast<double>(d_items) * d_scale);
}

void flowgraph::call()
{
    d_source->set_items(d_items);
    d_top->run();
}

std::vector<std::complex<float>> flowgraph::first_outputs()
{
    const auto sink = gr::blocks::vector_sink_c::make();
    d_top->disconnect_all();
    connect(sink);
    // The outputs are cut off where a block of a frequency-domain filter ends.
    run(d_data.items());
    auto outputs = sink->data();
    for (auto& value : outputs)
        value *= d_filters[0].phase;
    d_top->disconnect_all();
    connect(gr::blocks::null_sink::make(sizeof(std::complex<float>)));

    for (double seconds = 0; seconds < d_seconds;) {
        d_items *= 2;
        seconds = run(d_items);
    }
    return outputs;
}

void flowgraph::connect(const gr::basic_block_sptr& sink)
{
    // One sink takes all the other streams, because the threads of several sinks would be
    // measured as well.
    const auto rest = gr::blocks::null_sink::make(sizeof(std::complex<float>));
    int ports = 0;
    for (const auto& filter : d_filters) {
        d_top->connect(d_source, 0, filter.first, 0);
        if (filter.first != filter.last)
            d_top->connect(filter.first, 0, filter.last, 0);
        for (int port = 0; port < static_cast<int>(filter.outputs); port++) {
            if (&filter == &d_filters[0] && port == 0)
                d_top->connect(filter.last, port, sink, 0);
            else
                d_top->connect(filter.last, port, rest, ports++);
        }
    }
}

double flowgraph::run(std::size_t items)
{
    d_source->set_items(items);
    const auto start = std::chrono::steady_clock::now();
    d_top->run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
        .count();
}

} // namespace cldsp::bench
