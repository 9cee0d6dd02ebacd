// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lets blocks be made when their plans are final, for benchmarks of them.

#pragma once

#include <gnuradio/prefs.h>

namespace cldsp::bench {

//! From now on a block is made when the fastest is known, so that nothing else is timed.
inline void wait_for_plans()
{
    gr::prefs::singleton()->set_string("cldsp", "plan", "wait");
}

} // namespace cldsp::bench
