// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// This file takes the place of radio_source.cc where SoapySDR is not installed.

#include "channelize/radio_source.h"

#include <stdexcept>

namespace cldsp::app {

namespace {

[[noreturn]] void refuse()
{
    throw std::runtime_error(
        "radios need SoapySDR, without which this program was built: install its "
        "development files (Debian: libsoapysdr-dev) and build it again");
}

} // namespace

std::unique_ptr<sample_source> open_radio(const radio_wish&, bool) { refuse(); }

std::vector<radio_description> list_radios(const std::string&, bool) { refuse(); }

} // namespace cldsp::app
