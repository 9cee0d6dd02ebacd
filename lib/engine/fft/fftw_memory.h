/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <string>

namespace cldsp {

//! FFTW's measurements, kept with our own.
class fftw_memory
{
public:
    //! Gives FFTW what the registry remembers.
    explicit fftw_memory(context_registry& registry);
    //! Has the registry remember what FFTW has measured since.
    void save();

private:
    context_registry& d_registry;
    std::string d_known;
};

} // namespace cldsp
