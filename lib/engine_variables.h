/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_VARIABLES_H
#define INCLUDED_CLDSP_ENGINE_VARIABLES_H

#include <gnuradio/basic_block.h>

namespace gr {
namespace cldsp {

//! Makes what engine_info tells ControlPort variables of \p block, which is one.
void add_engine_variables(gr::basic_block& block);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_ENGINE_VARIABLES_H */
