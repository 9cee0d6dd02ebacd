// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the host's peak rates: arithmetic, memory, copies, launches of threads.

#include "base/cache_sizes.h"
#include "base/page_memory.h"
#include "base/processors.h"
#include "base/thread_pool.h"
#include "roofline/roofline_simd.h"
#include "roofline/roofline_steps.h"
#include "simd/dispatch.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace cldsp {

CLDSP_DECLARE_KERNELS(roofline_kernels, roofs)

std::vector<const roofline_kernels*> available_roofline_kernels()
{
    return runnable_kernels<roofline_kernels>(CLDSP_KERNEL_SETS(roofs));
}

namespace {

// Pieces of work for each thread. A thread that starts late, or is interrupted, does
// fewer.
constexpr std::size_t pieces_per_thread = 8;
// Steps: fp32, int32, popcount twice; read, write, copy, local memory; launches.
constexpr std::size_t host_step_count = 9;
// The seconds that one run of all threads should take.
constexpr double run_seconds = 0.004;

class host_meter
{
public:
    explicit host_meter(const roofline_options& options,
                        std::size_t steps = host_step_count)
        : d_steps(options, steps), d_pool(options.threads)
    {
    }

    roofline measure()
    {
        roofline r;
        r.device = "host";
        r.threads = d_pool.threads();
        r.cache = static_cast<double>(largest_cache_bytes().value_or(0));
        const auto& kernels = *available_roofline_kernels().front();
        r.fp32 = fp32();
        r.int32 = arithmetic("int32", kernels.integer, kernels.operations);
        r.popcount = arithmetic("popcount", kernels.count_bits, kernels.words);
        const double seconds = d_steps.next("popcount in vectors");
        if (kernels.has_bit_vectors())
            r.popcount = std::max(r.popcount,
                                  rate_of_passes(seconds,
                                                 kernels.count_bits_in_vectors,
                                                 kernels.vector_words));
        memory(r, kernels);
        near_memory(r, kernels);
        launches(r);
        return r;
    }

    double fp32()
    {
        const auto& kernels = *available_roofline_kernels().front();
        return arithmetic("fp32", kernels.multiply_add, kernels.operations);
    }

private:
    //! The seconds of a loop over \p pieces pieces.
    double timed(std::size_t pieces, const thread_pool::body& body)
    {
        const stopwatch watch;
        d_pool.parallel_for(pieces, body);
        return watch.seconds();
    }
    //! The same loop, measured as processor time per core, which leaves out the time that
    //! other programs take from the cores. It is only for loops whose threads share no
    //! memory; see core_watch.
    double timed_on_cores(std::size_t pieces, const thread_pool::body& body)
    {
        const core_watch watch;
        d_pool.parallel_for(pieces, body);
        return watch.seconds(std::min(d_pool.threads(), usable_processors()));
    }
    std::size_t pieces() const { return pieces_per_thread * d_pool.threads(); }

    template <class Loop>
    double arithmetic(const char* name, const Loop& loop, double amount)
    {
        return rate_of_passes(d_steps.next(name), loop, amount);
    }

    //! The rate of passes of \p loop with all threads busy, in units per second; one pass
    //! is \p amount units.
    template <class Loop>
    double rate_of_passes(double seconds, const Loop& loop, double amount)
    {
        const auto run = [&](std::size_t passes) {
            return timed_on_cores(pieces(), [&](std::size_t, unsigned) {
                d_sink = d_sink + static_cast<std::uint32_t>(loop(passes));
            });
        };
        const auto passes =
            passes_for<std::size_t>(run_seconds, std::size_t(1) << 30, run);
        return rate_of_runs(seconds, [&] {
            return amount * static_cast<double>(passes * pieces()) / run(passes);
        });
    }

    //! A rate in bytes per second; one run moves \p bytes_per_run bytes.
    double
    rate_of_memory(const char* name, double bytes_per_run, const thread_pool::body& body)
    {
        const double seconds = d_steps.next(name);
        return rate_of_runs(seconds,
                            [&] { return bytes_per_run / timed(pieces(), body); });
    }

    //! The number of bytes for measuring the main memory: more than any cache holds, or a
    //! 16th of the machine's memory if that is less.
    std::size_t far_bytes() const
    {
        constexpr std::size_t wanted = std::size_t(256) << 20, part = 16;
        const auto all = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        return std::min(wanted, all / part);
    }

    void memory(roofline& r, const roofline_kernels& kernels)
    {
        constexpr std::size_t granule = 4096;
        const std::size_t slice = far_bytes() / pieces() / granule * granule;
        const std::size_t bytes = slice * pieces();
        // page_memory fills its memory, so that the system has already provided every
        // page.
        const page_memory from(bytes), to(bytes);
        const auto at = [slice](const page_memory& memory, std::size_t piece) {
            return memory.as<char>() + piece * slice;
        };
        const auto amount = static_cast<double>(bytes);
        r.global_read =
            rate_of_memory("global_read", amount, [&](std::size_t piece, unsigned) {
                d_sink = d_sink + kernels.read(at(from, piece), slice);
            });
        r.global_write =
            rate_of_memory("global_write", amount, [&](std::size_t piece, unsigned) {
                std::memset(at(to, piece), static_cast<int>(d_sink & 0xff), slice);
            });
        r.global_copy =
            rate_of_memory("global_copy", 2 * amount, [&](std::size_t piece, unsigned) {
                std::memcpy(at(to, piece), at(from, piece), slice);
            });
    }

    void near_memory(roofline& r, const roofline_kernels& kernels)
    {
        constexpr std::size_t bytes = 16384; // half of a usual L1 data cache (32 KiB)
        const std::vector<page_memory> memories = [&] {
            std::vector<page_memory> all;
            for (unsigned i = 0; i < d_pool.threads(); i++)
                all.emplace_back(bytes);
            return all;
        }();
        const double seconds = d_steps.next("local");
        const auto run = [&](std::size_t passes) {
            return timed_on_cores(pieces(), [&](std::size_t, unsigned worker) {
                std::uint32_t sum = 0;
                for (std::size_t pass = 0; pass < passes; pass++)
                    sum += kernels.read(memories[worker].as<void>(), bytes);
                d_sink = d_sink + sum;
            });
        };
        const auto passes =
            passes_for<std::size_t>(run_seconds, std::size_t(1) << 30, run);
        r.local = rate_of_runs(seconds, [&] {
            return static_cast<double>(bytes * passes * pieces()) / run(passes);
        });
    }

    void launches(roofline& r)
    {
        const double seconds = d_steps.next("launch_latency");
        // Each thread waits until all threads have arrived.
        std::atomic<unsigned> here{ 0 };
        const auto meet = [&](std::size_t, unsigned) {
            here++;
            while (here < d_pool.threads())
                std::this_thread::yield();
        };
        r.launch_latency = median_of_runs(seconds, [&] {
            here = 0;
            return timed(d_pool.threads(), meet);
        });
        r.launch_interval = r.launch_latency; // loops cannot overlap
    }

    roofline_steps d_steps;
    thread_pool d_pool;
    std::atomic<std::uint32_t> d_sink{ 0 }; // takes results that nobody reads
};

} // namespace

roofline measure_host_roofline(const roofline_options& options)
{
    return host_meter(options).measure();
}

double measure_host_fp32(const roofline_options& options)
{
    return host_meter(options, 1).fp32();
}

} // namespace cldsp
