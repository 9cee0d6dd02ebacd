// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the engine alone: every device, variant and transfer.

#include "filters/benchmark.h"

// Measures the engine alone: every device, variant and transfer, beside the engine on
// VOLK.
int main(int argc, char** argv) { return cldsp::bench::run_benchmark(argc, argv, {}); }
