// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Kaiser's window, and the window that a given attenuation needs.

#pragma once

namespace cldsp {

/*
 * Kaiser's window, and his formulas for the window that a filter needs.
 */

//! The parameter of the window whose filter attenuates by \p decibels, 21 or more.
double kaiser_beta(double decibels);
//! The length of a filter that attenuates by \p decibels, times the width of its
//! transition, in turns per item.
double kaiser_transition(double decibels);

class kaiser_window
{
public:
    explicit kaiser_window(double beta);
    //! The window at \p place, from -1 to 1 at its ends; 1 in its middle.
    double operator()(double place) const;

private:
    double d_beta, d_scale;
};

} // namespace cldsp
