/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/fir_executor.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>

#include <memory>
#include <string>

namespace cldsp {

//! What was chosen, and whether it is the host although a device was asked for.
struct fir_selection {
    std::unique_ptr<fir_executor> executor;
    chosen_plan plan;
    bool fell_back = false;
};

/*!
 * Picks what computes a problem: as the options force it, else what choose_plan() finds
 * among every algorithm, device and transfer that they leave open.
 *
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
fir_selection select_fir(const fir_setup& setup,
                         const freq_xlating_fir_options& options,
                         context_registry& registry);

//! The host's direct algorithm, in place of a plan that failed. \param why in a few words
fir_selection
host_instead(const fir_setup& setup, const logger& log, const std::string& why);

} // namespace cldsp
