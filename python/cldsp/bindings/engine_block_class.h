/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_BLOCK_CLASS_H
#define INCLUDED_CLDSP_ENGINE_BLOCK_CLASS_H

#include "without_gil.h"
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/sync_decimator.h>
#include <pybind11/complex.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <memory>

//! The Python class of a block with an engine. The getters of the engine are bound once,
//! for the common base class engine_info.
template <class BLOCK>
using block_class = pybind11::class_<BLOCK,
                                     gr::sync_decimator,
                                     gr::sync_block,
                                     gr::block,
                                     gr::basic_block,
                                     gr::cldsp::engine_info,
                                     std::shared_ptr<BLOCK>>;

//! As block_class, for a block without decimation.
template <class BLOCK>
using sync_block_class = pybind11::class_<BLOCK,
                                          gr::sync_block,
                                          gr::block,
                                          gr::basic_block,
                                          gr::cldsp::engine_info,
                                          std::shared_ptr<BLOCK>>;

#endif /* INCLUDED_CLDSP_ENGINE_BLOCK_CLASS_H */
