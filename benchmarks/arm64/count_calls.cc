// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs one workload by the engine or by GNU Radio, and marks the call to be counted.

#include "base/thread_pool.h"
#include "direct/host_direct.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fft/fftw_plan.h"
#include "filter/filter_executor.h"
#include "filters/bank_workloads.h"
#ifdef CLDSP_HAVE_GNURADIO
#include "filters/gr_kernels.h"
#endif

#include <fftw3.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace cldsp;
using namespace cldsp::bench;

/*!
 * Tells the plugin that what follows is counted, or no longer. Linux has no such system
 * call and refuses it, and the plugin sees its number.
 */
void mark(bool counted) { syscall(counted ? 100001 : 100002); }

//! Counts one call, after others that bring all memory into its usual state.
template <class CALL>
void count(const CALL& call)
{
    call();
    call();
    mark(true);
    call();
    mark(false);
}

//! The difference of the first outputs from the filter in double precision, in dB.
double error_db(const bank_workload& work, const call_memory& memory)
{
    const auto problem = make_problem(work.filter, prototype::real);
    return expected_outputs(problem, memory.data(), memory.outputs())
        .error_db(memory.channel(0));
}

/*!
 * Runs the engine on one thread.
 * \param rows the values of the inverse transform; 0: the direct algorithm
 */
void run_engine(const bank_workload& work,
                const call_memory& memory,
                const std::string& variant,
                std::size_t rows)
{
    const auto problem = make_bank_problem(work);
    std::vector<filter_channel> setups;
    std::vector<channel_call> calls;
    for (std::size_t c = 0; c < problem.channels(); c++) {
        setups.emplace_back(problem.channel(c));
        const double turns = problem.center_freqs[c] / problem.sampling_freq * 0.5 *
                             static_cast<double>(work.filter.taps - 1);
        calls.push_back({ memory.out()[c],
                          phase64::from_turns(-turns),
                          { memory.data().history(), memory.outputs(), 0 } });
    }
    constexpr double accuracy = 1e-5;
    const auto pool = std::make_shared<thread_pool>(1);
    const auto bank =
        rows ? make_host_fast_convolution(variant, setups, rows, accuracy, pool)
             : make_host_direct(variant, setups, pool);
    count([&] {
        bank->run({ memory.data().window(),
                    memory.data().history(),
                    memory.items(),
                    calls.data() });
    });
}

#ifdef CLDSP_HAVE_GNURADIO
//! Runs the kernel of that name, with its rotator, in a loop without a flowgraph.
std::size_t run_in_tree(const bank_workload& work,
                        const call_memory& memory,
                        const std::string& kernel)
{
    candidate_set all;
    add_gr_kernels(work.filter, memory.data(), all);
    for (const auto& one : all.candidates)
        if (one->name().implementation == kernel) {
            one->first_outputs();
            count([&] { one->call(); });
            return one->items();
        }
    throw std::runtime_error("GNU Radio has no " + kernel + " for " + work.name);
}
#endif

bank_workload workload_of(const std::string& name)
{
    const auto colon = name.find(':');
    auto work = find_bank_workload(name.substr(0, colon));
    if (colon == name.npos)
        return work;
    for (const auto type : all_sample_types())
        if (sample_type_name(type) == name.substr(colon + 1)) {
            work.filter.input = type;
            return work;
        }
    throw std::runtime_error("no sample type is called " + name.substr(colon + 1));
}

int run(int argc, char** argv)
{
    if (argc != 5) {
        std::cerr << "usage: count_calls WORKLOAD[:TYPE] ITEMS KERNEL BLOCK\n"
                     "KERNEL is a variant of the engine (BLOCK 0: a direct one), or a "
                     "kernel of GNU Radio (fir_filter_ccc)\n";
        return 2;
    }
    const auto work = workload_of(argv[1]);
    const std::string kernel = argv[3];
    const call_memory memory(work, std::stoul(argv[2]));
    // FFTW's measurements differ from run to run, and under emulation mean nothing.
    fftwf_set_timelimit(0);
    const fftw_planning_limit no_measuring(0);
    std::size_t items = memory.items();
    if (kernel.find("_filter_") == kernel.npos) {
        run_engine(work, memory, kernel, std::stoul(argv[4]));
    } else {
#ifdef CLDSP_HAVE_GNURADIO
        items = run_in_tree(work, memory, kernel);
#else
        throw std::runtime_error("this program was built without GNU Radio");
#endif
    }
    std::cout << items << ' ' << error_db(work, memory) << '\n';
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::cerr << "count_calls: " << e.what() << '\n';
        return 1;
    }
}
