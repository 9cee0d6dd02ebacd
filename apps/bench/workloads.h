// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What is measured: the wish of the user, a workload, and its table of results.

#pragma once

#include <cldsp/context.h>
#include <cldsp/kernel_work.h>
#include <cldsp/roofline.h>
#include <cldsp/sample_type.h>

#include "common/measure.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cldsp::app {

//! The settings of a run of benchmarks.
struct bench_wish {
    std::vector<device_info> devices; //!< the devices to measure; the host only if it is
                                      //!< one of them
    bool automatic = true;            //!< also measure the engine's own choice of device
    std::string shared; //!< also measure banks whose channels these devices share: "gpus"
                        //!< or a list; empty: none
    std::size_t items = 0;            //!< per call; 0: a number that suits the workload
    std::optional<sample_type> input; //!< of filters and banks; none: the workload's own
    //! The three sizes of a product, or one for all of them; empty: the workload's own.
    std::vector<std::size_t> size;
    bool quick = false; //!< small calls where neither items nor size is given
    std::vector<std::string> kernels; //!< beginnings of their names; empty: all of them
    bool all_kernels = false; //!< of products, also those that exist only for comparison
    bench::measuring how;
    double roofline_seconds = 1.5; //!< the measuring time for each device without a
                                   //!< roofline

    //! The number of items of a call: the one asked for, otherwise \p when_quick in a
    //! quick run and \p usual in others.
    std::size_t items_of(std::size_t usual, std::size_t when_quick) const
    {
        return items ? items : quick ? when_quick : usual;
    }
    //! The three sizes of a product.
    using product_sizes = std::array<std::size_t, 3>;
    product_sizes sizes_of(const product_sizes& usual,
                           const product_sizes& when_quick) const
    {
        if (size.empty())
            return quick ? when_quick : usual;
        return { size.front(), size[size.size() / 2], size.back() };
    }
    //! Whether the kernel of this name is measured.
    bool wants(const std::string& kernel) const
    {
        return kernels.empty() ||
               std::any_of(kernels.begin(), kernels.end(), [&](const auto& beginning) {
                   return kernel.rfind(beginning, 0) == 0;
               });
    }
};

//! One kernel on one device.
struct bench_row {
    std::string device; //!< "P:D", "host" or "auto"
    std::string method; //!< the name in the table, e.g. a variant
    std::string ran;    //!< the plan, in short, if the engine chose it
    bench::measurement measured;
    kernel_work work; //!< operations and bytes of a call
    //! The fraction of the device's peak rate that was reached; 0 if it is not known.
    double roof_part = 0;
    std::string left_out; //!< the reason why the candidate could not be made; empty if it
                          //!< was made
};

//! A workload's results.
struct bench_table {
    std::string workload, title;
    std::string unit = "MS/s";      //!< the unit of the rate
    double scale = 1e-6;            //!< converts items per second of a measurement to the
                                    //!< unit
    std::string operation = "FLOP"; //!< the name of the operations that kernel_work
                                    //!< counts
    std::vector<bench_row> rows;
};

//! The settings, registry and rooflines that the workloads of a run share.
class bench_session
{
public:
    bench_session(bench_wish wish, const context_options& options)
        : d_wish(std::move(wish)), d_registry(options)
    {
    }
    const bench_wish& wish() const { return d_wish; }
    context_registry& registry() { return d_registry; }
    //! The devices of the wish, and the host, which replaces one that fails.
    std::vector<device_info> devices() const;
    //! The roofline of a device, or of \p threads threads of the host (0: all threads).
    //! It is measured once.
    const roofline& roof(const device_info& device, unsigned threads = 0);

private:
    bench_wish d_wish;
    context_registry d_registry;
    std::map<std::pair<std::string, unsigned>, roofline> d_roofs;
};

//! A workload that `cldsp bench` measures by name.
struct bench_workload {
    std::string name;
    std::string description; //!< one line
    bool by_default;         //!< also measured if no workload is named
    std::function<bench_table(bench_session&)> measure;
};

//! All workloads, in the order in which they are measured.
std::vector<bench_workload> bench_workloads();
//! The filters and banks W1 to W8 and R1, and the ladder of kernels.
std::vector<bench_workload> filter_workloads();
//! The matrix products G1 and G2.
std::vector<bench_workload> gemm_workloads();
//! Every kernel of G1, those for comparison among them.
std::vector<bench_workload> gemm_ladder_workloads();
//! The 1-bit products G3, in calls and with all matrices on the device.
std::vector<bench_workload> gemm_1bit_workloads();
std::vector<bench_workload> correlator_workloads();

} // namespace cldsp::app
