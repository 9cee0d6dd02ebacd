// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Registers the getters of blocks as variables of ControlPort.

#include "control_port.h"
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/cldsp/tune_probe.h>
#include <pmt/pmt.h>
#include <string>

namespace gr {
namespace cldsp {

#ifdef GR_CTRLPORT

namespace {

template <class INTERFACE, class T>
void add_variable(gr::basic_block& block,
                  const char* name,
                  T (INTERFACE::*getter)() const,
                  const char* unit,
                  const char* description)
{
    const pmt::pmt_t initial = pmt::mp(T());
    block.add_rpc_variable(
        rpcbasic_sptr(new rpcbasic_register_get<INTERFACE, T>(block.alias(),
                                                              name,
                                                              getter,
                                                              initial,
                                                              initial,
                                                              initial,
                                                              unit,
                                                              description,
                                                              RPC_PRIVLVL_MIN,
                                                              DISPTIME)));
}

} // namespace

void add_engine_variables(gr::basic_block& block)
{
    add_variable(block, "device_name", &engine_info::device_name, "", "Device");
    add_variable(block, "algorithm_name", &engine_info::algorithm_name, "", "Algorithm");
    add_variable(block, "variant_name", &engine_info::variant_name, "", "Kernel");
    add_variable(block, "transfer_name", &engine_info::transfer_name, "", "Transfer");
    add_variable(block,
                 "kernel_time_avg",
                 &engine_info::kernel_time_avg,
                 "s",
                 "Average computing time of a call");
    add_variable(block,
                 "transfer_time_avg",
                 &engine_info::transfer_time_avg,
                 "s",
                 "Average time of a call's copies and maps");
    add_variable(block, "plan", &engine_info::plan, "", "What was chosen, and why");
}

void add_probe_variables(gr::basic_block& block)
{
    add_variable(block, "state", &tune_probe::tuning_state, "", "What the probe does");
    add_variable(
        block, "progress", &tune_probe::tuning_progress, "", "Part that is over");
    add_variable(block, "speedup", &tune_probe::tuning_speedup, "", "Of the last result");
    add_variable(block, "last_report", &tune_probe::last_report, "", "Last report");
}

#else

void add_engine_variables(gr::basic_block&) {}
void add_probe_variables(gr::basic_block&) {}

#endif

} // namespace cldsp
} // namespace gr
