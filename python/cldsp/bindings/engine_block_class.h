// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The Python classes that blocks with an engine derive from.

#ifndef INCLUDED_CLDSP_ENGINE_BLOCK_CLASS_H
#define INCLUDED_CLDSP_ENGINE_BLOCK_CLASS_H

#include "without_gil.h"
#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/sync_decimator.h>
#include <pybind11/complex.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <memory>

// Base classes bind the methods that several blocks have: engine_info the getters of the
// engine, filter_control and filter_bank_control those that depend on no type,
// filter_with_taps and bank_with_taps those that depend on the type of the taps. A class
// for each type of input as well has only its constructor, because pybind11 takes the
// compiler long for each method of each class.

//! The Python class that derives from \p CONTROL, and from which filters or banks with
//! taps of one type derive.
template <class BLOCK, class CONTROL>
using class_with_taps = pybind11::class_<BLOCK,
                                         gr::sync_decimator,
                                         gr::sync_block,
                                         gr::block,
                                         gr::basic_block,
                                         CONTROL,
                                         gr::cldsp::engine_info,
                                         std::shared_ptr<BLOCK>>;

//! The Python class of a block with an engine and without decimation.
template <class BLOCK>
using sync_block_class = pybind11::class_<BLOCK,
                                          gr::sync_block,
                                          gr::block,
                                          gr::basic_block,
                                          gr::cldsp::engine_info,
                                          std::shared_ptr<BLOCK>>;

#endif /* INCLUDED_CLDSP_ENGINE_BLOCK_CLASS_H */
