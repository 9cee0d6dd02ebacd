// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Numbers with units, as options and lists of channels have them.

#pragma once

#include <string>

namespace cldsp::app {

/*!
 * A frequency or a rate in Hz, such as "137.1M", "48k", "-12.5kHz", "2.4MS/s" or "1e6".
 *
 * \param parameter the name of the parameter in the message of the exception
 * \throws std::invalid_argument if \p text is no such number
 */
double parse_hertz(const std::string& text, const std::string& parameter);

/*!
 * A time in seconds, such as "75us", "75u", "20ms" or "1.5s".
 *
 * \param parameter the name of the parameter in the message of the exception
 * \param usual the unit of a number that has none: "us", "ms" or "s"
 * \throws std::invalid_argument if \p text is no such number
 */
double parse_seconds(const std::string& text,
                     const std::string& parameter,
                     const std::string& usual);

} // namespace cldsp::app
