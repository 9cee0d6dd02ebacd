// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Takes 8 channels out of a stream on the standard input, in C++.

/*
 * Takes 8 channels out of complex float items at 1 MS/s on the standard input, and writes
 * them at 20 kS/s into channel0.cf32 to channel7.cf32.
 */

#include <cldsp/cldsp.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>

int main()
try {
    cldsp::filter_bank_config config;
    config.sampling_freq = 1e6;
    config.decimation = 50;
    config.center_freqs = { -420e3, -300e3, -180e3, -60e3, 60e3, 180e3, 300e3, 420e3 };
    config.taps = { cldsp::low_pass(1e6, 6e3, 10e3) };
    cldsp::filter_bank bank(config);
    std::cerr << bank.plan().text << "\n";

    std::vector<std::ofstream> files;
    for (std::size_t c = 0; c < bank.slots(); c++)
        files.emplace_back("channel" + std::to_string(c) + ".cf32", std::ios::binary);
    std::vector<std::complex<float>> in(65536);
    std::vector<std::vector<std::complex<float>>> out;
    while (const auto count = std::fread(in.data(), sizeof in[0], in.size(), stdin)) {
        bank.process(in.data(), count, out);
        for (std::size_t c = 0; c < out.size(); c++) {
            const auto* bytes = reinterpret_cast<const char*>(out[c].data());
            if (!files[c].write(bytes, out[c].size() * sizeof in[0]).flush())
                throw std::runtime_error("cannot write channel" + std::to_string(c));
        }
    }
    if (std::ferror(stdin))
        throw std::runtime_error("cannot read the standard input");
} catch (const std::exception& e) {
    std::cerr << "channelizer: " << e.what() << "\n";
    return 1;
}
