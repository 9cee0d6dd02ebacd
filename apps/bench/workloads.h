/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/kernel_work.h>
#include <cldsp/roofline.h>

#include "common/measure.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cldsp::app {

//! What a run of benchmarks shall do.
struct bench_wish {
    std::vector<device_info> devices; //!< asked for; the host only if it is one of them
    bool automatic = true;            //!< the engine's own choice of device, too
    std::size_t items = 0;            //!< a call; 0: what suits the workload
    std::size_t size = 0; //!< rows and columns of square matrices; 0: the workload's
    bool quick = false;   //!< small calls where neither is given
    bench::measuring how;
    double roofline_seconds = 1.5; //!< for each device that has none yet

    //! Of a workload that usually has, and in a quick look shall have, so many.
    std::size_t items_of(std::size_t usual, std::size_t when_quick) const
    {
        return items ? items : quick ? when_quick : usual;
    }
    std::size_t size_of(std::size_t usual, std::size_t when_quick) const
    {
        return size ? size : quick ? when_quick : usual;
    }
};

//! One kernel on one device.
struct bench_row {
    std::string device; //!< "P:D", "host" or "auto"
    std::string method; //!< what the table calls it, e.g. a variant
    std::string ran;    //!< in short, what was chosen where that was left open
    bench::measurement measured;
    kernel_work work;     //!< of a call
    //! fraction of the device's peak rate that was reached; 0 if not known
    double roof_part = 0;
    std::string left_out; //!< why it could not be made; empty: it could
};

//! A workload's results.
struct bench_table {
    std::string workload, title;
    std::string unit = "MS/s";      //!< of the rate
    double scale = 1e-6;            //!< of a measurement's items a second, to the unit
    std::string operation = "FLOP"; //!< of which a kernel_work has so many
    std::vector<bench_row> rows;
};

//! What the workloads of a run share.
class bench_session
{
public:
    bench_session(bench_wish wish, const context_options& options)
        : d_wish(std::move(wish)), d_registry(options)
    {
    }
    const bench_wish& wish() const { return d_wish; }
    context_registry& registry() { return d_registry; }
    //! Of a device, or of \p threads threads of the host (0: all); measured once.
    const roofline& roof(const device_info& device, unsigned threads = 0);

private:
    bench_wish d_wish;
    context_registry d_registry;
    std::map<std::pair<std::string, unsigned>, roofline> d_roofs;
};

//! Something that `cldsp bench` measures by name.
struct bench_workload {
    std::string name;
    std::string description; //!< one line
    std::string part_of;     //!< another name that stands for it, too; empty: none
    bool by_default;         //!< also where none is named
    std::function<bench_table(bench_session&)> measure;
};

//! All that there are, in the order in which they are measured.
std::vector<bench_workload> bench_workloads();
//! The filters and banks W1 to W6, and the ladder of kernels.
std::vector<bench_workload> filter_workloads();
//! The matrix products G1 to G3, and the ladder of kernels.
std::vector<bench_workload> gemm_workloads();

} // namespace cldsp::app
