/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "benchmark.h"
#include "default_buffers.h"
#include "flowgraphs.h"
#include "gr_kernels.h"

#include <gnuradio/constants.h>

// The engine and the blocks beside GNU Radio's own.
int main(int argc, char** argv)
{
    cldsp::bench::extension more;
    more.baseline = "fir_filter_ccc";
    more.versions["gnuradio"] = gr::version();
    more.has_flowgraphs = true;
    more.add_peers = cldsp::bench::add_gr_kernels;
    more.flowgraphs = cldsp::bench::compare_flowgraphs;
    more.default_buffers = cldsp::bench::compare_default_buffers;
    more.retune_flowgraph = cldsp::bench::retune_flowgraph;
    return cldsp::bench::run_benchmark(argc, argv, more);
}
