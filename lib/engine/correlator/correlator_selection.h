/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "correlator/correlator_executor.h"
#include "planning/selection.h"

#include <cldsp/correlator.h>

#include <cstddef>
#include <string>

namespace cldsp {

//! The executor that computes a correlator's sums, and how the choice came about.
using correlator_selection = selection<correlator_executor>;

//! The numbers by which an executor is chosen.
struct correlator_problem {
    sample_type type;
    std::size_t antennas;
    std::size_t samples; //!< of each antenna, in a typical call

    double operations() const; //!< of a typical call: 8 for each complex product
};

/*!
 * Chooses the executor: the one that the options demand, or else the one that
 * choose_plan() finds among the host and the devices that the options leave open.
 *
 * \param problem the problem
 * \param options the options that the user gave
 * \param registry the contexts of the devices
 * \param takes_devices set to whether a device was among the candidates
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
correlator_selection select_correlator(const correlator_problem& problem,
                                       const correlator_options& options,
                                       context_registry& registry,
                                       bool& takes_devices);

//! The host as a replacement for a device that failed.
//! \param type the type of the samples
//! \param antennas the number of antennas
//! \param why the reason, in a few words
correlator_selection
host_correlator_instead(sample_type type, std::size_t antennas, const std::string& why);

} // namespace cldsp
