/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Apart from the comparison, which computes filters: the planner needs the words alone.

#include "planning/output_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cldsp {

std::string output_error::text() const
{
    if (!std::isfinite(error))
        return "its outputs are not numbers where the host's are";
    char text[100];
    std::snprintf(text,
                  sizeof(text),
                  "its outputs differ from the host's by %.1f dB of their peak",
                  20 * std::log10(std::max(error, 1e-30)));
    return text;
}

} // namespace cldsp
