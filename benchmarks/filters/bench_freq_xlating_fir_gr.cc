// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the engine and the blocks beside GNU Radio's own blocks.

#include "filters/benchmark.h"
#include "filters/gr_kernels.h"
#include "flowgraphs/default_buffers.h"
#include "flowgraphs/tables.h"

#include <cldsp/fftw_planner.h>

#include <gnuradio/constants.h>
#include <gnuradio/fft/fft.h>

// Measures the engine and the blocks beside GNU Radio's own blocks.
int main(int argc, char** argv)
{
    // The engine of this program, the blocks and GNU Radio's filters all use FFTW, so the
    // engine shares GNU Radio's lock. GNU Radio makes the first transform, because FFTW's
    // solvers depend on how FFTW was prepared.
    cldsp::share_fftw_planner(gr::fft::planner::mutex());
    const gr::fft::fft_complex_fwd first(16);
    cldsp::bench::extension more;
    more.baseline = cldsp::bench::gr_fir_name;
    more.versions["gnuradio"] = gr::version();
    more.has_flowgraphs = true;
    more.add_peers = cldsp::bench::add_gr_kernels;
    more.flowgraphs = cldsp::bench::compare_flowgraphs;
    more.default_buffers = cldsp::bench::compare_default_buffers;
    more.retune_flowgraph = cldsp::bench::retune_flowgraph;
    return cldsp::bench::run_benchmark(argc, argv, more);
}
