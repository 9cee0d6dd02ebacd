/*
 * Copyright 2026 the gr-cldsp authors
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes 8 channels out of complex float items at 1 MS/s on the standard input, and writes
 * them at 20 kS/s into channel0.cf32 to channel7.cf32.
 */

#include <cldsp/cldsp.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using sample = std::complex<float>;

//! A low pass with a Hamming window, whose gain is 1. \param cutoff in turns per item
std::vector<float> low_pass(int taps, double cutoff)
{
    std::vector<float> h;
    for (int k = 0; k < taps; k++) {
        const double pi = std::acos(-1.0), t = (k - (taps - 1) / 2) * cutoff;
        const double window = 0.54 - 0.46 * std::cos(2 * pi * k / (taps - 1));
        const double sinc = t == 0 ? 1 : std::sin(2 * pi * t) / (2 * pi * t);
        h.push_back(static_cast<float>(2 * cutoff * window * sinc));
    }
    return h;
}

int main()
try {
    cldsp::filter_bank_config config;
    config.sampling_freq = 1e6;
    config.decimation = 50;
    config.taps = { low_pass(401, 8e3 / 1e6) };
    for (int c = 0; c < 8; c++)
        config.center_freqs.push_back(-420e3 + 120e3 * c);
    cldsp::filter_bank bank(config);
    std::cerr << bank.plan().text << "\n";

    std::vector<std::ofstream> files;
    for (int c = 0; c < 8; c++)
        files.emplace_back("channel" + std::to_string(c) + ".cf32", std::ios::binary);
    std::vector<sample> in(65536);
    std::vector<std::vector<sample>> out;
    while (const auto count = std::fread(in.data(), sizeof(sample), in.size(), stdin)) {
        bank.process(in.data(), count, out);
        for (std::size_t c = 0; c < out.size(); c++)
            files[c].write(reinterpret_cast<const char*>(out[c].data()),
                           static_cast<std::streamsize>(out[c].size() * sizeof(sample)));
    }
    for (auto& file : files)
        if (!file.flush())
            return std::perror("channelizer"), 1;
} catch (const std::exception& e) {
    std::cerr << "channelizer: " << e.what() << "\n";
    return 1;
}
