/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fir_executor.h"

#include <memory>

namespace cldsp {

//! What was chosen, and whether it is the host although a device was asked for.
struct fir_selection {
    std::unique_ptr<fir_executor> executor;
    bool fell_back = false;
};

/*!
 * Picks what computes a problem: as the options force it, else the fastest in a short
 * measurement in which the host takes part. The log says what won.
 *
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
fir_selection select_fir(const fir_setup& setup,
                         const freq_xlating_fir_options& options,
                         context_registry& registry);

} // namespace cldsp
