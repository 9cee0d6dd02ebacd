// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Kaiser's formulas, with a series for the Bessel function.

#include "filter/kaiser.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

double bessel_i0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-18 * sum; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

} // namespace

double kaiser_beta(double decibels)
{
    if (decibels > 50)
        return 0.1102 * (decibels - 8.7);
    const double above = std::max(0.0, decibels - 21);
    return 0.5842 * std::pow(above, 0.4) + 0.07886 * above;
}

double kaiser_transition(double decibels) { return (decibels - 7.95) / 14.36; }

kaiser_window::kaiser_window(double beta) : d_beta(beta), d_scale(1 / bessel_i0(beta)) {}

double kaiser_window::operator()(double place) const
{
    return d_scale * bessel_i0(d_beta * std::sqrt(std::max(0.0, 1 - place * place)));
}

} // namespace cldsp
