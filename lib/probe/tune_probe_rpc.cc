/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe/tune_probe_impl.h"

namespace gr {
namespace cldsp {

#ifdef GR_CTRLPORT

namespace {

template <class T>
void add_variable(gr::basic_block& block,
                  const char* name,
                  T (tune_probe::*getter)() const,
                  const char* description)
{
    const pmt::pmt_t initial = pmt::mp(T());
    block.add_rpc_variable(
        rpcbasic_sptr(new rpcbasic_register_get<tune_probe, T>(block.alias(),
                                                               name,
                                                               getter,
                                                               initial,
                                                               initial,
                                                               initial,
                                                               "",
                                                               description,
                                                               RPC_PRIVLVL_MIN,
                                                               DISPTIME)));
}

} // namespace

void tune_probe_impl::setup_rpc()
{
    add_variable(*this, "state", &tune_probe::tuning_state, "What the probe does");
    add_variable(*this, "progress", &tune_probe::tuning_progress, "Part that is over");
    add_variable(*this, "speedup", &tune_probe::tuning_speedup, "Of the last result");
    add_variable(*this, "last_report", &tune_probe::last_report, "Last report");
}

#else

void tune_probe_impl::setup_rpc() {}

#endif

} // namespace cldsp
} // namespace gr
