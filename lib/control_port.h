// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shows the state of blocks in ControlPort.

#ifndef INCLUDED_CLDSP_CONTROL_PORT_H
#define INCLUDED_CLDSP_CONTROL_PORT_H

#include <gnuradio/basic_block.h>

namespace gr {
namespace cldsp {

// A block calls one of these functions in its setup_rpc(). If GNU Radio was built without
// ControlPort, they do nothing.

//! Adds the values of engine_info to \p block, which implements it.
void add_engine_variables(gr::basic_block& block);

//! Adds the state of a tuning to \p block, which is a tune_probe.
void add_probe_variables(gr::basic_block& block);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CONTROL_PORT_H */
