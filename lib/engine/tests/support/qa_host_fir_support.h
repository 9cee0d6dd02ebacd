// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Problems of filters, and stretches of a stream with the expected outputs.

#pragma once

#include "tests/support/qa_fir_support.h"

#include "filter/filter_executor.h"

#include <cldsp/reference.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

namespace cldsp {

using outputs_t = std::vector<std::complex<float>>;

inline freq_xlating_fir_problem
make_problem(sample_type type, std::size_t decimation, std::size_t taps, bool real_taps)
{
    std::mt19937 random(static_cast<unsigned>(taps));
    std::uniform_real_distribution<float> uniform(-1, 1);
    freq_xlating_fir_problem p;
    p.input = type;
    p.decimation = decimation;
    p.center_freq = -123456.7;
    p.sampling_freq = 2016000;
    for (std::size_t k = 0; k < taps; k++)
        p.taps.push_back({ uniform(random), real_taps ? 0.0f : uniform(random) });
    return p;
}

//! Some outputs in the middle of a stream of noise, and their expected values.
struct stream {
    stream(const freq_xlating_fir_problem& problem, std::size_t count)
        : setup(problem), outputs(count)
    {
        // The reference starts with silence, so the window of this stream's first output
        // is the window of a later output of the reference.
        const std::size_t decimation = problem.decimation;
        const std::size_t skipped = (setup.taps() + decimation - 2) / decimation;
        const auto all = noise(problem.input, (skipped + outputs) * decimation, 9);
        freq_xlating_fir_reference reference(problem);
        expected = reference.process(all.data(), (skipped + outputs) * decimation);
        expected.erase(expected.begin(), expected.begin() + skipped);

        const std::size_t oldest = skipped * decimation - (setup.taps() - 1);
        const auto begin = all.begin() + oldest * sample_size(problem.input);
        items.assign(begin, begin + setup.window(outputs) * sample_size(problem.input));
        const double turns = problem.center_freq / problem.sampling_freq;
        phase =
            phase64::from_turns(-turns * (setup.taps() - 1.0) / 2) - advance() * skipped;
    }

    phase64 advance() const { return setup.step * setup.problem.decimation; }
    fir_call call(const void* in, std::complex<float>* out) const
    {
        return { in, out, outputs, phase };
    }

    template <class Filter>
    outputs_t run(Filter& fir) const
    {
        outputs_t out(outputs);
        fir.run(call(items.data(), out.data()));
        return out;
    }

    template <class Filter>
    outputs_t run_in_cuts(Filter& fir, unsigned seed) const
    {
        std::mt19937 random(seed);
        outputs_t out(outputs);
        const std::size_t bytes =
            setup.problem.decimation * sample_size(setup.problem.input);
        for (std::size_t done = 0; done < outputs;) {
            const std::size_t most = 1 + random() % (random() % 4 ? 9 : outputs);
            const std::size_t now = std::min(most, outputs - done);
            fir.run({ items.data() + done * bytes,
                      out.data() + done,
                      now,
                      phase - advance() * done });
            done += now;
        }
        return out;
    }

    filter_channel setup;
    std::size_t outputs;
    std::vector<unsigned char> items; // the windows of all outputs, and no other items
    phase64 phase;
    std::vector<std::complex<double>> expected;
};

//! Memory that ends, or begins, at a page that must not be touched.
class guarded_memory
{
public:
    guarded_memory(std::size_t bytes, bool at_end)
        : d_page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          d_size((bytes + d_page - 1) / d_page * d_page)
    {
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
        d_base = static_cast<char*>(
            mmap(nullptr, d_size + 2 * d_page, PROT_NONE, flags, -1, 0));
        if (d_base == MAP_FAILED ||
            mprotect(d_base + d_page, d_size, PROT_READ | PROT_WRITE) != 0)
            throw std::runtime_error("no memory with guard pages");
        d_data = d_base + d_page + (at_end ? d_size - bytes : 0);
    }
    ~guarded_memory() { munmap(d_base, d_size + 2 * d_page); }
    guarded_memory(const guarded_memory&) = delete;
    guarded_memory& operator=(const guarded_memory&) = delete;

    void* data() const { return d_data; }

private:
    std::size_t d_page;
    std::size_t d_size;
    char* d_base;
    void* d_data;
};

} // namespace cldsp
