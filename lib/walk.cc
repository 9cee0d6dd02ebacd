// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs a block to its steady state and counts the lines of one more call, for
// scripts/walk.

#include <gnuradio/blocks/null_sink.h>
#include <gnuradio/cldsp/freq_xlating_filter_bank.h>
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>
#include <gnuradio/cldsp/gemm.h>
#include <gnuradio/sync_block.h>
#include <gnuradio/top_block.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

extern "C" void __gcov_reset(void);
extern "C" void __gcov_dump(void);

namespace {

using namespace gr::cldsp;
using std::chrono::milliseconds;

// A source of as many items as it is told to give; nothing else in the flowgraph runs
// while it waits.
class rationed_source : public gr::sync_block
{
public:
    explicit rationed_source(int vector_length)
        : gr::sync_block(
              "rationed_source",
              gr::io_signature::make(0, 0, 0),
              gr::io_signature::make(1, 1, vector_length * sizeof(gr_complex))),
          d_item_bytes(vector_length * sizeof(gr_complex))
    {
    }

    void allow(int items) { d_allowed += items; }

    int work(int noutput_items,
             gr_vector_const_void_star&,
             gr_vector_void_star& output_items) override
    {
        while (d_allowed == 0)
            std::this_thread::sleep_for(milliseconds(1));
        const int items = std::min<int>(noutput_items, d_allowed);
        std::memset(output_items[0], 0, items * d_item_bytes);
        d_allowed -= items;
        return items;
    }

private:
    const std::size_t d_item_bytes;
    std::atomic<int> d_allowed{ 0 };
};

constexpr double rate = 2.4e6;
const std::string any = "auto";

// A windowed sinc, as long as a user's.
std::vector<float> low_pass(std::size_t size, double cutoff)
{
    std::vector<float> taps(size);
    for (std::size_t k = 0; k < size; k++) {
        const double t = static_cast<double>(k) - (static_cast<double>(size) - 1) / 2;
        const double sinc =
            t == 0 ? 2 * cutoff : std::sin(2 * M_PI * cutoff * t) / (M_PI * t);
        taps[k] = sinc * (0.54 - 0.46 * std::cos(2 * M_PI * k / (size - 1.0)));
    }
    return taps;
}

std::vector<double> spread(std::size_t channels)
{
    std::vector<double> frequencies(channels);
    for (std::size_t c = 0; c < channels; c++)
        frequencies[c] = rate * (static_cast<double>(c) / channels - 0.5) + 123;
    return frequencies;
}

gr::block_sptr filter(const std::string& device, const std::string& variant)
{
    const std::size_t taps = variant == "polyphase" ? 1025 : 65;
    return freq_xlating_fir_filter_ccf::make(
        50, low_pass(taps, 0.008), 100e3, rate, device, variant);
}

gr::block_sptr bank_of_one_rate()
{
    constexpr std::size_t channels = 64;
    const std::vector<std::vector<float>> taps(channels, low_pass(1025, 0.004));
    return freq_xlating_filter_bank_ccf::make(
        96, taps, spread(channels), rate, "host", "selected_bins");
}

gr::block_sptr bank_of_three_rates()
{
    const std::vector<int> decimations{ 10, 50, 100 };
    std::vector<std::vector<float>> taps;
    for (int decimation : decimations)
        taps.push_back(low_pass(20 * decimation + 1, 0.4 / decimation));
    return freq_xlating_filter_bank_ccf::make_with_rates(
        decimations, taps, spread(decimations.size()), rate, { 0 }, "host");
}

constexpr int matrix_size = 64;

gr::block_sptr product()
{
    const std::vector<std::vector<gr_complex>> A(
        matrix_size, std::vector<gr_complex>(matrix_size, 0.5f));
    return gemm_cc::make(A, "host");
}

struct walked {
    std::function<gr::block_sptr()> make;
    int vector_length;
};

const std::map<std::string, walked> blocks{
    { "filter_simd", { [] { return filter("host", "simd"); }, 1 } },
    { "filter_polyphase", { [] { return filter("host", "polyphase"); }, 1 } },
    { "bank_selected_bins", { bank_of_one_rate, 1 } },
    { "bank_three_rates", { bank_of_three_rates, 1 } },
    { "filter_cpu_tile", { [] { return filter("cpu", "cpu_tile"); }, 1 } },
    { "product_host", { product, matrix_size } },
};

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2 || blocks.count(argv[1]) == 0) {
        std::cerr << "usage: cldsp_walk BLOCK, one of:\n";
        for (const auto& block : blocks)
            std::cerr << "  " << block.first << '\n';
        return 2;
    }
    const walked& walk = blocks.at(argv[1]);
    const gr::block_sptr block = walk.make();
    const auto source = std::make_shared<rationed_source>(walk.vector_length);
    const auto top = gr::make_top_block("walk");
    top->connect(source, 0, block, 0);
    const int outputs = std::max(1, block->output_signature()->min_streams());
    for (int port = 0; port < outputs; port++) {
        const auto item_bytes = block->output_signature()->sizeof_stream_item(port);
        top->connect(block, port, gr::blocks::null_sink::make(item_bytes), 0);
    }
    top->start();

    const int items = walk.vector_length > 1 ? 64 : 24000;
    for (int call = 0; call < 8; call++) {
        source->allow(items);
        std::this_thread::sleep_for(milliseconds(250));
    }
    if (block->nitems_written(0) == 0) {
        std::cerr << "cldsp_walk: " << argv[1] << " gave no output\n";
        std::_Exit(1);
    }
    const auto before = block->nitems_written(0);
    __gcov_reset();
    source->allow(items);
    std::this_thread::sleep_for(milliseconds(500));
    __gcov_dump();
    // Without the destructors, which would be counted again.
    std::_Exit(block->nitems_written(0) > before ? 0 : 1);
}
