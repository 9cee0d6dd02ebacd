// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The address of one channel's ZeroMQ socket.

#pragma once

#include <cstddef>
#include <string>

namespace cldsp::app {

/*!
 * The address of one channel's socket of ZeroMQ. In it {name} and {index} are replaced.
 * If neither is there, channel i of tcp://ADDRESS:PORT has the port PORT + i.
 *
 * \param text tcp://ADDRESS:PORT or ipc://PATH
 * \param index of the channel, from 0 on
 * \param count of the channels
 * \throws std::invalid_argument if it is something else, or if two channels would have
 * one address
 */
std::string zmq_endpoint(const std::string& text,
                         const std::string& name,
                         std::size_t index,
                         std::size_t count);

} // namespace cldsp::app
