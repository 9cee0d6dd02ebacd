// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// This file takes the place of zmq_sink.cc where ZeroMQ is not installed.

#include "channelize/byte_sink.h"

#include <stdexcept>

namespace cldsp::app {

std::unique_ptr<byte_sink> make_zmq_sink(const std::string&, std::size_t, bool)
{
    throw std::runtime_error(
        "--zmq needs ZeroMQ, without which this program was built: install its "
        "development files (Debian: libzmq3-dev) and build it again");
}

} // namespace cldsp::app
