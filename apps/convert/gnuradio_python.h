// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The Python that GNU Radio is built for.

#pragma once

namespace cldsp::app {

//! The Python that GNU Radio is built for; empty: there is no GNU Radio.
const char* gnuradio_python();

} // namespace cldsp::app
